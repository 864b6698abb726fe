import Ciphers
import MP4
import MP4Bytes

/// Segments that are encrypted as a whole: METHOD=AES-128, with cipher block chaining and PKCS #7 padding (RFC 8216,
/// 5.2). The initialization vector is the media sequence number.
extension PackagedRendition {
  /// The size of a segment that is a file.
  func byteCount(ofFile index: Int) -> Int {
    let count = fragments.byteCount(ofSegment: index)
    return key(ofSegment: index) == nil ? count : (count / AES128.blockSize + 1) * AES128.blockSize
  }

  /// The key of a segment that is encrypted as a whole.
  func key(ofSegment index: Int) -> Encryption.Key? {
    segmentKeys.indices.contains(index) ? segmentKeys[index] : nil
  }

  /// The keys of whole segments, each once.
  var fileKeys: [Encryption.Key] {
    var result: [Encryption.Key] = []
    for key in segmentKeys.compactMap(\.self) where !result.contains(where: { $0.keyID == key.keyID }) {
      result.append(key)
    }
    return result
  }

  /// Writes a segment as a file.
  func write(file index: Int, to sink: any ByteSink) throws(MovieError) {
    guard let key = key(ofSegment: index), let cipher = AES128(key: key.bytes) else {
      return try fragments.writeSegment(index, to: sink)
    }
    let encrypting = SegmentCipher(sink, cipher, AES128.Block(high: 0, low: UInt64(firstNumber + index)))
    try fragments.writeSegment(index, to: encrypting)
    try io(encrypting.finish())
  }
}

extension Encryption.Key {
  /// The name of the file with a key of whole segments.
  var fileName: String { hexText(keyID) + ".key" }
}

/// Encrypts what is written to it, and passes it on.
private final class SegmentCipher: ByteSink {
  var name: String { sink.name }
  private(set) var position = 0
  private let sink: any ByteSink
  private let cipher: AES128
  private var last: AES128.Block
  /// Bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  /// The number of bytes that are encrypted at a time.
  private static let step = 1 << 18

  init(_ sink: any ByteSink, _ cipher: AES128, _ vector: AES128.Block) {
    (self.sink, self.cipher, last) = (sink, cipher, vector)
  }

  func write(_ bytes: RawSpan) throws(IOError) {
    position += bytes.byteCount
    unsafe bytes.withUnsafeBytes { unsafe rest.append(contentsOf: $0) }
    try pass()
  }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + Self.step, range.upperBound)
      let bytes = try source.bytes(in: start..<end)
      guard bytes.count == end - start else { throw IOError(endOf: source, at: start + bytes.count, copying: range) }
      rest += bytes
      position += bytes.count
      start = end
      try pass()
    }
  }

  /// Passes on the last block with its padding.
  func finish() throws(IOError) {
    let count = AES128.blockSize - rest.count
    rest += [UInt8](repeating: UInt8(count), count: count)
    try pass()
  }

  private func pass() throws(IOError) {
    let end = rest.count - rest.count % AES128.blockSize
    guard end > 0 else { return }
    var whole = Array(rest.prefix(end))
    rest.removeFirst(end)
    var raw = whole.mutableRaw
    last = cipher.encryptChain(&raw, after: last)
    try sink.write(whole)
  }
}
