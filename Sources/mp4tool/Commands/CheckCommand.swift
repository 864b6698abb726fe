import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Inspection
import MP4Packaging
import MP4Presentations
import MP4Records

enum CheckCommand {
  static let profiles = Option<ProfileList?>.parsed(
    "for", placeholder: "LIST", as: ProfileList.self,
    help: "Check these sets of rules, separated by commas: `iso` (all MP4 files), `cmaf`, `hls`, `apple` (HLS on Apple "
      + "devices), `dash`, `mse` (segments in browsers), `web` (files in browsers). The default depends on the brands "
      + "and the kind of input.")
  private static let severities: [NamedValue<Diagnostic.Severity>] = [
    NamedValue(.error, "error", "only violations of a standard and problems that make playback fail"),
    NamedValue(.warning, "warning", "also problems that may make some players fail"),
    NamedValue(.note, "note", "also advice"),
  ]
  static let level = Option.choice(
    "level", placeholder: "LEVEL", default: .note,
    help: "Print only findings that are at least this severe. The exit status does not depend on this option.",
    severities)
  static let threshold = Option.choice(
    "fail-on", placeholder: "LEVEL", default: .error, help: "Exit with 1 if a finding is at least this severe.",
    severities)
  static let ignored = Option<[RuleList]>.repeated(
    "ignore", placeholder: "RULES", as: RuleList.self,
    help: "Do not check these rules, separated by commas. Can be repeated.")
  static let baseline = Option.path(
    "baseline", placeholder: "FILE",
    help: "Do not report findings that are listed in FILE, the text output of an earlier check. Files are matched by "
      + "name, or by their path in the folder that is checked.")
  static let listsRules = Option.flag(
    "rules",
    help:
      "List the rules and exit. FILE is ignored. `--for` and `--level` select rules; `--format` can be `text`, `json`, "
      + "`jsonl` or `csv`.")
  static let explained = Option<RuleName?>.parsed(
    "explain", placeholder: "RULE", as: RuleName.self,
    help: "Explain a rule as text and exit. FILE and `--format` are ignored.")
  static let deep = Option.choice(
    "deep", placeholder: "DEPTH", absent: Check.Depth.headers,
    help: "Read all media data, with all processors, and verify it.",
    impliedBy: [
      NamedValue(
        .media, "media",
        "the syntax of all samples, checksums, the order of pictures and their references (the default)"),
      NamedValue(.decode, "decode", "also the data of coded pictures, which is slower"),
    ])
  static let specification = Option.path(
    "spec", placeholder: "SPEC",
    help: "Test whether each file meets the specification in SPEC, and whether the data of all samples is there. Other "
      + "rules are checked only if `--for` or `--deep` is given too. See mp4tool-spec(5).")
  static let drafted = Option.path(
    "spec-from", placeholder: "MOVIE",
    help: "Print a first version of a specification, which MOVIE meets, and exit. FILE is ignored.")
  static let example = Option<Specification.Example?>.parsed(
    "spec-example", placeholder: "NAME", as: Specification.Example.self,
    help: "Print an example of a specification and exit: "
      + Specification.examples.map { "`\($0.name)` (\($0.purpose))" }.joined(separator: ", ") + ". FILE is ignored.")
  static let watch = Option.flag(
    "watch",
    help:
      "Check a live playlist repeatedly, every half target duration; print only new findings; exit when the playlist "
      + "ends.")
  static let format = Option<CheckFormat>.choice(
    "format", placeholder: "FORMAT", default: .records(nil), help: "The format of the result.",
    RecordFormatOption.formats.map { NamedValue(.records($0.value), $0.choice.name, $0.choice.meaning) } + [
      NamedValue(.sarif, "sarif", "SARIF 2.1.0, for code scanning services"),
      NamedValue(.junit, "junit", "JUnit XML, for build servers"),
    ])
  private static let standalone = [
    listsRules.declaration, explained.declaration, drafted.declaration, example.declaration,
    RecordFormatOption.printSchema.declaration,
  ]

