// Shared by the targets of `Tests/Fuzzing/run` that read MP4 files.
import MP4Bytes

/// Counts written bytes and discards them; stops when an output is too large for fuzzing.
final class CountingSink: ByteSink {
  let name = "sink"
  private(set) var position = 0
  private static let limit = 64 << 20

  func write(_ bytes: RawSpan) throws(IOError) { try advance(bytes.byteCount) }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    guard range.upperBound <= source.byteCount ?? 0 else {
      fatalError("the bytes \(range) are copied of a source of \(source.byteCount ?? 0)")
    }
    try advance(range.count)
  }

  private func advance(_ count: Int) throws(IOError) {
    position += count
    if position > Self.limit { throw IOError(.write, file: name, reason: "the limit is reached") }
  }
}

extension [UInt8] {
  /// A number below `count` taken from the last byte, so that a run tries one of several options. The last byte is
  /// rarely significant otherwise.
  func choice(of count: UInt8) -> UInt8 { (last ?? 0) % count }
}
