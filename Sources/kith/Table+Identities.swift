import API
import Terminal

extension Table {
  /// Identities as people look at them. A subject is what identifies and is copied, so it has the row almost to itself, and
  /// how the identity came stands below.
  ///
  /// - Parameter more: further lines below each.
  init(identities: [IdentityShape], more: (IdentityShape) -> [String] = { _ in [] }) {
    self.init(
      [Column("PROVIDER", widthMin: 8), Column("SUBJECT", widthMin: 12)],
      rows: identities.map { ["\($0.provider):\($0.tenant)", $0.subject.string] },
      notes: identities.map { [Self.history(of: $0)] + more($0) })
  }

  private static func history(of identity: IdentityShape) -> String {
    let linked = "linked \(DisplayedTime.minutes(identity.linkedAt)) by \(identity.linkedBy.rawValue)"
    guard let last = identity.lastSignInAt else { return linked }
    return linked + ", last sign-in \(DisplayedTime.minutes(last))"
  }
}
