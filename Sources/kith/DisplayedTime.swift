import Accounts

/// Moments as tables show them.
enum DisplayedTime {
  /// UTC to the minute: `2026-11-30 04:05`.
  static func minutes(_ time: Timestamp) -> String {
    let text = time.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  /// UTC to the second: `2026-11-30 04:05:06`.
  static func seconds(_ time: Timestamp) -> String {
    let text = time.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }
}
