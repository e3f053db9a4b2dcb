import Accounts

extension Configuration {
  /// The namespaces somebody finds who tries Kith out.
  private static let namespaceNamesForTryingOut = [
    "apple:DEMOTEAM01", "linkedin:demo", "naver:demo", "password:default",
  ]

  /// Everything allowed to the daemon's own user, on sockets and a database in one folder.
  init(forTryingOutIn stateFolder: String, _ surroundings: Surroundings) throws(ConfigurationError) {
    let sockets = SocketSettings(folder: stateFolder)
    guard stateFolder.utf8.first == UInt8(ascii: "/"), sockets.admin.utf8.count <= SocketSettings.pathBytesMax else {
      throw ConfigurationError(problems: [
        ConfigurationProblem(
          file: "--state-dir", line: nil, path: "",
          message: "must be an absolute path with which socket paths stay within \(SocketSettings.pathBytesMax) bytes",
          hint: "it is \"\(stateFolder)\"")
      ])
    }
    self.init(
      database: .embedded, readDatabase: nil, migrateDatabase: nil, databasePooler: .session,
      stateFolder: stateFolder, keyset: nil, sockets: sockets,
      namespaces: Self.namespaceNamesForTryingOut.compactMap(NamespaceConfiguration.init(forTryingOut:)),
      defaults: SignInDefaults(), callers: CallerTable([Self.owner(surroundings.effectiveUID)].compactMap(\.self)),
      limits: TransportLimits(), log: LogSettings(in: surroundings),
      eventLoopThreads: Self.defaultEventLoopThreads(in: surroundings))
  }

  private static func owner(_ uid: UInt32) -> CallerEntry? {
    CallerName("local").map { name in
      CallerEntry(
        peer: .uid(uid),
        caller: Caller(
          name: name, methods: [.any], namespaces: [.any], accessGroups: AccessGroups(["*"]), mayAssert: true,
          mayAuthenticate: true,
          maySeeOwners: true))
    }
  }
}

extension NamespaceConfiguration {
  fileprivate init?(forTryingOut name: String) {
    guard let namespace = Namespace(name) else { return nil }
    self.init(settings: NamespaceSettings(namespace), client: ProviderClient(forTryingOut: namespace.provider))
  }
}

extension ProviderClient {
  fileprivate init(forTryingOut provider: Provider) {
    switch provider {
    case .apple: self = .apple(clientIDs: [], signingKey: nil)
    case .linkedin, .naver: self = .application(secret: nil)
    case .password: self = .password
    }
  }
}
