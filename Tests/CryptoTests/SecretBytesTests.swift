import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct SecretBytesTests {
  @Test(arguments: [SecretBytes.Life.call, .process])
  func `a secret is kept once, and nowhere when it was let go`(_ life: SecretBytes.Life) throws {
    let (held, left) = try ProcessMemory.rehearsed {
      let canary = ProcessMemory.Canary()
      var secret: SecretBytes? = SecretBytes(count: canary.count, for: life) { canary.write(to: $0) }
      let held = try ProcessMemory.copies(of: canary)
      #expect(secret?.count == canary.count)
      secret = nil
      return (held, try ProcessMemory.copies(of: canary))
    }
    #expect(held == 1)
    #expect(left == 0)
  }

  @Test(arguments: [SecretBytes.Life.call, .process])
  func `what failed to be made leaves nothing behind`(_ life: SecretBytes.Life) throws {
    let left = try ProcessMemory.rehearsed {
      let canary = ProcessMemory.Canary()
      #expect(throws: CryptoError.unavailable) {
        try SecretBytes(count: canary.count, for: life) { (buffer) throws(CryptoError) in
          canary.write(to: buffer)
          throw .unavailable
        }
      }
      return try ProcessMemory.copies(of: canary)
    }
    #expect(left == 0)
  }

  @Test func `sealing, opening and deriving leave neither contents nor keys behind`() throws {
    let left = try ProcessMemory.rehearsed {
      let canaries = (content: ProcessMemory.Canary(), key: ProcessMemory.Canary(), forged: ProcessMemory.Canary())
      try work(content: canaries.content, key: canaries.key, forged: canaries.forged)
      return try [canaries.content, canaries.key, canaries.forged].map { try ProcessMemory.copies(of: $0) }
    }
    #expect(left == [0, 0, 0])
  }

  private func work(
    content: ProcessMemory.Canary, key: ProcessMemory.Canary, forged: ProcessMemory.Canary
  ) throws {
    let nonce = [UInt8](repeating: 0, count: AES256GCM.nonceBytes)
    let key = SecretBytes(count: key.count) { key.write(to: $0) }
    let sealed = try AES256GCM.seal(
      SecretBytes(count: content.count) { content.write(to: $0) }, key: key, nonce: nonce, additionalData: [])
    let opened = try AES256GCM.open(sealed[...], key: key, nonce: nonce, additionalData: [])
    #expect(opened == SecretBytes(count: content.count) { content.write(to: $0) })
    // What is decrypted before it proves to be forged is wiped as well.
    var changed = try AES256GCM.seal(
      SecretBytes(count: forged.count) { forged.write(to: $0) }, key: key, nonce: nonce, additionalData: [])
    changed[changed.count - 1] ^= 1
    #expect(throws: CryptoError.notAuthentic) {
      try AES256GCM.open(changed[...], key: key, nonce: nonce, additionalData: [])
    }
    _ = try HKDFSHA256.derive(32, from: key, info: [1])
    _ = try HMACSHA256.code(for: [1], key: key)
  }

  @Test func `a secret of the process has pages of its own that no core file holds`() throws {
    let secret = SecretBytes(copying: [1, 2, 3], for: .process)
    let flags = try memoryFlags(of: secret)
    #expect(flags.contains("dd"))
    #expect(flags.contains("lo") == secret.isLockedInMemory)
    let fleeting = SecretBytes(copying: [1, 2, 3])
    #expect(!fleeting.isLockedInMemory)
    #expect(try !memoryFlags(of: fleeting).contains("dd"))
  }

  /// What the kernel says of the pages that hold a secret.
  private func memoryFlags(of secret: SecretBytes) throws -> [Substring] {
    let address = secret.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    var isThere = false
    for line in try ProcessMemory.lines(of: "/proc/self/smaps") {
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
      if ends.count == 2 { isThere = (ends[0]..<ends[1]).contains(address) }
      if isThere, line.hasPrefix("VmFlags:") { return line.split(separator: " ") }
    }
    throw CocoaError(.fileReadCorruptFile)
  }

  @Test func `a secret prints redacted however it is printed`() {
    let secret = SecretBytes(copying: Array("hunter2".utf8))
    struct Holder {
      let secret: SecretBytes
    }
    var dumped = ""
    dump(["key": Holder(secret: secret)], to: &dumped)
    let printed = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])", "\(Holder(secret: secret))",
      "\(Optional(secret) as Any)", dumped,
    ]
    for text in printed {
      #expect(text.contains("<redacted>"))
      #expect(!text.contains("hunter2") && !text.contains("104"))
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test func `secrets are compared by their bytes`() {
    #expect(SecretBytes(copying: [1, 2]) == SecretBytes(copying: [1, 2], for: .process))
    #expect(SecretBytes(copying: [1, 2]) != SecretBytes(copying: [1, 3]))
    #expect(SecretBytes(copying: [1, 2]) != SecretBytes(copying: [1]))
    #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
  }

  @Test func `the system's random bytes differ each time, and a failing source is an error`() throws {
    #expect(try RandomSource.system.bytes(16) != RandomSource.system.bytes(16))
    #expect(try RandomSource.system.secret(32) != RandomSource.system.secret(32))
    #expect(try RandomSource.system.bytes(0).isEmpty)
    let failing = RandomSource { _ in false }
    #expect(throws: CryptoError.unavailable) { try failing.bytes(16) }
    #expect(throws: CryptoError.unavailable) { try failing.secret(16) }
  }
}
