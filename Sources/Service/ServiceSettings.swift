import Accounts
import Configuration
import Store

/// What the workers serve by: the configuration as far as it can change while they run.
final class ServiceSettings: Sendable {
  /// Counts the changes, so that what was worked out from earlier settings is known to be old.
  let generation: Int
  let callers: CallerTable
  let limits: TransportLimits
  let defaults: SignInDefaults
  let namespaces: [ServedNamespace]

  /// - Parameter directory: nil until the database has been reached for the first time.
  init(generation: Int, _ configuration: Configuration, directory: NamespaceDirectory?) {
    self.generation = generation
    namespaces = configuration.namespaces.map { entry in
      ServedNamespace(settings: entry.settings, number: directory?.number(of: entry.namespace))
    }
    callers = configuration.callers
    limits = configuration.limits
    defaults = configuration.defaults
  }
}
