import ISOBMFF

/// A movie fragment of a stream whose media data has not arrived yet.
public struct LiveFragment: Sendable {
  /// The samples of one track.
  public struct Part: Sendable, Equatable {
    /// The index of the track in the movie.
    public var track: Int
    /// The decode time of its first sample, in the timescale of the track.
    public var start: Int64
    /// The total duration of its samples.
    public var duration: Int64
    /// The decode times between which its samples are if the first and the last one last as long as most samples of the
    /// track. Some writers extend the first sample of a track that begins late, and the one before a pause.
    public var extent: Range<Int64>
    /// The duration of most samples of the track; `nil` if it is unknown.
    var usualDuration: UInt32?
    /// The number of samples.
    public var sampleCount: Int
    /// The duration of each sample, if all are equal except one or two at the ends.
    public var sampleDuration: UInt32?
    /// Whether decoding can start at the first sample.
    public var beginsWithSync: Bool
    /// Whether everything presented from the first sample on can be decoded without previous samples.
    public var isIndependent: Bool
    /// The decode times of the sync samples.
    public var syncTimes: [Int64]
    /// The keys with which some of its samples are encrypted; empty if all are clear.
    public var keyIDs: Set<[UInt8]>

    /// The end time of its last sample.
    public var end: Int64 { start + duration }
  }

  /// The offset of its `moof` in the stream.
  public let offset: Int
  /// Its sequence number.
  public let sequenceNumber: UInt32
  /// Its samples, by track.
  public internal(set) var parts: [Part]
  /// The boxes before it that belong to it: events and producer reference times.
  var boxesBefore: [UInt8]
  /// The `moof`. Offsets relative to the start of the file have become relative to its own start.
  public let box: [UInt8]
  /// The offset of its sequence number in the box.
  let numberPlace: Int?
  /// The number of bytes from the end of its `moof` to the end of its last sample.
  public let mediaByteCount: Int
  /// Whether it also has samples of tracks that the movie does not declare.
  package var hasUndeclaredTracks = false
  /// Represents all bytes of the `moof` from which it was read.
  public let fingerprint: Int

  /// The bytes of the fragment up to its media data, at any offset, with this sequence number.
  public func bytes(sequenceNumber number: UInt32) -> [UInt8] {
    guard let place = numberPlace, number != sequenceNumber else { return boxesBefore + box }
    var moof = box
    for index in 0..<4 { moof[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
    return boxesBefore + moof
  }
}
