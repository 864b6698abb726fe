import MP4Bytes
import MP4Platform

/// The number of calls of each kind, for tests.
package struct SystemCallCounts {
  package var shares = 0
  package var kernelCopies = 0
  package var reservations = 0
  package var writes = 0
  package var reads = 0
  /// The number of bytes read ahead.
  package var bytesRead = 0
}

/// Writes to a sequence of descriptors, counts the bytes and reports progress.
final class FileWriter {
  private(set) var descriptor: Descriptor
  private(set) var name: String
  /// Whether the kernel can copy to it; it cannot copy to pipes and most devices.
  private(set) var isRegular: Bool
  /// Whether no other process uses the file, and writing started at its beginning.
  let isNew: Bool
  /// The expected size of the complete file in bytes, if known.
  var expectedCount: Int?
  let system: FileSystemCalls
  /// The number of bytes written to the file.
  private(set) var written = 0
  /// The end of the preallocated blocks.
  private var reserved = 0
  private var canReserve = true
  /// Whether blocks are shared with a source. The following blocks may be shared too and are therefore not
  /// preallocated.
  private var hasShared = false
  /// The number of bytes in the previous files.
  private var writtenBefore = 0
  var calls = SystemCallCounts()
  /// Called with the number of bytes written so far; returns whether to continue.
  var onProgress: ((Int) -> Bool)?
  private var unreported = 0

  /// The minimum number of bytes between two reports of progress.
  static let progressStep = 4 << 20
  /// Creating a file takes at least as long as writing this number of bytes.
  private static let fileCost = 128 << 10
  /// Preallocating fewer bytes takes longer than it saves.
  private static let reservedMinimum = 1 << 20

  init(_ descriptor: Descriptor, name: String, isNew: Bool, system: FileSystemCalls = .system) {
    self.descriptor = descriptor
    self.name = name
    self.isNew = isNew
    self.system = system
    isRegular = (try? FileStatus(of: descriptor))?.kind == .regular
  }

  /// Continues with a new file on a disk.
  func begin(_ file: Descriptor, name: String) throws(IOError) {
    descriptor = file
    self.name = name
    isRegular = true
    writtenBefore += written
    (written, reserved, hasShared) = (0, 0, false)
    try work(FileWriter.fileCost)
  }

  /// The number of bytes written to this file and the previous ones.
  var total: Int { writtenBefore + written }

  /// Writes all of `parts` in order.
  func write(_ parts: [ByteBuffer.Part]) throws(IOError) {
    var rest = parts[...]
    while let first = rest.first {
      if first.range.isEmpty {
        rest.removeFirst()
        continue
      }
      calls.writes += 1
      var count = try attempt(.write, name, offset: written, descriptor.writeNext(rest))
      try advance(by: count)
      while count > 0, let part = rest.first {
        let taken = min(count, part.range.count)
        count -= taken
        rest[rest.startIndex].range.removeFirst(taken)
        if rest[rest.startIndex].range.isEmpty { rest.removeFirst() }
      }
    }
  }

  /// Shares the blocks of `range` of `source` with the file; returns whether the file system could do so.
  func share(_ range: Range<Int>, of source: Descriptor) throws(IOError) -> Bool {
    calls.shares += 1
    do throws(Errno) { try system.share(range, source, descriptor, written) } catch { return false }
    hasShared = true
    try attempt(.write, name, descriptor.seek(to: written + range.count))
    try advance(by: range.count)
    return true
  }

  /// Preallocates blocks for the next `count` bytes of a new file, or for all expected bytes. Returns whether the file
  /// system supports that.
  ///
  /// If the disk has no room for them, the error occurs when they are written.
  func reserve(_ count: Int) -> Bool {
    let end = max(written + count, hasShared ? 0 : expectedCount ?? 0)
    let start = max(written, reserved)
    guard isNew, canReserve, end - start >= FileWriter.reservedMinimum else { return canReserve }
    calls.reservations += 1
    do throws(Errno) { try system.reserve(start..<end, descriptor) } catch { canReserve = false }
    reserved = end
    return canReserve
  }

  /// Releases preallocated blocks that were not used.
  func finish() throws(IOError) {
    guard reserved > written else { return }
    try attempt(.write, name, offset: written, descriptor.truncate(to: written))
    reserved = written
  }

  /// Counts bytes written to the file.
  func advance(by count: Int) throws(IOError) {
    written += count
    try work(count)
  }

  private func work(_ count: Int) throws(IOError) {
    try Cancellation.check(.write, of: name)
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
