/// A number for each sample of a track, in blocks of 64 that each take as few bits as their numbers need. Equal numbers in
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
    /// Where its numbers start among the words.
    var start: UInt32
    /// How many bits each takes; none where all are equal.
    var width: UInt8
    /// Whether the words are a bit for each number that is not the base, and then these numbers.
    var isSparse = false
  }
  /// The numbers in a block, unless all are equal.
  private static let size = 64

  private var blocks: [Block] = []
  /// The numbers of blocks; in a word the first one has the lowest bits.
  private var words: [UInt64] = []
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
    if block.width == 0 { return (block.base, end(of: number)) }
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
    var (value, count) = (Int64(0), 0)
    forEachBlock(in: range) { values, all in
      for next in values {
        if next != value {
          if count > 0 { body(value, count) }
          (value, count) = (next, 0)
        }
        count += values.count == 1 ? all : 1
      }
    }
    if count > 0 { body(value, count) }
  }

  /// The first index of a range whose number is not that of `other`, counted from `start` there, as `meant` has it.
  func firstDifference(
    in range: Range<Int>, from other: PackedColumn, at start: Int, _ meant: (Int64) -> Int64 = { $0 }
  ) -> Int? {
    var (own, others, index) = (Reader(), Reader(), range.lowerBound)
    let shift = start - range.lowerBound
    while index < range.upperBound {
      if !own.range.contains(index) { own.unpack(self, at: index, upTo: range.upperBound) }
      if !others.range.contains(index + shift) {
        others.unpack(other, at: index + shift, upTo: range.upperBound + shift)
      }
      // Where both have one number for all, one comparison does.
      let isOne = own.values.count == 1 && others.values.count == 1
      let end = min(own.range.upperBound, others.range.upperBound - shift)
      for place in index..<(isOne ? index + 1 : end)
      where own.value(at: place, in: self) != meant(others.value(at: place + shift, in: other)) { return place }
      index = end
    }
    return nil
  }

  /// Calls `body` with the numbers of a range, those of one block after the other, and how many these are: one number
  /// stands for all of a block that has no other.
  func forEachBlock(in range: Range<Int>, _ body: (borrowing [Int64], Int) -> Void) {
    var (reader, index) = (Reader(), range.lowerBound)
    while index < range.upperBound {
      reader.unpack(self, at: index, upTo: range.upperBound)
      body(reader.values, reader.range.count)
      index = reader.range.upperBound
    }
  }

  /// Looks numbers up that are near each other: a block is unpacked once.
  struct Reader: Sendable {
    /// Which numbers these are; where there is one, all of them are equal to it.
    private(set) var range = 0..<0
    private(set) var values: [Int64] = []

    /// The number of a column, which has to be the same each time, at an index.
    mutating func value(at index: Int, in column: borrowing PackedColumn) -> Int64 {
      if !range.contains(index) { unpack(column, at: index, upTo: .max) }
      return values[values.count == 1 ? 0 : index - range.lowerBound]
    }

    /// Takes the numbers from `index` to the end of its block, or to `end`.
    mutating func unpack(_ column: borrowing PackedColumn, at index: Int, upTo end: Int) {
      values.removeAll(keepingCapacity: true)
      if index >= column.blockCount {
        range = index..<min(end, column.count)
        values += column.tail[(index - column.blockCount)..<(range.upperBound - column.blockCount)]
      } else {
        let number = column.blockIndex(of: index)
        let block = column.blocks[number]
        range = index..<min(end, column.end(of: number))
        column.unpack((index - block.first)..<(range.upperBound - block.first), of: block, into: &values)
      }
    }
  }

  /// Adds numbers of a block, or the one that all of them are.
  private func unpack(_ numbers: Range<Int>, of block: Block, into values: inout [Int64]) {
    if block.width == 0 { return values.append(block.base) }
    values.reserveCapacity(Self.size)
    forEach(numbers, of: block) { values.append($0) }
  }

  /// Calls `body` with numbers of a block.
  @inline(__always)
  private func forEach(_ numbers: Range<Int>, of block: Block, _ body: (Int64) -> Void) {
    let (start, width) = (Int(block.start), Int(block.width))
    if width == 0 || block.isSparse { return numbers.forEach { body(value($0, of: block)) } }
    let (span, mask) = (words.span, UInt64.max >> UInt64(64 - width))
    for number in numbers {
      let bit = number &* width
      body(block.base &+ Int64(bitPattern: span[start &+ bit >> 6] >> UInt64(bit & 63) & mask))
    }
  }

  /// The sum of the numbers before an index; it wraps around where it does not fit.
  func sum(before index: Int) -> Int64 {
    if index >= blockCount { return tail[..<(index - blockCount)].reduce(blockSum, &+) }
    let block = blocks[blockIndex(of: index)]
    let count = index - block.first
    if block.width == 0 { return block.sum &+ block.base &* Int64(count) }
    var sum = block.sum
    forEach(0..<count, of: block) { sum = sum &+ $0 }
    return sum
  }
  func sum(in range: Range<Int>) -> Int64 {
    if range.lowerBound >= blockCount {
      return tail[(range.lowerBound - blockCount)..<(range.upperBound - blockCount)].reduce(0, &+)
    }
    let number = blockIndex(of: range.lowerBound)
    guard range.upperBound <= end(of: number) else {
      return sum(before: range.upperBound) &- sum(before: range.lowerBound)
    }
    let block = blocks[number]
    if block.width == 0 { return block.base &* Int64(range.count) }
    var sum: Int64 = 0
    forEach((range.lowerBound - block.first)..<(range.upperBound - block.first), of: block) { sum = sum &+ $0 }
    return sum
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
    if block.width == 0 {
      let steps = block.base > 0 ? max(0, (target &- block.sum) / block.base) : 0
      return (block.first + Int(steps), block.sum &+ block.base &* steps)
    }
    var (number, sum) = (0, block.sum)
    while case let next = sum &+ value(number, of: block), next <= target { (number, sum) = (number + 1, next) }
    return (block.first + number, sum)
  }

  /// The indices in a range whose numbers are not 0, in rising order.
  func forEachNonZero(in range: Range<Int>, _ body: (Int, Int64) -> Void) {
    var index = range.lowerBound
    while index < min(range.upperBound, blockCount) {
      let number = blockIndex(of: index)
      let block = blocks[number]
      let end = min(range.upperBound, end(of: number))
      if block.isSparse, block.base == 0 {
        var bits = words[Int(block.start)] >> UInt64(index - block.first)
        while bits != 0 {
          index += bits.trailingZeroBitCount
          guard index < end else { break }
          body(index, value(index - block.first, of: block))
          index += 1
          bits = index - block.first < Self.size ? words[Int(block.start)] >> UInt64(index - block.first) : 0
        }
      } else if block.width > 0 || block.base != 0 {
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
    let start = Int(block.start)
    if block.isSparse {
      let bits = words[start]
      guard bits >> UInt64(number) & 1 != 0 else { return block.base }
      return Int64(bitPattern: words[start + 1 + (bits & (1 << UInt64(number) &- 1)).nonzeroBitCount])
    }
    if block.width == 0 { return block.base }
    let (bit, mask) = (number * Int(block.width), UInt64.max >> UInt64(64 - block.width))
    return block.base &+ Int64(bitPattern: words[start + bit / 64] >> UInt64(bit % 64) & mask)
  }

  // MARK: Writing

  mutating func append(_ value: Int64) {
    if tail.isEmpty { tail.reserveCapacity(Self.size) }
    tail.append(value)
    if tail.count == Self.size { pack() }
  }

  mutating func append(_ value: Int64, count: Int) {
    guard count > 0 else { return }
    var left = count
    if !tail.isEmpty {
      let part = min(left, Self.size - tail.count)
      tail.append(contentsOf: repeatElement(value, count: part))
      left -= part
      if tail.count == Self.size { pack() }
    }
    if left >= Self.size {
      let whole = left / Self.size * Self.size
      addConstant(value, count: whole)
      left -= whole
    }
    guard left > 0 else { return }
    if tail.isEmpty { tail.reserveCapacity(Self.size) }
    tail.append(contentsOf: repeatElement(value, count: left))
  }

  /// Adds one number after the other.
  mutating func append<Values: RandomAccessCollection>(contentsOf values: Values) where Values.Element: BinaryInteger {
    if tail.isEmpty { tail.reserveCapacity(Self.size) }
    var left = values[...]
    while !left.isEmpty {
      let part = left.prefix(Self.size - tail.count)
      tail.append(contentsOf: part.lazy.map { Int64(truncatingIfNeeded: $0) })
      left = left.dropFirst(part.count)
      if tail.count == Self.size { pack() }
    }
  }

  /// Adds numbers of another column.
  mutating func append(_ other: PackedColumn, in range: Range<Int>) {
    other.forEachBlock(in: range) { values, count in
      if values.count == 1 { append(values[0], count: count) } else { append(contentsOf: values) }
    }
  }

  /// Takes numbers away until there are so many.
  mutating func shorten(to count: Int) {
    while count < blockCount, let block = blocks.last {
      let end = blockCount
      tail = []
      if block.width == 0 {
        blocks.removeLast()
        (blockCount, blockSum) = (block.first, block.sum)
        append(block.base, count: max(0, count - block.first))
        continue
      }
      for number in 0..<(end - block.first) { tail.append(value(number, of: block)) }
      blocks.removeLast()
      (blockCount, blockSum) = (block.first, block.sum)
      words.removeSubrange(Int(block.start)...)
    }
    if count < self.count { tail.removeLast(self.count - count) }
  }

  private mutating func addConstant(_ value: Int64, count: Int) {
    if let last = blocks.last, last.width == 0, last.base == value {
      // It goes on.
    } else {
      blocks.append(Block(first: blockCount, sum: blockSum, base: value, start: 0, width: 0))
    }
    blockCount += count
    blockSum = blockSum &+ value &* Int64(count)
  }

  /// Makes a block of the tail, which is full.
  private mutating func pack() {
    var (least, greatest, sum) = (tail[0], tail[0], Int64(0))
    for value in tail { (least, greatest, sum) = (min(least, value), max(greatest, value), sum &+ value) }
    if least == greatest {
      addConstant(least, count: tail.count)
      return tail.removeAll(keepingCapacity: true)
    }
    // The number that more than half of them are, if there is one.
    var (usual, votes) = (Int64(0), 0)
    for value in tail {
      if votes == 0 { usual = value }
      votes += value == usual ? 1 : -1
    }
    // A power of two, so that no number is in two words.
    let bits = 64 - UInt64(bitPattern: greatest &- least).leadingZeroBitCount
    let width = bits <= 1 ? 1 : 1 << (Int.bitWidth - (bits - 1).leadingZeroBitCount)
    // A number that so many of them are has more votes; then the others need not be counted.
    let others = votes + 2 * width < tail.count ? tail.count : tail.count { $0 != usual }
    let start = UInt32(truncatingIfNeeded: words.count)
    // As many words as a number has bits.
    if others + 1 < width {
      blocks.append(
        Block(first: blockCount, sum: blockSum, base: usual, start: start, width: UInt8(width), isSparse: true))
      var marks: UInt64 = 0
      for (number, value) in tail.enumerated() where value != usual { marks |= 1 << UInt64(number) }
      words.append(marks)
      for value in tail where value != usual { words.append(UInt64(bitPattern: value)) }
    } else {
      blocks.append(Block(first: blockCount, sum: blockSum, base: least, start: start, width: UInt8(width)))
      var (word, bit) = (UInt64(0), 0)
      for value in tail {
        word |= UInt64(bitPattern: value &- least) << UInt64(bit)
        bit += width
        if bit == 64 {
          words.append(word)
          (word, bit) = (0, 0)
        }
      }
    }
    blockCount += tail.count
    blockSum = blockSum &+ sum
    tail.removeAll(keepingCapacity: true)
  }
}
