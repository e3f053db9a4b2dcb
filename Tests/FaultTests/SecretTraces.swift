import Foundation
import Glibc

/// Finds traces of secrets, however they are written down. All secrets of a trial begin with the same random letters, so
/// that looking for those finds every one of them.
struct SecretTraces: Sendable {
  /// What a secret begins with; 15 letters, so that 5 whole groups of base64 stand for them.
  let mark: String
  private let needles: [(form: String, bytes: [UInt8])]

  /// - Parameter word: 7 letters.
  init(_ word: String = DaemonTrial.canary + "x") {
    var random = SystemRandomNumberGenerator()
    let letters = (0..<8).map { _ in String(UnicodeScalar(UInt8.random(in: 0x67...0x7A, using: &random))) }
    mark = word + letters.joined()
    let bytes = Array(mark.utf8)
    var needles: [(String, [UInt8])] = [("as it is", bytes)]
    // Within a longer text it may begin at any of three places; what stands for it alone is looked for.
    for lead in 0..<3 {
      let text = Array(Data([UInt8](repeating: 0, count: lead) + bytes).base64EncodedString().utf8)
      let end = (lead + bytes.count) / 3 * 4
      needles.append(("in base64, \(lead)", Array(text[(lead == 0 ? 0 : 4)..<end])))
    }
    let digits = bytes.map { String($0, radix: 16) }.joined()
    needles.append(("in hexadecimal digits", Array(digits.utf8)))
    needles.append(("in upper hexadecimal digits", Array(digits.uppercased().utf8)))
    let escaped = bytes.map { "\\u00" + String($0, radix: 16) }.joined()
    needles.append(("escaped", Array(escaped.utf8)))
    self.needles = needles
  }

  func secret(_ number: Int) -> String { "\(mark)-\(number)-" }

  /// In what forms traces are in some bytes.
  func forms(in bytes: UnsafeRawBufferPointer) -> [String] {
    needles.filter { Self.count(of: $0.bytes, in: bytes) > 0 }.map(\.form)
  }

  func forms(in text: String) -> [String] {
    Array(text.utf8).withUnsafeBytes { forms(in: $0) }
  }

  /// Every file under a folder that has a trace.
  func files(under folder: String) throws -> [String] {
    var found: [String] = []
    for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else { continue }
      let forms = data.withUnsafeBytes { bytes in self.forms(in: bytes) }
      if !forms.isEmpty { found.append("\(path): \(forms)") }
    }
    return found
  }

  /// How many copies stand in the memory that a process may write, by form.
  func copies(inMemoryOf process: pid_t) throws -> [String: Int] {
    let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw CocoaError(.fileReadNoPermission) }
    defer { close(memory) }
    var found: [String: Int] = [:]
    let maps = try String(contentsOf: URL(filePath: "/proc/\(process)/maps"), encoding: .utf8)
    for line in maps.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
      var start = ends[0]
      let overlap = 256
      var chunk = [UInt8](repeating: 0, count: 1 << 22)
      while start < ends[1] {
        let count = pread(memory, &chunk, min(chunk.count, ends[1] - start), start)
        guard count > 0 else { break }
        let isLast = start + count >= ends[1]
        // What lies across the end is found in the next piece, and counted there.
        let whole = isLast ? count : max(count - overlap, 1)
        chunk.withUnsafeBytes { bytes in
          for needle in needles {
            let within = UnsafeRawBufferPointer(rebasing: bytes[..<min(count, whole + needle.bytes.count - 1)])
            found[needle.form, default: 0] += Self.count(of: needle.bytes, in: within)
          }
        }
        start += whole
      }
    }
    return found.filter { $0.value > 0 }
  }

  private static func count(of needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var found = 0
    var offset = 0
    while offset + needle.count <= bytes.count,
      let next = memchr(base + offset, Int32(needle[0]), bytes.count - offset - needle.count + 1)
    {
      if memcmp(next, needle, needle.count) == 0 { found += 1 }
      offset = UnsafeRawPointer(next) - base + 1
    }
    return found
  }
}
