/// The options of every command; they may also stand before the command's name.
enum GeneralOptions {
  static let help = Option.flag("help", short: "h", help: "Print help and exit.")
  static let version = Option.flag("version", help: "Print the version and exit.")
  static let quiet = Option.flag(
    "quiet", short: "q", help: "Say nothing but errors and findings: no notes, no warnings, no progress.")
  static let verbose = Option.flag("verbose", short: "v", help: "Say more about what is done.")

  static let all: [any DeclaredOption] = [quiet, verbose, help, version]
}

/// The options of every command that makes a file.
enum OutputOptions {
  static let output = output(unless: [])
  private static let help =
    "The file to make; `-` is standard output. A file of that name is replaced only when the new one is complete, "
    + "and is left as it was when something goes wrong. It may not be one of the inputs."
  /// The output of a command that makes none when one of the `others` is given.
  static func output(unless others: [String]) -> Option<Argument?> {
    .path("output", short: "o", placeholder: "OUT", help: help, requiredUnless: others)
  }
  static let noClobber = Option.flag("no-clobber", help: "Refuse to replace a file that is there already.")
  static let fsync = Option.flag(
    "fsync", help: "Have the output on the disk, not only in memory, before it gets its name.")
  static let strict = Option.flag(
    "strict", help: "Make no output when there is anything to warn about; end with 65 instead.")
  static let progress = Option.pairedFlag(
    "progress",
    help: "Show progress, or do not. It is shown on a terminal when the work lasts over a second; "
      + "`--progress` shows it elsewhere too, as lines.")

  static let all: [any DeclaredOption] = [output] + besides
  /// All but the output itself.
  static let besides: [any DeclaredOption] = [noClobber, fsync, strict, progress]
}

/// How results are printed.
enum OutputFormat: String, OptionChoice {
  case text
  case json

  var meaning: String {
    switch self {
    case .text: "lines for people"
    case .json: "JSON for programs"
    }
  }

  static let option = Option<OutputFormat>.choice(
    "format", placeholder: "FORMAT", default: .text, help: "How the result is printed.")
}
