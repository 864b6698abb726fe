/// Reads a source through a window, so that neighbouring small reads take one system call and media is skipped without
/// reading it.
package struct ByteWindow {
  package let source: any ByteSource
  /// The bytes in the window. Tables may still refer to them when the window moves; then the window gets a new array.
  private var bytes: [UInt8] = []
  private var start = 0
  /// The minimum number of bytes per read.
  private var readAhead: Int
  /// The minimum number of bytes per read, initially.
  private let firstReadAhead: Int
  /// The end of the latest slice.
  private var reached = 0
  /// How many bytes of the window were requested or are in gaps too small to be worth skipping.
  private var used = 0
  /// The total number of bytes that were read, moved or searched, with repetitions. Tests use it to measure the cost of
  /// a file.
  package var handled = 0

  /// The number of bytes per read where boxes are close together.
  private static let readAheadLimit = 64 << 10
  /// Appended when the window grows: arrays are appended in one step, repeated elements one by one in a debug build.
  private static let zeros = [UInt8](repeating: 0, count: 4096)
  /// Skipping a smaller gap costs more than reading it.
  private static let smallGap = 4096

  package init(_ source: any ByteSource, readAhead: Int = 4096) {
    self.source = source
    self.readAhead = readAhead
    firstReadAhead = readAhead
  }

  /// `count` bytes from `offset`; fewer only at the end of the source.
  package mutating func slice(at offset: Int, count: Int) throws(IOError) -> ArraySlice<UInt8> {
    bytes[try load(at: offset, count: count)]
  }

  /// Like `slice`, for bytes that are not kept. It avoids reference counting, which is noticeable because every header
  /// is read.
  @_lifetime(&self)
  package mutating func look(at offset: Int, count: Int) throws(IOError) -> RawSpan {
    let range = try load(at: offset, count: count)
    return unsafe bytes.span.bytes.extracting(range)
  }

  /// Makes sure that `count` bytes from `offset` are in the window, and returns their position in it.
  @inline(__always)
  private mutating func load(at offset: Int, count: Int) throws(IOError) -> Range<Int> {
    let gap = offset - reached
    if offset < start || offset + count > start + bytes.count {
      try move(to: offset, count: count, gap)
    } else if gap + count > 0 {
      used += gap < Self.smallGap ? gap + count : count
    }
    reached = max(reached, offset + count)
    let from = min(offset - start, bytes.count)
    return from..<min(from + count, bytes.count)
  }

  private mutating func move(to offset: Int, count: Int, _ gap: Int) throws(IOError) {
    adapt(gap)
    used = count
    try fill(at: offset, count: max(count, readAhead))
  }

  /// Reads farther ahead if most of the read bytes were used, and no more than needed if they were not.
  private mutating func adapt(_ gap: Int) {
    let isUseful = abs(gap) < Self.smallGap && used * 2 >= bytes.count
    readAhead = isUseful ? min(readAhead * 2, max(Self.readAheadLimit, firstReadAhead)) : firstReadAhead
  }

  /// Makes sure that the range can be accessed without another read.
  package mutating func prefetch(_ range: Range<Int>) throws(IOError) {
    _ = try load(at: range.lowerBound, count: range.count)
  }

  /// Reads a source of unknown size to its end, and returns the end.
  package mutating func end(from offset: Int) throws(IOError) -> Int {
    var at = offset
    while true {
      let count = try slice(at: at, count: 1 << 16).count
      if count == 0 { return at }
      at += count
    }
  }

  private mutating func fill(at offset: Int, count: Int) throws(IOError) {
    // Bytes in the window are not read again, because a pipe cannot seek back.
    let isKept = offset >= start && offset < start + bytes.count
    var kept = isKept ? start + bytes.count - offset : 0
    var (offset, count) = (offset, count)
    if kept > Self.readAheadLimit, offset - start < kept {
      // Moving this many bytes for a few new ones would be wasteful, so the following bytes are kept too.
      count += offset - start
      (offset, kept) = (start, bytes.count)
    }
    // Moved out of the window, so that the array has one owner and is not copied.
    var fresh: [UInt8] = []
    swap(&fresh, &bytes)
    if fresh.count > kept, fresh.capacity > 4 * Self.readAheadLimit {
      // Releases a large payload that was read through the window.
      fresh = Array(fresh.suffix(kept))
    } else {
      if fresh.count > kept { handled &+= kept }
      fresh.removeFirst(fresh.count - kept)
    }
    start = offset
    // A count from a file is not trusted until the bytes have been read.
    var step = source.byteCount.map { max(0, min(count, $0 - offset) - kept) } ?? min(count - kept, 1 << 16)
    while fresh.count < count, step > 0 {
      let have = fresh.count
      // Otherwise, a large payload would be moved each time that the array grows.
      fresh.reserveCapacity(have + step)
      while fresh.count < have + step {
        fresh.append(contentsOf: Self.zeros.prefix(have + step - fresh.count))
      }
      var span = fresh.mutableSpan
      var raw = unsafe span.mutableBytes
      var target = raw._mutatingExtracting(have..<(have + step))
      let read = try source.readOn(at: offset + have, into: &target)
      handled &+= read
      fresh.removeLast(step - read)
      if read < step { break }
      step = min(count - fresh.count, max(step, fresh.count))
    }
    bytes = fresh
  }
}
