public import MP4HLS

/// The media playlist of a live presentation: the segments that players can load, and the files that they
/// may still be loading (RFC 8216, 6.2.2).
///
/// Declared properties never change: a segment keeps its number, its duration and everything else until it is removed.
public struct LiveWindow: Sendable {
  /// A complete segment.
  public struct Entry: Sendable {
    /// Its file name.
    public var name: String
    /// The file name of its init segment.
    public var initialization: String
    /// Its duration.
    public var duration: Duration
    /// The time of day of its first sample.
    public var date: DateTime
    /// Whether format, tracks or times differ from those of the previous segment.
    public var isDiscontinuity: Bool
    /// Whether it can be decoded on its own.
    public var isIndependent = false
    /// Whether it has no file: the rendition has no samples at its times.
    public var isGap = false
    /// Its keys; empty if its samples are clear.
    public var keys: [EncryptionKey] = []

    /// Creates a segment.
    public init(
      name: String, initialization: String, duration: Duration, date: DateTime, isDiscontinuity: Bool = false
    ) {
      (self.name, self.initialization, self.duration) = (name, initialization, duration)
      (self.date, self.isDiscontinuity) = (date, isDiscontinuity)
    }
  }

  /// The current playlist.
  public private(set) var playlist: MediaPlaylist
  /// The number of segments in the playlist, which can be larger if they are short; `nil` if all are kept.
  private let count: Int?
  /// The duration of all segments of the playlist.
  private var duration = Duration.zero
  /// The duration of the longest playlist so far.
  private var longest = Duration.zero
  /// The init segment of the last segment.
  private var initialization = ""
  /// The keys of the last segment.
  private var keys: [EncryptionKey] = []
  /// Files that are no longer in a playlist, in order, and the time until which they are kept.
  private var leaving: [(name: String, until: Duration)] = []

  /// A playlist of the last `count` segments, or of all if that is `nil`.
  public init(count: Int?, targetDuration: Duration) {
    self.count = count
    playlist = MediaPlaylist([], type: count == nil ? .event : nil)
    playlist.version = 6
    playlist.targetDuration = targetDuration
    playlist.mediaSequence = 1
    playlist.hasIndependentSegments = true
    // RFC 8216, 6.2.2: if segments are removed, players must know the number of removed discontinuities.
    playlist.hasDiscontinuitySequence = count != nil
    playlist.discontinuitySequence = 0
  }

  /// A playlist with the segments of another one, all of which are gaps.
  init(gapsOf other: LiveWindow) {
    (playlist, count, duration, longest) = (other.playlist, other.count, other.duration, other.longest)
    playlist.hasIndependentSegments = true
    playlist.segments = other.playlist.segments.map { segment in
      var gap = Segment(segment.uri, duration: segment.duration)
      (gap.isDiscontinuity, gap.programDateTime) = (segment.isDiscontinuity, segment.programDateTime)
      gap.isGap = true
      return gap
    }
  }

  /// Adds a segment, and removes those that are no longer in the window.
  public mutating func append(_ entry: Entry, at uptime: Duration) {
    var segment = Segment(entry.name, duration: entry.duration)
    segment.isDiscontinuity = entry.isDiscontinuity
    segment.programDateTime = entry.date
    if entry.isGap {
      segment.isGap = true
    } else {
      if entry.initialization != initialization { segment.map = InitializationSection(entry.initialization) }
      initialization = entry.initialization
      if entry.keys != keys { segment.keys = entry.keys.isEmpty ? [EncryptionKey(.none)] : entry.keys }
      keys = entry.keys
      // A declaration about all segments is not restored after it was wrong once.
      if !entry.isIndependent { playlist.hasIndependentSegments = false }
    }
    playlist.segments.append(segment)
    duration += entry.duration
    longest = max(longest, duration)
    while let count, playlist.segments.count > count, removeFirst(at: uptime) {}
  }

  /// Removes the first segment, unless the playlist would be shorter than three target durations.
  private mutating func removeFirst(at uptime: Duration) -> Bool {
    let first = playlist.segments[0]
    guard duration - first.duration >= playlist.targetDuration * 3 else { return false }
    // The next segment keeps the tags of this one that apply to both.
    guard (try? playlist.removeFirstSegments(1)) != nil else { return false }
    duration -= first.duration
    let until = uptime + first.duration + longest
    if !first.isGap { leaving.append((first.uri, until)) }
    if let map = first.map?.uri, map != playlist.segments[0].map?.uri { leaving.append((map, until)) }
    return true
  }

  /// Whether no segment is ever removed.
  var keepsAll: Bool { count == nil }

  /// The init segments of its segments.
  var initializations: Set<String> { Set(playlist.segments.compactMap(\.map?.uri)) }

  /// Declares that no segments will be added.
  public mutating func end() { playlist.isEnded = true }

  /// The files that no client can still be loading, without duplicates.
  public mutating func takeExpired(at uptime: Duration) -> [String] {
    let expired = leaving.prefix { $0.until <= uptime }.map(\.name)
    leaving.removeFirst(expired.count)
    return expired
  }
}
