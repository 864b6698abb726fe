import BoxDump
import ISOBMFF
import MP4Bytes
import MP4Records

enum DumpCommand {
  static let verbosity = Option.integer(
    "verbosity", placeholder: "LEVEL", in: 0...3, default: 0,
    help:
      "The level of detail: 0 shows fields, but only the number of entries of each table; 1 also the entries of tables "
      + "of times, chunks and runs; 2 also those of tables with an entry for each sample; 3 everything.")
  static let format = Option<DumpFormat>.choice(
    "format", placeholder: "FORMAT", default: .text, help: "The format of the result.",
    [
      NamedValue(.text, "text", "plain text"), NamedValue(.json, "json", "JSON"),
      NamedValue(.jsonl, "jsonl", "JSON, one box per line"),
    ])
  static let path = Option<[BoxPattern]>.repeated(
    "path", placeholder: "PATH", as: BoxPattern.self,
    help:
      "Show only these boxes and their contents, such as `moov/trak[2]/mdia`. Numbers start at 1; `//` matches boxes "
      + "at any depth, `*` any box, `#3` a box whose type is the number 3, and `[KEY]` the metadata item with this "
      + "name in `keys`. Commas separate paths. Can be repeated.")
  static let depth = Option<BoxLevels?>.parsed(
    "depth", placeholder: "N", as: BoxLevels.self,
    help: "Show only this number of levels: 1 shows the top-level boxes, or those that `--path` names.")
  static let only = Option<[BoxCodes]>.repeated(
    "only", placeholder: "CODE,...", as: BoxCodes.self,
    help:
      "Show only boxes of these types and the boxes that contain them. The fields of the containing boxes are not "
      + "shown. Can be repeated.")
  static let hex = Option.flag(
    "hex", help: "Also show the bytes of each box, at most 4096, without those of its child boxes.")
  static let full = Option.flag("full", help: "Show byte fields in full instead of truncating them.")
  static let offsets = Option.flag(
    "offsets",
    help: "Show the file offset of each box. JSON and `--verbosity 3` always include it.")
  static let names = Option<TextOptions.Names>.choice(
    "names", placeholder: "STYLE", default: .mp4dump, help: "The field names in text output.",
    [
      NamedValue(.mp4dump, "mp4dump", "the labels of mp4dump, where it has them"),
      NamedValue(.standard, "standard", "the names in the standard"),
    ])
  static let initFile = Option.path(
    "init", placeholder: "INIT",
    help:
      "The init segment of the FILEs. With it, `senc` is decoded, and times are also shown in seconds.")
  static let color = Option<ColorUse>.choice(
    "color", placeholder: "WHEN", default: .auto, help: "When to use color in text output.",
    [
      NamedValue(.auto, "auto", "on a terminal, unless NO_COLOR is set"),
      NamedValue(.always, "always", "also in pipes and files"), NamedValue(.never, "never", "no color"),
    ])
  static let command = Command(
    name: "dump",
    summary: "show the boxes of MP4 files",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [RecordFormatOption.printSchema.declaration.name],
        help: "An MP4, CMAF, QuickTime, HEIC or AVIF file; `-` is standard input; URLs are accepted.")
    ],
    description: [
      "Shows the box tree of each FILE: a line with the type and size of each box, then its fields and its child "
        + "boxes, indented. The text is compatible with Bento4's `mp4dump`. Media data is not read unless its bytes "
        + "are requested, so the running time depends on the number of boxes, not on the size of the file.",
      "Damage is shown where it occurs, in a line with `!!`. The dump continues with the next valid box inside the "
        + "same container or after it, and the exit status is 1. With several files, a line `==> NAME <==` precedes "
        + "each.",
      RemoteFile.description,
    ],
    options: [
      verbosity, format, path, depth, only, hex, full, offsets, names, initFile, BoxFiles.option, color,
      RecordFormatOption.printSchema,
    ],
    examples: [
      Command.Example(
        "mp4tool dump movie.mp4",
        "Shows all boxes and their main fields, with the number of entries of each table."),
      Command.Example("mp4tool dump --verbosity 2 seg7.m4s | less", "Shows every sample of a segment."),
      Command.Example(
        "mp4tool dump --path 'moov/trak[2]//stsd' movie.mp4", "Shows the sample descriptions of the second track."),
      Command.Example("mp4tool dump --init init.mp4 --only tfdt seg*.m4s", "Shows the decode times of all segments."),
      Command.Example("mp4tool dump --format json movie.mp4 | jq .", "Prints the boxes as indented JSON."),
      Command.Example(
        "mp4tool dump --format jsonl segment.m4s | grep sidx", "Prints the `sidx` boxes, one per line."),
      Command.Example("curl -s https://example.com/init.mp4 | mp4tool dump -", "Reads from a pipe."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "A box cannot be decoded or is cut off, or there are bytes that are not a box; the dump shows where. Or no box "
          + "matches `--path` or `--only`."
      ),
      Command.ExitNote(.inputNotUsable, "A FILE is empty or contains no boxes; the others are still shown."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are still shown."),
    ],
    manSections: DumpManual.sections,
    run: { (arguments, context) throws in
      if arguments[RecordFormatOption.printSchema] {
        try context.console.write(JSONSink.schema)
        return .done
      }
      let registry = try BoxFiles(context: context).registry(arguments)
      return try DumpJob(arguments, context, registry).run()
    })
}

/// The format of a dump.
enum DumpFormat {
  case text
  case json
  case jsonl
}

/// When color is used.
enum ColorUse {
  case auto
  case always
  case never

  func isUsed(on console: Console) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto: ErrorStream.wantsColour(onTerminal: console.isTerminal)
    }
  }
}

extension BoxPattern: TextOptionValue {
  static let expectation = "a path such as 'moov/trak[2]/mdia//stsd', or several separated by commas"
}

/// A number of box levels.
struct BoxLevels: TextOptionValue {
  static let expectation = "a number of levels, at least 1"
  let count: Int

  init?(_ word: String) {
    guard let count = Int(word), count > 0 else { return nil }
    self.count = count
  }
}

/// Box types separated by commas.
struct BoxCodes: OptionValue {
  static let expectation = "four-letter box types, separated by commas"
  let types: [FourCC]

  init?(_ word: Argument) {
    let codes = word.text.split(separator: ",", omittingEmptySubsequences: false).map { FourCC($0) }
    types = codes.compactMap(\.self)
    if types.count < codes.count { return nil }
  }
}
