/// A number for each sample of a track, in blocks of 64 that each take as few bytes as their numbers need. Equal numbers in
/// a row take one block, however many there are.
///
/// Every block knows where it starts and the sum of all numbers before it, so that the number of a sample, the sum up to
/// it and the sample at which a sum is reached are found without going through the others.
struct PackedColumn: Sendable {
  private struct Block: Sendable {
    /// How many numbers are before it.
    var first: Int
    /// The sum of these.
    var sum: Int64
    /// What is added to the numbers that are stored; the number itself where all are equal.
    var base: Int64
    /// Where its numbers start in the array of their width.
    var start: UInt32
    var encoding: Encoding
  }
  private enum Encoding: UInt8 {
    case constant, bytes1, bytes2, bytes4, bytes8
    /// The base, but for some: a bit for each of these, and then their numbers.
    case sparse
  }
  /// The numbers in a block, unless all are equal.
  private static let size = 64

  private var blocks: [Block] = []
  private var bytes1: [UInt8] = []
  private var bytes2: [UInt16] = []
  private var bytes4: [UInt32] = []
  private var bytes8: [Int64] = []
  /// The numbers after the last block.
  private var tail: [Int64] = []
  /// How many numbers are in blocks, and their sum.
  private var blockCount = 0
  private var blockSum: Int64 = 0

  /// The number of numbers.
  var count: Int { blockCount + tail.count }
  var isEmpty: Bool { count == 0 }

  // MARK: Reading

  subscript(index: Int) -> Int64 {
    if index >= blockCount { return tail[index - blockCount] }
    let block = blocks[blockIndex(of: index)]
    return value(index - block.first, of: block)
  }

  /// The number at an index, and the index up to which the following ones are known to be equal to it.
  func run(at index: Int) -> (value: Int64, end: Int) {
    if index >= blockCount { return (tail[index - blockCount], index + 1) }
    let number = blockIndex(of: index)
    let block = blocks[number]
    if block.encoding == .constant { return (block.base, end(of: number)) }
    return (value(index - block.first, of: block), index + 1)
  }

  /// The number that all of these are; `nil` when they differ, and without any.
  func constant(in range: Range<Int>) -> Int64? {
    guard !range.isEmpty else { return nil }
    var (value, index) = run(at: range.lowerBound)
    while index < range.upperBound {
      let next = run(at: index)
      guard next.value == value else { return nil }
      (value, index) = next
    }
    return value
  }

  /// Calls `body` with each number of a range and how often it comes before the next one.
  func forEachRun(in range: Range<Int>, _ body: (Int64, Int) -> Void) {
    guard !range.isEmpty else { return }
    var (value, index) = run(at: range.lowerBound)
    var first = range.lowerBound
    while index < range.upperBound {
      let next = run(at: index)
      if next.value != value {
        body(value, index - first)
        (value, first) = (next.value, index)
      }
      index = next.end
    }
    body(value, range.upperBound - first)
  }

  /// The sum of the numbers before an index; it wraps around where it does not fit.
  func sum(before index: Int) -> Int64 {
    if index >= blockCount { return tail[..<(index - blockCount)].reduce(blockSum, &+) }
    let block = blocks[blockIndex(of: index)]
    let count = index - block.first
    if block.encoding == .constant { return block.sum &+ block.base &* Int64(count) }
    var sum = block.sum
    for number in 0..<count { sum = sum &+ value(number, of: block) }
    return sum
  }
  func sum(in range: Range<Int>) -> Int64 {
    range.count == 1 ? self[range.lowerBound] : sum(before: range.upperBound) &- sum(before: range.lowerBound)
  }

