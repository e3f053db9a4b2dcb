import Terminal
import Testing

@Suite struct TableTests {
  private let plain = Palette(isColoured: false)

  @Test func `where nothing is cut a cell that is too long moves its own row alone`() {
    let long = String(repeating: "이름", count: 60)
    let table = Table(
      [Table.Column("NAME", widthMin: 8), Table.Column("WAY")],
      rows: [["김하늘", "naver"], [long, "naver"], ["Mira", "apple"]])
    let lines = table.lines(widthMax: nil, palette: plain)
    #expect(lines[2] == long + "  naver")
    for (line, end) in [(lines[0], "WAY"), (lines[1], "naver"), (lines[3], "apple")] {
      #expect(DisplayWidth.of(line) - DisplayWidth.of(end) == Table.widthUncut - "naver".count)
    }
  }

  @Test func `notes stand below their row and are broken where they are too long`() {
    let table = Table(
      [Table.Column("NAME", widthMin: 4)], rows: [["김하늘"], ["Mira"], ["남궁민수"]],
      notes: [["하늘 하늘 하늘", "구름"], []])
    #expect(
      table.lines(widthMax: 8, palette: plain) == [
        "NAME", "김하늘", "  하늘", "  하늘", "  하늘", "  구름", "Mira", "남궁민수",
      ])
    #expect(
      table.lines(widthMax: nil, palette: plain) == ["NAME", "김하늘", "  하늘 하늘 하늘", "  구름", "Mira", "남궁민수"])
  }
}
