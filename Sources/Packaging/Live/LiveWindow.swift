public import HLS

/// The media playlist of a live presentation: the segments that players can load at the moment, and the files that they
/// may still be loading (RFC 8216, 6.2.2).
///
/// What it has said once stays true: a segment keeps its number, its duration and everything else until it goes.
public struct LiveWindow: Sendable {
  /// A segment that was completed.
  public struct Entry: Sendable {
    /// The name of its file.
    public var name: String
    /// The name of the init segment that it needs.
    public var initialization: String
    /// How long it lasts.
    public var duration: Duration
    /// The time of day of its first sample.
    public var date: DateTime
    /// Whether format, tracks or times have nothing to do with those of the segment before.
    public var isDiscontinuity: Bool
    /// Whether all that it presents can be decoded without the segments before.
    public var isIndependent = false
    /// How its samples are encrypted; empty where they are in the clear.
    public var keys: [EncryptionKey] = []

    /// A segment.
    public init(
      name: String, initialization: String, duration: Duration, date: DateTime, isDiscontinuity: Bool = false
    ) {
      (self.name, self.initialization, self.duration) = (name, initialization, duration)
      (self.date, self.isDiscontinuity) = (date, isDiscontinuity)
    }
  }

  /// The playlist as it is at the moment.
  public private(set) var playlist: MediaPlaylist
  /// How many segments it has, unless these are too short; `nil` where segments are only added.
  private let count: Int?
  /// How long all segments of the playlist last.
  private var duration = Duration.zero
  /// How long those of the longest playlist lasted that there was.
  private var longest = Duration.zero
  /// The init segment of the last segment.
  private var initialization = ""
  /// The keys of the last segment.
  private var keys: [EncryptionKey] = []
  /// Files that are in no playlist any more, in the order in which they left it, and until when they are kept.
  private var leaving: [(name: String, until: Duration)] = []

  /// A playlist of the last `count` segments, or of all when that is `nil`. The first one has the number `number`.
  public init(count: Int?, targetDuration: Duration, number: Int = 1) {
    self.count = count
    playlist = MediaPlaylist([], type: count == nil ? .event : nil)
    playlist.version = 6
    playlist.targetDuration = targetDuration
    playlist.mediaSequence = number
    playlist.hasIndependentSegments = true
    // RFC 8216, 6.2.2: where segments are removed, players have to know how many discontinuities were.
    playlist.hasDiscontinuitySequence = count != nil
  }

  /// Adds a segment, and takes away those that are no longer in the window.
  public mutating func append(_ entry: Entry, at uptime: Duration) {
    var segment = Segment(entry.name, duration: entry.duration)
    segment.isDiscontinuity = entry.isDiscontinuity
    segment.programDateTime = entry.date
    if entry.initialization != initialization { segment.map = InitializationSection(entry.initialization) }
    initialization = entry.initialization
    if entry.keys != keys { segment.keys = entry.keys.isEmpty ? [EncryptionKey(.none)] : entry.keys }
    keys = entry.keys
    // What is said of all segments is not said again when it was wrong once.
    if !entry.isIndependent { playlist.hasIndependentSegments = false }
    playlist.segments.append(segment)
    duration += entry.duration
    longest = max(longest, duration)
    while let count, playlist.segments.count > count, removeFirst(at: uptime) {}
  }

  /// Removes the first segment, unless the playlist would be shorter than three target durations.
  private mutating func removeFirst(at uptime: Duration) -> Bool {
    let first = playlist.segments[0]
    guard duration - first.duration >= playlist.targetDuration * 3 else { return false }
    // The next one keeps what this one has said for both.
    guard (try? playlist.removeFirstSegments(1)) != nil else { return false }
    duration -= first.duration
    let until = uptime + first.duration + longest
    leaving.append((first.uri, until))
    if let map = first.map?.uri, map != playlist.segments[0].map?.uri { leaving.append((map, until)) }
    return true
  }

  /// The init segments that its segments need.
  var initializations: Set<String> { Set(playlist.segments.compactMap(\.map?.uri)) }

  /// No segment will be added.
  public mutating func end() { playlist.isEnded = true }

  /// The files that no client can be loading any more, each once.
  public mutating func takeExpired(at uptime: Duration) -> [String] {
    let expired = leaving.prefix { $0.until <= uptime }.map(\.name)
    leaving.removeFirst(expired.count)
    return expired
  }
}
