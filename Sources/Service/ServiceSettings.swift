import Accounts
import Configuration

/// What the workers serve by: the configuration as far as it can change while they run.
final class ServiceSettings: Sendable {
  /// Counts the changes, so that what was worked out from earlier settings is known to be old.
  let generation: Int
  let callers: CallerTable
  let limits: TransportLimits
  let defaults: SignInDefaults
  let configuredNamespaces: [NamespaceSettings]
  /// Nil until the database has been reached for the first time.
  let namespaces: [ServedNamespace]?

  init(generation: Int, _ configuration: Configuration, namespaces: [ServedNamespace]?) {
    self.generation = generation
    self.namespaces = namespaces
    callers = configuration.callers
    limits = configuration.limits
    defaults = configuration.defaults
    configuredNamespaces = configuration.namespaces.map(\.settings)
  }
}
