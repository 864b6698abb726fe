internal import ISOBMFF

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many calls of each kind an output made, for the tests that watch them.
package struct SystemCallCounts {
  package var kernelCopies = 0
  package var writes = 0
  package var reads = 0
}

/// The end of all writing: a descriptor whose bytes are counted and whose progress is told.
final class Outlet {
  let descriptor: Descriptor
  let name: String
  /// Whether the kernel may copy to it; it does not to pipes and most devices.
  let isRegular: Bool
  /// The number of bytes that reached the file.
  private(set) var written = 0
  var calls = SystemCallCounts()
  /// Told the number of bytes written so far; returns whether to go on.
  var onProgress: ((Int) -> Bool)?
  private var reported = 0

  /// How many bytes pass between two reports of progress at least.
  static let progressStep = 4 << 20

  init(_ descriptor: Descriptor, name: String) {
    self.descriptor = descriptor
    self.name = name
    isRegular = FileStatus(of: descriptor.number)?.kind == .regular
  }

  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    var done = 0
    while done < bytes.count {
      calls.writes += 1
      guard let count = unsafe descriptor.writeNext(UnsafeRawBufferPointer(rebasing: bytes[done...])) else {
        throw IOError(.write, file: name, offset: written)
      }
      done += count
      try advance(by: count)
    }
  }

  /// Counts bytes that reached the file.
  func advance(by count: Int) throws(IOError) {
    written += count
    guard let onProgress, written - reported >= Outlet.progressStep else { return }
    reported = written
    if !onProgress(written) {
      throw IOError(.write, file: name, offset: written, code: ECANCELED, reason: "it was stopped")
    }
  }
}
