import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection

struct EditJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run() throws -> ExitCode {
    guard EditCommand.changes.contains(where: { arguments.has($0) }) else {
      throw UsageError("no change is specified; use for example '--title TEXT' or '--set PATH/FIELD=VALUE'")
    }
    let isInPlace = arguments[EditCommand.inPlace]
    if isInPlace {
      try arguments.refuse([OutputOptions.output(unless: []), OutputOptions.noClobber], with: EditCommand.inPlace)
    }
    let registry = try BoxFiles(context: context).registry(arguments)
    let changes = try EditChanges(arguments, context, registry)
    if isInPlace { return try eachFile { try changeInPlace($0, changes) } }
    if arguments[EditCommand.dryRun] { return try eachFile { try preview($0, changes) } }
    guard arguments.operands.count == 1 else {
      throw UsageError("option '--output' needs exactly one FILE, not \(arguments.operands.count); use '--in-place'")
    }
    return try OutputJob(arguments, context).run { sources, _ in
      PlannedOutput(try changes.editor(of: sources[0]).plan())
    }
  }

  /// Continues with the next file if one cannot be edited.
  private func eachFile(_ body: (Argument) throws -> Void) throws -> ExitCode {
    if arguments.operands.count == 1 {
      try body(arguments.operands[0])
      return context.diagnostics.outcome
    }
    var failure = ExitCode.done
    for operand in arguments.operands {
      do { try body(operand) } catch let error where !(error is UsageError) {
        failure = max(failure, Failure.report(error, in: EditCommand.command.name, to: context.diagnostics))
      }
    }
    return max(failure, context.diagnostics.outcome)
  }

  // MARK: One file

  private func preview(_ operand: Argument, _ changes: EditChanges, isInPlace: Bool = false) throws {
    let file = isInPlace ? try InputFiles(context).openInPlace(operand, option: EditCommand.inPlace) : nil
    let source = try file?.source ?? InputFiles(context).open(operand, spool: true)
    let output = OutputJob(arguments, context)
    if !isInPlace { try output.checkOutputs() }
    let editor = try changes.editor(of: source)
    let plan = try editor.plan()
    // A dry run rejects the same edits, and files for which there is no room.
    let inPlacePlan = isInPlace ? try editor.planInPlace() : nil
    for diagnostic in inPlacePlan?.diagnostics ?? plan.diagnostics { context.diagnostics.say(diagnostic) }
    if let file, let inPlacePlan {
      try file.expect(byteCount: inPlacePlan.byteCount)
    } else {
      try output.checkOutput(byteCount: plan.byteCount)
    }
    let name = isInPlace ? source.name : arguments[OutputOptions.output]?.text ?? source.name
    let edited = try plan.preview(name: name)
    let comparison = BoxComparison(source, edited, registry: changes.registry)
    _ = try comparison.writeText(to: context.console, isColoured: ColorUse.auto.isUsed(on: context.console))
  }

  private func changeInPlace(_ operand: Argument, _ changes: EditChanges) throws {
    if arguments[EditCommand.dryRun] { return try preview(operand, changes, isInPlace: true) }
    let file = try InputFiles(context).openInPlace(operand, option: EditCommand.inPlace)
    _ = try OutputJob(arguments, context, to: .inPlace(file)).run { _, _ in
      let plan = try changes.editor(of: file.source).planInPlace()
      // Notes are about the changed file.
      return PlannedOutput(
        diagnostics: plan.diagnostics.filter { $0.severity != .note },
        remarks: plan.diagnostics.filter { $0.severity == .note }, content: .change(plan), byteCount: plan.byteCount)
    }
  }
}

/// The changes that the options request, in order.
private struct EditChanges {
  let registry: BoxRegistry
  private let arguments: ParsedArguments
  private let cover: [UInt8]?
  private let chapters: ChapterList?
  private let timecodes: (any ByteSource)?
  private let replaced: [(path: String, boxes: [Box])]
  private let inserted: [(path: String, boxes: [Box])]

  init(_ arguments: ParsedArguments, _ context: CommandContext, _ registry: BoxRegistry) throws {
    (self.arguments, self.registry) = (arguments, registry)
    try Self.checkValues(arguments)
    cover = try arguments[EditCommand.cover].map { try CoverFile.read($0, context) }
    timecodes = try arguments[EditCommand.timecodeFrom].map { try InputFiles(context).open($0, spool: true) }
    chapters = try arguments[EditCommand.chapters].flatMap { try ChapterList.read($0, context) }
    func parent(_ path: String, of levels: Int) -> FourCC {
      let names = path.split(separator: "/").dropLast(levels)
      return names.last.flatMap { FourCC($0.prefix { $0 != "[" }) } ?? .file
    }
    replaced = try arguments[EditCommand.replace].map {
      ($0.path, try $0.boxes(in: parent($0.path, of: 1), registry: registry, context))
    }
    inserted = try arguments[EditCommand.insert].map {
      ($0.path, try $0.boxes(in: parent($0.path, of: 0), registry: registry, context))
    }
  }

