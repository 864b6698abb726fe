import Bytes
import Platform

/// Copies a range of a source to an output: by the kernel from file to file, otherwise by reading and writing.
struct RangeCopier {
  private static let bufferCount = 1 << 20
  private let output: FileWriter

  init(to output: FileWriter) { self.output = output }

  /// Copies all of `range`; a source that ends early is an error.
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var rest = range
    if Descriptor.copiesByKernel, output.isRegular, let file = source as? FileSource {
      rest = try copyByKernel(range, of: file)
    }
    if !rest.isEmpty { try copyPlainly(rest, of: source, partOf: range) }
  }

  /// Copies as much of `range` as the kernel supports, and returns the rest.
  private func copyByKernel(_ range: Range<Int>, of source: FileSource) throws(IOError) -> Range<Int> {
    var input = source.base + range.lowerBound
    let end = source.base + range.upperBound
    // One call may copy up to 2 GiB, which is long to wait for the next report of progress.
    let step = output.onProgress == nil ? 1 << 30 : 2 * FileWriter.progressStep
    while input < end {
      output.calls.kernelCopies += 1
      let count = output.descriptor.copyByKernel(
        from: source.descriptor, at: &input, count: min(end - input, step))
      if count == 0 { break }
      try output.advance(by: count)
    }
    return input - source.base..<range.upperBound
  }

  /// Copies `rest`, the rest of `range`, through a buffer.
  private func copyPlainly(
    _ rest: Range<Int>, of source: any ByteSource, partOf range: Range<Int>
  ) throws(IOError) {
    let buffer = ByteBuffer(count: min(rest.count, RangeCopier.bufferCount))
    var offset = rest.lowerBound
    while offset < rest.upperBound {
      let wanted = min(rest.upperBound - offset, buffer.count)
      output.calls.reads += 1
      let count = try buffer.fill(0..<wanted, from: source, at: offset)
      try unsafe output.write(buffer[0..<count])
      offset += count
      if count < wanted { throw IOError(endOf: source, at: offset, copying: range) }
    }
  }
}
