/// A segment of a media playlist: its URI, and the tags before it that are about it (4.4.4).
public struct Segment: Hashable, Sendable {
  /// The lines of the segment; the last one is its URI.
  public var lines: [PlaylistLine]

  /// A segment that lasts `duration`; with a byte range it is a part of the resource.
  public init(_ uri: String, duration: Duration, byteRange: ByteRange? = nil, title: String = "") {
    lines = [PlaylistLine(.segment, .segment(max(.zero, duration), title: title))]
    if let byteRange { lines.append(PlaylistLine(.byteRange, .byteRange(byteRange))) }
    lines.append(PlaylistLine(uri: uri))
  }
  init(lines: [PlaylistLine]) { self.lines = lines }

  /// Where it is, relative to the playlist. What cannot be a URI in a line (nothing, or with `#` as the first character,
  /// spaces or line breaks) is one of the ``MediaPlaylist/findings``.
  public var uri: String {
    get { lines.last?.uri ?? "" }
    set {
      guard newValue != uri else { return }
      if lines.last?.content == .uri {
        lines.change(lines.count - 1, to: PlaylistLine(uri: newValue))
      } else {
        lines.append(PlaylistLine(uri: newValue))
      }
    }
  }
  /// EXTINF: how long it lasts, exactly as it is written.
  public var duration: Duration {
    get { information.duration }
    set { lines.set(.segment, .segment(max(.zero, newValue), title: title)) }
  }
  /// EXTINF: a text for people.
  public var title: String {
    get { information.title }
    set { lines.set(.segment, .segment(duration, title: newValue)) }
  }
  /// EXT-X-BYTERANGE as it is written; ``ResolvedSegment/byteRange`` says which bytes these are.
  public var byteRange: ByteRange? {
    get {
      if case .byteRange(let range) = lines.value(.byteRange) { range } else { nil }
    }
    set { lines.set(.byteRange, newValue.map { .byteRange($0) }) }
  }
  /// EXT-X-DISCONTINUITY: format, tracks or times have nothing to do with those of the segment before.
  public var isDiscontinuity: Bool {
    get { lines.value(.discontinuity) != nil }
    set { lines.set(.discontinuity, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-KEY: how this segment and those that follow are encrypted; empty when nothing changes.
  public var keys: [EncryptionKey] {
    get { lines.all(.key, as: EncryptionKey.self) }
    set { lines.setAll(.key, newValue) }
  }
  /// EXT-X-MAP: what initializes the parser for this segment and those that follow; nil when nothing changes.
  public var map: InitializationSection? {
    get { lines.attributes(.map, as: InitializationSection.self) }
    set { lines.set(.map, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-PROGRAM-DATE-TIME: the time of day of the first sample.
  public var programDateTime: DateTime? {
    get {
      if case .date(let date) = lines.value(.programDateTime) { date } else { nil }
    }
    set { lines.set(.programDateTime, newValue.map { .date($0) }) }
  }
  /// EXT-X-DATERANGE: ranges of time with attributes, such as breaks for advertisements.
  public var dateRanges: [DateRange] {
    get { lines.all(.dateRange, as: DateRange.self) }
    set { lines.setAll(.dateRange, newValue) }
  }
  /// EXT-X-GAP: it is missing and should not be loaded.
  public var isGap: Bool {
    get { lines.value(.gap) != nil }
    set { lines.set(.gap, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-BITRATE: about how many kilobits a second this segment and those that follow have.
  public var bitrate: Int? {
    get { lines.integer(.bitrate) }
    set { lines.set(.bitrate, newValue.map { .integer($0) }) }
  }
  /// EXT-X-PART: the parts of this segment.
  public var parts: [PartialSegment] {
    get { lines.all(.part, as: PartialSegment.self) }
    set { lines.setAll(.part, newValue) }
  }

  private var information: (duration: Duration, title: String) {
    if case .segment(let duration, let title) = lines.value(.segment) { (duration, title) } else { (.zero, "") }
  }
}