  /// Throws if the value of an option is not valid for any file.
  private static func checkValues(_ arguments: ParsedArguments) throws(UsageError) {
    let starts: [any DeclaredOption] = [EditCommand.timecode, EditCommand.timecodeFrom, EditCommand.timecodeOfDay]
    let given = starts.filter { arguments.has($0) }
    if given.count > 1 { throw UsageError(given[0], contradicts: given[1]) }
    for option in [EditCommand.timecodeRate, EditCommand.reel] as [any DeclaredOption]
    where arguments.has(option) && !arguments.has(EditCommand.timecode) && !arguments[EditCommand.timecodeOfDay] {
      throw UsageError("option '--\(option.declaration.name)' needs '--timecode'")
    }
    let own = EditCommand.commonTags.compactMap { option in
      arguments[option].flatMap { text in MetadataTag(option.declaration.name).map { TagEdit($0, text) } }
    }
    for edit in arguments[EditCommand.tag] + own where !edit.tag.accepts(edit.value) {
      let advice = edit.tag.name == "cover" ? "; use '--cover FILE'" : ""
      throw UsageError("\(edit.tag.name) must be \(edit.tag.expectation), not '\(edit.value)'\(advice)")
    }
    for edit in arguments[EditCommand.language] where !LanguageTag.isValid(edit.value) {
      let proposal = LanguageTag.proposal(for: edit.value).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("'\(edit.value)' is not a language tag such as 'en', 'pt-BR' or 'und'\(proposal)")
    }
  }

  func editor(of source: any ByteSource) throws -> MovieEditor {
    var editor = try MovieEditor(source, registry: registry)
    for kind in arguments[EditCommand.strip] { editor = try editor.stripping(kind) }
    for path in arguments[EditCommand.remove] { editor = try editor.removing(path.text) }
    for (path, boxes) in replaced { editor = try editor.replacing(path, with: boxes) }
    for (path, boxes) in inserted {
      for box in boxes { editor = try editor.appending(box, to: path) }
    }
    if arguments.has(EditCommand.to) { editor = try editor.convertingToMP4() }
    if let brand = arguments[EditCommand.brand] { editor = try editor.settingBrand(brand) }
    if let time = arguments[EditCommand.creationTime] { editor = try editor.settingCreationTime(time.seconds) }
    // A tag that is given several times has several values.
    var tags: [MetadataTag] = []
    for edit in arguments[EditCommand.tag] where !tags.contains(edit.tag) { tags.append(edit.tag) }
    for tag in tags {
      editor = try editor.settingTag(tag, to: arguments[EditCommand.tag].filter { $0.tag == tag }.map(\.value))
    }
    for option in EditCommand.commonTags {
      guard let text = arguments[option], let tag = MetadataTag(option.declaration.name) else { continue }
      editor = try editor.settingTag(tag, to: text)
    }
    if let cover { editor = try editor.settingCover(cover) }
    if arguments.has(EditCommand.chapters) { editor = try editor.settingChapters(chapters) }
    return try tracks(editor)
  }

  /// The declared properties of video.
  private var videoProperties: [(tracks: TrackSelection, properties: VideoProperties)] {
    var result: [(tracks: TrackSelection, properties: VideoProperties)] = []
    func add<Value>(_ option: Option<[VideoEdit<Value>]>, _ set: (inout VideoProperties, Value) -> Void) {
      for edit in arguments[option] {
        var properties = VideoProperties()
        set(&properties, edit.value)
        result.append((edit.tracks, properties))
      }
    }
    add(EditCommand.color) { $0.colors = $1 }
    add(EditCommand.range) { $0.isFullRange = $1 == .full }
    add(EditCommand.sampleAspect) { $0.sampleAspect = $1 }
    add(EditCommand.mastering) { $0.masteringDisplay = $1 }
    add(EditCommand.maxCLL) { $0.lightLevel = $1 }
    add(EditCommand.level) { $0.level = $1 }
    add(EditCommand.fieldOrder) { $0.fieldOrder = $1 }
    return result
  }

  /// Changes of tracks and of individual fields.
  private func tracks(_ edited: MovieEditor) throws -> MovieEditor {
    var editor = edited
    for edit in arguments[EditCommand.language] {
      editor = try editor.settingLanguage(of: edit.tracks, to: edit.value)
    }
    for edit in arguments[EditCommand.name] { editor = try editor.settingName(of: edit.tracks, to: edit.value) }
    for edit in arguments[EditCommand.rotate] { editor = try editor.rotating(edit.tracks, to: edit.value.rawValue) }
    if let tracks = arguments[EditCommand.enable] { editor = try editor.settingEnabled(tracks.selection, true) }
    if let tracks = arguments[EditCommand.disable] { editor = try editor.settingEnabled(tracks.selection, false) }
    if let track = arguments[EditCommand.defaultTrack] { editor = try editor.settingDefault(track.id) }
    for edit in arguments[EditCommand.alternateGroup] {
      editor = try editor.settingAlternateGroup(of: edit.tracks, to: edit.group)
    }
    for edit in arguments[EditCommand.delay] { editor = try editor.settingDelay(of: edit.tracks, by: edit.delay) }
    for entry in arguments[EditCommand.sampleEntry] { editor = try editor.renamingSampleEntries(to: entry.name) }
    for edit in arguments[EditCommand.frameRate] {
      editor = try editor.settingFrameRate(of: edit.tracks, to: edit.value)
    }
    editor = try editor.settingVideoProperties(videoProperties)
    for edit in arguments[EditCommand.timescale] {
      editor =
        try edit.tracks.map { try editor.settingTimescale(of: $0, to: edit.timescale) }
        ?? editor.settingTimescale(to: edit.timescale)
    }
    if let timecodes { editor = try editor.settingTimecode(from: timecodes) }
    if arguments[EditCommand.timecodeOfDay] {
      editor = try editor.settingTimecodeOfDay(
        rate: arguments[EditCommand.timecodeRate], reel: arguments[EditCommand.reel])
    }
    if let start = arguments[EditCommand.timecode] {
      editor = try editor.settingTimecode(
        start, rate: arguments[EditCommand.timecodeRate], reel: arguments[EditCommand.reel])
    }
    for edit in arguments[EditCommand.set] {
      editor = try editor.setting(edit.field, of: edit.path, to: edit.value)
    }
    return arguments[EditCommand.fastStart] ? try editor.placingMovieFirst() : editor
  }
}
