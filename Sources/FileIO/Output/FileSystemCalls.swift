package import MP4Platform

/// The operations that a file system can perform on its own. Tests replace them.
package struct FileSystemCalls: Sendable {
  /// Shares blocks of a source with the output from an offset on; fails if it cannot.
  package var share:
    @Sendable (_ range: Range<Int>, _ source: Descriptor, _ output: Descriptor, _ offset: Int)
      throws(Errno) -> Void
  /// Copies bytes to the current position of the output; returns their number, 0 if it cannot.
  package var copy: @Sendable (_ offset: Int, _ count: Int, _ source: Descriptor, _ output: Descriptor) -> Int
  /// Allocates blocks, including blocks after the end of the file; fails if it cannot.
  package var reserve: @Sendable (_ range: Range<Int>, _ output: Descriptor) throws(Errno) -> Void
  /// The preferred transfer size in bytes.
  package var transferSize: @Sendable (_ output: Descriptor) -> Int

  package init(
    share: @escaping @Sendable (Range<Int>, Descriptor, Descriptor, Int) throws(Errno) -> Void,
    copy: @escaping @Sendable (Int, Int, Descriptor, Descriptor) -> Int,
    reserve: @escaping @Sendable (Range<Int>, Descriptor) throws(Errno) -> Void,
    transferSize: @escaping @Sendable (Descriptor) -> Int
  ) {
    self.share = share
    self.copy = copy
    self.reserve = reserve
    self.transferSize = transferSize
  }

  /// The operations of the system.
  package static let system = FileSystemCalls(
    share: { range, source, output, offset throws(Errno) in try output.share(range, of: source, at: offset) },
    copy: { offset, count, source, output in output.copyByKernel(from: source, at: offset, count: count) },
    reserve: { range, output throws(Errno) in try output.reserve(range) },
    transferSize: { (try? FileStatus(of: $0))?.transferSize ?? 4096 })
}
