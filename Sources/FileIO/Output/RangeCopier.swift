import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Copies a range of a source to an outlet: by the kernel from file to file, else by reading and writing.
struct RangeCopier {
  private static let bufferCount = 1 << 20
  private let outlet: Outlet

  init(to outlet: Outlet) { self.outlet = outlet }

  /// Copies all of `range`; a source that ends before is an error.
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var rest = range
    #if os(Linux)
      if outlet.isRegular, let file = source as? FileSource {
        rest = try copyByKernel(range, of: file)
      }
    #endif
    if !rest.isEmpty { try copyPlainly(rest, of: source, partOf: range) }
  }

  #if os(Linux)
    /// Copies as much of `range` as the kernel does, and returns the rest.
    ///
    /// Whatever the reason that it does not go on, the plain copy goes on from there or finds the error: another file
    /// system (EXDEV), an output opened for appending (EBADF), a file system that cannot (EINVAL, EOPNOTSUPP), an old
    /// kernel (ENOSYS), a source that ended, a full disk.
    private func copyByKernel(_ range: Range<Int>, of source: FileSource) throws(IOError) -> Range<Int> {
      var input = Int64(source.base + range.lowerBound)
      let end = Int64(source.base + range.upperBound)
      // One call may copy up to 2 GiB, which is long to wait for the next report of progress.
      let step = outlet.onProgress == nil ? 1 << 30 : 2 * Outlet.progressStep
      while input < end {
        let wanted = min(Int(end - input), step)
        outlet.calls.kernelCopies += 1
        let count = uninterrupted {
          unsafe copy_file_range(source.descriptor.number, &input, outlet.descriptor.number, nil, wanted, 0)
        }
        if count <= 0 { break }
        try outlet.advance(by: count)
      }
      return Int(input) - source.base..<range.upperBound
    }
  #endif

  /// Copies `rest`, what is left of `range`, through a buffer.
  private func copyPlainly(
    _ rest: Range<Int>, of source: any ByteSource, partOf range: Range<Int>
  ) throws(IOError) {
    let buffer = ByteBuffer(count: min(rest.count, RangeCopier.bufferCount))
    var offset = rest.lowerBound
    while offset < rest.upperBound {
      let wanted = min(rest.upperBound - offset, buffer.count)
      outlet.calls.reads += 1
      let count = try buffer.fill(0..<wanted, from: source, at: offset)
      try unsafe outlet.write(buffer[0..<count])
      offset += count
      if count < wanted { throw IOError(endOf: source, at: offset, copying: range) }
    }
  }
}
