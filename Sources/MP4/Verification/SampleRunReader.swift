import MP4Bytes

/// Reads samples that follow each other in a source with large reads. Its memory is that of one read, or of one sample.
struct SampleRunReader {
  /// Samples larger than this are not read.
  static let largest = 256 << 20
  private let capacity: Int
  private var source: (any ByteSource)?
  private var buffer: [UInt8] = []
  /// The range of the source in the buffer.
  private var held = 0..<0

  /// A reader of samples that have this number of bytes.
  init(byteCount: Int) { capacity = min(max(byteCount, 4096), 512 << 10) }

  /// The bytes of a range of a source; fewer at its end. Bytes up to `runEnd` may be read ahead.
  mutating func bytes(
    _ range: Range<Int>, of source: any ByteSource, runEnd: Int
  ) throws(IOError) -> ArraySlice<UInt8> {
    if self.source !== source || range.lowerBound < held.lowerBound || range.upperBound > held.upperBound {
      try fill(range, source, runEnd)
    }
    let start = min(range.lowerBound - held.lowerBound, held.count)
    return buffer[start..<min(start + range.count, held.count)]
  }

  private mutating func fill(_ range: Range<Int>, _ source: any ByteSource, _ runEnd: Int) throws(IOError) {
    var end = max(range.upperBound, min(runEnd, range.lowerBound + capacity))
    // The size of a sample is not trusted until its bytes are there.
    if let byteCount = source.byteCount { end = max(range.lowerBound, min(end, byteCount)) }
    let count = end - range.lowerBound
    if buffer.count < count || buffer.count > 4 * capacity && count <= capacity {
      buffer = Array(repeating: 0, count: max(count, capacity))
    }
    (self.source, held) = (source, range.lowerBound..<range.lowerBound)
    var span = buffer.mutableRaw
    var target = span._mutatingExtracting(0..<count)
    let read = try source.readOn(at: range.lowerBound, into: &target)
    held = range.lowerBound..<range.lowerBound + read
  }
}