  /// The first index, up to `end`, at which the sum of it and all before is more than `target`, where no number is
  /// negative; and the sum before it.
  func index(whereSumExceeds target: Int64) -> (index: Int, sum: Int64) {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let end = middle + 1 < blocks.count ? blocks[middle + 1].sum : blockSum
      if end > target { high = middle } else { low = middle + 1 }
    }
    guard low < blocks.count else {
      var (index, sum) = (blockCount, blockSum)
      for value in tail {
        if sum &+ value > target { break }
        (index, sum) = (index + 1, sum &+ value)
      }
      return (index, sum)
    }
    let block = blocks[low]
    if block.encoding == .constant {
      let steps = block.base > 0 ? max(0, (target &- block.sum) / block.base) : 0
      return (block.first + Int(steps), block.sum &+ block.base &* steps)
    }
    var (number, sum) = (0, block.sum)
    while sum &+ value(number, of: block) <= target { (number, sum) = (number + 1, sum &+ value(number, of: block)) }
    return (block.first + number, sum)
  }

  /// The indices in a range whose numbers are not 0, in rising order.
  func forEachNonZero(in range: Range<Int>, _ body: (Int, Int64) -> Void) {
    var index = range.lowerBound
    while index < min(range.upperBound, blockCount) {
      let number = blockIndex(of: index)
      let block = blocks[number]
      let end = min(range.upperBound, end(of: number))
      if block.encoding == .sparse, block.base == 0 {
        var bits = UInt64(bitPattern: bytes8[Int(block.start)]) >> UInt64(index - block.first)
        while bits != 0 {
          index += bits.trailingZeroBitCount
          guard index < end else { break }
          body(index, value(index - block.first, of: block))
          index += 1
          bits =
            index - block.first < Self.size
            ? UInt64(bitPattern: bytes8[Int(block.start)]) >> UInt64(index - block.first) : 0
        }
      } else if block.encoding != .constant || block.base != 0 {
        for place in index..<end {
          let value = value(place - block.first, of: block)
          if value != 0 { body(place, value) }
        }
      }
      index = end
    }
    guard index < range.upperBound else { return }
    for place in index..<range.upperBound where tail[place - blockCount] != 0 { body(place, tail[place - blockCount]) }
  }

  private func end(of block: Int) -> Int { block + 1 < blocks.count ? blocks[block + 1].first : blockCount }

  /// The block of an index that is in one.
  private func blockIndex(of index: Int) -> Int {
    // Every block has 64 numbers or more, so that it is this one or one before it; mostly this one.
    var high = min(index / Self.size, blocks.count - 1)
    if blocks[high].first <= index { return high }
    var low = 0
    while low + 1 < high {
      let middle = (low + high) / 2
      if blocks[middle].first <= index { low = middle } else { high = middle }
    }
    return low
  }

  private func value(_ number: Int, of block: Block) -> Int64 {
    let place = Int(block.start) &+ number
    switch block.encoding {
    case .constant: return block.base
    case .bytes1: return block.base &+ Int64(bytes1[place])
    case .bytes2: return block.base &+ Int64(bytes2[place])
    case .bytes4: return block.base &+ Int64(bytes4[place])
    case .bytes8: return bytes8[place]
    case .sparse:
      let bits = UInt64(bitPattern: bytes8[Int(block.start)])
      guard bits >> UInt64(number) & 1 != 0 else { return block.base }
      return bytes8[Int(block.start) + 1 + (bits & (1 << UInt64(number) &- 1)).nonzeroBitCount]
    }
  }

  // MARK: Writing

  mutating func append(_ value: Int64) {
    if tail.isEmpty { tail.reserveCapacity(Self.size) }
    tail.append(value)
    if tail.count == Self.size { pack() }
  }

  mutating func append(_ value: Int64, count: Int) {
    var left = count
    while left > 0, !tail.isEmpty {
      append(value)
      left -= 1
    }
    if left >= Self.size {
      let whole = left / Self.size * Self.size
      addConstant(value, count: whole)
      left -= whole
    }
    for _ in 0..<left { append(value) }
  }

  /// Adds numbers of another column.
  mutating func append(_ other: PackedColumn, in range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let run = other.run(at: index)
      let end = min(run.end, range.upperBound)
      append(run.value, count: end - index)
      index = end
    }
  }

  /// Takes numbers away until there are so many.
  mutating func shorten(to count: Int) {
    while count < blockCount, let block = blocks.last {
      let end = blockCount
      tail = []
      if block.encoding == .constant {
        blocks.removeLast()
        (blockCount, blockSum) = (block.first, block.sum)
        append(block.base, count: max(0, count - block.first))
        continue
      }
      for number in 0..<(end - block.first) { tail.append(value(number, of: block)) }
      blocks.removeLast()
      (blockCount, blockSum) = (block.first, block.sum)
      let start = Int(block.start)
      switch block.encoding {
      case .constant: break
      case .bytes1: bytes1.removeSubrange(start...)
      case .bytes2: bytes2.removeSubrange(start...)
      case .bytes4: bytes4.removeSubrange(start...)
      case .bytes8, .sparse: bytes8.removeSubrange(start...)
      }
    }
    if count < self.count { tail.removeLast(self.count - count) }
  }

  private mutating func addConstant(_ value: Int64, count: Int) {
    if let last = blocks.last, last.encoding == .constant, last.base == value {
      // It goes on.
    } else {
      blocks.append(Block(first: blockCount, sum: blockSum, base: value, start: 0, encoding: .constant))
    }
    blockCount += count
    blockSum = blockSum &+ value &* Int64(count)
  }

  /// Makes a block of the tail, which is full.
  private mutating func pack() {
    let (least, greatest) = tail.reduce((Int64.max, Int64.min)) { (min($0.0, $1), max($0.1, $1)) }
    if least == greatest {
      addConstant(least, count: tail.count)
      return tail.removeAll(keepingCapacity: true)
    }
    let span = UInt64(bitPattern: greatest &- least)
    let width = span <= 0xff ? 1 : span <= 0xffff ? 2 : span <= 0xffff_ffff ? 4 : 8
    let usual = usualValue
    let others = tail.count { $0 != usual }
    var block = Block(first: blockCount, sum: blockSum, base: least, start: 0, encoding: .bytes1)
    if 8 * (others + 1) < Self.size * width {
      (block.base, block.encoding, block.start) = (usual, .sparse, UInt32(truncatingIfNeeded: bytes8.count))
      var bits: UInt64 = 0
      for (number, value) in tail.enumerated() where value != usual { bits |= 1 << UInt64(number) }
      bytes8.append(Int64(bitPattern: bits))
      for value in tail where value != usual { bytes8.append(value) }
    } else if width == 1 {
      block.start = UInt32(truncatingIfNeeded: bytes1.count)
      for value in tail { bytes1.append(UInt8(truncatingIfNeeded: value &- least)) }
    } else if width == 2 {
      (block.encoding, block.start) = (.bytes2, UInt32(truncatingIfNeeded: bytes2.count))
      for value in tail { bytes2.append(UInt16(truncatingIfNeeded: value &- least)) }
    } else if width == 4 {
      (block.encoding, block.start) = (.bytes4, UInt32(truncatingIfNeeded: bytes4.count))
      for value in tail { bytes4.append(UInt32(truncatingIfNeeded: value &- least)) }
    } else {
      (block.encoding, block.start) = (.bytes8, UInt32(truncatingIfNeeded: bytes8.count))
      bytes8 += tail
    }
    blocks.append(block)
    blockCount += tail.count
    blockSum = tail.reduce(blockSum, &+)
    tail.removeAll(keepingCapacity: true)
  }

  /// The number that more than half of the tail are, if there is one.
  private var usualValue: Int64 {
    var (value, votes) = (Int64(0), 0)
    for other in tail {
      if votes == 0 { value = other }
      votes += other == value ? 1 : -1
    }
    return value
  }
}
