import API
import Testing

struct SecretTextTests {
  @Test func `a token prints redacted however it is printed`() {
    let token = SecretText(copying: "q3VZ-p0X_n8".utf8)
    let result = EmailAdd.Result(email: EmailShape(), token: token, expiresAt: EmailAdd.Result().expiresAt)
    var dumped = ""
    dump(token, to: &dumped)
    for printed in ["\(token)", String(reflecting: token), "\([token])", "\(result)", dumped] {
      #expect(printed.contains("<redacted>") && !printed.contains("q3VZ"))
    }
    #expect(token.revealed.utf8.elementsEqual("q3VZ-p0X_n8".utf8))
  }
}
