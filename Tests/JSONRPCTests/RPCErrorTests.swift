import JSON
import JSONRPC
import Testing

struct RPCErrorTests {
  @Test func `every reason has its group's code`() {
    let groups: [Int: Int] = Dictionary(ErrorReason.allCases.map { ($0.code, 1) }, uniquingKeysWith: +)
    #expect(
      groups == [
        -32700: 1, -32600: 1, -32601: 1, -32602: 1, -32603: 1, 1000: 2, 1001: 7, 1002: 7, 1003: 3, 1004: 3, 1005: 3,
        1006: 12, 1007: 7,
      ])
  }

  @Test func `what may pass by itself can be tried again`() {
    let retryable = Set(ErrorReason.allCases.filter(\.isRetryable))
    #expect(
      retryable == [
        .databaseUnavailable, .storageFull, .shuttingDown, .inProgress, .rateLimited, .temporarilyUnavailable,
      ])
  }

  @Test func `messages are sentences`() {
    for reason in ErrorReason.allCases {
      #expect(reason.message.hasSuffix(".") && reason.message.first?.isUppercase == true, "\(reason)")
    }
  }

  @Test func `an error is written with reason, hint, retryable and request id`() {
    let error = RPCError(
      .tooMany, hint: "Send fewer.", requestID: "r1", details: [.limit(.batchCalls, max: 3)])
    #expect(
      written(error)
        == #"{"code":1004,"message":"There are more of these than allowed.","data":{"reason":"too_many","#
        + #""hint":"Send fewer.","retryable":false,"request_id":"r1","limit":"batch_calls","max":3}}"#)
  }

  @Test func `an error is read as it was written`() throws {
    let details: [[ErrorDetail]] = [
      [], [.path("params.a[1].b"), .problem(.missing)], [.limit(.frameBytes, max: 1)],
      [.retryAfter(milliseconds: 250)], [.userID("u")], [.laterMergeID("m")], [.kept(true)], [.kept(false)],
    ]
    for reason in ErrorReason.allCases {
      for details in details {
        let error = RPCError(reason, "It \"is\" so.", hint: nil, requestID: "r", details: details)
        let bytes = Array(written(error).utf8)
        let parser = JSONParser()
        let again = try withExtendedLifetime(parser) {
          try bytes.withUnsafeBytes { RPCError(reading: try parser.parse($0, nestingMax: 8)) }
        }
        #expect(again == error)
      }
    }
  }

  @Test func `every limit of the wire is told by name and number`() {
    for name in LimitName.allCases {
      let error = RPCError.limit(name, max: 17)
      #expect(error.details == [.limit(name, max: 17)])
      #expect(error.code == 1004 && error.message.contains("17"))
    }
  }

  private func written(_ error: RPCError) -> String {
    var writer = JSONWriter()
    error.write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension RPCError {
  fileprivate var code: Int { reason.code }
}
