import ISOBMFF

/// A movie fragment of a stream whose media data is still to come.
public struct LiveFragment: Sendable {
  /// What it holds of one track.
  public struct Part: Sendable, Equatable {
    /// Which of the tracks of the movie.
    public var track: Int
    /// The decode time of its first sample, in units of the track.
    public var start: Int64
    /// How long its samples last.
    public var duration: Int64
    /// The number of samples.
    public var sampleCount: Int
    /// How long each sample lasts, where all but one or two at the ends last alike.
    public var sampleDuration: UInt32?
    /// Whether decoding can start at the first one.
    public var beginsWithSync: Bool
    /// Whether all that is presented from the first one on can be decoded without what is before.
    public var isIndependent: Bool
    /// The decode times of the sync samples.
    public var syncTimes: [Int64]
    /// The keys with which some of its samples are encrypted; empty where all are in the clear.
    public var keyIDs: Set<[UInt8]>

    /// The end of its last sample.
    public var end: Int64 { start + duration }
  }

  /// Where its `moof` is in the stream.
  public let offset: Int
  /// The number that it bears.
  public let sequenceNumber: UInt32
  /// What it holds of each track of which it has samples.
  public internal(set) var parts: [Part]
  /// Boxes that belong to it and stand before it: events and times of the producer.
  let boxesBefore: [UInt8]
  /// The `moof`. It is as it came but for what it counted from the start of a file, which is counted from its own now.
  public let box: [UInt8]
  /// Where in the box its number is.
  let numberPlace: Int?
  /// The number of bytes after its `moof` up to the end of its last sample.
  public let mediaByteCount: Int
  /// Represents all bytes of the `moof` that it was read from.
  public let fingerprint: Int

  /// The bytes of the fragment up to its media data, wherever they are put, with this number.
  public func bytes(sequenceNumber number: UInt32) -> [UInt8] {
    guard let place = numberPlace, number != sequenceNumber else { return boxesBefore + box }
    var moof = box
    for index in 0..<4 { moof[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
    return boxesBefore + moof
  }
}
