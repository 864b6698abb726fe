// What the targets of `Tests/Fuzzing/run` share that read MP4 files.
import Bytes

/// Counts what is written and keeps nothing; stops where an output is larger than a fuzzer should wait for.
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
  /// A number below `count` that the last byte chooses, so that each run tries one of several things. The last byte
  /// rarely means anything else.
  func choice(of count: UInt8) -> UInt8 { (last ?? 0) % count }
}
