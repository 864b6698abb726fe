/// An input that a command cannot use, with the command's message.
struct UnusableInput: Error, CustomStringConvertible {
  /// Its name in messages.
  let file: String
  /// The reason, and advice.
  let reason: String

  var description: String { "\(file): \(reason)" }
}
