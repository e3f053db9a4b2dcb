/// A value of the configuration file before anybody has said what it should be.
enum ConfigurationValue: Decodable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([ConfigurationValue])
  case object([String: ConfigurationValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if var items = try? decoder.unkeyedContainer() {
      var list: [ConfigurationValue] = []
      while !items.isAtEnd { list.append(try items.decode(ConfigurationValue.self)) }
      self = .list(list)
    } else {
      self = .object(try container.decode([String: ConfigurationValue].self))
    }
  }

  /// What the value is, for a sentence that says it should be something else.
  var kind: String {
    switch self {
    case .null: "null"
    case .flag: "true or false"
    case .number: "a number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
