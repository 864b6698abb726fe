/// Reads the segments of a playlist in order. What has been read is released, so that a long playlist is not in memory
/// in several forms at once.
package struct SegmentCursor: Sendable {
  /// A segment, and the lines that declare it, starting at 1.
  package struct Element: Sendable {
    /// The contents of the playlist about the segment.
    package let segment: ResolvedSegment
    /// The line of its URI.
    package let line: Int
    /// The line of its own EXT-X-MAP, or that of its URI if it has none.
    package let mapLine: Int
    /// The line of the latest EXT-X-KEY, or that of its URI if there is none.
    package let keyLine: Int
  }

  private var segments: [Segment]
  private var state: SegmentState
  private var index = 0
  private var line: Int
  private var latestKeyLine: Int?
  /// The line that is named instead.
  private let sourceLine: Int?

  /// The number of segments of the playlist.
  var count: Int { segments.count }

  /// The segments of the playlist at `place`, which can use variables of its multivariant playlist.
  package init(
    _ playlist: consuming MediaPlaylist, at place: PlaylistLocation, importing variables: Variables
  ) throws(PlaylistError) {
    // From here on, the playlist is released after its last use.
    let playlist = playlist
    let own = try Variables(playlist.definitions, importing: variables, uri: place.reference)
    (segments, state, line) = (playlist.segments, SegmentState(playlist, variables: own), playlist.header.count)
    sourceLine = playlist.source?.line
  }

  /// The next segment; `nil` at the end.
  package mutating func next() throws(PlaylistError) -> Element? {
    guard index < segments.count else { return nil }
    var written = Segment(lines: [])
    swap(&written, &segments[index])
    let segment = try state.next(written, index: index)
    let mapTag = written.lines.firstIndex { $0.tag == .map }
    let mapLine = line + (mapTag.map { $0 + 1 } ?? written.lines.count)
    if let tag = written.lines.lastIndex(where: { $0.tag == .key }) { latestKeyLine = line + tag + 1 }
    line += written.lines.count
    index += 1
    if let sourceLine {
      return Element(segment: segment, line: sourceLine, mapLine: sourceLine, keyLine: sourceLine)
    }
    return Element(segment: segment, line: line, mapLine: mapLine, keyLine: latestKeyLine ?? line)
  }
}
