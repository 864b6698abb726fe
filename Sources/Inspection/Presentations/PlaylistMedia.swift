import Bytes
import HLS
import ISOBMFF
import MP4
import Packaging
import Presentations

/// The media of a playlist as files: each segment and each initialization section is opened once and shared.
struct PlaylistMedia: Sendable {
  /// The contents of the playlist.
  let playlist: InspectedPlaylist
  /// Files that cannot be opened.
  private(set) var problems: [PresentationProblem] = []
  /// The total duration of the opened segments.
  private(set) var examined = Duration.zero
  /// The first segments in order; `nil` for gaps and for files that cannot be opened.
  private(set) var segments: [(any ByteSource)?] = []
  /// The initialization sections of these segments.
  private(set) var sections: [Int: any ByteSource] = [:]

  /// A segment or an initialization section, by index.
  enum Item: Sendable {
    case section(Int)
    case segment(Int)
  }

  /// Opens the first `count` segments; `onEach` is called after each.
  fileprivate init(
    _ playlist: InspectedPlaylist, first count: Int, of presentation: InspectedPresentation, onEach: () -> Void
  ) {
    self.playlist = playlist
    segments = Array(repeating: nil, count: count)
    var (items, known) = ([Item](), Set<Int>())
    for (index, segment) in playlist.segments.prefix(count).enumerated() {
      examined += segment.declared.duration
      if segment.declared.isGap { continue }
      if let own = segment.section, known.insert(own).inserted { items.append(.section(own)) }
      items.append(.segment(index))
    }
    let sources = presentation.sources(of: items, in: playlist, onEach: onEach)
    for (item, source) in zip(items, sources) {
      switch (item, source) {
      case (.section(let index), .success(let source)): sections[index] = source
      case (.segment(let index), .success(let source)): segments[index] = source
      case (.section(let index), .failure(let error)): add(error, line: playlist.sections[index].line)
      case (.segment(let index), .failure(let error)): add(error, line: playlist.segments[index].line)
      }
    }
  }

  /// Marks a segment as missing.
  mutating func omit(segment index: Int) { segments[index] = nil }
  /// Marks an initialization section as missing.
  mutating func omit(section index: Int) { sections[index] = nil }

  private mutating func add(_ error: PresentationError, line: Int) {
    problems.append(PresentationProblem(playlist.name, line: line, error))
  }

  /// The bit rate of the available segments; `nil` if there are none, or if a size or a duration is unknown.
  var bandwidth: Bandwidth? {
    if playlist.hasUnreadDurations, playlist.segments.contains(where: { $0.declared.duration == .zero }) { return nil }
    var sizes: [(byteCount: Int, duration: Duration)] = []
    for (segment, source) in zip(playlist.segments, segments) where source != nil {
      guard let size = (source as? DecryptedSegment)?.storedByteCount ?? source?.byteCount else { return nil }
      sizes.append((size, segment.declared.duration))
    }
    let target = playlist.playlist?.targetDuration ?? .zero
    return sizes.isEmpty ? nil : Bandwidth(sizes, targetDuration: max(target, .seconds(1)))
  }

  /// The format of the first segment if it is not MP4.
  var otherFormat: String? {
    guard let index = segments.indices.first(where: isReadable) else { return nil }
    return segments[index].flatMap { try? ForeignFormat(of: $0) }?.name
  }

  /// The readable segments of a part.
  func readable(_ part: Range<Int>) -> [Int] { part.filter { $0 < segments.count && isReadable($0) } }

  private func isReadable(_ index: Int) -> Bool { segments[index] != nil && !isOpaque(index) }

  /// Whether a segment is encrypted as a whole, and its key cannot be read.
  func isOpaque(_ index: Int) -> Bool {
    playlist.segments[index].isEncryptedAsWhole && !(segments[index] is DecryptedSegment)
  }

  /// The initialization section of some segments of a part, followed by these if `isWhole` or there is no such section;
  /// `nil` if it cannot be opened.
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
  /// The movie of these segments and their initialization section, which is its first source if there is one.
  let movie: Movie
}

extension InspectedPresentation {
  /// Opens the segments of some of its playlists up to `limit`, one playlist after the other; those in `opened` are not
  /// opened again.
  func forEachMedia<Failure: Error>(
    of playlists: [InspectedPlaylist], until limit: Duration? = nil, opened: [PlaylistMedia] = [],
    onProgress: Progress, isStopped: () -> Bool = { false }, _ body: (PlaylistMedia) throws(Failure) -> Void
  ) throws(Failure) {
    let counts = playlists.map { $0.segmentCount(until: limit) }
    let total = counts.reduce(0, +)
    var end = 0
    for (playlist, count) in zip(playlists, counts) where !isStopped() {
      var done = end
      end += count
      let known = opened.first { $0.playlist.name == playlist.name }
      let media =
        known
        ?? PlaylistMedia(playlist, first: count, of: self) {
          // Initialization sections are not counted.
          done = min(done + 1, end)
          onProgress(done, total)
        }
      try body(media)
    }
  }
}

extension InspectedPlaylist {
  /// The number of segments that begin before `limit`.
  fileprivate func segmentCount(until limit: Duration?) -> Int {
    guard let limit else { return segments.count }
    var end = Duration.zero
    return segments.firstIndex { segment in
      defer { end += segment.declared.duration }
      return end >= limit
    } ?? segments.count
  }
}
