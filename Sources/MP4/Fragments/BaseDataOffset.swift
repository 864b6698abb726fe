import ISOBMFF

/// The origin of an explicit base data offset: the start of the file (ISO/IEC 14496-12:2022, 8.8.7.1).
///
/// In a segment that was cut from a file, the base is an offset in that file. If the segment does not contain that
/// offset, or the offset equals the size of the previous sources, it was the start of the movie fragment and is read as
/// such.
struct BaseDataOffset {
  /// The sum of the sizes of the previous sources; 0 for the first one, whose offsets are used unchanged.
  var precedingBytes: Int
  /// The number of bytes of the source, if it is known.
  var byteCount: Int?
  /// The offsets of the movie fragments of the source that have outdated base data offsets. The start of the fragment
  /// is used instead.
  var stale: Set<Int> = []

  /// The valid bases of a movie fragment that is read on its own, and may have been cut from a file. Any other base is
  /// treated as the start of the fragment.
  var places: ClosedRange<Int>?

  func position(_ offset: UInt64, moofOffset: Int) -> Int {
    if stale.contains(moofOffset) { return moofOffset }
    let base = Int(clamping: offset)
    if let places { return places.contains(base) ? base : moofOffset }
    guard precedingBytes > 0 else { return base }
    let isOutside = byteCount.map { base >= $0 } ?? false
    return isOutside || base == precedingBytes + moofOffset ? moofOffset : base
  }
}
