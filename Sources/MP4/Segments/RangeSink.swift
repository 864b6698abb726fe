import ISOBMFF
package import MP4Bytes

/// Passes on only those written bytes that are in a range.
package final class RangeSink: ByteSink {
  package var name: String { sink.name }
  /// The number of bytes written or skipped so far, in the range or not.
  package private(set) var position = 0
  private let sink: any ByteSink
  private let range: Range<Int>

  /// Passes the bytes `range` to `sink`.
  package init(_ sink: any ByteSink, _ range: Range<Int>) { (self.sink, self.range) = (sink, range) }

  /// Counts bytes that are not in the range as written.
  package func skip(_ count: Int) { position += count }

  package func write(_ bytes: RawSpan) throws(IOError) {
    let part = wanted(bytes.byteCount)
    position += bytes.byteCount
    if !part.isEmpty { try sink.write(bytes.extracting(part)) }
  }

  package func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    let part = wanted(range.count)
    position += range.count
    if !part.isEmpty {
      try sink.copy(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound, of: source)
    }
  }

  /// The part of the next `count` bytes that is in the range.
  private func wanted(_ count: Int) -> Range<Int> {
    let start = min(max(range.lowerBound - position, 0), count)
    return start..<max(start, min(range.upperBound - position, count))
  }
}
