import API
import Accounts
import JSON
import JSONRPC
import Testing

struct MethodResultsTests {
  @Test(arguments: MethodExample.all)
  func `a result is written as it was read`(example: MethodExample) throws {
    #expect(try example.resultAgain(example.result) == example.result)
  }

  @Test(arguments: MethodExample.all)
  func `a client passes over what a newer daemon adds to a result`(example: MethodExample) throws {
    let tree = JSONTree(example.result)
    #expect(try example.resultAgain(tree.adding("later", "{}").text) == example.result)
    for (path, value) in tree.places {
      guard case .object = value, !["info", "components"].contains(path), !JSONTree.isFree(path) else { continue }
      guard !path.hasPrefix("components") else { continue }
      #expect(try example.resultAgain(tree.with(value.adding("later", "1"), at: path).text) == example.result)
    }
  }

  @Test func `a result that lacks something is refused by the client`() {
    #expect(throws: ShapeProblem.self) {
      _ = try reading(#"{"items":[{"id":"x"}]}"#) { try Response<UserSearch>(decoding: $0) }
    }
    do {
      _ = try reading(#"{"items":[{"id":"0193a1b2-0000-7000-8000-0123456789ab","status":"gone"}]}"#) {
        try Response<UserSearch>(decoding: $0)
      }
    } catch {
      #expect((error as? ShapeProblem)?.path == "items[0].status")
    }
  }

  @Test func `times are read strictly`() throws {
    let good = [
      "2026-11-30T04:05:06.789Z", "2024-02-29T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
      "1969-12-31T23:59:59.999Z",
    ]
    let bad = [
      "2025-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-11-30 04:05:06.789Z", "2026-11-30T24:00:00.000Z",
      "2026-11-30T04:05:06Z", "2026-11-30T04:05:06.789+00:00", "2026-11-30T04:05:60.000Z", "2026-00-10T04:05:00.000Z",
    ]
    func read(_ time: String) -> Bool {
      (try? reading("\"\(time)\"") { try Timestamp.decode($0, NoLimits(), .parameters).description }) == time
    }
    for time in good { #expect(read(time), "\(time)") }
    for time in bad { #expect(!read(time), "\(time)") }
  }

  @Test func `every method says which errors it can give`() {
    for method in MethodRegistry.all {
      #expect(method.allErrors.contains(.invalidParams) && method.allErrors.contains(.methodForbidden))
      #expect(Set(method.allErrors).count == method.allErrors.count)
      #expect(method.allErrors.contains(.requestKeyReused) == method.changes)
    }
  }
}
