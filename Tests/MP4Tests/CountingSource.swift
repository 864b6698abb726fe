import MP4Bytes

/// Bytes in memory. Counts how often and how much is read.
final class CountingSource: ByteSource, @unchecked Sendable {
  let name = "counting"
  private(set) var callCount = 0
  private(set) var byteTotal = 0
  private let source: MemorySource
  var byteCount: Int? { source.byteCount }

  init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = try source.read(at: offset, into: &buffer)
    callCount += 1
    byteTotal += count
    return count
  }
}
