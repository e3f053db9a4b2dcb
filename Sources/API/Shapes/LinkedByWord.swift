/// How an identity came to its user.
public enum LinkedByWord: String, WireWord {
  case register
  case email
  case confirm
  case link
  case merge
  case `import`
}
