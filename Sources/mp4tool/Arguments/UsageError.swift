/// A command line that the tool does not understand.
struct UsageError: Error, Hashable, Sendable {
  /// What is wrong, without a full stop.
  var problem: String
  /// What may have been meant.
  var suggestions: [String] = []

  init(_ problem: String, suggestions: [String] = []) {
    self.problem = problem
    self.suggestions = suggestions
  }

  /// Such as `unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?`.
  var message: String {
    suggestions.isEmpty ? problem : "\(problem); did you mean \(Self.alternatives(suggestions))?"
  }

  /// Such as `'a', 'b' or 'c'`.
  static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
