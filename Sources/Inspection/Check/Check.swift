import BoxCatalog
import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Packaging
public import MP4Presentations

/// Checks files against the rules of standards and players.
public struct Check: Sendable {
  /// The rule profiles to check; `nil` chooses them by the brands and the kind of input.
  public var profiles: Set<RuleSource.Profile>?
  /// The names of rules that are not checked.
  public var ignored: Set<String> = []
  /// What is read of the media of files.
  public enum Depth: String, Sendable, CaseIterable {
    /// The headers and parameter sets of all sync samples, and some frames of audio: a few percent.
    case headers
    /// All samples: the syntax of their codecs, checksums, the order of pictures and their references. The data of
    /// coded pictures is not decoded.
    case media
    /// The same, and the data of coded pictures is parsed, without reconstructing pictures.
    case decode
  }
  /// How much of the media is read. `CheckResult.limits` says which kinds of damage are not looked for.
  public var depth = Depth.headers
  /// What each movie must meet; `nil` for nothing. Unless `profiles` is set, only this is tested, and whether the data
  /// of all samples is there.
  public var specification: Specification?
  /// Where closed captions are looked for, in presentations and for a specification.
  public var captions = CaptionSearch.start
  /// What is appended to a message about a problem with a remedy; nothing by default.
  package var advice: @Sendable (Remedy) -> String = { _ in "" }

  /// Checks all rules that apply to the input.
  public init() {}

