extension String {
  /// With A-Z in lower case and every other byte as it is.
  var asciiLowercased: String {
    let source = utf8
    return String(unsafeUninitializedCapacity: source.count) { buffer in
      var position = 0
      for byte in source {
        buffer[position] = ASCIISet.upperCase.contains(byte) ? byte | 0x20 : byte
        position += 1
      }
      return position
    }
  }
}
