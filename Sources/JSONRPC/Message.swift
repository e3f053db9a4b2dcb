/// One line as it was understood. It is valid only until the decoder's next line.
public enum Message {
  case single(MessageEntry)
  case batch(Batch)
  /// The line as a whole is refused: one answer, with the id null.
  case refused(RPCError)
}
