import Testing

@testable import Accounts

struct DuplicateReasonTests {
  private func facts(_ name: String? = nil, _ birthday: String? = nil, _ addresses: String...) -> DuplicateFacts {
    DuplicateFacts(
      name: name.flatMap { SearchText($0) }.flatMap { MatchName($0) }, birthday: birthday.flatMap { Birthday($0) },
      addresses: addresses.map { ExactText($0) })
  }

  @Test func `each reason is found, and each near miss is none`() {
    let relay = "x7@privaterelay.appleid.com"
    let cases: [(DuplicateFacts, DuplicateFacts, [DuplicateReason], Int)] = [
      (facts(nil, nil, "a@example.org"), facts(nil, nil, "b@example.org", "a@example.org"), [.sameAddress], 90),
      (facts(nil, nil, "a@example.org"), facts(nil, nil, "a@example.com"), [], 0),
      (facts(nil, nil, "m.ira+x@gmail.com"), facts(nil, nil, "mira@googlemail.com"), [.sameMailbox], 80),
      (facts(nil, nil, "mira+shop@example.org"), facts(nil, nil, "mira+news@example.org"), [.sameMailbox], 80),
      (facts(nil, nil, "m.ira@example.org"), facts(nil, nil, "mira@example.org"), [], 0),
      (facts(nil, nil, "+mira@example.org"), facts(nil, nil, "+noor@example.org"), [], 0),
      (facts("Mira Beispiel", nil, relay), facts("Beispiel Mira", nil, "m@example.org"), [.relayAndRealAddress], 50),
      (facts("Mira Beispiel", nil, relay), facts("Mira Beispiel", nil, "y8@privaterelay.appleid.com"), [], 0),
      (facts("Mira Beispiel", nil, relay, "m@example.com"), facts("Mira Beispiel", nil, "m@example.org"), [], 0),
      (facts("Mira Beispiel", nil, relay), facts("Noor Beispiel", nil, "m@example.org"), [], 0),
      (facts("Mira Beispiel", nil, relay), facts("Mira Beispiel", nil), [], 0),
      (facts("Mira Beispiel"), facts("Mira Beispiel"), [], 0),
      (facts("김하늘", "1990-10-01"), facts("김 하늘", "1990-10-01"), [.sameNameAndBirthday(isYearKnown: true)], 85),
      (facts("김하늘", "10-01"), facts("김하늘", "1990-10-01"), [.sameNameAndBirthday(isYearKnown: false)], 60),
      (facts("김하늘", "1991-10-01"), facts("김하늘", "1990-10-01"), [], 0),
      (facts("김하늘", "10-02"), facts("김하늘", "10-01"), [], 0),
      (facts("김하늘", "10-01"), facts("김하나", "10-01"), [], 0),
      (facts("김하늘"), facts("Haneul Kim"), [.sameNameTransliterated], 30),
      (
        facts("김하늘", nil, "haneul@example.org"), facts("Haneul Kim", nil, relay),
        [.relayAndRealAddress, .sameNameTransliterated], 55
      ),
      (
        facts("김하늘", "1990-10-01", "h@gmail.com", "a@example.org"),
        facts("Kim Ha-neul", "1990-10-01", "h+1@gmail.com", "a@example.org"),
        [.sameAddress, .sameNameAndBirthday(isYearKnown: true), .sameMailbox, .sameNameTransliterated], 99
      ),
    ]
    for (one, other, reasons, score) in cases {
      #expect(one.evidence(with: other).reasons == reasons)
      #expect(other.evidence(with: one).reasons == reasons)
      #expect(reasons.score == score)
    }
  }

  @Test func `a birthday is read as providers write it`() {
    #expect(Birthday("10-01", year: "1990") == Birthday("1990-10-01"))
    #expect(Birthday("0000-10-01") == Birthday("10-01"))
    #expect(Birthday("02-29")?.stored == "02-29" && Birthday("1990-02-03")?.stored == "02-03-1990")
    for text in ["", "-", "10", "13-01", "02-30", "00-10", "10-00", "1990-10", "a-b", "10-01-1990-5", "+1-02", "1-2"] {
      #expect(Birthday(text) == nil, "\(text)")
    }
    for text in ["10-01", "1990-10-01", "02-29"] {
      let birthday = Birthday(text)
      #expect(birthday != nil && birthday.flatMap { Birthday(stored: $0.stored) } == birthday)
    }
  }

  @Test func `later kinds make nobody surer than earlier ones`() {
    let kinds = DuplicateKey.Kind.allCases
    #expect(kinds.map(\.scoreMax) == [99, 99, 95, 55])
    for (earlier, later) in zip(kinds, kinds.dropFirst()) { #expect(earlier.scoreMax >= later.scoreMax) }
  }
}
