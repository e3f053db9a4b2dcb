/// Scripts in which a name begins with the family name. They know no case.
extension Unicode.Scalar {
  /// A whole syllable.
  var isHangul: Bool { (0xAC00...0xD7A3).contains(value) }

  var isHan: Bool {
    (0x3400...0x9FFF).contains(value) || (0xF900...0xFAFF).contains(value) || (0x20000...0x323AF).contains(value)
  }

  var isKana: Bool { (0x3040...0x30FF).contains(value) }
}
