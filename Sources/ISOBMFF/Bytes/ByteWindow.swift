/// Reads a source through a window, so that neighbouring small reads are one system call and media is skipped unread.
package struct ByteWindow {
  package let source: any ByteSource
  /// The bytes at hand. A window that moves gets a new array, so that tables that refer to the old one stay right.
  private var bytes: [UInt8] = []
  private var start = 0
  /// How much is read at least.
  private let readAhead: Int

  package init(_ source: any ByteSource, readAhead: Int = 4096) {
    self.source = source
    self.readAhead = readAhead
  }

  /// `count` bytes from `offset` on, fewer only where the source ends.
  package mutating func slice(at offset: Int, count: Int) throws(IOError) -> ArraySlice<UInt8> {
    if offset < start || offset + count > start + bytes.count {
      try fill(at: offset, count: max(count, readAhead))
    }
    let from = min(offset - start, bytes.count)
    return bytes[from..<min(from + count, bytes.count)]
  }

  /// Makes sure that what was asked for will need no other read.
  package mutating func prefetch(_ range: Range<Int>) throws(IOError) {
    _ = try slice(at: range.lowerBound, count: range.count)
  }

  /// Reads a source whose size is not known to its end, and returns where that is.
  package mutating func end(from offset: Int) throws(IOError) -> Int {
    var at = offset
    while true {
      let count = try slice(at: at, count: 1 << 16).count
      if count == 0 { return at }
      at += count
    }
  }

  private mutating func fill(at offset: Int, count: Int) throws(IOError) {
    // What the window has already is not read again: a pipe could not.
    let kept = offset >= start && offset < start + bytes.count ? Array(bytes[(offset - start)...]) : []
    var fresh = kept
    // A count from a file is not believed before the bytes are there.
    var step = source.byteCount.map { max(0, min(count, $0 - offset) - kept.count) } ?? min(count - kept.count, 1 << 16)
    while fresh.count < count, step > 0 {
      let have = fresh.count
      fresh.append(contentsOf: repeatElement(0, count: step))
      var span = fresh.mutableSpan
      var raw = unsafe span.mutableBytes
      var target = raw._mutatingExtracting(have..<(have + step))
      let read = try source.read(at: offset + have, into: &target)
      fresh.removeLast(step - read)
      if read < step { break }
      step = min(count - fresh.count, max(step, fresh.count))
    }
    bytes = fresh
    start = offset
  }
}
