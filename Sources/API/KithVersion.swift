/// The version of Kith, which all its programs share.
public enum KithVersion {
  public static let current = "0.1.0"
}