  static let command = Command(
    name: "check",
    summary: "check MP4 files and HLS presentations against standards and the requirements of players",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: standalone.map(\.name) + [ManyFiles.filesFrom.declaration.name],
        help:
          "An MP4, CMAF, QuickTime, HEIC or AVIF file, an MPEG transport stream, an init segment and its media "
          + "segments, an HLS playlist or DASH manifest, or a folder of such files; `-` is standard input (not for "
          + "playlists); URLs are accepted.")
    ],
    description: [
      "Prints one line per finding: the file, the box and its offset, the severity, the problem, the rule, and the "
        + "source of the rule. The same problem in several fragments is one finding. If a file or a presentation "
        + "violates a rule at more than three places, these are one finding, with their number and the first three. An "
        + "error violates a "
        + "standard or makes playback fail; a warning is a problem that may make some players fail; a note is advice.",
      "For a presentation, checks the playlists, the segments, and whether they agree: the durations, bit rates, "
        + "codecs, sizes and times that the playlists declare are compared with the media. The declared closed "
        + "captions are compared with those in the first 10 seconds, or with `--scan-captions` with all, which is also "
        + "needed for remote presentations.",
      "Without `--deep`, a few percent of the media data of a file are read: the lengths, types and parameter sets of "
        + "the NAL units of all sync samples, and some frames of AAC, AC-3, E-AC-3 and MPEG audio. Of a presentation, "
        + "only the first samples of each track are read. The last line says how many samples were examined. That a "
        + "check finds nothing does not mean that all samples can be decoded.",
      "With `--deep`, all media data is read: the lengths, headers, parameter sets and slice headers of H.264, H.265 "
        + "and H.266, and which reference pictures are missing; OBUs of AV1; frames of VP9; AAC, AC-3, E-AC-3, FLAC, "
        + "MPEG audio and Opus, with their checksums; ProRes, JPEG and uncompressed audio; text and timecodes; blocks "
        + "of zeros and repeated blocks; and bytes that no sample uses. The last line says which kinds of damage were "
        + "not looked for.",
      "With `--spec`, the result says for each file whether it passes. A file passes if it meets all requirements "
        + "without `warn`, and none of its samples is damaged or missing. A presentation has no specification.",
      RemoteFile.description,
    ],
    options: ManyFiles.options + [
      deep, specification, drafted, example, profiles, level, threshold, ignored, baseline, watch, listsRules,
      explained, format,
      RecordFormatOption.printSchema, PlaylistOptions.allowOutside, CaptionOptions.scan, OutputOptions.progress,
    ],
    examples: [
      Command.Example("mp4tool check movie.mp4", "Checks a file."),
      Command.Example("mp4tool check --deep movie.mp4", "Reads all media data and verifies it."),
      Command.Example("mp4tool check --spec delivery.txt *.mov", "Tests whether files meet a specification."),
      Command.Example("mp4tool check --for iso,cmaf init.mp4 seg*.m4s", "Checks a CMAF track."),
      Command.Example("mp4tool check --for iso,hls,apple master.m3u8", "Checks a presentation and its media."),
      Command.Example("mp4tool check --watch https://example.com/live.m3u8", "Checks a live stream until it ends."),
      Command.Example(
        "mp4tool check old/movie.mp4 > known.txt; mp4tool check --baseline known.txt new/movie.mp4",
        "Reports only new findings."),
      Command.Example("mp4tool check --format junit *.mp4 > report.xml", "Writes a report for a build server."),
      Command.Example(
        "find archive -name '*.mp4' -print0 | mp4tool check --files-from - --format jsonl",
        "Checks the files of a list."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "A finding is at or above the level of `--fail-on`, even if `--level` hides it. Findings that `--baseline` "
          + "lists do not count."),
      Command.ExitNote(
        .inputNotUsable,
        "The file given with `--baseline` is not the text output of a check, a specification cannot be read, or a "
          + "folder contains several multivariant playlists. A file that is not media is reported as a finding (exit "
          + "status 1)."
      ),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are still checked."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: [
          "JSON is one object; JSON Lines and CSV have only the findings.", "The object has these members:",
        ],
        items: CheckResult.choices),
      Command.ManSection(
        title: "FINDINGS IN JSON AND CSV",
        paragraphs: ["Each finding has these members, which are also the columns of CSV:"],
        items: Finding.choices),
      Command.ManSection(
        title: "JSON AND CSV OF --rules",
        items: Rule.choices),
      Command.ManSection(
        title: "RULES",
        items: Rule.all.map { Choice(name: $0.id, meaning: "\($0.meaning) (\($0.source); \($0.severity.name))") }),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[RecordFormatOption.printSchema] {
      try CheckResult.writeSchema(to: context.console)
      return .done
    }
    if let example = arguments[example] {
      try context.console.write(example.text)
      return .done
    }
    if let movie = arguments[drafted] {
      let source = try InputFiles(context).open(movie, spool: true)
      try context.console.write(Specification.draft(from: MovieSummary(Movie(reading: [source]))))
      return .done
    }
    if let rule = arguments[explained]?.rule {
      try context.console.write(rule.explanation)
      return .done
    }
    return arguments[listsRules] ? try list(arguments, context) : try report(arguments, context)
  }

  private static func list(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let rules = Rule.all.filter { rule in
      rule.severity >= arguments[level]
        && arguments[profiles]?.profiles.contains(rule.source.profile) ?? true
    }
    switch arguments[format] {
    case .records(let format?): try Rule.write(rules, format, to: context.console)
    case .sarif, .junit:
      throw UsageError("option '--rules' can only be used with '--format text', 'json', 'jsonl' or 'csv'")
    case .records(nil):
      let column = (rules.map(\.id.count).max() ?? 0) + 2
      for rule in rules {
        let item = TextWrapping.item(
          rule.id, "\(rule.meaning) (\(rule.source); \(rule.severity.name))", column: column)
        try context.console.write(item)
      }
    }
    return .done
  }

  /// The check that `--deep` and `--spec` ask for.
  static func check(_ arguments: ParsedArguments, _ context: CommandContext) throws -> Check {
    var check = Check.advised
    check.depth = arguments[deep]
    check.captions = arguments.captionSearch
    check.specification = try arguments[specification].map { file in
      let source = try InputFiles(context).open(file, spool: false)
      return try Specification(source.bytes(in: 0..<Specification.limit), name: source.name)
    }
    return check
  }

  private static func report(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let known = try arguments[baseline].map { file in
      guard let known = Baseline(try text(of: file, context), operands: arguments.operands.map(\.text)) else {
        throw UnusableInput(
          file: file.text, reason: "this is not the text output of `mp4tool check`, which `--baseline` needs")
      }
      return known
    }
    var check = try Self.check(arguments, context)
    check.profiles = arguments[profiles]?.profiles
    check.ignored = Set(arguments[ignored].flatMap(\.rules).map(\.id))
    let (console, threshold) = (context.console, arguments[threshold])
    @Sendable func isNew(_ finding: Finding) -> Bool { !(known?.contains(finding) ?? false) }
    if arguments[watch] {
      if check.specification != nil { throw UsageError("option '--watch' cannot be used with '--spec'") }
      guard [.records(nil), .records(.jsonLines)].contains(arguments[format]) else {
        throw UsageError("option '--watch' can only be used with '--format text' or '--format jsonl'")
      }
      if check.captions == .start { check.captions = .none }
      return try CheckWatch(arguments, context, PresentationWatch(check), threshold).run(isNew)
    }
    // A file that fails would have no findings.
    if arguments.has(specification) { try arguments.refuse([baseline], with: specification) }
    let format = arguments[format]
    if arguments.has(ManyFiles.resume), ![.records(nil), .records(.jsonLines), .records(.csv)].contains(format) {
      throw UsageError("option '--resume' can only be used with '--format text', 'jsonl' or 'csv'")
    }
    var inputs = InputAttempts(command.name, context)
    // Lines are written as soon as a file is checked.
    var lines: RecordOutput<Finding>?
    let (files, chosen) = (try ManyFiles(command.name, arguments, context, for: check.specification), check)
    if case .records(let format?) = format, format != .json {
      lines = RecordOutput(format, to: console, continues: files.continues)
    }
    var result = CheckResult()
    func take(_ own: CheckResult) throws -> ExitCode {
      let own = own.keeping(isNew)
      let status: ExitCode = own.findings.contains { $0.severity >= threshold } ? .findings : .done
      let shown = own.keeping { $0.severity >= arguments[level] }
      if format == .records(nil) { try console.write(shown.lines) }
      for finding in shown.findings { try lines?.write(finding) }
      try lines?.flush()
      result.add(shown)
      return status
    }
    try files.forEach(&inputs) { movies, inputs in
      try files.examine(
        movies, &inputs,
        { _, sources, onProgress in
          try chosen.sparing(sources).run(sources) {
            onProgress($0)
            return true
          }
        }, deliver: take)
    } present: { presentation, inputs in
      var check = check
      // Of remote presentations, every picture would be a request.
      if check.captions == .start, presentation.location?.path == nil { check.captions = .none }
      let own = try inputs.attempt {
        if check.specification != nil {
          throw UnusableInput(
            file: presentation.name, reason: "this is a presentation; a specification is for files")
        }
        return try context.progress.opening(presentation) { try check.run(presentation, onProgress: $0) }
      }
      if let own { inputs.add(try take(own)) }
    }
    switch format {
    case .records(nil):
      if inputs.failure == .done && !arguments.has(ManyFiles.resume) || !result.files.isEmpty {
        try console.write(result.summary(decodingWith: "--deep=decode"))
      }
    case .records(.json?): try result.write(.json, to: console)
    case .records: try lines.take()?.finish()
    case .sarif: try result.writeSARIF(version: Version.number, to: console)
    case .junit: try result.writeJUnit(failingOn: threshold, to: console)
    }
    return max(inputs.failure, inputs.outcome)
  }

  private static func text(of file: Argument, _ context: CommandContext) throws -> String {
    let source = try InputFiles(context).open(file, spool: false)
    return String(decoding: try source.bytes(in: 0..<1 << 26), as: UTF8.self)
  }
}

