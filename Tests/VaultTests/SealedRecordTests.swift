import Accounts
import Crypto
import Testing
import Vault

@Suite struct SealedRecordTests {
  /// Opens what is stored, as the daemon does: read, then open.
  private func open(_ bytes: [UInt8], in context: SealingContext, with ring: KeyRing) throws(SealingError)
    -> SecretBytes
  {
    try ring.open(SealedRecord(bytes), in: context)
  }

  @Test func `what was sealed is opened in its place, whatever it is`() throws {
    let ring = try Trial.ring(Trial.keyset())
    for count in [0, 1, 15, 16, 17, 1024, 65_536, SealedRecord.contentBytesMax] {
      let content = SecretBytes(copying: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
      let sealed = try ring.seal(content, in: Trial.context())
      #expect(try open(sealed.bytes, in: Trial.context(), with: ring) == content)
      #expect(sealed.bytes.count <= SealedRecord.bytesMax)
    }
    #expect(throws: SealingError.tooLarge(bytesMax: SealedRecord.contentBytesMax)) {
      try ring.seal(
        SecretBytes(copying: [UInt8](repeating: 0, count: SealedRecord.contentBytesMax + 1)), in: Trial.context())
    }
  }

  @Test func `the stored form is the one that was agreed on`() throws {
    // Worked out by another implementation of AES-GCM and HKDF.
    let golden = """
      0101026b31202122232425262728292a2bca3369a2b7f5cddac7e870dd12fbd0cc966884c26eda83dab7124de8f224a98d3409f41eb61123eca\
      9b8e48cad2280002c2d2e2f30313233343536372595446242ff8bae59ace4c656821338a76f49a8c3c1d1237174f647f33ba37660c358e4
      """
    let ring = try KeyRing(Trial.keyset(), random: Trial.countingRandom())
    let sealed = try ring.seal(Trial.secret("what nobody may read"), in: Trial.context())
    #expect(sealed.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == golden)
  }

