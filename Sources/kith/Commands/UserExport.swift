import API
import KithClient
import Terminal

extension Command where Context == CommandContext {
  private static let output = OptionDeclaration(
    "output", .file("FILE"), "Write it to this file, which must not be there yet")

  static let userExport: Command = Command(
    "export", "Give everything that is held about a person, as one JSON document",
    details: "It is printed, or written to a new file that only you can read.",
    positionals: [.user], options: [.tenant, output]
  ) { context throws(CommandFailure) in
    let id = try await UserReference(in: context).id(for: context)
    let json = try await context.withClient(userNamed: context.nameOfUser) { client throws(ClientError) in
      try await client.callForJSON(UserExport.self, UserExport.Parameters(id: id))
    }
    guard let path = context.arguments.value(of: output) else {
      context.write(json: String(decoding: json, as: UTF8.self))
      return
    }
    try PrivateFile(at: path).write(json + [UInt8(ascii: "\n")])
    context.console.writeError(lines: context.lines("kith: note: \(path) holds what is known of \(id)"))
  }
}
