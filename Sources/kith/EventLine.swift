import API
import Accounts
import JSON
import Terminal

/// One event as `kith event tail` prints it.
struct EventLine {
  private static let indentation = "  "
  private static let nestingMax = 64

  private let event: EventShape

  init(_ event: EventShape) {
    self.event = event
  }

  /// As JSON one line; for people one, which is broken where the terminal is narrower.
  func lines(in context: CommandContext) -> [String] {
    let width = context.console.outputWidth
    guard !context.wantsJSON else {
      var writer = JSONWriter()
      event.encode(into: &writer)
      let json = String(decoding: writer.take(), as: UTF8.self)
      return [width == nil ? json : VisibleText(json).string]
    }
    let broken = VisibleText(words.joined(separator: " ")).lines(widthMax: width.map { $0 - Self.indentation.count })
    return broken.enumerated().map { number, line in number == 0 ? line : Self.indentation + context.palette.quiet(line)
    }
  }

  private var words: [String] {
    [DisplayedTime.seconds(event.at), event.type.string]
      + (event.userID.map { ["user=\($0)"] } ?? []) + (event.caller.map { ["by=\($0)"] } ?? []) + details
  }

  /// What else is told, each member as `name=value`.
  private var details: [String] {
    var text = event.data.text.string
    return text.withUTF8 { utf8 in
      let parser = JSONParser()
      return withExtendedLifetime(parser) {
        guard let value = try? parser.parse(UnsafeRawBufferPointer(utf8), nestingMax: Self.nestingMax) else {
          return []
        }
        return value.members.map { member in
          "\(member.key.string ?? "")=\(member.value.string ?? String(decoding: member.value.raw, as: UTF8.self))"
        }
      }
    }
  }
}
