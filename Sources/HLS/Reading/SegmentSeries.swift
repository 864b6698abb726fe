/// The segments of one media playlist in reading order, with everything needed to read them. For a growing playlist, it
/// reports new segments and missed numbers.
///
/// ```swift
/// var series = SegmentSeries(place)
/// let update = try series.take(playlist)
/// for entry in update.entries { print(entry.number, entry.item.place, entry.item.byteRange as Any) }
/// ```
public struct SegmentSeries: Sendable {
  /// A segment or an initialization section.
  public struct Item: Hashable, Sendable {
    /// Its location.
    public var place: PlaylistLocation
    /// Its bytes, or `nil` for all.
    public var byteRange: Range<Int>?
    /// The line of the playlist that declares it.
    public var line: Int
    /// Its URI as written in the playlist.
    public var uri: String
    /// Its encryption as a whole; `nil` if there is none.
    public var encryption: SegmentEncryption?

    package init(
      place: PlaylistLocation, byteRange: Range<Int>?, line: Int, uri: String, encryption: SegmentEncryption? = nil
    ) {
      (self.place, self.byteRange, self.line, self.uri) = (place, byteRange, line, uri)
      self.encryption = encryption
    }
  }
  /// A segment with its properties.
  public struct Entry: Hashable, Sendable {
    /// The segment.
    public var item: Item
    /// Its initialization section, if it differs from that of the previous segment or a discontinuity is in between.
    public var map: Item?
    /// The number of discontinuities before it since the start of the stream.
    public var discontinuity: Int
    /// Its media sequence number.
    public var number: Int
    /// Its duration.
    public var duration: Duration
    /// Whether it is missing.
    public var isGap: Bool
    /// The key of its samples, if they are encrypted (METHOD=SAMPLE-AES) with a key that the playlist refers to.
    public var sampleKey: SegmentKey?
  }
  /// The changes in a playlist.
  public struct Update: Hashable, Sendable {
    /// The new segments.
    public var entries: [Entry] = []
    /// The number of segments that were removed before they could be read.
    public var missed = 0
    /// Whether the media sequence numbers restarted because another stream replaced the previous one. Segments of the
    /// new stream are not in this update.
    public var isRestarted = false
  }

  private let variables: Variables
  private var place: PlaylistLocation
  private var next: Int?
  private var map: (item: Item, discontinuity: Int)?
  private var keys = SegmentKeys()
  /// Whether the playlist had new segments when it was last loaded.
  public private(set) var isChanged = false
  /// Whether no segments will be added.
  public private(set) var isEnded = false
  /// Whether segments may be text without an initialization section (WebVTT).
  public var takesText = false
  /// Whether segments may be MPEG-TS or packed audio, which have no initialization section. Their contents tell.
  public var takesStreams = false
  /// The target duration.
  public private(set) var targetDuration = Duration.zero

  /// The segments of the playlist at `place`, which can use variables of its multivariant playlist.
  public init(_ place: PlaylistLocation, importing variables: Variables = Variables()) {
    self.place = place
    self.variables = variables
  }

  /// The delay before the next load, counted from the last one (RFC 8216, 6.3.4).
  public var reloadDelay: Duration {
    let whole = max(targetDuration, .milliseconds(200))
    return isChanged ? whole : whole / 2
  }

  /// A playlist whose segments are read one by one.
  public struct Reading: Sendable {
    /// The number of segments that were removed before they could be read, as in ``Update``.
    public fileprivate(set) var missed = 0
    /// Whether the numbers restarted, as in ``Update``; known at the end.
    public fileprivate(set) var isRestarted = false
    fileprivate var cursor: SegmentCursor
    fileprivate var hasNew = false
    fileprivate var last: Int?

    fileprivate init(_ cursor: SegmentCursor) { self.cursor = cursor }
  }

  /// Reads the playlist, for the first time or again; `place` is its location after redirects.
  public mutating func take(_ playlist: MediaPlaylist, at place: PlaylistLocation? = nil) throws(SegmentError) -> Update
  {
    var reading = try begin(playlist, at: place)
    var update = Update()
    while let entry = try next(&reading) { update.entries.append(entry) }
    (update.missed, update.isRestarted) = (reading.missed, reading.isRestarted)
    return update
  }

