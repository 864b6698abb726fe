/// An input that a command cannot use, in the words of the command.
struct UnusableInput: Error, CustomStringConvertible {
  /// What messages call it.
  let file: String
  /// Why, and what can be done.
  let reason: String

  var description: String { "\(file): \(reason)" }
}
