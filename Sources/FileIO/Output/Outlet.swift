import Bytes

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

/// The end of all writing: a descriptor, or one after the other, whose bytes are counted and whose progress is reported.
final class Outlet {
  private(set) var descriptor: Descriptor
  private(set) var name: String
  /// Whether the kernel may copy to it; it does not to pipes and most devices.
  private(set) var isRegular: Bool
  /// The number of bytes that reached the file.
  private(set) var written = 0
  /// The number of bytes in the files before.
  private var writtenBefore = 0
  var calls = SystemCallCounts()
  /// Called with the number of bytes written so far; returns whether to go on.
  var onProgress: ((Int) -> Bool)?
  private var unreported = 0

  /// How many bytes pass between two reports of progress at least.
  static let progressStep = 4 << 20
  /// A file of its own is at least as much work as so many bytes.
  private static let fileCost = 128 << 10

  init(_ descriptor: Descriptor, name: String) {
    self.descriptor = descriptor
    self.name = name
    isRegular = FileStatus(of: descriptor.number)?.kind == .regular
  }

  /// Goes on with a new file on a disk.
  func begin(_ file: Descriptor, name: String) throws(IOError) {
    descriptor = file
    self.name = name
    isRegular = true
    writtenBefore += written
    written = 0
    try work(Outlet.fileCost)
  }

  /// The number of bytes written to this file and those before.
  var total: Int { writtenBefore + written }

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
    try work(count)
  }

  private func work(_ count: Int) throws(IOError) {
    unreported += count
    if unreported >= Outlet.progressStep { try report() }
  }

  /// Reports the progress and asks whether to go on.
  func report() throws(IOError) {
    unreported = 0
    if let onProgress, !onProgress(total) {
      throw IOError(.write, file: name, offset: written, code: ECANCELED, reason: "it was stopped")
    }
  }
}
