import ISOBMFF
package import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations
package import MP4Records

/// A segment that cannot be played, or only in part.
package struct UnusableSegment: Sendable {
  /// The playlist, and the line of its URI.
  package let playlist: String, line: Int
  /// Its number in the playlist, starting at 1.
  package let number: Int
  /// Its URI.
  package let uri: String
  /// Its presentation time according to the playlist.
  package let time: Range<MediaTime>
  /// The problem, with the name of the file.
  package let reason: String

  /// A segment of a playlist.
  package init(playlist: String, line: Int, number: Int, uri: String, time: Range<MediaTime>, reason: String) {
    (self.playlist, self.line, self.number, self.uri) = (playlist, line, number, uri)
    (self.time, self.reason) = (time, reason)
  }
}

/// The parts of a media playlist that can and cannot be played.
struct PlayableMedia: Sendable {
  /// The playlist.
  let playlist: OpenedPlaylist
  /// The movies of the readable segments.
  private(set) var runs: [MediaRun]
  /// The segments that cannot be played, or only in part, in order.
  private(set) var unusable: [UnusableSegment] = []
  /// Further diagnostics of their movies.
  private(set) var diagnostics: [Diagnostic] = []

  init(_ checked: CheckedPlaylist) {
    (playlist, runs) = (checked.playlist, checked.runs)
    let media = checked.media
    let kinds = Dictionary(checked.segments.map { ($0.index, $0.kind) }) { first, _ in first }
    var reasons: [Int: String] = [:]
    // A missing segment is represented by unknown bytes, so that the segments beside it are not read as one movie.
    var left = Set(playlist.segments.indices.filter { kinds[$0] == .mp4 }).subtracting(runs.flatMap(\.segments))
    for (index, segment) in playlist.segments.enumerated() where !segment.declared.isGap {
      reasons[index] = Self.reason(segment, at: index, in: checked)
    }
    for part in playlist.parts where !checked.isIFramesOnly {
      for indices in part.split(whereSeparator: { !left.contains($0) }).map(Array.init) {
        guard let sources = media.sources(of: indices) else { continue }
        do throws(MovieError) { runs.append(MediaRun(segments: indices, movie: try Movie(reading: sources))) } catch {
          for index in indices { reasons[index] = reasons[index] ?? error.description }
        }
        left.subtract(indices)
      }
    }
    runs.sort { ($0.segments.first ?? 0) < ($1.segments.first ?? 0) }
    for run in runs where !checked.isIFramesOnly {
      let names = Dictionary(run.segments.compactMap { index in media.segments[index].map { ($0.name, index) } }) {
        first, _ in first
      }
      // Missing samples are more specific than a box that ends too early.
      let all = run.movie.diagnostics
      for diagnostic in all.filter(\.kind.losesSamples) + all.filter({ !$0.kind.losesSamples }) {
        guard diagnostic.kind.isDamage, diagnostic.severity == .error, let index = names[diagnostic.file] else {
          diagnostics.append(diagnostic)
          continue
        }
        reasons[index] = reasons[index] ?? "\(diagnostic.file): \(diagnostic.problem)"
      }
    }
    unusable = reasons.sorted { $0.key < $1.key }.map { index, reason in
      let segment = playlist.segments[index]
      let start = MediaTime(segment.declared.start)
      return UnusableSegment(
        playlist: playlist.name, line: segment.line, number: index + 1, uri: segment.declared.uri,
        time: start..<max(start, start + MediaTime(segment.declared.duration)), reason: reason)
    }
  }

  /// Why a segment cannot be played, without reading its samples; `nil` if that is not evident.
  private static func reason(
    _ segment: OpenedPlaylist.Segment, at index: Int, in checked: CheckedPlaylist
  ) -> String? {
    let media = checked.media
    func missing(_ line: Int, _ uri: String) -> String {
      media.problems.first { $0.line == line }?.reason.description
        ?? checked.foreign.first { $0.line == line }.map { "\($0.uri) is \($0.name), not media" } ?? "\(uri): missing"
    }
    guard let source = media.segments[index] else { return missing(segment.line, segment.declared.uri) }
    if let section = segment.section, media.sections[section] == nil {
      let own = media.playlist.sections[section]
      return missing(own.line, own.declared.uri)
    }
    if let range = segment.declared.byteRange, let size = source.byteCount, size < range.count {
      return "\(source.name): only \(size) of the \(range.count) bytes in the byte range exist"
    }
    return nil
  }

  /// The times at which a track of one of the movies is presented, excluding times of missing samples, even if the
  /// previous sample was extended.
  static func spans(of index: Int, in movie: Movie) -> [Range<MediaTime>] {
    guard let whole = movie.tracks[index].presentedTimes else { return [] }
    let holes = movie.diagnostics.filter { $0.track?.index == index && $0.kind.isHole }
      .flatMap { ReportFinding($0, movie.tracks).places }.sorted { $0.lowerBound < $1.lowerBound }
    var (spans, start) = ([Range<MediaTime>](), whole.lowerBound)
    for hole in holes where hole.upperBound > start {
      let end = min(hole.lowerBound, whole.upperBound)
      if end > start { spans.append(start..<end) }
      start = min(hole.upperBound, whole.upperBound)
    }
    if start < whole.upperBound { spans.append(start..<whole.upperBound) }
    return spans
  }
}

extension Diagnostic.Kind {
  /// Whether samples have no data.
  fileprivate var losesSamples: Bool { if case .missingData = self { true } else { false } }
  /// Whether nothing is presented for some time.
  fileprivate var isHole: Bool {
    switch self {
    case .missingData, .timing(.gap, _): true
    default: false
    }
  }
  /// Whether something cannot be read.
  fileprivate var isDamage: Bool {
    switch self {
    case .missingData, .damagedBox, .damagedInFragment, .impossibleRun, .cutHeader, .notABox: true
    default: false
    }
  }
}

extension UnusableSegment {
  /// A sentence that names the playlist and the line.
  var description: String { reason.hasPrefix("\(playlist): ") ? reason : "\(playlist): line \(line): \(reason)" }
}

extension UnusableSegment: Record {
  package static let summary = "A segment that cannot be played, or only in part."
  package static let members: [RecordMember<Self>] = [
    RecordMember("number", "its number in the playlist, starting at 1") { $0.number },
    RecordMember("line", "the line of its URI") { $0.line },
    RecordMember("uri", "its URI") { $0.uri },
    RecordMember("start_seconds", "its start, according to EXTINF") { $0.time.lowerBound },
    RecordMember("duration_seconds", "its duration, according to EXTINF") { $0.time.upperBound - $0.time.lowerBound },
    RecordMember("reason", "the file and the problem") { $0.reason },
  ]
}
