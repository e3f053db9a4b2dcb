import Terminal

extension Command where Context == CommandContext {
  static let migrate: Command = Command(
    "migrate", "Look after the schema of the database",
    details: """
      Goes straight to PostgreSQL, as the owner of the schema: to --database, else to
      migrate_database or database of the configuration.
      """,
    verbs: [.migrateStatus, .migrateUp])
}
