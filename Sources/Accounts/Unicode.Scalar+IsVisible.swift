extension Unicode.Scalar {
  /// Whether a person sees something of it: it is not control, formatting (bidirectional and zero-width characters are),
  /// white space, private use, unassigned, or ignored where it is drawn.
  var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      false
    default:
      !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
        && !UnicodeText.isUnassigned(self)
    }
  }
}
