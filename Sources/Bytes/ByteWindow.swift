/// Reads a source through a window, so that neighbouring small reads are one system call and media is skipped unread.
package struct ByteWindow {
  package let source: any ByteSource
  /// The bytes at hand. Tables may still refer to them when the window moves; then it gets a new array.
  private var bytes: [UInt8] = []
  private var start = 0
  /// How much is read at least.
  private var readAhead: Int
  /// How much is read at least where nothing else is known.
  private let firstReadAhead: Int
  /// Where the latest slice ends.
  private var reached = 0
  /// How many bytes of the window were asked for, or lie in gaps that are too small to be worth skipping.
  private var used = 0
  /// How many bytes were read, moved or searched so far, however often: by it, tests see what a file costs.
  package var handled = 0

  /// Where boxes lie close together, as many bytes are read at once.
  private static let readAheadLimit = 64 << 10
  /// What a window grows by: arrays are appended in one step, repeated elements one by one in a debug build.
  private static let zeros = [UInt8](repeating: 0, count: 4096)
  /// Skipping less than this costs more than reading it.
  private static let smallGap = 4096

  package init(_ source: any ByteSource, readAhead: Int = 4096) {
    self.source = source
    self.readAhead = readAhead
    firstReadAhead = readAhead
  }

  /// `count` bytes from `offset` on, fewer only where the source ends.
  package mutating func slice(at offset: Int, count: Int) throws(IOError) -> ArraySlice<UInt8> {
    bytes[try load(at: offset, count: count)]
  }

  /// As `slice`, for what is looked at and not kept: no reference is counted, which tells where every header is read.
  @_lifetime(&self)
  package mutating func look(at offset: Int, count: Int) throws(IOError) -> RawSpan {
    let range = try load(at: offset, count: count)
    return unsafe bytes.span.bytes.extracting(range)
  }

  /// Makes sure that `count` bytes from `offset` on are in the window, and returns where.
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

  /// Reads farther ahead when most of what was read was of use, and no more than needed when it was not.
  private mutating func adapt(_ gap: Int) {
    let isUseful = abs(gap) < Self.smallGap && used * 2 >= bytes.count
    readAhead = isUseful ? min(readAhead * 2, max(Self.readAheadLimit, firstReadAhead)) : firstReadAhead
  }

  /// Makes sure that what was asked for will need no other read.
  package mutating func prefetch(_ range: Range<Int>) throws(IOError) {
    _ = try load(at: range.lowerBound, count: range.count)
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
    let isKept = offset >= start && offset < start + bytes.count
    var kept = isKept ? start + bytes.count - offset : 0
    var (offset, count) = (offset, count)
    if kept > Self.readAheadLimit, offset - start < kept {
      // So much is not moved for a few bytes: what is after stays as well.
      count += offset - start
      (offset, kept) = (start, bytes.count)
    }
    // Taken out of the window meanwhile, so that there is one owner and nothing is copied.
    var fresh: [UInt8] = []
    swap(&fresh, &bytes)
    if fresh.count > kept, fresh.capacity > 4 * Self.readAheadLimit {
      // A large payload that was read through the window is let go of.
      fresh = Array(fresh.suffix(kept))
    } else {
      if fresh.count > kept { handled &+= kept }
      fresh.removeFirst(fresh.count - kept)
    }
    start = offset
    // A count from a file is not believed before the bytes are there.
    var step = source.byteCount.map { max(0, min(count, $0 - offset) - kept) } ?? min(count - kept, 1 << 16)
    while fresh.count < count, step > 0 {
      let have = fresh.count
      while fresh.count < have + step {
        fresh.append(contentsOf: Self.zeros.prefix(have + step - fresh.count))
      }
      var span = fresh.mutableSpan
      var raw = unsafe span.mutableBytes
      var target = raw._mutatingExtracting(have..<(have + step))
      let read = try source.read(at: offset + have, into: &target)
      handled &+= read
      fresh.removeLast(step - read)
      if read < step { break }
      step = min(count - fresh.count, max(step, fresh.count))
    }
    bytes = fresh
  }
}
