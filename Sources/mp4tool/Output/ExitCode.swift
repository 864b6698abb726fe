/// The exit codes, which are the same for every command; those from 64 on are from `sysexits.h`.
enum ExitCode: Int32, CaseIterable, Comparable, Sendable {
  case done = 0
  case findings = 1
  case wrongUsage = 64
  case inputNotUsable = 65
  case inputMissing = 66
  case outputNotMade = 73
  case readOrWriteFailed = 74
  case pipeClosed = 141

  /// If several inputs have problems, the highest code applies.
  static func < (first: ExitCode, second: ExitCode) -> Bool { first.rawValue < second.rawValue }

  /// A short description, for the last line of help texts.
  var summary: String {
    switch self {
    case .done: "done"
    case .findings: "done with errors"
    case .wrongUsage: "wrong usage"
    case .inputNotUsable: "input not usable"
    case .inputMissing: "input missing"
    case .outputNotMade: "output cannot be created"
    case .readOrWriteFailed: "read or write error"
    case .pipeClosed: "output pipe closed"
    }
  }

  /// A further sentence for the man page of a command that has `--strict`.
  var strictMeaning: String? {
    self == .findings ? "With `--strict`, exits with 65 instead, without output." : nil
  }

  /// A further sentence for the man page of a command that has `--no-clobber`: its output appears when it is complete.
  var noClobberMeaning: String? {
    switch self {
    case .outputNotMade: "This is also the exit status if the output exists and `--no-clobber` is given."
    case .readOrWriteFailed: "No output file was written; standard output may be incomplete."
    default: nil
    }
  }

  /// A further sentence for the man page of a command that has an output.
  func outputMeaning(hasReport: Bool) -> String? {
    guard self == .inputNotUsable else { return nil }
    return hasReport ? "No output was written, except the report (`--report`)." : "No output was written."
  }

  /// Sentences for the man page.
  var meaning: String {
    switch self {
    case .done:
      "Done, possibly with notes (information only) and warnings (something was repaired or needs attention; no "
        + "samples were lost)."
    case .findings:
      "Done with errors: something in the input is lost or unreadable, a check found errors, or a comparison found "
        + "differences."
    case .wrongUsage:
      "Wrong usage: an option or operand is unknown or missing, contradicts another, or cannot be used with this kind "
        + "of input. Nothing was written."
    case .inputNotUsable:
      "An input is not what the command expects, or is damaged beyond use."
    case .inputMissing:
      "An input does not exist or cannot be opened."
    case .outputNotMade:
      "The output cannot be created: its folder is missing or not writable, the disk has too little space for it, it "
        + "is also an input, or it is a folder that is not empty."
    case .readOrWriteFailed:
      "Reading or writing failed: an input became shorter while it was read, a server cannot be reached, or a disk is "
        + "full or broken."
    case .pipeClosed:
      "Standard output is a pipe that was closed by its reader, as in `mp4tool dump a.mp4 | head`. There is no "
        + "message; shells report this status for any program that ends this way."
    }
  }
}
