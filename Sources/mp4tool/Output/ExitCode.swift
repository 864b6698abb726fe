/// How the program ends; the same numbers in every command, those from 64 on as in `sysexits.h`.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case findings = 1
  case wrongUsage = 64
  case inputNotUsable = 65
  case inputMissing = 66
  case outputNotMade = 73
  case readOrWriteFailed = 74
  case pipeClosed = 141

  /// A few words, for the foot of a help text.
  var summary: String {
    switch self {
    case .done: "done"
    case .findings: "done with findings"
    case .wrongUsage: "wrong usage"
    case .inputNotUsable: "input not usable"
    case .inputMissing: "input missing"
    case .outputNotMade: "output cannot be made"
    case .readOrWriteFailed: "read or write error"
    case .pipeClosed: "the reader of the output went away"
    }
  }

  /// Sentences, for the man page.
  var meaning: String {
    switch self {
    case .done:
      "Done. There may have been notes (nothing changed) and warnings (something was repaired, nothing was lost)."
    case .findings:
      "Done, with findings: something in the input was lost or unreadable, or a check found a difference. "
        + "With `--strict`, where a command has it, 65 instead, and no output is made."
    case .wrongUsage:
      "Wrong usage: an option or operand that is unknown, missing or contradicts another. Nothing was read."
    case .inputNotUsable:
      "An input is not what the command works on, or is damaged beyond use. No output was made."
    case .inputMissing:
      "An input does not exist or may not be opened."
    case .outputNotMade:
      "The output cannot be made: its folder is missing or may not be written, or it exists and `--no-clobber` is given."
    case .readOrWriteFailed:
      "Reading or writing failed on the way: an input got shorter, a disk is full or broken. No output was made."
    case .pipeClosed:
      "Standard output is a pipe whose reader went away, as in `mp4tool dump a.mp4 | head`. "
        + "Nothing is said about it; the number is the one a shell shows for any program that ends this way."
    }
  }
}
