import ISOBMFF

/// Bytes in memory, of which the first one has a place of its own, as a part of a stream has.
final class HeldBytes: ByteSource {
  let name: String
  /// Where the first byte is.
  let offset: Int
  let bytes: [UInt8]
  var byteCount: Int? { offset + bytes.count }
  /// Where all of them are.
  var range: Range<Int> { offset..<(offset + bytes.count) }

  init(_ bytes: [UInt8], name: String, at offset: Int = 0) {
    (self.bytes, self.name, self.offset) = (bytes, name, offset)
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let start = offset - self.offset
    guard start >= 0 else { return 0 }
    let count = min(buffer.byteCount, max(0, bytes.count - start))
    for index in 0..<count { buffer.storeBytes(of: bytes[start + index], toByteOffset: index, as: UInt8.self) }
    return count
  }
}
