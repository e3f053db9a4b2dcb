import Configuration
import Testing

@Suite struct SecretTests {
  @Test func `a secret prints redacted however it is printed`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(["key": secret], to: &dumped)
    for printed in ["\(secret)", String(reflecting: secret), "\([secret])", "\(Optional(secret) as Any)", dumped] {
      #expect(printed.contains("<redacted>"))
      #expect(!printed.contains("hunter2"))
    }
  }

  @Test func `secrets are compared by their bytes`() {
    #expect(Secret("K") == Secret("K"))
    #expect(Secret("K") != Secret("\u{212A}"))
    #expect(Secret("a") != Secret("ab"))
    #expect(Secret("") == Secret(""))
  }
}
