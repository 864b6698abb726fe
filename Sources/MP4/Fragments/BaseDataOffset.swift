import ISOBMFF

/// What an explicit base data offset counts from, ISO/IEC 14496-12:2022, 8.8.7.1: the start of the file.
///
/// In a segment that was cut from a file it names a place in that file. When there is no such place in the segment, or
/// the bytes of the sources before add up to it, it was the start of the movie fragment, and that is meant.
struct BaseDataOffset {
  /// The sum of the sizes of the sources before; 0 for the first, whose offsets are taken as they are.
  var precedingBytes: Int
  /// The number of bytes of the source, if it is known.
  var byteCount: Int?
  /// The movie fragments of the source, by where they start, whose offsets are out of date: the start of the fragment
  /// is meant.
  var stale: Set<Int> = []

  /// Where bases can be of a movie fragment that is read on its own: it may have been cut from a file, and then others
  /// mean its start.
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
