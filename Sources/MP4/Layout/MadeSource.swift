package import ISOBMFF

/// Bytes that were made and are in no file: written once, and then read.
package final class MadeSource: ByteSource, ByteSink {
  package let name: String
  package private(set) var bytes: [UInt8]
  package var byteCount: Int? { bytes.count }
  package var position: Int { bytes.count }

  /// A source of `bytes`, which messages call `name`.
  package init(_ bytes: [UInt8] = [], name: String) {
    self.bytes = bytes
    self.name = name
  }

  package func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max(0, bytes.count - offset))
    for index in 0..<count { buffer.storeBytes(of: bytes[offset + index], toByteOffset: index, as: UInt8.self) }
    return count
  }

  package func write(_ bytes: RawSpan) throws(IOError) {
    self.bytes.reserveCapacity(self.bytes.count + bytes.byteCount)
    for index in 0..<bytes.byteCount {
      self.bytes.append(bytes.bigEndian(at: index, as: UInt8.self) ?? 0)
    }
  }

  package func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var window = ByteWindow(source)
    let slice = try window.slice(at: range.lowerBound, count: range.count)
    guard slice.count == range.count else {
      throw IOError(.read, file: source.name, reason: "it ends before byte \(range.upperBound)")
    }
    bytes += slice
  }
}
