import JSONRPC

/// What is wrong with a value that came over the wire, and where.
public struct ShapeProblem: Error, Equatable, Sendable {
  public var problem: ParameterProblem
  /// Where, from the shape that was read on, as in `name.given` or `[3].id`; empty for the shape itself.
  public var path: String
  /// What holds for that place: the end of a sentence that begins with it, without the full stop.
  public var rule: String

  public init(_ problem: ParameterProblem, at path: String = "", _ rule: String) {
    self.problem = problem
    self.path = path
    self.rule = rule
  }

  /// - Parameter expected: what it must be, as in `an object`.
  static func wrongType(_ expected: String) -> ShapeProblem {
    ShapeProblem(.wrongType, "must be \(expected)")
  }

  static let null = ShapeProblem(.wrongType, "must not be null; what is absent is left out")
  static let empty = ShapeProblem(.empty, "must not be empty; what is absent is left out")

  /// The same problem seen from the object that holds the value under `name`.
  public func under(_ name: String) -> ShapeProblem {
    var problem = self
    problem.path = path.isEmpty || path.hasPrefix("[") ? name + path : "\(name).\(path)"
    return problem
  }

  /// The same problem seen from the array that holds the value at `index`.
  func under(_ index: Int) -> ShapeProblem { under("[\(index)]") }

  /// The answer that refuses a call for it.
  public var refusal: RPCError {
    let place = under("params").path
    return RPCError(.invalidParams, "\(place) \(rule).", details: [.path(place), .problem(problem)])
  }
}
