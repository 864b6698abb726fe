import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import MP4Presentations
import MP4Records
import MP4Serving

enum HashCommand {
  /// The format of the hashes.
  enum Format: Equatable {
    case text
    case records(RecordFormat)
    case sidecar
  }

  static let algorithm = Option.choice(
    "algorithm", placeholder: "NAME", default: .sha256, help: "The hash algorithm.",
    [
      NamedValue(HashAlgorithm.sha256, "sha256", "SHA-256, which also detects intentional changes"),
      NamedValue(.md5, "md5", "MD5, as other programs for media print it"),
      NamedValue(.xxh64, "xxh64", "XXH64, the fastest one"),
    ])
  static let times = Option.flag(
    "times", help: "Also hash the presentation times, the durations and the sync flags of the samples.")
  static let check = Option.flag(
    "check", short: "c", help: "Read the hashes in each FILE, a sidecar, and check the files that it names.")
  static let format = Option.choice(
    "format", placeholder: "FORMAT", default: Format.text, help: "The format of the result.",
    [
      NamedValue(.text, "text", "plain text"),
      NamedValue(.records(.json), "json", "JSON"),
      NamedValue(.records(.jsonLines), "jsonl", "JSON, one object per line"),
      NamedValue(.records(.csv), "csv", "comma-separated values, with the column names in the first line"),
      NamedValue(.sidecar, "sidecar", "lines for `--check`"),
    ])
  static let output = Option.path(
    "output", short: "o", placeholder: "OUT",
    help: "The file to write; default: standard output. An existing file is replaced only when the new one is complete."
  )

