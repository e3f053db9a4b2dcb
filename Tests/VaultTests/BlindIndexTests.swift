import Accounts
import Crypto
import Testing
import Vault

@Suite struct BlindIndexTests {
  private let value = Trial.secret("mira@example.org")

  @Test func `an index is the one that was agreed on`() throws {
    // Worked out by another implementation of HMAC and HKDF.
    let index = try Trial.ring(Trial.keyset()).blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID)
    #expect(
      index.code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == "f15360e70968e323eecb683a71447078208e105af7aca85897410c1f51c21f33")
    #expect(index.keyID == (try Trial.id("k1")))
  }

  @Test func `indexes are equal for equal values of one field, database and key only`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let index = try ring.blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID)
    let others = [
      try ring.blindIndex(of: Trial.secret("mira@example.orf"), field: "e-mail", databaseID: Trial.databaseID),
      try ring.blindIndex(of: Trial.secret(""), field: "e-mail", databaseID: Trial.databaseID),
      try ring.blindIndex(of: value, field: "login", databaseID: Trial.databaseID),
      try ring.blindIndex(of: value, field: "e-mail", databaseID: UniqueID(high: 0, low: 0)),
      try Trial.ring(Keyset(first: Trial.id("k1"), Trial.key(1)))
        .blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID),
    ]
    #expect(Set(others + [index]).count == others.count + 1)
    #expect(try ring.blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID) == index)
  }

  @Test func `while keys change a value is found under the old one and the new one`() throws {
    let before = try Trial.keyset()
    let promoted = try before.adding(Trial.id("k2"), Trial.key(1)).promoting(Trial.id("k2"))
    let stored = try Trial.ring(before).blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID)
    let looked = try Trial.ring(promoted).blindIndexes(of: value, field: "e-mail", databaseID: Trial.databaseID)
    #expect(looked.map(\.keyID.description) == ["k2", "k1"])
    #expect(looked.last == stored)
    #expect(
      looked.first == (try Trial.ring(promoted).blindIndex(of: value, field: "e-mail", databaseID: Trial.databaseID)))
    let retired = try Trial.ring(promoted.retiring(Trial.id("k1")))
    #expect(
      try retired.blindIndexes(of: value, field: "e-mail", databaseID: Trial.databaseID).map(\.keyID.description)
        == ["k2"])
    // What is only compared is known again for as long as the key is in the file.
    let codes = try retired.codes(of: value, field: "e-mail", databaseID: Trial.databaseID)
    #expect(codes == looked.map(\.code))
    let without = try Trial.ring(Keyset(first: Trial.id("k2"), Trial.key(1)))
    #expect(try without.codes(of: value, field: "e-mail", databaseID: Trial.databaseID) == [codes[0]])
  }
}
