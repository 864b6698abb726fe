/// A segment of a media playlist: its URI, and the tags before it that belong to it (4.4.4).
public struct Segment: Hashable, Sendable {
  /// The lines of the segment; the last one is its URI.
  public var lines: [PlaylistLine]

  /// A segment with this duration; a byte range makes it a part of the resource.
  public init(_ uri: String, duration: Duration, byteRange: ByteRange? = nil, title: String = "") {
    lines = [PlaylistLine(.segment, .segment(max(.zero, duration), title: title))]
    if let byteRange { lines.append(PlaylistLine(.byteRange, .byteRange(byteRange))) }
    lines.append(PlaylistLine(uri: uri))
  }
  init(lines: [PlaylistLine]) { self.lines = lines }

  /// Its URI relative to the playlist. A text that is not a valid URI line (empty, or with `#` as the first character,
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
  /// EXTINF: its duration, exactly as written.
  public var duration: Duration {
    get { information.duration }
    set { lines.set(.segment, .segment(max(.zero, newValue), title: title)) }
  }
  /// EXTINF: its title.
  public var title: String {
    get { information.title }
    set { lines.set(.segment, .segment(duration, title: newValue)) }
  }
  /// EXT-X-BYTERANGE as written; ``ResolvedSegment/byteRange`` has the absolute range.
  public var byteRange: ByteRange? {
    get {
      if case .byteRange(let range) = lines.value(.byteRange) { range } else { nil }
    }
    set { lines.set(.byteRange, newValue.map { .byteRange($0) }) }
  }
  /// EXT-X-DISCONTINUITY: format, tracks or times differ from those of the previous segment.
  public var isDiscontinuity: Bool {
    get { lines.value(.discontinuity) != nil }
    set { lines.set(.discontinuity, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-KEY: the encryption from this segment on; empty if unchanged.
  public var keys: [EncryptionKey] {
    get { lines.all(.key, as: EncryptionKey.self) }
    set { lines.setAll(.key, newValue) }
  }
  /// EXT-X-MAP: the initialization section from this segment on; `nil` if unchanged.
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
  /// EXT-X-DATERANGE: date ranges with attributes, such as ad breaks.
  public var dateRanges: [DateRange] {
    get { lines.all(.dateRange, as: DateRange.self) }
    set { lines.setAll(.dateRange, newValue) }
  }
  /// EXT-X-GAP: it is missing and should not be loaded.
  public var isGap: Bool {
    get { lines.value(.gap) != nil }
    set { lines.set(.gap, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-BITRATE: the approximate bit rate from this segment on, in kilobits per second.
  public var bitrate: Int? {
    get { lines.integer(.bitrate) }
    set { lines.set(.bitrate, newValue.map { .integer($0) }) }
  }
  /// EXT-X-PART: its parts.
  public var parts: [PartialSegment] {
    get { lines.all(.part, as: PartialSegment.self) }
    set { lines.setAll(.part, newValue) }
  }

  /// Sets the keys, and an initialization section with different keys.
  package mutating func setKeys(_ keys: [EncryptionKey], _ map: InitializationSection, with mapKeys: [EncryptionKey]) {
    lines.removeAll { $0.tag == .key || $0.tag == .map }
    let own = keys.isEmpty ? [EncryptionKey(.none)] : keys
    let tags =
      mapKeys.map { PlaylistLine(.key, .attributes($0.attributes)) } + [PlaylistLine(.map, .attributes(map.attributes))]
      + own.map { PlaylistLine(.key, .attributes($0.attributes)) }
    lines.insert(contentsOf: tags, at: lines.place(of: .key))
  }

  private var information: (duration: Duration, title: String) {
    if case .segment(let duration, let title) = lines.value(.segment) { (duration, title) } else { (.zero, "") }
  }
}
