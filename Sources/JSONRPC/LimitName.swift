/// The limits of the wire by their names in the configuration, which are also told in the answer that refuses.
public enum LimitName: String, Sendable, CaseIterable {
  case frameBytes = "frame_bytes"
  case batchCalls = "batch_calls"
  case nesting
  case callsInFlight = "calls_in_flight"
  case answerBytesQueued = "answer_bytes_queued"
  case frameSeconds = "frame_seconds"
  case connectionsPerUID = "connections_per_uid"
}