  /// Checks movies, fragmented or not, init segments with their media segments, and still images. Boxes are read and,
  /// of the media, a few percent: the headers and parameter sets of all sync samples, and some frames of audio.
  ///
  /// `onProgress` is called with the number of bytes checked, and returns whether to continue.
  ///
  /// - Throws: `IOError` if a source cannot be read, or if `onProgress` returned false.
  public func run(
    _ sources: [any ByteSource], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(IOError) -> CheckResult {
    var result = CheckResult()
    var done = 0
    for group in try InputGroups.groups(of: sources) {
      var own = CheckResult()
      let (parts, start) = (group.map { sources[$0] }, done)
      _ = try run(onParts: parts, .wholeTrack, into: &own) { onProgress(start + $0) }
      done += parts.reduce(0) { $0 + ($1.byteCount ?? 0) }
      result.add(own.merged)
    }
    if let profiles, !profiles.isDisjoint(with: [.hls, .apple]), !ignored.contains(Rule.noPlaylist.id) {
      var findings = FindingList()
      for source in sources {
        var report = RuleReport(Rule.noPlaylist, on: source.name)
        report.add("this is not a playlist, so the HLS rules were not checked; specify the playlist or its folder")
        findings.add(report)
      }
      result.add(findings, [Rule.noPlaylist], files: sources.map(\.name))
    }
    return result
  }

  /// Checks the playlists of a presentation, their segments as above, and playlists and segments together. `isStopped`
  /// is called before each playlist, and returns whether to stop. A presentation is not tested against `specification`.
  public func run(
    _ presentation: OpenedPresentation, onProgress: OpenedPresentation.Progress = { _, _ in },
    isStopped: () -> Bool = { false }
  ) throws(IOError) -> CheckResult {
    var (check, result) = (self, CheckResult())
    check.specification = nil
    _ = try check.examine(presentation, onProgress: onProgress, isStopped: isStopped, &result)
    return result.merged
  }

  /// Does the same without merging findings, and returns the data that was read.
  func examine(
    _ presentation: OpenedPresentation, onProgress: OpenedPresentation.Progress,
    isStopped: () -> Bool = { false }, _ result: inout CheckResult
  ) throws(IOError) -> CheckedPresentation {
    var playlists: [CheckedPlaylist] = []
    try presentation.forEachMedia(of: presentation.playlists, onProgress: onProgress, isStopped: isStopped) {
      (media) throws(IOError) in
      playlists.append(try CheckedPlaylist(media, self, &result))
    }
    let checked = CheckedPresentation(presentation, playlists, captions)
    checked.check(rules([.iso, presentation.isManifest ? .dash : .hls]), &result)
    return checked
  }

  /// Checks an init segment and media segments as parts of one movie.
  func run(
    onParts sources: [any ByteSource], _ extent: ExaminedSamples.Extent, into result: inout CheckResult,
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(IOError) -> CheckedMovie {
    try CheckRun(self, sources, onProgress).run(extent, into: &result)
  }

  /// The rules to check for these suggested profiles.
  func rules(_ suggested: Set<RuleSource.Profile>) -> [Rule] {
    let suggested = profiles ?? (specification == nil ? suggested : [])
    let rules = Rule.all.filter { rule in
      suggested.contains(rule.source.profile) && (depth != .headers || !rule.needsMedia)
        || profiles == nil && specification != nil && (rule.findsDamage || depth != .headers && rule.needsMedia)
    }
    return (rules + (specification?.rules ?? [])).filter { !ignored.contains($0.id) }
  }
}

/// The result of a check.
public struct CheckResult: Sendable {
  /// The violations.
  public internal(set) var findings: [Finding] = []
  /// The names of the checked files.
  public internal(set) var files: [String] = []
  /// The checked rules, in the order of their declaration.
  public internal(set) var rules: [Rule] = []
  /// The names in `files`, and of `rules`.
  private var known: (files: Set<String>, rules: Set<String>) = ([], [])
  /// The number of samples in the checked files.
  public private(set) var sampleCount = 0
  /// The number of samples of which something was read. Of the others, only sizes, times and places were checked.
  public private(set) var examinedSampleCount = 0
  /// The kinds of damage that were not looked for in the media, as phrases; empty if the media was not verified.
  public private(set) var limits: [String] = []
  /// Whether the media was verified.
  public private(set) var isVerified = false
  /// Whether `Check.Depth.decode` has fewer limits.
  package private(set) var hasUndecodedPictures = false
  /// Whether each movie meets the specification; empty without one.
  public private(set) var specified: [Specification.Result] = []

  /// A result without files.
  public init() {}

  /// Adds the findings in some files.
  mutating func add(_ list: FindingList, _ rules: [Rule], files: [String], inOrderOfLines: Bool = false) {
    findings += inOrderOfLines ? list.causes.inOrderOfLines(of: files) : list.causes
    self.files += files.filter { !known.files.contains($0) }
    known.files.formUnion(files)
    self.rules += rules.filter { known.rules.insert($0.id).inserted }
  }

  /// Adds the numbers of samples of other files, and what was not looked for.
  mutating func add(_ movie: CheckedMovie) {
    examinedSampleCount += movie.sampleCounts.examined
    sampleCount += movie.sampleCounts.all
    isVerified = isVerified || movie.isVerified
    for limit in movie.limits where !limits.contains(limit.text) {
      limits.append(limit.text)
      if case .pictures(_, true) = limit { hasUndecodedPictures = true }
    }
  }

  /// The same of another check.
  mutating func addSamples(of other: CheckResult) {
    examinedSampleCount += other.examinedSampleCount
    sampleCount += other.sampleCount
    isVerified = isVerified || other.isVerified
    limits += other.limits.filter { !limits.contains($0) }
    hasUndecodedPictures = hasUndecodedPictures || other.hasUndecodedPictures
    specified += other.specified
  }

  /// Adds whether a movie meets the specification.
  mutating func add(_ specified: Specification.Result) { self.specified.append(specified) }

  /// The profiles of the checked rules.
  public var profiles: [RuleSource.Profile] {
    RuleSource.Profile.allCases.filter { profile in rules.contains { $0.source.profile == profile } }
  }
  /// The result with only those findings for which `isKept` returns true.
  public func keeping(_ isKept: (Finding) -> Bool) -> CheckResult {
    var result = self
    result.findings = findings.filter(isKept)
    return result
  }
  /// The result with one finding for each rule that is violated at many places.
  var merged: CheckResult {
    var result = self
    result.findings = FindingList.merged(findings)
    return result
  }
  /// The number of findings of a severity, counting each occurrence.
  public func count(_ severity: Diagnostic.Severity) -> Int {
    findings.reduce(0) { $0 + ($1.severity == severity ? $1.places : 0) }
  }
}

/// A rule that tests boxes. In a tuple, its function would be wrapped in another one.
private struct BoxRule {
  let rule: Rule
  let types: Set<FourCC>
  let test: Rule.BoxTest

  init?(_ rule: Rule) {
    guard case .boxes(let types, let test) = rule.test else { return nil }
    (self.rule, self.types, self.test) = (rule, types, test)
  }
}

/// The check of one movie.
private struct CheckRun {
  private let check: Check
  private let sources: [any ByteSource]
  private let files: [CheckedFile]
  private let onProgress: (Int) -> Bool

  /// What is missing or damaged in transport streams, which are checked as the movies that they become.
  private let streams: [Diagnostic]

  init(_ check: Check, _ given: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws(IOError) {
    (self.check, self.onProgress) = (check, onProgress)
    do throws(MovieError) {
      let imported = try ImportedSources(given, onProgress: onProgress)
      (sources, streams) = (imported.sources, imported.diagnostics)
    } catch {
      if case .io(let error) = error { throw error }
      if case .stopped(let file) = error { throw IOError(stopping: file) }
      // The movie is read again, and the reason reported.
      (sources, streams) = (given, [])
    }
    files = sources.map(CheckedFile.init)
  }

  func run(_ extent: ExaminedSamples.Extent, into result: inout CheckResult) throws(IOError) -> CheckedMovie {
    var context: MovieContext?
    for source in sources where context == nil { context = try MovieContext(reading: source) }
    // Rules depend on the brands, which are known when the boxes have been read; rules for boxes wait until then.
    let rules = check.rules(try suggestedProfiles())
    var findings = FindingList()
    try checkBoxes(rules, TrackDefaults(context), &findings)
    let movie = try movie(&findings, rules)
    for diagnostic in movie?.diagnostics ?? [] {
      guard case .excessiveSize(_, let error) = diagnostic.kind else { continue }
      findings.weaken("iso-box-size", at: error.offset, of: diagnostic.file)
    }
    let checked = try CheckedMovie(files: files, movie: movie, extent, check.depth) {
      onProgress((byteCount + 3 * $0) / 4)
    }
    for rule in rules { try check(rule, checked, &findings) }
    if let rule = rules.first(where: { $0.id == Rule.transportStream.id }) {
      for diagnostic in streams where diagnostic.severity > .note {
        var report = RuleReport(rule, on: diagnostic.file)
        report.add(diagnostic.text, severity: diagnostic.severity)
        findings.add(report)
      }
    }
    if findings.findings.contains(where: { $0.rule.id == Rule.unusableMovie.id }) { findings.removeRemedies() }
    if let specification = check.specification { result.add(test(specification, movie, rules, &findings)) }
    result.add(findings, rules, files: sources.map(\.name))
    result.add(checked)
    return checked
  }

  /// Tests the movie against the requirements.
  private func test(
    _ specification: Specification, _ movie: Movie?, _ rules: [Rule], _ findings: inout FindingList
  ) -> Specification.Result {
    let isDamaged = findings.causes.contains { $0.severity == .error && $0.rule.findsDamage }
    guard let summary = movie.flatMap({ try? FileSummary.summary(of: $0, captions: check.captions) }) else {
      if !isDamaged { report(.noMovie(file: files[0].name), rules, &findings) }
      return Specification.Result(unreadable: files[0].name, specification)
    }
    let (list, result) = specification.test(summary, isDamaged: isDamaged, ignoring: check.ignored)
    for finding in list.findings { findings.add(finding) }
    return result
  }

  private var byteCount: Int { sources.reduce(0) { $0 + ($1.byteCount ?? 0) } }
  /// The number of bytes to report after those of boxes: the media takes most of the time if it is verified.
  private func progress(_ done: Int) -> Int { check.depth == .headers ? done : done / 4 }

  private static let structuralBrandsOfCMAF: Set<FourCC> = ["cmfc", "cmf2", "cmfs", "cmff", "cmfl"]

  /// The profiles suggested by the brands and the kind of input.
  private func suggestedProfiles() throws(IOError) -> Set<RuleSource.Profile> {
    var (brands, segmentBrands): (Set<FourCC>, Set<FourCC>) = ([], [])
    var (isFragmented, hasFileType) = (false, false)
    for source in sources {
      var parser = BoxParser(source)
      while let node = try parser.next(), !isFragmented {
        if node.type == "ftyp" || node.type == "styp",
          case .success(let type) = try parser.decode(node, as: FileTypeBox.self)
        {
          let own = [type.majorBrand] + type.compatibleBrands
          if node.type == "ftyp" { brands.formUnion(own) } else { segmentBrands.formUnion(own) }
          hasFileType = hasFileType || node.type == "ftyp"
        }
        isFragmented = node.type == "moof"
        parser.skipBoxes()
      }
    }
    var profiles: Set<RuleSource.Profile> = [.iso]
    // The brands of segments are not claims of a file that has other brands.
    if !hasFileType { brands = segmentBrands }
    if !segmentBrands.isDisjoint(with: Self.structuralBrandsOfCMAF) { profiles.insert(.mse) }
    if !brands.isDisjoint(with: Self.structuralBrandsOfCMAF) { profiles.formUnion([.cmaf, .mse]) }
    if sources.count > 1, isFragmented { profiles.insert(.mse) }
    return profiles
  }

  private func checkBoxes(_ rules: [Rule], _ defaults: TrackDefaults, _ findings: inout FindingList) throws(IOError) {
    let rules = rules.compactMap(BoxRule.init)
    let ofAll = rules.indices.filter { rules[$0].types.isEmpty }
    let types = Array(rules.reduce(into: Set<FourCC>()) { $0.formUnion($1.types) })
    let places = FourCCIndex(types)
    let byType = types.map { type in ofAll + rules.indices.filter { rules[$0].types.contains(type) } }
    var defaults = defaults
    var done = 0
    for file in files {
      // One report for each rule and not for each box, because copying a rule takes longer than testing it.
      var reports = rules.map { RuleReport($0.rule, on: file.name) }
      var left: [CheckedBox] = []
      try file.read(.standard, defaults: defaults) { (box) throws(IOError) in
        // The movie reads the boxes once more.
        guard onProgress(progress((done + min(box.node.header.end, file.source.byteCount ?? 0)) / 2)) else {
          throw IOError(stopping: file.name)
        }
        // Iterates over nested boxes without recursion.
        left.append(box)
        while let box = left.popLast() {
          for index in places.first(box.type).map({ byType[$0] }) ?? ofAll {
            rules[index].test(box, &reports[index])
            guard !reports[index].findings.isEmpty else { continue }
            findings.add(reports[index])
            reports[index].removeFindings()
          }
          for child in box.boxes.reversed() { left.append(child) }
        }
      }
      if let movie = file.first("moov"), defaults.tracks.isEmpty { defaults = TrackDefaults(movie, defaults.context) }
      done += file.source.byteCount ?? 0
    }
  }

  private func movie(_ findings: inout FindingList, _ rules: [Rule]) throws(IOError) -> Movie? {
    let kinds = Set(files.map(\.kind))
    // Segments without an init segment do not form a movie, and images never do.
    if kinds.isDisjoint(with: [.movie, .initSegment, .other]) { return nil }
    do throws(MovieError) {
      let movie = try Movie(reading: sources) { onProgress(progress((byteCount + $0) / 2)) }
      if let error = movie.missingSamples, case .cutOffInMovie = error { report(error, rules, &findings) }
      return movie
    } catch {
      if case .io(let error) = error { throw error }
      if case .stopped(let file) = error { throw IOError(stopping: file) }
      report(error, rules, &findings)
      return nil
    }
  }

  /// Adds the finding that samples cannot be located.
  private func report(_ error: MovieError, _ rules: [Rule], _ findings: inout FindingList) {
    guard let rule = rules.first(where: { $0.id == Rule.unusableMovie.id }) else { return }
    var report = RuleReport(rule, on: error.file)
    // A file with other contents has no movie, which is not necessarily wrong.
    let hasMedia = files.contains { $0.firstPlace("mdat") != nil }
    if case .noMovie = error, !hasMedia, check.specification == nil {
      report.add(error.reason, severity: .warning)
    } else {
      report.add(error.reason + (error.remedy.map(check.advice) ?? ""))
    }
    findings.add(report)
  }

  private func check(_ rule: Rule, _ movie: CheckedMovie, _ findings: inout FindingList) throws(IOError) {
    var report = RuleReport(rule, on: (movie.file ?? files[0]).name)
    do {
      switch rule.test {
      case .boxes, .lines, .playlists, .presentations, .reloads, .specification: return
      case .files(let test):
        for file in files {
          var report = RuleReport(rule, on: file.name)
          test(file, &report)
          findings.add(report)
        }
      case .movies(let test): try test(movie, &report)
      case .tracks(let test): for track in movie.movie?.tracks ?? [] { try test(track, movie, &report) }
      case .media(let kinds): for track in movie.movie?.tracks ?? [] { report.addMedia(kinds, of: track, movie) }
      case .diagnostics(let kinds):
        for diagnostic in movie.movie?.diagnostics ?? [] where kinds.contains(diagnostic.kindName) {
          let track = diagnostic.track.flatMap { own in movie.movie?.tracks.first { $0.id == own.id } }
          report.add(
            diagnostic.problem, file: diagnostic.file, severity: min(rule.severity, diagnostic.severity),
            track: track.flatMap { movie.box(of: $0)?.path })
        }
      }
    } catch let error as IOError { throw error } catch MovieError.io(let error) { throw error } catch {
      // Unreadable data is a finding of another rule.
    }
    findings.add(report)
  }
}

extension Diagnostic {
  /// The message without the part that describes what an operation does about it.
  var problem: String {
    String(text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }
}
