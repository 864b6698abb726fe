/// The segments of one media playlist in the order in which they are to be read, each with what it takes to read it: what
/// is new in a playlist that grows, and which numbers it lost.
///
/// ```swift
/// var series = SegmentSeries(place)
/// let update = try series.take(playlist)
/// for entry in update.entries { print(entry.number, entry.item.place, entry.item.byteRange as Any) }
/// ```
public struct SegmentSeries: Sendable {
  /// A segment, or what initializes those after it.
  public struct Item: Hashable, Sendable {
    /// Where it is.
    public var place: PlaylistLocation
    /// Which bytes of that, or `nil` for all.
    public var byteRange: Range<Int>?
    /// The line of the playlist that names it.
    public var line: Int
    /// Its URI as the playlist has it.
    public var uri: String
  }
  /// A segment with all that belongs to it.
  public struct Entry: Hashable, Sendable {
    /// Where it is.
    public var item: Item
    /// What initializes the parser, where it differs from that of the segment before or a discontinuity is between.
    public var map: Item?
    /// The number of discontinuities before it, from the beginning of the stream.
    public var discontinuity: Int
    /// Its number.
    public var number: Int
    /// How long it lasts.
    public var duration: Duration
    /// Whether it is missing.
    public var isGap: Bool
  }
  /// What a playlist brought.
  public struct Update: Hashable, Sendable {
    /// The segments that were not there before.
    public var entries: [Entry] = []
    /// How many segments between the last one and the first of these were gone already.
    public var missed = 0
    /// Whether the numbers started again, as they do when another stream takes the place of the one before; none of its
    /// segments are among these.
    public var isRestarted = false
  }

  private let variables: Variables
  private var place: PlaylistLocation
  private var next: Int?
  private var map: (item: Item, discontinuity: Int)?
  /// Whether the playlist had new segments at the last time.
  public private(set) var isChanged = false
  /// Whether no segment will be added any more.
  public private(set) var isEnded = false
  /// How long segments last at most.
  public private(set) var targetDuration = Duration.zero

  /// The segments of the playlist at `place`, which can use the variables of its multivariant playlist.
  public init(_ place: PlaylistLocation, importing variables: Variables = Variables()) {
    self.place = place
    self.variables = variables
  }

  /// How long to wait before the playlist is loaded again, from when it was loaded last (RFC 8216, 6.3.4).
  public var reloadDelay: Duration {
    let whole = max(targetDuration, .milliseconds(200))
    return isChanged ? whole : whole / 2
  }

  /// A playlist while its segments are taken one after the other.
  public struct Reading: Sendable {
    /// How many segments between the last one and the first new one were gone already, as in ``Update``.
    public fileprivate(set) var missed = 0
    /// Whether the numbers started again, as in ``Update``; known at the end.
    public fileprivate(set) var isRestarted = false
    fileprivate var segments: [Segment]
    fileprivate var state: SegmentState
    fileprivate var index = 0
    fileprivate var line: Int
    fileprivate var hasNew = false
    fileprivate var last: Int?

    fileprivate init(_ segments: [Segment], _ state: SegmentState, after line: Int) {
      (self.segments, self.state, self.line) = (segments, state, line)
    }
  }

  /// Reads the playlist, for the first time or again; `place` is where it was found after redirections.
  public mutating func take(_ playlist: MediaPlaylist, at place: PlaylistLocation? = nil) throws(SegmentError) -> Update
  {
    var reading = try begin(playlist, at: place)
    var update = Update()
    while let entry = try next(&reading) { update.entries.append(entry) }
    (update.missed, update.isRestarted) = (reading.missed, reading.isRestarted)
    return update
  }

  /// Begins to read the playlist, for the first time or again, for `next` to give its segments: what is read of it is let
  /// go of, so that a long one is not in memory in several forms at once.
  public mutating func begin(
    _ playlist: consuming MediaPlaylist, at place: PlaylistLocation? = nil
  ) throws(SegmentError) -> Reading {
    // From here on it can be copied again, and goes with its last use.
    let playlist = playlist
    if let place { self.place = place }
    targetDuration = playlist.targetDuration
    isEnded = playlist.isEnded
    isChanged = false
    do throws(PlaylistError) {
      let own = try Variables(playlist.definitions, importing: variables, uri: self.place.reference)
      return Reading(playlist.segments, SegmentState(playlist, variables: own), after: playlist.header.count)
    } catch { throw SegmentError(.playlist(error), line: error.line) }
  }