  static let command = Command(
    name: "hash",
    summary: "print or check a hash of the samples of each track, independent of the layout of the file",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        unless: [RecordFormatOption.printSchema.declaration.name, ManyFiles.filesFrom.declaration.name],
        help: "An MP4, CMAF or QuickTime file. An init segment and its media segments are read as one movie; other "
          + "files are separate. `-` is standard input; URLs are accepted. With `--check`, a sidecar.")
    ],
    description: [
      "Prints a hash of the samples of each track. It is the same for a progressive file, a fragmented file, segments "
        + "and a QuickTime file with the same samples, so it shows whether a copy or a remux kept them. The bytes of "
        + "all samples of a track are hashed in decoding order, without anything between them. Edit lists are ignored; "
        + "encrypted samples are hashed as they are.",
      "Samples are hashed as MP4 stores them. H.264, H.265 and H.266 have lengths before NAL units in MP4, but start "
        + "codes in elementary streams (Annex B) and MPEG-TS; the same video has a different hash there. A sample "
        + "entry, with its parameter sets, is not hashed.",
      "The hashes are those of `ffmpeg -ignore_editlist 1 -i FILE -map 0 -c copy -copyinkf -f streamhash -hash sha256 "
        + "-`. Without `-ignore_editlist 1`, ffmpeg omits samples that an edit list hides; without `-copyinkf`, those "
        + "before the first sync sample. It does not hash chapters, rewrites closed captions, and adds cover pictures.",
      "With `--times`, a line of text for each sample is hashed after the bytes of the last sample: the presentation "
        + "time at which each edit first shows a part of the sample (separated by commas; `hidden` if none does), the "
        + "duration, the size in bytes, and 1 for a sync sample or 0, separated by spaces, as in `1/25 1/25 1447 1`. "
        + "Times are in seconds, as reduced fractions, so the timescale does not matter; they are relative to the "
        + "start of the presentation. The duration of the last sample is `last`, because fragments and tables of the "
        + "same media may declare different ones. Times that a remux rounds, such as those of edit lists, change the "
        + "hash; `mp4tool diff --samples` ignores such differences.",
      "If samples of a track are lost, an error tells the number of the first one, and the track has no hash. The "
        + "other tracks are still hashed.",
      "With `--check`, prints for each hash in the sidecars whether it is right: `OK` or `FAILED`. Paths in a sidecar "
        + "are relative to the current directory. Tracks that it does not name are not checked. With `--quiet`, only "
        + "failures are printed.",
      RemoteFile.description,
    ],
    options: ManyFiles.options + [algorithm, times, check, format, RecordFormatOption.printSchema, output]
      + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool hash movie.mp4", "Prints the hash of each track."),
      Command.Example(
        "mp4tool hash --recursive --format sidecar archive -o archive.hash", "Writes the hashes of an archive."),
      Command.Example("mp4tool hash --check archive.hash", "Checks the archive."),
      Command.Example(
        "mp4tool hash --times init.mp4 seg*.m4s", "Also hashes the times, of the segments of a stream."),
      Command.Example("mp4tool hash --algorithm md5 --format json movie.mp4", "Prints MD5 hashes as JSON."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are lost, or a track or file in a sidecar is missing or differs."),
      Command.ExitNote(
        .inputNotUsable,
        "A FILE has no `moov`, or its `moov` is damaged beyond use, or it is not a sidecar; the others are read."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are read."),
    ],
    manSections: [
      Command.ManSection(
        title: "SIDECARS",
        paragraphs: [
          "A sidecar has a line for each track, such as `SHA256 track 1 samples (movie.mp4) = 9f86…`: the algorithm, "
            + "the track ID, what is hashed (`samples` or `samples+times`), the file, and the hash. If the name of the "
            + "file contains a newline, carriage return or backslash, the line starts with a backslash, and the name "
            + "contains `\\n`, `\\r` or `\\\\` instead, as in the output of sha256sum(1). Empty lines, and lines that "
            + "start with `#`, are ignored."
        ]),
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["Each track has these members, which are also the columns of CSV:"],
        items: TrackHashRecord.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[check] {
      try arguments.refuse(
        [
          algorithm, times, format, output, ManyFiles.recursive, ManyFiles.filesFrom, OutputOptions.noClobber,
          OutputOptions.fsync,
        ], with: check)
    }
    if arguments[RecordFormatOption.printSchema] {
      try TrackHashRecord.writeSchema(to: context.console)
      return .done
    }
    if arguments[check] {
      var check = HashCheck(arguments, context)
      return try check.run()
    }
    // Without a file, each result is written at once, unless a later warning forbids the output.
    let isImmediate = arguments[output].map(\.isDash) ?? true && !arguments[OutputOptions.strict]
    if !isImmediate, arguments.has(ManyFiles.resume) {
      throw UsageError("option '--resume' needs standard output, and cannot be used with '--output' or '--strict'")
    }
    let job = OutputJob(arguments, context, to: .file(arguments[output] ?? Argument("-")), from: [])
    try job.checkOutputs()
    var inputs = InputAttempts(command.name, context)
    let text = MemorySink()
    let sink: any ByteSink = isImmediate ? context.console : text
    var lines: RecordOutput<TrackHashRecord>?
    let files = try ManyFiles(command.name, arguments, context)
    if case .records(let format) = arguments[format] {
      lines = RecordOutput(format, to: sink, continues: files.continues)
    }
    var isEmpty = true
    let (kind, algorithm, times) = (arguments[format], arguments[algorithm], arguments[times])
    try files.forEach(&inputs) { movies, inputs in
      try files.examine(
        movies, &inputs,
        { input, sources, onProgress in
          let movie = try Self.movie(sources, for: kind)
          let hashes = try TrackHashes(movie, algorithm, includesTimes: times) {
            onProgress($0)
            return true
          }
          return Result(movie.name, input.name, hashes)
        }
      ) { result in
        for diagnostic in result.hashes.diagnostics { context.diagnostics.say(diagnostic) }
        isEmpty = false
        let records = result.hashes.records(file: result.name)
        switch kind {
        case .text:
          for line in records.compactMap(\.text) { try sink.write(Array((Printable.escaped(line) + "\n").utf8)) }
        case .records:
          for record in records { try lines?.write(record) }
          try lines?.flush()
        case .sidecar: try sink.write(result.hashes.sidecar(file: result.path))
        }
        return result.hashes.diagnostics.contains { $0.severity == .error } ? .findings : .done
      }
    } present: { presentation, inputs in
      let reason =
        presentation.isManifest
        ? "this is a DASH manifest, not an MP4 file; hash the file that 'mp4tool defrag' writes"
        : "this is an HLS playlist, not an MP4 file; hash the file that 'mp4tool join' writes"
      inputs.fail(UnusableInput(file: presentation.name, reason: reason))
    }
    let failure = max(inputs.failure, inputs.outcome)
    if isEmpty { return failure }
    try lines.take()?.finish()
    if isImmediate { return max(failure, context.diagnostics.outcome) }
    let outcome = try job.run(isText: true) { _, _ in
      PlannedOutput(
        diagnostics: [], content: .file { try $0.write(text.bytes) }, byteCount: text.bytes.count)
    }
    return max(failure, outcome)
  }

  /// The hashes of a movie, its name, and the path for a sidecar.
  private struct Result: Sendable {
    let name: String
    let path: [UInt8]
    let hashes: TrackHashes

    init(_ name: String, _ path: [UInt8], _ hashes: TrackHashes) {
      (self.name, self.path, self.hashes) = (name, path, hashes)
    }
  }

  private static func movie(_ sources: [any ByteSource], for format: Format) throws -> Movie {
    if format == .sidecar, sources.count > 1 {
      throw UnusableInput(
        file: sources[0].name,
        reason: "a sidecar has one file for each movie; 'mp4tool join' writes one from segments")
    }
    return try Movie(reading: sources)
  }
}
