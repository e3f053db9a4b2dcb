import Crypto
import Testing
import Vault

@Suite struct SealingSpeedTests {
  @Test func `sealing and opening a kibibyte, timed`() throws {
    let ring = try Trial.ring(Trial.keyset())
    let content = SecretBytes(copying: [UInt8](repeating: 1, count: 1024))
    let context = Trial.context()
    var sealed = try ring.seal(content, in: context)
    let rounds = 5000
    let clock = ContinuousClock()
    let sealing = try clock.measure { for _ in 0..<rounds { sealed = try ring.seal(content, in: context) } }
    var opened = content
    let opening = try clock.measure { for _ in 0..<rounds { opened = try ring.open(sealed, in: context) } }
    let index = try clock.measure {
      for _ in 0..<rounds { _ = try ring.blindIndex(of: content, field: "field", databaseID: Trial.databaseID) }
    }
    #expect(opened == content)
    // Not compared with a limit: without optimisation, or beside other work, it says nothing.
    print("1 KiB: sealed in \(sealing / rounds), opened in \(opening / rounds), indexed in \(index / rounds)")
  }
}