  /// The next segment that was not there before; `nil` at the end.
  public mutating func next(_ reading: inout Reading) throws(SegmentError) -> Entry? {
    while reading.index < reading.segments.count {
      var written = Segment(lines: [])
      swap(&written, &reading.segments[reading.index])
      let segment: ResolvedSegment
      do throws(PlaylistError) { segment = try reading.state.next(written, index: reading.index) } catch {
        throw SegmentError(.playlist(error), line: error.line)
      }
      let firstLine = reading.line + 1
      reading.line += written.lines.count
      reading.index += 1
      reading.last = segment.mediaSequence
      if let next, segment.mediaSequence < next { continue }
      if let next, segment.mediaSequence > next, !reading.hasNew { reading.missed = segment.mediaSequence - next }
      reading.hasNew = true
      isChanged = true
      let entry = try entry(segment, written, firstLine: firstLine, line: reading.line)
      next = saturatingSum(segment.mediaSequence, 1)
      return entry
    }
    // A server may give an older state for a while, but not one that has nothing of what was there.
    if let next, let last = reading.last, last < next - reading.segments.count - 3 { reading.isRestarted = true }
    return nil
  }

  private mutating func entry(
    _ segment: ResolvedSegment, _ written: Segment, firstLine: Int, line: Int
  ) throws(SegmentError) -> Entry {
    if let key = segment.keys.first(where: { $0.method == .aes128 }) {
      throw SegmentError(.encrypted(key.method.rawValue), line: line)
    }
    let item = try item(segment.uri, segment.byteRange, line)
    var entry = Entry(
      item: item, map: nil, discontinuity: segment.discontinuitySequence, number: segment.mediaSequence,
      duration: segment.duration, isGap: segment.isGap)
    guard !segment.isGap else { return entry }
    guard let section = segment.map else { throw SegmentError(.notMP4(item.uri), line: line) }
    // The line of the tag, where it is one of this segment's own.
    let tag = written.lines.firstIndex { if case .tag(.map, _) = $0.content { true } else { false } }
    let range = section.byteRange.map { $0.bytes(from: 0) }
    let own = try self.item(section.uri, range, tag.map { firstLine + $0 } ?? line)
    let isSame =
      map.map {
        $0.item.place == own.place && $0.item.byteRange == own.byteRange
          && $0.discontinuity == segment.discontinuitySequence
      } ?? false
    if !isSame { entry.map = own }
    map = (own, segment.discontinuitySequence)
    return entry
  }

  private func item(_ uri: String, _ range: Range<Int>?, _ line: Int) throws(SegmentError) -> Item {
    do throws(PlaylistLocation.Refusal) {
      return Item(place: try place.resolving(uri), byteRange: range, line: line, uri: uri)
    } catch { throw SegmentError(.refused(uri, error), line: line) }
  }
}

/// Why the segments of a playlist cannot be read, and at which line.
public struct SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  public enum Problem: Hashable, Sendable {
    /// The playlist itself.
    case playlist(PlaylistError)
    /// A reference that is not followed.
    case refused(String, PlaylistLocation.Refusal)
    /// Segments are encrypted whole, by this method.
    case encrypted(String)
    /// A segment without an init segment: it is no fragmented MP4.
    case notMP4(String)
  }
  /// What is wrong.
  public var problem: Problem
  /// The line it is in; the first one is 1. 0 for what is not in a line.
  public var line: Int

  init(_ problem: Problem, line: Int) {
    self.problem = problem
    self.line = line
  }

  /// Such as `line 7: "../a.mp4" is not allowed: it is outside the folder of the first playlist`.
  public var description: String {
    let prefix = line > 0 ? "line \(line): " : ""
    switch problem {
    case .playlist(let error): return error.description
    case .refused(let uri, let refusal): return "\(prefix)\(quoted(uri)) is not allowed: \(refusal.reason)"
    case .encrypted(let method):
      return prefix
        + "the segments are encrypted as a whole (\(method)); "
        + "only clear segments and sample encryption are supported"
    case .notMP4(let uri):
      let kind =
        uri.lowercased().hasSuffix(".ts") ? "MPEG-TS" : uri.lowercased().hasSuffix(".vtt") ? "WebVTT" : "not MP4"
      return prefix
        + "\(quoted(uri)) has no init segment (EXT-X-MAP), so it is \(kind == "not MP4" ? kind : kind + ", not MP4"); "
        + "only fragmented MP4 segments are supported"
    }
  }
}
