/// What a root key may be used for.
public enum KeyStateWord: String, WireWord {
  case primary
  case decryptOnly = "decrypt_only"
  case retired
  case unknown
}
