extension Int {
  /// How many there are, in words: `1 address`, `2 addresses`.
  public func counted(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
