// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target of ours: Swift 6 mode, warnings are errors, and optimised across our own modules in release.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  // Overlapping accesses are found by the tests, which run without optimisation; looking for them shows in the profile of a call.
  .unsafeFlags(["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

func ours(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ subject: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(subject)Tests", dependencies: [.byName(name: subject)] + dependencies, swiftSettings: settings)
}

let package = Package(
  name: "kith",
  products: [
    .executable(name: "kithd", targets: ["kithd"]),
    .executable(name: "kith", targets: ["kith"]),
    .library(name: "KithClient", targets: ["KithClient"]),
  ],
  targets: [
    // C libraries that Debian keeps, each under its one user.
    .systemLibrary(name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CLibIDN", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev", "libunistring-dev"])]),

    // The kernel's own calls that Swift does not see.
    .systemLibrary(name: "CLinux"),

    // What Kith means, without input or output.
    ours("Accounts", ["CLibIDN"]),

    // The wire.
    ours("JSON"),
    ours("JSONRPC", ["JSON"]),
    ours("API", ["Accounts", "JSONRPC", "JSON"]),

    // The machine.
    ours("EventLoop", ["CLibUV"]),
    ours("UnixSocket", ["EventLoop"]),
    ours("Postgres", ["EventLoop", "CLibPQ"]),
    ours("Crypto", ["CLibCrypto"]),
    ours("Vault", ["Accounts", "Crypto", "JSON"]),
    ours("Spool", ["Accounts", "Crypto", "EventLoop", "Vault"]),
    .target(name: "CSchema", cSettings: [.unsafeFlags(["-std=c23"])]),
    ours("Schema", ["CSchema"]),
    ours("Migrations", ["Postgres", "Schema"]),
    ours("EmbeddedPostgres", ["EventLoop", "Schema", "CLinux"]),
    ours("Spelling"),
    ours("Configuration", ["Accounts", "Postgres", "Spelling", "Crypto", "Vault"]),

    // The daemon, from the database up.
    ours("Store", ["Accounts", "Postgres", "JSON", "Vault"]),
    ours("Operations", ["Accounts", "Store", "Spool", "Vault"]),
    ours("Service", ["API", "Operations", "UnixSocket", "Configuration", "Crypto", "Vault", "Spool"]),
    program("kithd", ["Service", "Migrations", "EmbeddedPostgres", "Terminal", "Vault", "Spool", "CLinux"]),

    // Those who call it.
    ours("KithClient", ["API", "UnixSocket"]),
    ours("Terminal", ["Spelling"]),
    program(
      "kith",
      [
        "KithClient", "Migrations", "Schema", "Postgres", "Configuration", "Terminal", "Crypto", "Vault", "Operations",
        "Spool",
      ]),
    program("kith-bench", ["CLinux", "Accounts", "Crypto", "Vault"]),

    tests("Accounts", ["TestSupport"]),
    tests("JSON", ["TestSupport"]),
    tests("Crypto", ["TestSupport"]),
    tests("Vault", ["Accounts", "Crypto", "TestSupport"]),
    tests("Spool", ["Accounts", "Crypto", "EventLoop", "Vault", "CLinux", "TestSupport"]),
    tests("JSONRPC", ["TestSupport"]),
    tests("API", ["TestSupport"]),
    tests("EventLoop", ["TestSupport"]),
    tests("UnixSocket", ["EventLoop", "TestSupport"]),
    tests("Postgres", ["EventLoop", "UnixSocket", "EmbeddedPostgres", "TestSupport"]),
    tests("Migrations", ["Schema", "EmbeddedPostgres", "TestSupport"]),
    tests("EmbeddedPostgres", ["EventLoop", "Postgres"]),
    .testTarget(
      name: "OperationsTests",
      dependencies: [
        "Operations", "Accounts", "Store", "Postgres", "EventLoop", "EmbeddedPostgres", "UnixSocket", "TestSupport",
        "Crypto", "Vault", "Spool", "Schema",
      ],
      swiftSettings: settings),
    tests("Spelling"),
    tests("Service", ["TestSupport", "Crypto", "JSON", "Vault"]),
    .testTarget(name: "AttackTests", dependencies: ["TestSupport", "JSON"], swiftSettings: settings),
    .testTarget(name: "ModelTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "TestSupport"], exclude: ["Cases"], swiftSettings: settings),
    .testTarget(
      name: "KithClientTests",
      dependencies: ["KithClient", "API", "Accounts", "JSONRPC", "UnixSocket", "kithd", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "KithTests",
      dependencies: ["kith", "kithd", "Accounts", "Terminal", "TestSupport", "Vault", "Crypto", "Spool"],
      exclude: ["Cases"],
      swiftSettings: settings),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["Configuration", "Accounts", "Vault", "TestSupport"],
      exclude: ["Cases"],
      swiftSettings: settings),
    .testTarget(
      name: "FaultTests", dependencies: ["kithd", "EmbeddedPostgres", "TestSupport"], swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: [
        "EventLoop", "UnixSocket", "Postgres", "Migrations", "EmbeddedPostgres", "Schema", "Service", "JSON",
        "Terminal", "CLinux", "Vault", "Spool", "Store", "Accounts", "Crypto",
      ],
      path: "Tests/TestSupport", swiftSettings: settings),
  ]
)
