import TestSupport
import Testing

/// Attempts to be taken for somebody by how an address is written.
struct AddressAttackTests {
  /// Row 19, in addresses. Letters of other scripts that look alike make another address; case folding makes the same.
  @Test(.enabled(if: Vectors.has("unicode"), Comment(rawValue: Vectors.absence)))
  func `an address of confusable letters finds nobody else's account`() async throws {
    try await TestService.withPeer { _, peer in
      let mira = try await peer.signIn("apple", "mira", "mira.k@example.org", verified: true)
      let lookalikes = try Self.confusables(of: Set("mirak".unicodeScalars))
      #expect(lookalikes.count > 50)
      for (number, (letter, lookalike)) in lookalikes.enumerated() {
        let address = "mira.k@example.org".replacing(letter, with: lookalike)
        let answer = try await peer.signIn("linkedin", "c\(number)", address, verified: true)
        guard let user = answer.userID else {
          #expect(answer.reason == "invalid_params", "\(answer.text)")
          continue
        }
        // Only a spelling that folds to the very same address is the same address.
        let folds = address.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        let isSame = folds.utf8.elementsEqual("mira.k@example.org".utf8)
        #expect((user == mira.userID) == isSame, "\(Array(address.utf8))")
      }
      #expect(try await peer.emails(of: mira.userID)["mira.k@example.org"] == true)
    }
  }

  /// One-letter lookalikes of letters, from the table of confusables.
  private static func confusables(of letters: Set<Unicode.Scalar>) throws -> [(letter: String, lookalike: String)] {
    let table = String(decoding: try Vectors.bytes("unicode/confusables.txt"), as: UTF8.self)
    func scalar(_ field: Substring) -> Unicode.Scalar? {
      UInt32(field.filter { !$0.isWhitespace }, radix: 16).flatMap(Unicode.Scalar.init)
    }
    return table.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let fields = line.split(separator: ";")
      guard fields.count > 2, let lookalike = scalar(fields[0]), let letter = scalar(fields[1]) else { return nil }
      return letters.contains(letter) ? (String(letter), String(lookalike)) : nil
    }
  }

  /// Row 20: checked before it is normalised.
  @Test func `what normalises to an at sign makes no second one`() async throws {
    try await TestService.withPeer { _, peer in
      _ = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      for at in ["\u{FF20}", "\u{FE6B}"] {
        for address in ["mira\(at)example.org", "x\(at)y@example.org", "mira@example.org\(at)attacker.example"] {
          let answer = try await peer.signIn("linkedin", "attacker", address, verified: true)
          #expect(answer.reason == "invalid_params", "\(address)")
          #expect(answer.path == "params.email")
        }
      }
    }
  }

  /// Row 21: two addresses where one is meant.
  @Test func `a list of addresses is no address`() async throws {
    try await TestService.withPeer { _, peer in
      _ = try await peer.signIn("apple", "mira", "mira@example.org", verified: true)
      for email in [
        #""mira@example.org,attacker@example.net""#, #""mira@example.org;attacker@example.net""#,
        #""mira@example.org attacker@example.net""#, #"["mira@example.org","attacker@example.net"]"#,
        #"["mira@example.org"]"#, #"{"0":"mira@example.org"}"#, #""Mira <mira@example.org>""#,
        #""mira@example.org\r\nBcc: attacker@example.net""#, #""mira@example.org\u0009""#, #"" mira@example.org""#,
      ] {
        for (method, params) in [
          ("signin.resolve", #"{"provider":"linkedin","subject":"a","email":\#(email),"email_verified":true}"#),
          ("user.get", #"{"email":\#(email)}"#),
        ] {
          let answer = try await peer.call(method, params)
          #expect(answer.reason == "invalid_params", "\(method) \(email)")
          #expect(answer.path == "params.email")
        }
      }
    }
  }
}
