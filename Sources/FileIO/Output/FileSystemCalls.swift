package import Platform

/// What a file system can do by itself with the bytes of files. Tests replace it by what they need.
package struct FileSystemCalls: Sendable {
  /// Lets the file that is written share the blocks of a source, from an offset on; fails where it cannot.
  package var share:
    @Sendable (_ range: Range<Int>, _ source: Descriptor, _ output: Descriptor, _ offset: Int)
      throws(Errno) -> Void
  /// Copies bytes to the position of the file that is written; returns how many, 0 where it cannot.
  package var copy: @Sendable (_ offset: Int, _ count: Int, _ source: Descriptor, _ output: Descriptor) -> Int
  /// Allocates blocks, also after the end of the file; fails where it cannot.
  package var reserve: @Sendable (_ range: Range<Int>, _ output: Descriptor) throws(Errno) -> Void
  /// The number of bytes that it prefers to transfer at once.
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

  /// Those of the system.
  package static let system = FileSystemCalls(
    share: { range, source, output, offset throws(Errno) in try output.share(range, of: source, at: offset) },
    copy: { offset, count, source, output in output.copyByKernel(from: source, at: offset, count: count) },
    reserve: { range, output throws(Errno) in try output.reserve(range) },
    transferSize: { (try? FileStatus(of: $0))?.transferSize ?? 4096 })
}
