import MP4Bytes
import MP4Fetching
import MP4Packaging

/// The options of every command; they can also precede the command's name.
enum GeneralOptions {
  static let help = Option.flag("help", short: "h", help: "Print help and exit.")
  static let version = Option.flag("version", help: "Print the version and exit.")
  static let quiet = Option.flag(
    "quiet", short: "q", help: "Print no warnings, notes or progress. Results and errors are still printed.")
  static let verbose = Option.flag("verbose", short: "v", help: "Print more details.")

  static let all: [any DeclaredOption] = [quiet, verbose, help, version]
}

/// Where closed captions are looked for.
enum CaptionOptions {
  static let scan = Option.flag(
    "scan-captions",
    help: "Look for closed captions (CEA-608, CEA-708) in all pictures; otherwise, at most the first 10 seconds are "
      + "searched. This reads a part of every picture.")
}

extension ParsedArguments {
  /// Where closed captions are looked for.
  var captionSearch: CaptionSearch { self[CaptionOptions.scan] ? .all : .start }
}

extension CaptionSearch {
  /// The same search, but nowhere by default in remote files, because every picture would be a request.
  func sparing(_ sources: [any ByteSource]) -> CaptionSearch {
    self == .start && sources.contains { $0 is RangeSource } ? .none : self
  }
}

/// The options of every command that writes a file.
enum OutputOptions {
  static let output = output(unless: [])
  private static let help =
    "The file to write; `-` is standard output. An existing file is replaced only when the new one is complete, and is "
    + "not changed if anything fails. OUT cannot be one of the inputs."
  /// The output option of a command that writes no output when one of the `others` is given.
  static func output(unless others: [any DeclaredOption]) -> Option<Argument?> {
    .path("output", short: "o", placeholder: "OUT", help: help).required(unless: others)
  }
  static let noClobber = Option.flag("no-clobber", help: "Do not replace an existing file.")
  static let fsync = Option.flag("fsync", help: "Flush the output to disk before it gets its final name.")
  static let strict = Option.flag("strict", help: "Treat warnings as errors: write no output and exit with 65.")
  static let progress = Option.pairedFlag(
    "progress",
    help: "Show or hide progress. By default, it is shown on a terminal when the work takes longer than a second; "
      + "elsewhere, `--progress` shows it as separate lines.")

  static let all: [any DeclaredOption] = [output] + besides
  /// All options except the output itself.
  static let besides: [any DeclaredOption] = [noClobber, fsync, strict, progress]
}

/// The format of results.
enum OutputFormat {
  case text
  case json

  static let formats = [NamedValue(Self.text, "text", "plain text"), NamedValue(.json, "json", "JSON")]
  static let option = Option.choice(
    "format", placeholder: "FORMAT", default: .text, help: "The format of the result.", formats)
}

extension ParsedArguments {
  /// The name of the output, which can imply its file type; empty without one.
  var outputName: String { ifDeclared(OutputOptions.output)??.text ?? "" }
}
