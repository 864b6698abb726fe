import ISOBMFF

/// What an explicit base data offset counts from, ISO/IEC 14496-12:2022, 8.8.7.1: the start of the file.
///
/// In a segment that was cut from a file, it is an offset in that file. If the segment has no such offset, or the
/// offset equals the size of the sources before, it was the start of the movie fragment and is read as such.
struct BaseDataOffset {
  /// The sum of the sizes of the sources before; 0 for the first, whose offsets are taken as they are.
  var precedingBytes: Int
  /// The number of bytes of the source, if it is known.
  var byteCount: Int?
  /// The start offsets of the movie fragments of the source whose base data offsets are out of date. The start of the
  /// fragment is used instead.
  var stale: Set<Int> = []

  /// The valid bases of a movie fragment that is read on its own. It may have been cut from a file; any other base is
  /// read as its start.
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