extension Rule {
  /// A paragraph that explains the rule.
  fileprivate var explanation: String {
    """
    \(id)
      \(meaning)
    \(TextWrapping.lines(consequence, width: 76).map { "  \($0)" }.joined(separator: "\n"))
      severity  \(severity.name)
      profile   \(source.profile.rawValue)
      source    \(source)
      looks at  \(needs)

    """ + (remedy?.command.map { "  fixed by  \($0)\n" } ?? "")
  }
}

extension Specification.Example: TextOptionValue {
  static var expectation: String { "the name of an example: " + offered.joined(separator: ", ") }

  init?(_ word: String) {
    guard let example = Specification.examples.first(where: { $0.name == word }) else { return nil }
    self = example
  }
  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: offered) }
  static var offered: [String] { Specification.examples.map(\.name) }
}

extension Check {
  /// The same check; in remote files, captions are not looked for by default, because every picture would be a request.
  func sparing(_ sources: [any ByteSource]) -> Check {
    var check = self
    check.captions = captions.sparing(sources)
    return check
  }
}

/// The formats of findings.
enum CheckFormat: Equatable {
  /// `nil` is text.
  case records(RecordFormat?)
  case sarif
  case junit
}

/// `iso,cmaf`.
struct ProfileList: TextOptionValue {
  static let expectation = "a list of " + RuleSource.Profile.choices.map { "'\($0.rawValue)'" }.joined(separator: ", ")
  let profiles: Set<RuleSource.Profile>

