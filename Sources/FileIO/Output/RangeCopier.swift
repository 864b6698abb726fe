import MP4Bytes
import MP4Platform

/// Copies long ranges of sources to an output, in the fastest way that the file system supports.
///
/// 1. Blocks that a source and a new file can share are shared, if the range starts at the same offset in a block.
/// 2. A network file system copies the bytes on the server.
/// 3. Everything else is read and written through a buffer, into preallocated blocks. On a local disk this is faster
///    than a copy by the kernel, which also goes through the page cache and is only fast if the offsets within pages
///    match.
///
/// The calls themselves show what the file system supports. The bytes of the output never depend on it.
final class RangeCopier {
  /// Local file systems prefer transfers of a few blocks; network file systems prefer transfers of the maximum message
  /// size.
  private static let remoteTransferSize = 128 << 10
  /// The number of bytes that are shared per call; progress is reported between calls.
  private static let sharedCount = 256 << 20

  private let output: FileWriter
  private let buffer: ByteBuffer
  /// The last source that could not share its blocks with the output.
  private var unshared: FileSource?

  /// `buffer` is used for each copy and must be free then.
  init(to output: FileWriter, through buffer: ByteBuffer) {
    self.output = output
    self.buffer = buffer
  }

  /// Copies all of `range`; a source that ends early is an error.
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var start = range.lowerBound
    if output.isRegular, let file = source as? FileSource {
      let transferSize = output.system.transferSize(output.descriptor)
      start = try share(range, of: file, block: transferSize)
      if transferSize >= RangeCopier.remoteTransferSize || !output.reserve(range.upperBound - start) {
        start = try copyByKernel(start..<range.upperBound, of: file)
      }
    }
    try copyPlainly(start..<range.upperBound, of: source, partOf: range)
  }

  /// Shares the whole blocks of `range` if they are at the same offsets in the output, and copies the bytes before
  /// them; returns the start of the rest.
  private func share(_ range: Range<Int>, of source: FileSource, block: Int) throws(IOError) -> Int {
    let start = source.base + range.lowerBound
    guard output.isNew, source !== unshared, block > 0, (start - output.written) % block == 0 else {
      return range.lowerBound
    }
    let first = range.lowerBound + (block - start % block) % block
    let end = range.upperBound - (source.base + range.upperBound) % block
    guard first < end else { return range.lowerBound }
    try copyPlainly(range.lowerBound..<first, of: source, partOf: range)
    var offset = first
    while offset < end {
      let step = offset..<min(offset + RangeCopier.sharedCount, end)
      guard try output.share(source.base + step.lowerBound..<source.base + step.upperBound, of: source.descriptor)
      else {
        unshared = source
        break
      }
      offset = step.upperBound
    }
    return offset
  }

  /// Lets the kernel copy as much of `range` as it supports; returns the start of the rest.
  private func copyByKernel(_ range: Range<Int>, of source: FileSource) throws(IOError) -> Int {
    var offset = range.lowerBound
    // One call may copy up to 2 GiB, which takes too long between two progress reports.
    let step = output.onProgress == nil ? 1 << 30 : 2 * FileWriter.progressStep
    while offset < range.upperBound {
      output.calls.kernelCopies += 1
      let count = output.system.copy(
        source.base + offset, min(range.upperBound - offset, step), source.descriptor, output.descriptor)
      if count == 0 { break }
      offset += count
      try output.advance(by: count)
    }
    return offset
  }

  /// Copies `rest`, the rest of `range`, through the buffer.
  private func copyPlainly(
    _ rest: Range<Int>, of source: any ByteSource, partOf range: Range<Int>
  ) throws(IOError) {
    var offset = rest.lowerBound
    while offset < rest.upperBound {
      let wanted = min(rest.upperBound - offset, buffer.count)
      output.calls.reads += 1
      let count = try buffer.fill(0..<wanted, from: source, at: offset)
      try output.write([ByteBuffer.Part(buffer, 0..<count)])
      offset += count
      if count < wanted { throw IOError(endOf: source, at: offset, copying: range) }
    }
  }
}
