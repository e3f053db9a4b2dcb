/// A shell that can complete a program's commands.
public enum Shell: String, Hashable, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}
