import Bytes
import Platform

/// The number of calls of each kind, for tests.
package struct SystemCallCounts {
  package var kernelCopies = 0
  package var writes = 0
  package var reads = 0
}

/// Writes to one descriptor after another, counts the bytes and reports progress.
final class FileWriter {
  private(set) var descriptor: Descriptor
  private(set) var name: String
  /// Whether the kernel can copy to it, which it cannot to pipes and most devices.
  private(set) var isRegular: Bool
  /// The number of bytes written to the file.
  private(set) var written = 0
  /// The number of bytes in the previous files.
  private var writtenBefore = 0
  var calls = SystemCallCounts()
  /// Called with the number of bytes written so far; returns whether to continue.
  var onProgress: ((Int) -> Bool)?
  private var unreported = 0

  /// The minimum number of bytes between two reports of progress.
  static let progressStep = 4 << 20
  /// Creating a file costs at least as much as writing this number of bytes.
  private static let fileCost = 128 << 10

  init(_ descriptor: Descriptor, name: String) {
    self.descriptor = descriptor
    self.name = name
    isRegular = (try? FileStatus(of: descriptor))?.kind == .regular
  }

  /// Continues with a new file on a disk.
  func begin(_ file: Descriptor, name: String) throws(IOError) {
    descriptor = file
    self.name = name
    isRegular = true
    writtenBefore += written
    written = 0
    try work(FileWriter.fileCost)
  }

  /// The number of bytes written to this file and the previous ones.
  var total: Int { writtenBefore + written }

  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    var done = 0
    while done < bytes.count {
      calls.writes += 1
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try unsafe attempt(.write, name, offset: written, descriptor.writeNext(rest))
      done += count
      try advance(by: count)
    }
  }

  /// Counts bytes written to the file.
  func advance(by count: Int) throws(IOError) {
    written += count
    try work(count)
  }

  private func work(_ count: Int) throws(IOError) {
    unreported += count
    if unreported >= FileWriter.progressStep { try report() }
  }

  /// Reports progress and checks whether to continue.
  func report() throws(IOError) {
    unreported = 0
    if let onProgress, !onProgress(total) {
      throw IOError(.write, file: name, offset: written, .canceled, reason: "it was stopped")
    }
  }
}
