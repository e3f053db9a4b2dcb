import JSON

/// Reads one text with a parser of its own and looks at the value while it is valid.
func reading<R>(
  _ text: some Collection<UInt8>, nestingMax: Int = 512, _ look: (JSONValue) throws -> R
) throws -> R {
  let parser = JSONParser()
  return try withExtendedLifetime(parser) {
    try Array(text).withUnsafeBytes { try look(try parser.parse($0, nestingMax: nestingMax)) }
  }
}

func reading<R>(_ text: String, nestingMax: Int = 512, _ look: (JSONValue) throws -> R) throws -> R {
  try reading(text.utf8, nestingMax: nestingMax, look)
}

/// Why a text is refused, or nil if it is read.
func refusal(of text: some Collection<UInt8>, nestingMax: Int = 512) -> JSONError? {
  do {
    try reading(text, nestingMax: nestingMax) { _ in }
    return nil
  } catch {
    return error as? JSONError
  }
}

func refusal(of text: String, nestingMax: Int = 512) -> JSONError? {
  refusal(of: text.utf8, nestingMax: nestingMax)
}

func isMalformed(_ text: some Collection<UInt8>) -> Bool {
  switch refusal(of: text) {
  case .malformed, .duplicateName: true
  case .tooDeep, nil: false
  }
}

func isMalformed(_ text: String) -> Bool { isMalformed(text.utf8) }

func canonical(_ text: String) throws -> String {
  try reading(text) { value in
    var writer = JSONWriter()
    value.writeCanonical(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Numbers that look random and are the same in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
