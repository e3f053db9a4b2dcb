import JSON

/// Writes JSON Schema, and gathers the schemas of the shapes that it refers to.
public struct SchemaWriter {
  public var json = JSONWriter()
  /// The schema of each shape by its title.
  private(set) var components: [String: [UInt8]] = [:]

  /// Writes a reference to the schema of a shape, and has that schema written if it is not yet.
  mutating func reference<S: Shape>(to shape: S.Type) {
    json.member("$ref")
    json.string("#/components/schemas/\(S.title)")
    guard components[S.title] == nil else { return }
    // Known from here on, so that a shape that holds itself ends.
    components[S.title] = []
    components[S.title] = apart { schema in
      schema.json.beginObject()
      schema.object(S.self)
      schema.json.endObject()
    }
  }

  /// Writes the schema of an object with the members of a shape, into an object that is begun already.
  ///
  /// - Parameter more: writes further properties and returns the names of those that are always there.
  mutating func object<S: Shape>(
    _ shape: S.Type, more: (inout MemberDescriber) -> Void = { _ in }
  ) {
    var describer = MemberDescriber(self)
    var shape = S()
    shape.members(&describer)
    more(&describer)
    self = describer.finish()
  }

  /// Writes something into a text of its own; what it refers to is gathered here.
  mutating func apart(_ write: (inout SchemaWriter) -> Void) -> [UInt8] {
    var other = SchemaWriter()
    other.components = components
    write(&other)
    components = other.components
    return other.json.take()
  }
}