  @Test func `two sealings of one content have nothing in common`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let content = SecretBytes(copying: [UInt8](repeating: 0, count: 64))
    let first = try ring.seal(content, in: Trial.context()).bytes
    let second = try ring.seal(content, in: Trial.context()).bytes
    let head = 5
    #expect(first[..<head] == second[..<head])
    let same = zip(first, second).dropFirst(head).count { $0 == $1 }
    // Chance makes one byte of 256 the same.
    #expect(same < first.count / 8)
  }

  // MARK: Nothing opens elsewhere

  @Test func `of 200 records each opens in its own place and in no other's`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let contexts: [SealingContext] = (0..<200).map { (number: Int) -> SealingContext in
      let domain: SealingContext.Domain = number % 2 == 0 ? .credential : .heldRegistration
      return Trial.context(
        domain, accessGroup: ExactText("group\(number % 5)"), account: ExactText("account\(number % 7)"),
        service: ExactText("service\(number % 3)"), userID: number % 4 == 0 ? nil : Trial.userID,
        record: UInt64(number / 10), version: Int64(number % 10))
    }
    let records = try contexts.map { try ring.seal(Trial.secret("content of \($0)"), in: $0) }
    for (number, context) in contexts.enumerated() {
      for (other, record) in records.enumerated() {
        if number == other {
          #expect(try ring.open(record, in: context) == Trial.secret("content of \(context)"))
        } else {
          #expect(throws: SealingError.invalid) { try ring.open(record, in: context) }
        }
      }
    }
  }

  @Test func `each single difference of the place is enough`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let sealed = try ring.seal(Trial.secret("content"), in: Trial.context())
    let otherUser = UserID(UniqueID(high: Trial.userID.unique.high, low: Trial.userID.unique.low ^ 1))
    let elsewhere = [
      Trial.context(.heldRegistration), Trial.context(.spool), Trial.context(accessGroup: "wec"),
      Trial.context(accessGroup: ""),
      Trial.context(account: "Mira@example.org"), Trial.context(service: "example.nes"), Trial.context(userID: nil),
      Trial.context(userID: otherUser), Trial.context(record: 2), Trial.context(version: 8),
      Trial.context(databaseID: UniqueID(high: 0, low: 0)),
      // What moves from one field to the next.
      Trial.context(accessGroup: "webm", account: "ira@example.org"),
      Trial.context(account: "mira@example.or", service: "gexample.net"),
      Trial.context(account: "example.net", service: "mira@example.org"),
    ]
    for context in elsewhere {
      #expect(throws: SealingError.invalid) { try ring.open(sealed, in: context) }
    }
    #expect(try ring.open(sealed, in: Trial.context()) == Trial.secret("content"))
  }

  @Test func `places are compared by bytes, not by what Swift takes for the same text`() throws {
    let ring = try Trial.ring(Trial.keyset())
    for (one, other) in [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), ("\u{AC00}", "\u{1100}\u{1161}")] {
      let sealed = try ring.seal(Trial.secret("content"), in: Trial.context(account: ExactText(one)))
      #expect(throws: SealingError.invalid) {
        try ring.open(sealed, in: Trial.context(account: ExactText(other)))
      }
    }
  }

  @Test func `an old version put back does not pass for the newer one`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let old = try ring.seal(Trial.secret("old"), in: Trial.context(version: 1))
    let new = try ring.seal(Trial.secret("new"), in: Trial.context(version: 2))
    #expect(throws: SealingError.invalid) { try ring.open(old, in: Trial.context(version: 2)) }
    #expect(try ring.open(new, in: Trial.context(version: 2)) == Trial.secret("new"))
  }

  // MARK: Nothing that was changed opens

  @Test func `every changed byte of 20 records is noticed`() throws {
    let ring = try Trial.ring(Trial.keyset())
    for number in 0..<20 {
      let context = Trial.context(record: UInt64(number))
      let bytes = try ring.seal(Trial.secret(String(repeating: "content ", count: number)), in: context).bytes
      for position in bytes.indices {
        for change in [1 << (position % 8), 0xFF] {
          var changed = bytes
          changed[position] ^= UInt8(change)
          let error = #expect(throws: SealingError.self) { try open(changed, in: context, with: ring) }
          // The id of the key, and its length, are read before anything can be proved of it.
          let isID = (2..<5).contains(position)
          if case .unknownKey = error, isID { continue }
          #expect(error == .invalid)
        }
      }
    }
  }

  @Test func `what was cut short or made longer is refused`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let bytes = try ring.seal(Trial.secret("content"), in: Trial.context()).bytes
    for count in bytes.indices {
      #expect(throws: SealingError.invalid) { try open(Array(bytes[..<count]), in: Trial.context(), with: ring) }
      #expect(throws: SealingError.self) {
        try open(Array(bytes[(count + 1)...]), in: Trial.context(), with: ring)
      }
    }
    for count in 1...64 {
      let more = (0..<count).map { UInt8($0) }
      #expect(throws: SealingError.invalid) { try open(bytes + more, in: Trial.context(), with: ring) }
      #expect(throws: SealingError.self) { try open(more + bytes, in: Trial.context(), with: ring) }
    }
    let huge = bytes + [UInt8](repeating: 0, count: SealedRecord.bytesMax)
    #expect(throws: SealingError.invalid) { try SealedRecord(huge) }
  }

  @Test func `a data key and a content of two sealings in one place do not go together`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let first = try ring.seal(Trial.secret("first"), in: Trial.context()).bytes
    let second = try ring.seal(Trial.secret("other"), in: Trial.context()).bytes
    let endOfWrappedKey = 3 + 2 + 12 + 32 + 16
    let mixed = Array(first[..<endOfWrappedKey] + second[endOfWrappedKey...])
    #expect(throws: SealingError.invalid) { try open(mixed, in: Trial.context(), with: ring) }
  }

  @Test func `a record does not open by another key, whatever id is written into it`() throws {
    let ring = try Trial.ring(Trial.keyset().adding(Trial.id("k2"), Trial.key(1)))
    var bytes = try ring.seal(Trial.secret("content"), in: Trial.context()).bytes
    bytes[4] = UInt8(ascii: "2")
    #expect(throws: SealingError.invalid) { try open(bytes, in: Trial.context(), with: ring) }
    bytes[4] = UInt8(ascii: "3")
    #expect(throws: SealingError.unknownKey(try Trial.id("k3"))) { try open(bytes, in: Trial.context(), with: ring) }
    let stranger = try Trial.ring(Keyset(first: Trial.id("k1"), Trial.key(1)))
    bytes[4] = UInt8(ascii: "1")
    #expect(throws: SealingError.invalid) { try open(bytes, in: Trial.context(), with: stranger) }
  }

  @Test func `an id that is none is not even read`() throws {
    let rest = [UInt8](repeating: 0, count: 200)
    for id in [[], [0], Array("k 1".utf8), [0xFF], Array("k\n".utf8), [UInt8](repeating: 0x61, count: 33)] {
      #expect(throws: SealingError.invalid) { try SealedRecord([1, 1, UInt8(id.count)] + id + rest) }
    }
  }

  // MARK: Changing keys

  @Test func `a wrapped-anew record needs the old key no longer, and its content was not touched`() throws {
    let before = try Trial.keyset()
    let added = try before.adding(Trial.id("k2"), Trial.key(1))
    let promoted = try added.promoting(Trial.id("k2"))
    let retired = try promoted.retiring(Trial.id("k1"))
    let old = try Trial.ring(before).seal(Trial.secret("content"), in: Trial.context())
    #expect(old.keyID == (try Trial.id("k1")))

    let new = try Trial.ring(promoted).rewrap(old, in: Trial.context())
    #expect(new.keyID == (try Trial.id("k2")))
    #expect(new.bytes.count == old.bytes.count)
    let endOfWrappedKey = 3 + 2 + 12 + 32 + 16
    #expect(new.bytes[endOfWrappedKey...] == old.bytes[endOfWrappedKey...])
    #expect(new.bytes[5..<endOfWrappedKey] != old.bytes[5..<endOfWrappedKey])

    // Every daemon that knows the new key opens it, those that are yet to promote it included.
    let withoutOld = try Keyset(first: Trial.id("k2"), Trial.key(1))
    for keyset in [added, promoted, retired, withoutOld] {
      #expect(try Trial.ring(keyset).open(new, in: Trial.context()) == Trial.secret("content"))
    }
    #expect(throws: SealingError.unknownKey(try Trial.id("k2"))) {
      try Trial.ring(before).open(new, in: Trial.context())
    }
    #expect(throws: SealingError.retiredKey(try Trial.id("k1"))) {
      try Trial.ring(retired).open(old, in: Trial.context())
    }
    #expect(throws: SealingError.retiredKey(try Trial.id("k1"))) {
      try Trial.ring(retired).rewrap(old, in: Trial.context())
    }
    #expect(throws: SealingError.invalid) { try Trial.ring(promoted).open(new, in: Trial.context(version: 8)) }
  }

  @Test func `what the primary key has wrapped is left as it is, if it is genuine`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let sealed = try ring.seal(Trial.secret("content"), in: Trial.context())
    #expect(try ring.rewrap(sealed, in: Trial.context()) == sealed)
    #expect(throws: SealingError.invalid) { try ring.rewrap(sealed, in: Trial.context(version: 8)) }
  }

  @Test func `without random bytes nothing is sealed`() throws {
    let ring = try KeyRing(Trial.keyset(), random: RandomSource { _ in false })
    #expect(throws: SealingError.unavailable) { try ring.seal(Trial.secret("content"), in: Trial.context()) }
  }
}
