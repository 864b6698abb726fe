import ISOBMFF
import MP4Bytes

/// Parses boxes from bytes that arrive in small pieces, for example from a recorder that is still writing.
///
/// Boxes with structure are delivered when they are complete. The bytes of others, such as media data, are delivered as
/// they arrive. No read-ahead is necessary: a box is complete with its last byte.
struct IncrementalBoxParser {
  enum Event {
    /// A complete box.
    case box(BoxHeader, [UInt8])
    /// The start of a box whose bytes follow, including its header.
    case began(BoxHeader)
    case bytes(ArraySlice<UInt8>)
    /// The end of the box, which may be premature.
    case ended(BoxHeader, BoxError?)
    /// An incomplete box, which is omitted.
    case damaged(BoxHeader, BoxError)
    /// Bytes that are not a box.
    case notBoxes(Range<Int>)
  }
  private enum State {
    case betweenBoxes
    /// In a box that is delivered when it is complete.
    case holding(BoxHeader)
    /// In a box whose bytes are delivered as they arrive.
    case passing(BoxHeader)
    /// In bytes that are not a box, which start at this offset.
    case lost(Int)
  }

  /// The received bytes; those from `start` on were not delivered yet.
  private var buffer: [UInt8] = []
  private var start = 0
  private var state = State.betweenBoxes
  /// The end of the part of the current box that was searched for the start of another one.
  private var searched = 0
  /// The file offset of the next byte that is delivered.
  private(set) var offset = 0
  /// Whether the input has ended.
  private var isComplete = false
  /// The end of the samples of the current fragment. Media data may end here even if its header declares a larger size.
  var expectedEnd: Int?

  private var available: Int { buffer.count - start }
  /// The offset of the next box; `nil` at the end.
  var nextOffset: Int? { isComplete && available == 0 ? nil : offset }

  /// Appends bytes of the file.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }
  /// Marks the end of the bytes.
  mutating func complete() { isComplete = true }
  /// Starts another file.
  mutating func beginFile() { self = IncrementalBoxParser() }

  /// The next element, or `nil` if more bytes are necessary.
  mutating func next() -> Event? {
    while true {
      switch state {
      case .betweenBoxes:
        let header = nextHeader
        if header == nil, available == 0 || !isComplete { return nil }
        guard let header, header.isPlausible(buffer[start...]) else {
          state = .lost(offset)
          searched = offset + 1
          continue
        }
        searched = offset + header.headerSize
        if header.isHeld {
          state = .holding(header)
        } else {
          state = .passing(header)
          return .began(header)
        }
      case .holding(let header): return hold(header)
      case .passing(let header): return pass(header)
      case .lost(let first): return find(from: first)
      }
    }
  }

  /// The header of the next box, if it is complete.
  private var nextHeader: BoxHeader? {
    guard var header = BoxHeader(buffer[start..<(start + min(32, available))], at: offset) else { return nil }
    // This is larger than any box, and sums cannot overflow.
    let most = UInt64(Int.max / 4)
    header.size = Int(header.form == .toEnd ? most : min(header.declaredSize, most))
    return header
  }

  /// Delivers a box when it is complete.
  private mutating func hold(_ header: BoxHeader) -> Event? {
    let isWhole = available >= header.size
    if let other = search(upTo: offset + min(available, header.size), isLast: isWhole || isComplete) {
      let error = cutOff(header, at: other)
      drop(other - offset)
      state = .betweenBoxes
      return .damaged(header, error)
    }
    if isWhole {
      state = .betweenBoxes
      return .box(header, Array(take(header.size)))
    }
    guard isComplete else { return nil }
    let error = cutOff(header, at: offset + available)
    drop(available)
    state = .betweenBoxes
    return .damaged(header, error)
  }

  /// Delivers the available bytes of a box.
  private mutating func pass(_ header: BoxHeader) -> Event? {
    let end = header.offset + header.size
    if offset == end {
      state = .betweenBoxes
      return .ended(header, nil)
    }
    if offset == expectedEnd, offset < end {
      guard available >= BoxHeader.beginningSize || isComplete else { return nil }
      expectedEnd = nil
      if BoxHeader.beginsFragment(buffer[start...]) || (available == 0 && isComplete && header.form == .toEnd) {
        state = .betweenBoxes
        return .ended(header, header.form == .toEnd ? nil : cutOff(header, at: offset))
      }
    }
    let stop = expectedEnd.map { $0 > offset ? min(end, $0) : end } ?? end
    let reach = min(stop, offset + available)
    let isLast = reach == stop || isComplete
    if header.type == "mdat", let other = search(upTo: reach, isLast: isLast) {
      if other > offset { return .bytes(take(other - offset)) }
      state = .betweenBoxes
      return .ended(header, cutOff(header, at: offset))
    }
    // Bytes that could be an incomplete start of a fragment are not delivered yet.
    let count = isLast ? reach - offset : max(0, reach - offset - BoxHeader.longestBeginning)
    if count > 0 { return .bytes(take(count)) }
    guard isComplete else { return nil }
    state = .betweenBoxes
    return .ended(header, header.form == .toEnd ? nil : cutOff(header, at: offset))
  }

  /// Searches for the next box.
  private mutating func find(from first: Int) -> Event? {
    let end = offset + available
    if let other = search(upTo: end, isLast: isComplete) {
      drop(other - offset)
      state = .betweenBoxes
      return .notBoxes(first..<other)
    }
    drop(isComplete ? available : max(0, min(available, searched - offset)))
    guard isComplete else { return nil }
    state = .betweenBoxes
    return .notBoxes(first..<end)
  }

  /// The next start of a file or a fragment before `end`. No byte is searched twice.
  private mutating func search(upTo end: Int, isLast: Bool) -> Int? {
    let last = isLast ? end : end - BoxHeader.longestBeginning
    guard searched < last else { return nil }
    let bytes = buffer[start...]
    let found = BoxHeader.beginning(in: bytes.raw, from: searched - offset, to: last - offset)
    searched = found.map { offset + $0 } ?? last
    return found.map { offset + $0 }
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { drop(count) }
    return buffer[start..<(start + count)]
  }
  private mutating func drop(_ count: Int) {
    start += count
    offset += count
    searched = max(searched, offset)
  }

  private func cutOff(_ header: BoxHeader, at end: Int) -> BoxError {
    BoxError(.sizeTooLarge(header.declaredSize, left: end - header.offset), field: "size", offset: header.offset)
  }
}
