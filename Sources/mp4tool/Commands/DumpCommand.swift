import Bytes
import ISOBMFF

/// `mp4tool dump`.
enum DumpCommand {
  static let verbosity = Option.integer(
    "verbosity", placeholder: "LEVEL", in: 0...3, default: 0,
    help:
      "How much is shown: 0 of tables their lengths; 1 also the tables of times, chunks and runs; 2 also those with an "
      + "entry for each sample; 3 everything.")
  static let format = Option<DumpFormat>.choice(
    "format", placeholder: "FORMAT", default: .text, help: "How the result is printed.")
  static let path = Option<[BoxPattern]>.repeated(
    "path", placeholder: "PATH", as: BoxPattern.self,
    help:
      "Show these boxes only, with what is in them: such as `moov/trak[2]/mdia`. Numbers are counted from 1, `//` stands "
      + "for any boxes between, `*` for any box, `#3` for one whose type is a number, `[KEY]` for an item of metadata by "
      + "the name that `keys` has for it, and a comma separates several paths. It can be given several times.")
  static let depth = Option<BoxLevels?>.parsed(
    "depth", placeholder: "N", as: BoxLevels.self,
    help: "Show only so many levels of boxes: 1 is those of the file, or those that `--path` names.")
  static let only = Option<[BoxCodes]>.repeated(
    "only", placeholder: "CODE,...", as: BoxCodes.self,
    help:
      "Show only boxes of these types, and those around them without their fields. It can be given several times.")
  static let hex = Option.flag(
    "hex", help: "Show the bytes of each box too, without those of the boxes in it; 4096 of each at most.")
  static let full = Option.flag("full", help: "Show all bytes, where long ones are cut otherwise.")
  static let offsets = Option.flag("offsets", help: "Show where each box starts in the file; JSON always has it.")
  static let names = Option<FieldNames>.choice(
    "names", placeholder: "WHOSE", default: .mp4dump, help: "By which names the text shows fields.")
  static let initFile = Option.path(
    "init", placeholder: "INIT",
    help:
      "The file with the movie box of segments that have none: with it, `senc` is decoded and times are shown in seconds "
      + "too.")
  static let color = Option<ColorUse>.choice(
    "color", placeholder: "WHEN", default: .auto, help: "Whether names and damage have colours in the text.")
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "TRACK", as: TrackList.self,
    help:
      "Show nothing, but write the samples of this track to OUT: of each its size in 32 bits, then its bytes. TRACK is "
      + "an ID, or `video`, `audio`, `text` or a handler such as `meta` that only one track has. Several FILEs are an init "
      + "segment and its segments.")
  static let output = Option.path(
    "output", short: "o", placeholder: "OUT",
    help: "The file for the samples of `--tracks`; `-` is standard output. It may not be one of the inputs.")
  static let printSchema = Option.flag("print-schema", help: "Print a JSON Schema of the JSON, and do nothing else.")

  static let command = Command(
    name: "dump",
    summary: "show the boxes of MP4 files",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [printSchema.declaration.name],
        help: "An MP4, CMAF, QuickTime or HEIF file; `-` is standard input; or an http or https URL, see below.")
    ],
    description: [
      "Shows the tree of boxes of each FILE: a line with the type and size of each box, below it its fields and then the "
        + "boxes inside it, further to the right. The text follows Bento4's `mp4dump`, so that what reads that can read "
        + "this. Media data is never read unless its bytes are asked for, so large files take no longer than small ones "
        + "with as many boxes.",
      "Damage is shown where it is, in a line with `!!`, the dump goes on with the next box that makes sense inside the same "
        + "box or after it, and the exit status is 1. "
        + "Given several files, a line `==> NAME <==` comes before each.",
      RemoteFile.description,
    ],
    options: [
      verbosity, format, path, depth, only, hex, full, offsets, names, initFile, color, tracks, output, printSchema,
    ],
    examples: [
      Command.Example("mp4tool dump movie.mp4", "Shows all boxes and their fields, and of long tables their lengths."),
      Command.Example("mp4tool dump --verbosity 2 seg7.m4s | less", "Shows every sample of a segment."),
      Command.Example("mp4tool dump --path moov/trak[2]//stsd movie.mp4", "Shows how the second track is coded."),
      Command.Example("mp4tool dump --init init.mp4 --only tfdt seg*.m4s", "Looks at the times of all segments."),
      Command.Example("mp4tool dump --format json movie.mp4 | jq .", "Hands the boxes to another program."),
      Command.Example(
        "mp4tool dump --format jsonl movie.mp4 | grep sidx", "Hands them over one by one, each with its path."),
      Command.Example("mp4tool dump --tracks 2 movie.mp4 -o sound.bin", "Writes the samples of a track to a file."),
      Command.Example("curl -s https://example.com/init.mp4 | mp4tool dump -", "Reads what comes through a pipe."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Some box that is shown does not decode or is cut off, or there are bytes that are no box; the dump shows where. Or "
          + "no box is what `--path` or `--only` ask for."
      ),
      Command.ExitNote(.inputNotUsable, "A FILE is empty or has no box anywhere; the others are shown."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are shown."),
    ],
    manSections: DumpManual.sections,
    run: { (arguments, context) throws in
      if arguments[printSchema] {
        try context.console.write(JSONSink.schema)
        return .done
      }
      if let wanted = arguments[tracks] { return try TrackJob(arguments, context).run(wanted) }
      if arguments[output] != nil { throw UsageError("option '--output' is for '--tracks' only") }
      return try DumpJob(arguments, context).run()
    })
}

/// How a dump is printed.
enum DumpFormat: String, OptionChoice {
  case text
  case json
  case jsonl

  var meaning: String {
    switch self {
    case .text: "lines for people"
    case .json: "JSON for programs"
    case .jsonl: "JSON, one box a line"
    }
  }
}

/// By which names fields are shown.
enum FieldNames: String, OptionChoice {
  case mp4dump
  case standard

  var meaning: String {
    switch self {
    case .mp4dump: "the labels of mp4dump where it knows the field"
    case .standard: "the names in the standard"
    }
  }
}

/// Whether there is colour.
enum ColorUse: String, OptionChoice {
  case auto
  case always
  case never

  var meaning: String {
    switch self {
    case .auto: "on a terminal, unless NO_COLOR is set"
    case .always: "in pipes and files too"
    case .never: "not at all"
    }
  }
}

extension BoxPattern: RepeatedValue {
  static let expectation = "a path such as 'moov/trak[2]/mdia//stsd', with commas between several"

  init?(_ word: Argument) { self.init(word.text) }
}

/// A number of levels of boxes.
struct BoxLevels: OptionValue {
  static let expectation = "a number of levels, at least 1"
  let count: Int

  init?(_ word: String) {
    guard let count = Int(word), count > 0 else { return nil }
    self.count = count
  }
}

/// Types of boxes, with commas between them.
struct BoxCodes: RepeatedValue {
  static let expectation = "four letters of boxes, with commas between them"
  let types: [FourCC]

  init?(_ word: Argument) {
    let codes = word.text.split(separator: ",", omittingEmptySubsequences: false).map { FourCC($0) }
    types = codes.compactMap(\.self)
    if types.count < codes.count { return nil }
  }
}
