import MP4Bytes

/// The same bytes several times, one after another, for samples with the same content: each has its own place, so that
/// each can be encrypted with its own initialization vector.
final class RepeatedBytes: ByteSource {
  let name: String
  private let bytes: [UInt8]
  private let end: Int
  var byteCount: Int? { end }

  init(_ bytes: [UInt8], count: Int, name: String) {
    (self.bytes, self.name) = (bytes, name)
    let (end, overflow) = bytes.count.multipliedReportingOverflow(by: count)
    self.end = overflow ? .max : end
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max(end - offset, 0))
    var position = 0
    while position < count {
      let start = (offset + position) % bytes.count
      let part = bytes[start...].prefix(count - position)
      buffer.replace(from: position, with: part)
      position += part.count
    }
    return count
  }
}