  init?(_ word: String) {
    var profiles: Set<RuleSource.Profile> = []
    for name in word.split(separator: ",", omittingEmptySubsequences: false) {
      guard let profile = RuleSource.Profile.choices.first(where: { $0.rawValue == name }) else { return nil }
      profiles.insert(profile)
    }
    self.profiles = profiles
  }
  static var offered: [String] { RuleSource.Profile.choices.map(\.rawValue) }
}

/// The name of a rule.
struct RuleName: TextOptionValue {
  static let expectation = "the name of a rule, which `mp4tool check --rules` lists"
  let rule: Rule

  init?(_ word: String) {
    guard let rule = Rule.named(word) else { return nil }
    self.rule = rule
  }
  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: offered) }
  static var offered: [String] { Rule.all.map(\.id) }
}

/// `iso-box-unknown,iso-box-rest`.
struct RuleList: OptionValue {
  static let expectation = "names of rules separated by commas, which `mp4tool check --rules` lists"
  let rules: [Rule]

  init?(_ word: Argument) {
    let names = word.text.split(separator: ",", omittingEmptySubsequences: false)
    rules = names.compactMap { Rule.named(String($0)) }
    if rules.count < names.count { return nil }
  }
  static func suggestions(for word: String) -> [String] {
    let names = word.split(separator: ",").map(String.init)
    return names.first { Rule.named($0) == nil }.map(RuleName.suggestions) ?? []
  }
  static var offered: [String] { RuleName.offered }
}