  /// Begins to read the playlist, for the first time or again; `next` returns its segments, and releases what has been
  /// read.
  public mutating func begin(
    _ playlist: consuming MediaPlaylist, at place: PlaylistLocation? = nil
  ) throws(SegmentError) -> Reading {
    // From here on, the location is released after its last use.
    let playlist = playlist
    if let place { self.place = place }
    targetDuration = playlist.targetDuration
    isEnded = playlist.isEnded
    isChanged = false
    do throws(PlaylistError) {
      return Reading(try SegmentCursor(playlist, at: self.place, importing: variables))
    } catch { throw SegmentError(.playlist(error), line: error.line) }
  }

  /// The next new segment; `nil` at the end.
  public mutating func next(_ reading: inout Reading) throws(SegmentError) -> Entry? {
    while let element = try Self.element(&reading.cursor) {
      let number = element.segment.mediaSequence
      reading.last = number
      if let next, number < next { continue }
      if let next, number > next, !reading.hasNew { reading.missed = number - next }
      reading.hasNew = true
      isChanged = true
      let entry = try entry(element)
      next = saturatingSum(number, 1)
      return entry
    }
    // A server can deliver an outdated playlist for a while, but not one without any known segments.
    if let next, let last = reading.last, last < next - reading.cursor.count - 3 { reading.isRestarted = true }
    return nil
  }

  private static func element(_ cursor: inout SegmentCursor) throws(SegmentError) -> SegmentCursor.Element? {
    do throws(PlaylistError) { return try cursor.next() } catch {
      throw SegmentError(.playlist(error), line: error.line)
    }
  }

  private mutating func entry(_ element: SegmentCursor.Element) throws(SegmentError) -> Entry {
    let segment = element.segment
    var entry = Entry(
      item: try item(segment.uri, segment.byteRange, element.line), map: nil,
      discontinuity: segment.discontinuitySequence, number: segment.mediaSequence, duration: segment.duration,
      isGap: segment.isGap, sampleKey: nil)
    guard !segment.isGap else { return entry }
    let isText = segment.uri.lowercased().hasSuffix(".vtt")
    if segment.map == nil, !takesText, !takesStreams || isText {
      throw SegmentError(.notMP4(segment.uri), line: element.line)
    }
    entry.item.encryption = try keys.encryption(
      segment.keys, segment.mediaSequence, at: place, line: element.keyLine)
    guard let section = segment.map else { return entry }
    entry.sampleKey = keys.sampleKey(segment.keys, at: place, line: element.keyLine)
    var own = try item(section.uri, section.byteRange.map { $0.bytes(from: 0) }, element.mapLine)
    own.encryption = try keys.encryption(segment.mapKeys, segment.mapSequence, at: place, line: element.keyLine)
    let isSame =
      map.map {
        $0.item.place == own.place && $0.item.byteRange == own.byteRange && $0.item.encryption == own.encryption
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

/// Why the segments of a playlist cannot be read, and in which line.
public struct SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  public enum Problem: Hashable, Sendable {
    /// The playlist itself.
    case playlist(PlaylistError)
    /// A reference that is not allowed.
    case refused(String, PlaylistLocation.Refusal)
    /// A key that cannot be used.
    case key(KeyTagProblem)
    /// A segment without an init segment: it is not fragmented MP4.
    case notMP4(String)
  }
  /// The problem.
  public var problem: Problem
  /// The line number, starting at 1; 0 if it is not about a line.
  public var line: Int

  package init(_ problem: Problem, line: Int) {
    self.problem = problem
    self.line = line
  }

  /// Such as `line 7: "../a.mp4" is not allowed: it is outside the folder of the first playlist`.
  public var description: String {
    let prefix = line > 0 ? "line \(line): " : ""
    switch problem {
    case .playlist(let error): return error.description
    case .refused(let uri, let refusal): return "\(prefix)\(quoted(uri)) is not allowed: \(refusal.reason)"
    case .key(let problem): return prefix + problem.description
    case .notMP4(let uri):
      let kind =
        uri.lowercased().hasSuffix(".ts") ? "MPEG-TS" : uri.lowercased().hasSuffix(".vtt") ? "WebVTT" : "not MP4"
      return prefix
        + "\(quoted(uri)) has no init segment (EXT-X-MAP), so it is \(kind == "not MP4" ? kind : kind + ", not MP4"); "
        + "only segments of fragmented MP4, MPEG-TS and packed audio are supported"
    }
  }
}
