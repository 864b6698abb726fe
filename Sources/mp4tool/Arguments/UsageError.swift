import MP4Bytes

/// An error in the command line.
struct UsageError: Error, Hashable, Sendable {
  /// The problem, without a full stop.
  var problem: String
  /// Words that the user may have meant.
  var suggestions: [String] = []
  /// An explanation instead of suggestions.
  var remark: String?

  init(_ problem: String, suggestions: [String] = [], remark: String? = nil) {
    self.problem = problem
    self.suggestions = suggestions
    self.remark = remark
  }

  /// Two options that cannot be combined, and the reason if it is not obvious.
  init(_ option: any DeclaredOption, contradicts other: any DeclaredOption, _ reason: String? = nil) {
    let (first, second) = (option.declaration.name, other.declaration.name)
    self.init("options '--\(first)' and '--\(second)' contradict each other" + (reason.map { ": " + $0 } ?? ""))
  }

  /// An option that cannot be used, and the reason.
  init(_ option: any DeclaredOption, _ reason: String) {
    self.init("option '--\(option.declaration.name)' cannot be used: \(reason)")
  }

  /// An unknown word, with the equivalent of another tool's name, or with similar `names`.
  init(unknown problem: String, _ other: OtherTools?, like names: [String] = []) {
    self.init(problem, suggestions: other?.answers ?? names, remark: other?.remark)
  }

  static func unknownCommand(_ name: String, known: [String]) -> UsageError {
    UsageError(
      unknown: "unknown command '\(name)'", OtherTools.command(name), like: Spelling.names(like: name, from: known))
  }

  /// A message such as `unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?`.
  var message: String {
    if let remark { return "\(problem); \(remark)" }
    return suggestions.isEmpty ? problem : "\(problem); did you mean \(Self.alternatives(suggestions))?"
  }

  /// A list such as `'a', 'b' or 'c'`.
  static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
