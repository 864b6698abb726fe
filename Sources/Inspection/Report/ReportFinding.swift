import ISOBMFF
public import MP4
import MP4Bytes
package import MP4Records

/// A problem or a note in a report, and its place.
public struct ReportFinding: Sendable {
  /// The severity.
  public enum Severity: String, Sendable, Comparable {
    /// Data is lost or cannot be read.
    case error
    /// Something would be repaired, or players may fail.
    case warning
    /// Playback may stop, jump or lose synchronization.
    case stall
    /// Information.
    case note

    private var rank: Int { [.error: 0, .warning: 1, .stall: 2, .note: 3][self] ?? 3 }
    /// The more severe one is first.
    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
  }

  /// The severity.
  public let severity: Severity
  /// The message, as a sentence.
  public let message: String
  /// The ID of its track; `nil` if it is not about one.
  public let track: UInt32?
  /// The first presentation time at which it occurs; `nil` if it has none.
  public var time: MediaTime? { places.first?.lowerBound }
  /// Its offset in its input; `nil` if it has none.
  public let offset: Int?
  /// The line of a playlist; `nil` in other inputs.
  let line: Int?
  /// The times at which it occurs, at most ``placeLimit``.
  let places: [Range<MediaTime>]
  /// The name of the input.
  let file: String
  /// The letter of its movie, if movies are compared.
  var movie: String?
  /// The violated rule, with its source; `nil` if it is not from a ``Check``.
  public let rule: Rule?
  /// Its offset in the concatenated inputs; `nil` if it has none.
  var position: Int?

  private static let placeLimit = 200

  /// A finding for a stall.
  init(_ stall: Stall, file: String, line: Int? = nil) {
    (severity, message, track) = (.stall, stall.description, stall.track)
    (offset, self.line, self.file, rule) = (stall.offset, line, file, nil)
    // The gap of a track that starts late is before its start.
    let start = stall.kind == .lateStart ? stall.time - stall.duration : stall.time
    places = [start..<max(start, start + stall.duration)]
  }

  /// A finding for a diagnostic of the movie with these tracks.
  init(_ diagnostic: Diagnostic, _ tracks: [Track]) {
    severity = Severity(diagnostic.severity)
    (message, file, line, rule) = (diagnostic.text, diagnostic.file, nil, nil)
    let reference = diagnostic.track
    track = reference?.id
    let own = reference.flatMap { tracks.indices.contains($0.index) ? tracks[$0.index] : nil }
    places =
      if let reference, let own {
        diagnostic.kind.spans.prefix(Self.placeLimit).map { span in
          let start = reference.time(span.time) + own.presentationShift
          return start..<max(start, start + reference.time(span.duration))
        }
      } else { [] }
    offset = diagnostic.kind.offset
  }

  /// A finding of a check; `nil` for those that are also diagnostics of the movie.
  init?(_ finding: Finding) {
    if case .diagnostics = finding.rule.test { return nil }
    self.init(finding, at: [])
  }

  /// A finding of a check at these times.
  init(_ finding: Finding, at places: [Range<MediaTime>]) {
    severity = Severity(finding.severity)
    message = (finding.path.map { "\($0): " } ?? "") + finding.message + finding.otherWords
    (track, offset, line, self.places) = (nil, finding.offset, finding.line, Array(places.prefix(Self.placeLimit)))
    (file, rule) = (finding.file, finding.rule)
  }
}

extension ReportFinding.Severity {
  fileprivate init(_ severity: Diagnostic.Severity) {
    self =
      switch severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
  }
}

extension Diagnostic.Kind {
  /// The times that it is about.
  fileprivate var spans: [Diagnostic.Span] {
    switch self {
    case .timing(_, let spans), .missingData(let spans): spans
    default: []
    }
  }

  /// The offset that it is about.
  fileprivate var offset: Int? {
    switch self {
    case .damagedBox(_, let error, _), .damagedInFragment(_, let error, _): error.offset
    case .notABox(let range, _), .cutHeader(let range): range.lowerBound
    case .impossibleRun(_, let offset, _, _): offset
    case .staleBases(_, let first): first
    default: nil
    }
  }
}

extension ReportFinding: Record {
  package static let summary = "A finding of the report."
  package static let members: [RecordMember<Self>] = [
    RecordMember("severity", "`error`, `warning`, `stall` or `note`") { $0.severity.rawValue },
    RecordMember("file", "the input") { $0.file },
    RecordMember("track", "the ID of its track; missing if it is not about a track") { $0.track.map(Int.init) },
    RecordMember("seconds", "the presentation time of its first occurrence; missing if it has no time") { $0.time },
    RecordMember("offset", "its offset in the input; missing if it has none") { $0.offset },
    RecordMember("line", "the line of a playlist; missing for other inputs") { $0.line },
    RecordMember("message", "a sentence") { $0.message },
    RecordMember("rule", "the violated rule of `mp4tool check`; missing for other findings") { $0.rule?.id },
  ]
}
