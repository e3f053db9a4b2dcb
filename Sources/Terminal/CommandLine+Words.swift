extension CommandLine {
  /// What the process was called with, without the program's own name; nil for a word that is not UTF-8. `arguments` would
  /// make another word of that, which may name somebody else.
  public static var words: [String?] {
    UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().map { word in
      word.flatMap { String(validatingCString: $0) }
    }
  }
}
