import Bytes
import HLS
import ISOBMFF
import MP4
import Packaging
import Presentations

/// The media of a playlist as files: each segment and each initialization section is opened once, for all that look at
/// them.
struct PlaylistMedia: Sendable {
  /// What the playlist declares.
  let playlist: InspectedPlaylist
  /// Why some of it cannot be opened.
  private(set) var problems: [PresentationProblem] = []
  /// How long the segments last that were opened.
  private(set) var examined = Duration.zero
  /// The first segments in order; `nil` for gaps and for what cannot be opened.
  private(set) var segments: [(any ByteSource)?] = []
  /// The initialization sections of these.
  private(set) var sections: [Int: any ByteSource] = [:]

  /// Opens the segments until `limit`.
  init(_ playlist: InspectedPlaylist, of presentation: InspectedPresentation, until limit: Duration? = nil) {
    self.playlist = playlist
    var known: Set<Int> = []
    segments.reserveCapacity(playlist.segments.count)
    for segment in playlist.segments {
      if let limit, examined >= limit { break }
      examined += segment.declared.duration
      guard !segment.declared.isGap else {
        segments.append(nil)
        continue
      }
      if let own = segment.section, known.insert(own).inserted {
        let declared = playlist.sections[own]
        sections[own] = source(declared.line) { () throws(PresentationError) in
          try presentation.source(of: declared, in: playlist)
        }
      }
      segments.append(
        source(segment.line) { () throws(PresentationError) in try presentation.source(of: segment, in: playlist) })
    }
  }

  /// Takes a segment for missing.
  mutating func omit(segment index: Int) { segments[index] = nil }
  /// Takes an initialization section for missing.
  mutating func omit(section index: Int) { sections[index] = nil }

  private mutating func source(
    _ line: Int, _ open: () throws(PresentationError) -> any ByteSource
  ) -> (any ByteSource)? {
    do throws(PresentationError) { return try open() } catch {
      problems.append(PresentationProblem(playlist.name, line: line, error))
      return nil
    }
  }

  /// The bit rate of the segments that are there; `nil` without any, or if a size or a duration is unknown.
  var bandwidth: Bandwidth? {
    if playlist.hasUnreadDurations, playlist.segments.contains(where: { $0.declared.duration == .zero }) { return nil }
    var sizes: [(byteCount: Int, duration: Duration)] = []
    for (segment, source) in zip(playlist.segments, segments) where source != nil {
      guard let size = source?.byteCount else { return nil }
      sizes.append((size, segment.declared.duration))
    }
    let target = playlist.playlist?.targetDuration ?? .zero
    return sizes.isEmpty ? nil : Bandwidth(sizes, targetDuration: max(target, .seconds(1)))
  }

  /// What the first segment is if it is not MP4.
  var otherFormat: String? {
    guard let index = segments.indices.first(where: isReadable) else { return nil }
    return segments[index].flatMap { try? ForeignFormat(of: $0) }?.name
  }

  /// Those segments of a part that can be read.
  func readable(_ part: Range<Int>) -> [Int] { part.filter { $0 < segments.count && isReadable($0) } }

  private func isReadable(_ index: Int) -> Bool { segments[index] != nil && !playlist.segments[index].isOpaque }

  /// The initialization section of some segments of a part, and these if `isWhole` or there is no such section; `nil`
  /// if it cannot be opened.
  func sources(of part: [Int], isWhole: Bool = true) -> [any ByteSource]? {
    guard let first = part.first else { return nil }
    let media = part.compactMap { segments[$0] }
    guard let section = playlist.segments[first].section else { return media }
    return sections[section].map { isWhole ? [$0] + media : [$0] }
  }
}

/// Segments of a playlist that are one movie.
struct MediaRun: Sendable {
  /// Their indices in the playlist.
  let segments: [Int]
  /// The movie of their initialization section, which is the first of its sources if there is one, and of these.
  let movie: Movie
}
