/// What a merge makes of the survivor: whatever they have of their own stays, what they lack comes from the absorbed user, and
/// who was disabled stays so.
public struct MergedAccount: Hashable, Sendable {
  /// One of the two users before the merge.
  public struct Party: Hashable, Sendable {
    public let status: UserStatus
    public let profile: Profile

    public init(status: UserStatus, profile: Profile) {
      self.status = status
      self.profile = profile
    }
  }

  /// Whether the survivor was active and is disabled by the merge, because the absorbed user was.
  public let becomesDisabled: Bool

  public let profile: Profile

  /// The parts of the profile that had been unknown.
  public let filled: [ProfilePart]

  public init(survivor: Party, absorbed: Party) {
    becomesDisabled = survivor.status == .active && absorbed.status == .disabled
    profile = survivor.profile.filled(from: absorbed.profile)
    filled = profile.differences(from: survivor.profile)
  }
}

extension Profile {
  /// The parts that both profiles have and that differ, so that a merge keeps one of the two. A name that only came in
  /// other pieces and is shown alike does not differ.
  public func contradictions(to other: Profile) -> [ProfilePart] {
    let known = (self.knownParts, other.knownParts)
    let isCalledAlike = name.displayed == other.name.displayed
    return differences(from: other).filter { part in
      known.0.contains(part) && known.1.contains(part) && !(part == .name && isCalledAlike)
    }
  }

  private var knownParts: [ProfilePart] { differences(from: Profile()) }

  /// This profile without those of some parts that are as in another: what a merge filled in and nobody has changed since.
  public func removing(_ parts: [ProfilePart], asIn other: Profile) -> Profile {
    let changed = differences(from: other)
    return replacing(with: Profile(), clearing: Set(parts.filter { !changed.contains($0) }))
  }
}
