import Crypto
import JSON
import Foundation
import TestSupport
import Testing
import Vault

@Suite struct SecrecyTests {
  @Test func `nothing that holds a key or a content prints it`() throws {
    let key = Trial.key(0x80)
    let keyset = try Keyset(first: Trial.id("k1"), key)
    let ring = try Trial.ring(keyset)
    let content = Trial.secret("hunter2 hunter2")
    let sealed = try ring.seal(content, in: Trial.context())
    let opened = try ring.open(sealed, in: Trial.context())
    let base64 = String(decoding: Base64.encode(key).revealedBytes, as: UTF8.self)
    let values: [Any] = [keyset, keyset.keys[0], keyset.text, ring, content, opened]
    for value in values {
      var printed = "\(value) \(String(describing: value)) \(String(reflecting: value)) \([value]) \(value as Any?)"
      dump(value, to: &printed)
      appendMirror(of: value, to: &printed)
      for secret in ["hunter2", "128, 129, 130", String(base64.prefix(12)), "0x80", "8081828384"] {
        #expect(!printed.contains(secret), "\(type(of: value))")
      }
      #expect(printed.contains("<redacted>"))
    }
  }

  /// Everything that can be reached by reflection.
  private func appendMirror(of value: Any, to printed: inout String) {
    for child in Mirror(reflecting: value).children {
      printed += " \(child.label ?? "") \(child.value)"
      appendMirror(of: child.value, to: &printed)
    }
  }

  @Test func `errors of sealing tell no more than the id of a key`() throws {
    let id = try Trial.id("k1")
    let told: [SealingError: String] = [
      .unknownKey(id): "the keyset has no key \"k1\"", .retiredKey(id): "key \"k1\" is retired",
      .invalid: "the sealed record is invalid", .tooLarge(bytesMax: 9): "more than 9 bytes cannot be sealed",
      .unavailable: "the cryptographic library failed",
    ]
    for (error, text) in told {
      #expect("\(error)" == text)
    }
  }

  @Test func `reading a keyset, sealing and opening leave nothing behind in memory`() throws {
    let folder = NSTemporaryDirectory() + "kith-secrecy-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let left = try ProcessMemory.rehearsed {
      let rootKey = ProcessMemory.Canary()
      let content = ProcessMemory.Canary()
      let derived = try work(rootKey, content, file: folder + "/" + UUID().uuidString)
      return try ([rootKey, content] + derived).map { try ProcessMemory.copies(of: $0) }
    }
    #expect(left == [0, 0, 0, 0, 0])
  }

  /// - Returns: the base64 of the root key and the keys derived from it, in hiding.
  private func work(
    _ rootKey: ProcessMemory.Canary, _ content: ProcessMemory.Canary, file: String
  ) throws -> [ProcessMemory.Canary] {
    let key = SecretBytes(count: rootKey.count) { rootKey.write(to: $0) }
    let keyset = try Keyset(first: Trial.id("k1"), key)
    try KeysetFile.update(file) { _ in keyset }
    let ring = try KeyRing(KeysetFile.read(file), random: .system)
    let sealed = try ring.seal(SecretBytes(count: content.count) { content.write(to: $0) }, in: Trial.context())
    #expect(try ring.open(sealed, in: Trial.context()).count == content.count)
    _ = try ring.blindIndex(of: key, field: "field", databaseID: Trial.databaseID)
    return [
      Base64.encode(key),
      try HKDFSHA256.derive(32, from: key, info: Array("kith/1/wrap data keys".utf8)),
      try HKDFSHA256.derive(32, from: key, info: Array("kith/1/blind index".utf8)),
    ].map { $0.withUnsafeBytes { ProcessMemory.Canary($0) } }
  }
}
