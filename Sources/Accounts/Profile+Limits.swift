extension Profile {
  /// Longest name or nickname, in characters (Unicode scalar values).
  public static let nameCharactersMax = 255
  /// Longest address of a picture: what browsers and proxies pass on without doubt.
  public static let pictureBytesMax = 2048
  /// Longest language tag that RFC 5646 says to provide for.
  public static let localeBytesMax = 35
  /// Longest JSON object of whatever else a provider says.
  public static let detailsBytesMax = 16 * 1024
}
