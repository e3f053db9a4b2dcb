import Glibc

/// What the server reads at its start: sized for the machine, reachable through its socket alone, and quiet about people.
struct ClusterSettings {
  let folder: ClusterFolder
  let daemon: ServerUser
  let server: ServerUser
  let durability: Durability

  /// Past this the system's own cache serves as well.
  private static let sharedBuffersMegabytes = 32...1024
  /// The daemon's connections, those of a few tools, and room for a second daemon during a restart.
  private static let connectionsMax = 100

  func write() throws(EmbeddedPostgresError) {
    // What the server must read, its user must be able to; there is no secret in it.
    let mode: mode_t = daemon == server ? 0o600 : 0o644
    try Filesystem.replaceFile(folder.config + "/postgresql.conf", with: main, mode: mode)
    try Filesystem.replaceFile(folder.config + "/pg_hba.conf", with: "local all all peer map=kith\n", mode: mode)
    try Filesystem.replaceFile(folder.config + "/pg_ident.conf", with: identities, mode: mode)
  }

  /// Who of the machine may come as whom: we, and the server's own user.
  private var identities: String {
    let users = daemon == server ? [daemon] : [daemon, server]
    let roles = ["kith_owner", "kith_runtime", "kith_reader", "postgres"]
    return users.flatMap { user in roles.map { "kith \"\(user.name)\" \($0)\n" } }.joined()
  }

  private var main: String {
    """
    # Written by kithd at every start. Lasting changes: ALTER SYSTEM.
    hba_file = \(quoted(folder.config + "/pg_hba.conf"))
    ident_file = \(quoted(folder.config + "/pg_ident.conf"))

    # Nothing but the socket.
    listen_addresses = ''
    unix_socket_directories = \(quoted(folder.socketFolder))
    unix_socket_permissions = 0700
    max_connections = \(Self.connectionsMax)

    # Memory.
    shared_buffers = \(sharedBuffersMegabytes)MB
    effective_cache_size = \(machineMegabytes / 2)MB
    maintenance_work_mem = 64MB

    # One server without standbys.
    wal_level = minimal
    max_wal_senders = 0
    max_logical_replication_workers = 0
    max_wal_size = 1GB
    \(durability.settings)

    # Statements are short: compiling them never pays.
    jit = off

    # Lines go to kithd. No statement, parameter or detail in them: those hold people's data.
    log_destination = 'stderr'
    logging_collector = off
    log_line_prefix = ''
    log_min_messages = log
    log_min_error_statement = panic
    log_error_verbosity = terse
    log_parameter_max_length_on_error = 0
    log_timezone = 'UTC'
    timezone = 'UTC'
    lc_messages = 'C'

    """
  }

  private var sharedBuffersMegabytes: Int {
    min(max(machineMegabytes / 4, Self.sharedBuffersMegabytes.lowerBound), Self.sharedBuffersMegabytes.upperBound)
  }

  private var machineMegabytes: Int {
    max(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 1_048_576, 128)
  }

  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}

/// What a cluster promises about what was committed.
public enum Durability: Sendable {
  /// Committed is on the disk.
  case durable
  /// Nothing outlives a crash of the machine; for tests.
  case throwAway

  var settings: String {
    switch self {
    case .durable: "synchronous_commit = on"
    // Several tests at once run several daemons each, so many more may connect; the last setting of a name counts.
    case .throwAway:
      "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nautovacuum = off\nmax_connections = 400"
    }
  }
}
