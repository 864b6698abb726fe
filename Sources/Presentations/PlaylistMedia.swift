package import MP4Bytes
import MP4HLS

/// The media of a playlist as files: each segment and each initialization section is opened once and shared.
package struct PlaylistMedia: Sendable {
  /// The contents of the playlist.
  package let playlist: OpenedPlaylist
  /// Files that cannot be opened.
  package private(set) var problems: [PresentationProblem] = []
  /// The total duration of the opened segments.
  package private(set) var examined = Duration.zero
  /// The first segments in order; `nil` for gaps and for files that cannot be opened.
  package private(set) var segments: [(any ByteSource)?] = []
  /// The initialization sections of these segments.
  package private(set) var sections: [Int: any ByteSource] = [:]

  /// Opens the first `count` segments, several concurrently; `onEach` is called after each.
  fileprivate init(
    _ playlist: OpenedPlaylist, first count: Int, of presentation: OpenedPresentation, onEach: () -> Void
  ) {
    self.playlist = playlist
    segments = Array(repeating: nil, count: count)
    var (items, known) = ([Item](), Set<Int>())
    for (index, segment) in playlist.segments.prefix(count).enumerated() {
      examined += segment.declared.duration
      if segment.declared.isGap { continue }
      if let own = segment.section, known.insert(own).inserted { items.append(.section(own)) }
      items.append(.segment(index))
      // Keys are read first, because segments share them.
      if let own = try? segment.resource.get().encryption { _ = try? presentation.opener.key(own.key) }
    }
    let isLocal = playlist.location?.path != nil
    let sources = presentation.opener.sources(of: items, areLocal: isLocal, onEach: onEach) {
      item throws(PresentationError) in
      switch item {
      case .section(let index): try presentation.source(of: playlist.sections[index], in: playlist)
      case .segment(let index): try presentation.source(of: playlist.segments[index], in: playlist)
      }
    }
    for (item, source) in zip(items, sources) {
      switch (item, source) {
      case (.section(let index), .success(let source)): sections[index] = source
      case (.segment(let index), .success(let source)): segments[index] = source
      case (.section(let index), .failure(let error)): add(error, line: playlist.sections[index].line)
      case (.segment(let index), .failure(let error)): add(error, line: playlist.segments[index].line)
      }
    }
  }

  private mutating func add(_ error: PresentationError, line: Int) {
    problems.append(PresentationProblem(playlist.name, line: line, error))
  }

  /// A segment or an initialization section, by index.
  private enum Item: Sendable {
    case section(Int)
    case segment(Int)
  }

  /// Marks a segment as missing.
  package mutating func omit(segment index: Int) { segments[index] = nil }
  /// Marks an initialization section as missing.
  package mutating func omit(section index: Int) { sections[index] = nil }

  /// Whether a segment is encrypted as a whole, and its key cannot be read.
  package func isOpaque(_ index: Int) -> Bool {
    playlist.segments[index].isEncryptedAsWhole && !(segments[index] is DecryptedSegment)
  }

  /// The initialization section of some segments of a part, followed by these if `isWhole` or there is no such section;
  /// `nil` if it cannot be opened.
  package func sources(of part: [Int], isWhole: Bool = true) -> [any ByteSource]? {
    guard let first = part.first else { return nil }
    let media = part.compactMap { segments[$0] }
    guard let section = playlist.segments[first].section else { return media }
    return sections[section].map { isWhole ? [$0] + media : [$0] }
  }
}

extension OpenedPresentation {
  /// Opens the segments of some of its playlists up to `limit`, one playlist after the other; those in `opened` are not
  /// opened again.
  package func forEachMedia<Failure: Error>(
    of playlists: [OpenedPlaylist], until limit: Duration? = nil, opened: [PlaylistMedia] = [],
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

extension OpenedPlaylist {
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
