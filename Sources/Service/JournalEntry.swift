import Accounts
import Configuration
import JSON

/// One line of the journal in its form for programs.
struct JournalEntry {
  let at: Timestamp
  let level: LogSettings.Level
  let message: String
  let requestID: String?

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("at")
    writer.string(at.description)
    writer.member("level")
    writer.string(level.rawValue)
    writer.member("message")
    writer.string(message)
    if let requestID {
      writer.member("request_id")
      writer.string(requestID)
    }
    writer.endObject()
    writer.endLine()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
