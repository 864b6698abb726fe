import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support

/// A file of any size that stores only some bytes; all others are 0.
final class SparseSource: ByteSource, @unchecked Sendable {
  let name = "sparse.mp4"
  let size: Int
  private let parts: [(offset: Int, bytes: [UInt8])]
  /// The number of bytes that were read.
  private(set) var bytesRead = 0

  init(_ parts: [(offset: Int, bytes: [UInt8])], size: Int) {
    self.parts = parts
    self.size = size
  }
  var byteCount: Int? { size }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = max(0, min(buffer.byteCount, size - offset))
    bytesRead += count
    for index in 0..<count {
      let at = offset + index
      let part = parts.first { $0.offset <= at && at < $0.offset + $0.bytes.count }
      buffer.storeBytes(of: part.map { $0.bytes[at - $0.offset] } ?? 0, toByteOffset: index, as: UInt8.self)
    }
    return count
  }
}

/// A sink that stores written bytes and only records copies.
final class NotingSink: ByteSink {
  let name = "out.mp4"
  private(set) var position = 0
  /// The bytes that were written before the first copy.
  private(set) var head: [UInt8] = []
  private(set) var copies: [(position: Int, range: Range<Int>)] = []
  /// Whether a range contains boxes before the media data; these are stored.
  private let isKept: (Range<Int>) -> Bool

  init(keeping isKept: @escaping (Range<Int>) -> Bool = { $0.upperBound < 4096 }) { self.isKept = isKept }

  func write(_ bytes: RawSpan) throws(IOError) {
    if copies.isEmpty { unsafe bytes.withUnsafeBytes { unsafe head.append(contentsOf: $0) } }
    position += bytes.byteCount
  }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if copies.isEmpty, isKept(range) {
      let sink = MemorySink()
      try sink.copy(range, of: source)
      return try write(sink.bytes)
    }
    copies.append((position, range))
    position += range.count
  }

  /// The source offset of the output byte at `position`.
  func origin(of position: Int) -> Int? {
    copies.first { $0.position <= position && position < $0.position + $0.range.count }
      .map { position - $0.position + $0.range.lowerBound }
  }
}
