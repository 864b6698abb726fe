import ISOBMFF
public import MP4
package import MP4Bytes
package import MP4HLS

/// A rule for files or playlists: its statement, its source, and its test.
public struct Rule: Sendable {
  /// Its name, such as `iso-track-id-zero`. It never changes, because scripts and baselines refer to it.
  public let id: String
  /// The standard or practice that it is based on.
  public let source: RuleSource
  /// The severity of its findings.
  public let severity: Diagnostic.Severity
  /// The rule as a statement about files that follow it.
  public let meaning: String
  /// The operation that fixes a violation; `nil` if there is none.
  public let remedy: Remedy?
  package let test: Test
  /// The rules whose findings at the same place explain a finding of this one, which is then not reported.
  public private(set) var causes: Set<String> = []
  /// Whether it is only checked if all media is verified: `Check.Depth.media` and `decode`.
  public private(set) var needsMedia = false

  /// The test of a box.
  package typealias BoxTest = @Sendable (CheckedBox, inout RuleReport) -> Void
  /// How a rule is tested, by the tested object.
  package enum Test: Sendable {
    /// Each box of these types; every box if the set is empty.
    case boxes(Set<FourCC>, BoxTest)
    /// Each file.
    case files(@Sendable (CheckedFile, inout RuleReport) -> Void)
    /// Each movie with its segments. Samples may be read.
    case movies(@Sendable (CheckedMovie, inout RuleReport) throws -> Void)
    /// Each track of a movie.
    case tracks(@Sendable (Track, CheckedMovie, inout RuleReport) throws -> Void)
    /// Damage of these kinds in the samples of each track.
    case media(Set<MediaProblem.Kind>)
    /// Problems that the movie model finds, by their names in reports.
    case diagnostics(Set<String>)
    /// A rule about the lines of playlists.
    case lines(PlaylistRule)
    /// Each media playlist with its media.
    case playlists(@Sendable (CheckedPlaylist, CheckedPresentation, inout RuleReport) -> Void)
    /// A multivariant playlist with its media playlists and their media.
    case presentations(@Sendable (MultivariantPlaylist, CheckedPresentation, inout RuleReport) -> Void)
    /// The changes of a media playlist since the previous read, and the time.
    case reloads(@Sendable (PresentationWatch.Reload, MediaPlaylist, Duration, inout RuleReport) -> Void)
    /// A requirement of a specification.
    case specification
  }

  package init(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String, mendedBy remedy: Remedy?,
    _ test: Test
  ) {
    (self.id, self.source, self.severity, self.meaning) = (id, source, severity, meaning)
    (self.remedy, self.test) = (remedy, test)
  }

  /// The same rule, which is only checked if all media is verified.
  func withMedia() -> Rule {
    var rule = self
    rule.needsMedia = true
    return rule
  }

  /// The same rule; its findings are omitted where one of these rules is violated.
  func explained(by causes: String...) -> Rule { explained(by: causes) }
  /// The same rule; its findings are omitted where one of these rules is violated.
  func explained(by causes: [String]) -> Rule {
    var rule = self
    rule.causes.formUnion(causes)
    return rule
  }
}

extension Rule {
  /// A rule for each box with this payload.
  static func box<Payload: BoxPayload>(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ types: Set<FourCC>, _ meaning: String,
    mendedBy remedy: Remedy? = nil,
    _ test: @escaping @Sendable (Payload, CheckedBox, inout RuleReport) -> Void
  ) -> Rule {
    Rule(
      id, source, severity, meaning, mendedBy: remedy,
      .boxes(types) { box, report in
        if let payload = box.payload as? Payload { test(payload, box, &report) }
      })
  }
  /// A rule for the child boxes of each box of these types.
  static func container(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ types: Set<FourCC>, _ meaning: String,
    mendedBy remedy: Remedy? = nil, _ test: @escaping @Sendable (CheckedBox, inout RuleReport) -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: remedy, .boxes(types, test))
  }
  /// A rule for each file.
  static func file(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    mendedBy remedy: Remedy? = nil, _ test: @escaping @Sendable (CheckedFile, inout RuleReport) -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: remedy, .files(test))
  }
  /// A rule for each movie with its segments.
  static func movie(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    mendedBy remedy: Remedy? = nil, _ test: @escaping @Sendable (CheckedMovie, inout RuleReport) throws -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: remedy, .movies(test))
  }
  /// A rule for each track.
  static func track(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    mendedBy remedy: Remedy? = nil,
    _ test: @escaping @Sendable (Track, CheckedMovie, inout RuleReport) throws -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: remedy, .tracks(test))
  }
  /// A rule about the media of each track, for which all samples are read.
  static func media(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ kinds: Set<MediaProblem.Kind>,
    _ meaning: String
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: nil, .media(kinds)).withMedia()
  }
  /// A rule that the movie model checks.
  static func diagnostic(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ kinds: Set<String>, _ meaning: String,
    mendedBy remedy: Remedy? = nil
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: remedy, .diagnostics(kinds))
  }

  /// A rule about the lines of playlists.
  static func lines(_ rule: PlaylistRule) -> Rule {
    Rule(
      "hls-" + rule.name, .hls(rule.section), rule.isAdvice ? .warning : .error, rule.meaning, mendedBy: nil,
      .lines(rule))
  }
  /// A rule for each media playlist with its media.
  static func playlist(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (CheckedPlaylist, CheckedPresentation, inout RuleReport) -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: nil, .playlists(test))
  }
  /// A rule for a multivariant playlist with its media playlists and their media.
  static func presentation(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (MultivariantPlaylist, CheckedPresentation, inout RuleReport) -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: nil, .presentations(test))
  }

  /// Whether it is about boxes or samples of a movie that are damaged or missing.
  var findsDamage: Bool {
    switch test {
    case .diagnostics, .media: severity == .error
    default: id == Self.unusableMovie.id
    }
  }

  /// What it tests, as a phrase.
  public var needs: String {
    switch test {
    case .boxes(let types, _) where types.isEmpty: "boxes of all types"
    case .boxes(let types, _): types.map(\.description).sorted().joined(separator: ", ")
    case .files: "the boxes of a file"
    case .movies, .diagnostics: "a movie and its segments"
    case .tracks: "the tracks of a movie"
    case .media: "all samples of a movie"
    case .lines: "the lines of playlists"
    case .reloads: "a live media playlist, compared with its previous version"
    case .playlists: "a media playlist and its segments"
    case .presentations: "a multivariant playlist, its media playlists and segments"
    case .specification: "the properties of a movie"
    }
  }
}
