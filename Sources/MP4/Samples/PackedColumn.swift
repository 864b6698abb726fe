import MP4Bytes

/// A number for each sample of a track, in blocks of 64 that use as few bits as their numbers need. A run of equal
/// numbers of any length is one block.
///
/// Every block stores the index of its first number and the sum of all previous numbers. The number of a sample, the
/// sum up to it, and the sample at which a sum is reached are therefore found without reading the other blocks.
struct PackedColumn: Sendable {
  private struct Block: Sendable {
    /// The number of numbers before the block.
    var first: Int
    /// The sum of the numbers before the block.
    var sum: Int64
    /// The base that is added to the stored numbers; if all numbers are equal, the number itself.
    var base: Int64
    /// The index of the first word with its numbers.
    var start: UInt32
    /// The number of bits of each stored number; 0 if all are equal.
    var width: UInt8
    /// Whether the words consist of a bit mask of the numbers that differ from the base, followed by these numbers.
    var isSparse = false
  }
  /// The number of numbers in a block, unless all are equal.
  private static let size = 64

  private var blocks: [Block] = []
  /// The numbers of the blocks. The first number in a word has the lowest bits.
  private var words: [UInt64] = []
  /// The numbers after the last complete block, and their count. Memory for a block is allocated when the first number
  /// is added.
  private var tail: [Int64] = []
  private var tailCount = 0
  /// The count and the sum of the numbers in blocks.
  private var blockCount = 0
  private var blockSum: Int64 = 0

  /// The number of numbers.
  var count: Int { blockCount + tailCount }
  var isEmpty: Bool { count == 0 }

  // MARK: Reading

  subscript(index: Int) -> Int64 {
    if index >= blockCount { return tail[index - blockCount] }
    let block = blocks[blockIndex(of: index)]
    return value(index - block.first, of: block)
  }

  /// The number at an index, and an index up to which all following numbers are known to be equal.
  func run(at index: Int) -> (value: Int64, end: Int) {
    if index >= blockCount { return (tail[index - blockCount], index + 1) }
    let number = blockIndex(of: index)
    let block = blocks[number]
    if block.width == 0 { return (block.base, end(of: number)) }
    return (value(index - block.first, of: block), index + 1)
  }

  /// The value of all numbers in a range; `nil` if they differ or the range is empty.
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

  /// Calls `body` with each run of equal numbers in a range: the number and its count.
  func forEachRun(in range: Range<Int>, _ body: (Int64, Int) -> Void) {
    var (value, count) = (Int64(0), 0)
    forEachBlock(in: range) { values, all in
      for index in values.indices {
        if values[index] != value {
          if count > 0 { body(value, count) }
          (value, count) = (values[index], 0)
        }
        count += values.count == 1 ? all : 1
      }
    }
    if count > 0 { body(value, count) }
  }

  /// The first index in a range at which the number differs from that of `other`, whose range starts at `start`.
  /// `meant` converts the numbers of `other` before they are compared.
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
      // If both blocks have only one number, one comparison is sufficient.
      let isOne = own.values.count == 1 && others.values.count == 1
      let end = min(own.range.upperBound, others.range.upperBound - shift)
      for place in index..<(isOne ? index + 1 : end)
      where own.value(at: place, in: self) != meant(others.value(at: place + shift, in: other)) { return place }
      index = end
    }
    return nil
  }

  /// Calls `body` with the numbers of each block in a range and their count. A block of equal numbers is passed as one
  /// number.
  func forEachBlock(in range: Range<Int>, _ body: (Span<Int64>, Int) -> Void) {
    var (reader, index) = (Reader(), range.lowerBound)
    while index < range.upperBound {
      reader.unpack(self, at: index, upTo: range.upperBound)
      body(reader.values, reader.range.count)
      index = reader.range.upperBound
    }
  }

  /// Looks up numbers that are near each other, and unpacks each block once.
  struct Reader: Sendable {
    /// The indexes of the unpacked numbers.
    private(set) var range = 0..<0
    /// Memory for the numbers of a block.
    private var room: [Int64] = []
    private var isConstant = false

    /// The unpacked numbers; a single number if all are equal.
    var values: Span<Int64> {
      @_lifetime(borrow self) get { room.span.extracting(first: isConstant ? 1 : range.count) }
    }

    /// The number at an index of a column. All calls must pass the same column.
    mutating func value(at index: Int, in column: borrowing PackedColumn) -> Int64 {
      if !range.contains(index) { unpack(column, at: index, upTo: .max) }
      return room[isConstant ? 0 : index - range.lowerBound]
    }

    /// Unpacks the numbers from `index` to the end of its block, or to `end`.
    mutating func unpack(_ column: borrowing PackedColumn, at index: Int, upTo end: Int) {
      if room.isEmpty { room = Array(repeating: 0, count: PackedColumn.size) }
      isConstant = false
      if index >= column.blockCount {
        range = index..<min(end, column.count)
        for number in range { room[number - index] = column.tail[number - column.blockCount] }
      } else {
        let number = column.blockIndex(of: index)
        let block = column.blocks[number]
        range = index..<min(end, column.end(of: number))
        isConstant = block.width == 0
        column.unpack((index - block.first)..<(range.upperBound - block.first), of: block, into: &room)
      }
    }
  }

  /// Stores numbers of a block at the start of `values`; a single number if all are equal.
  private func unpack(_ numbers: Range<Int>, of block: Block, into values: inout [Int64]) {
    var target = values.mutableSpan
    if block.width > 0, !block.isSparse {
      return forEachStored(numbers, of: block) { target[$0 &- numbers.lowerBound] = block.base &+ $1 }
    }
    for index in 0..<(block.width == 0 ? 1 : numbers.count) { target[index] = block.base }
    if block.isSparse { forEachOther(numbers, of: block) { target[$0 &- numbers.lowerBound] = $1 } }
  }

  /// Calls `body` with the stored values of a dense block: the differences from the base.
  @inline(__always)
  private func forEachStored(_ numbers: Range<Int>, of block: Block, _ body: (Int, Int64) -> Void) {
    let (words, width) = (words.span, Int(block.width))
    let mask = UInt64.max &>> UInt64(64 &- width)
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      // The numbers in one word.
      let bit = number &* width
      var word = words[Int(block.start) &+ bit &>> 6] &>> UInt64(bit & 63)
      let end = min(numbers.upperBound, number &+ (64 &- bit & 63) &>> width.trailingZeroBitCount)
      while number < end {
        body(number, Int64(bitPattern: word & mask))
        word = word &>> UInt64(width & 63)
        number &+= 1
      }
    }
  }

  /// Calls `body` with the numbers of a sparse block that differ from the base.
  @inline(__always)
  private func forEachOther(_ numbers: Range<Int>, of block: Block, _ body: (Int, Int64) -> Void) {
    let marks = words[Int(block.start)]
    let before = ~(UInt64.max << UInt64(numbers.lowerBound))
    var left = marks & ~before & ~(UInt64.max << UInt64(numbers.upperBound))
    var place = Int(block.start) + 1 + (marks & before).nonzeroBitCount
    while left != 0 {
      body(left.trailingZeroBitCount, Int64(bitPattern: words[place]))
      place += 1
      left &= left &- 1
    }
  }

  /// The sum of the numbers before an index; it wraps around on overflow.
  func sum(before index: Int) -> Int64 {
    if index >= blockCount { return tail[..<(index - blockCount)].reduce(blockSum, &+) }
    let block = blocks[blockIndex(of: index)]
    return block.sum &+ sum(0..<(index - block.first), of: block)
  }
  func sum(in range: Range<Int>) -> Int64 {
    if range.count == 1 { return self[range.lowerBound] }
    if range.lowerBound >= blockCount {
      return tail[(range.lowerBound - blockCount)..<(range.upperBound - blockCount)].reduce(0, &+)
    }
    let number = blockIndex(of: range.lowerBound)
    guard range.upperBound <= end(of: number) else {
      return sum(before: range.upperBound) &- sum(before: range.lowerBound)
    }
    let block = blocks[number]
    return sum((range.lowerBound - block.first)..<(range.upperBound - block.first), of: block)
  }
  private func sum(_ numbers: Range<Int>, of block: Block) -> Int64 {
    var sum = block.base &* Int64(numbers.count)
    if block.isSparse {
      forEachOther(numbers, of: block) { sum = sum &+ $1 &- block.base }
    } else if block.width > 0 {
      forEachStored(numbers, of: block) { sum = sum &+ $1 }
    }
    return sum
  }

  /// The first index, up to `end`, at which the sum including its number exceeds `target`, and the sum before it. No
  /// number may be negative.
  func index(whereSumExceeds target: Int64) -> (index: Int, sum: Int64) {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      let end = middle + 1 < blocks.count ? blocks[middle + 1].sum : blockSum
      if end > target { high = middle } else { low = middle + 1 }
    }
    guard low < blocks.count else {
      var (index, sum) = (blockCount, blockSum)
      for value in tail[..<tailCount] {
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

  /// The first index of a range whose number is not 0.
  func firstNonZero(in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < min(range.upperBound, blockCount) {
      let number = blockIndex(of: index)
      let block = blocks[number]
      let end = min(range.upperBound, end(of: number))
      if block.isSparse, block.base == 0 {
        let marks = words[Int(block.start)] >> UInt64(index - block.first)
        if marks != 0, index + marks.trailingZeroBitCount < end { return index + marks.trailingZeroBitCount }
      } else if block.width > 0 || block.base != 0 {
        for place in index..<end where value(place - block.first, of: block) != 0 { return place }
      }
      index = end
    }
    while index < range.upperBound, tail[index - blockCount] == 0 { index += 1 }
    return index < range.upperBound ? index : nil
  }

  private func end(of block: Int) -> Int { block + 1 < blocks.count ? blocks[block + 1].first : blockCount }

  /// The block that contains an index.
  private func blockIndex(of index: Int) -> Int {
    // Every block has at least 64 numbers, so it is this one or an earlier one; usually this one.
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

  mutating func append(_ value: Int64) { append(count: 1) { _ in value } }

  mutating func append(_ value: Int64, count: Int) {
    var left = count
    while left > 0 {
      if tailCount == 0, left >= Self.size || endsWithBlock(of: value) { return addConstant(value, count: left) }
      let part = min(left, Self.size - tailCount)
      append(count: part) { _ in value }
      left -= part
    }
  }

  /// Appends numbers; `value` returns the number at each position.
  @inline(__always)
  mutating func append(count: Int, _ value: (Int) -> Int64) {
    if tail.isEmpty { tail = Array(repeating: 0, count: Self.size) }
    var index = 0
    while index < count {
      let end = min(count, index + Self.size - tailCount)
      let shift = tailCount - index
      tailCount = end + shift
      var target = tail.mutableSpan
      while index < end {
        target[index &+ shift] = value(index)
        index &+= 1
      }
      if tailCount == Self.size { pack() }
    }
  }

  /// Appends numbers of another column.
  mutating func append(_ other: PackedColumn, in range: Range<Int>) {
    other.forEachBlock(in: range) { values, count in
      if values.count == 1 { append(values[0], count: count) } else { append(count: count) { values[$0] } }
    }
  }

  /// Removes numbers from the end until this count is left.
  mutating func shorten(to count: Int) {
    while count < blockCount, let block = blocks.popLast() {
      let left = max(0, count - block.first)
      (blockCount, blockSum, tailCount) = (block.first, block.sum, 0)
      if block.width == 0 {
        append(block.base, count: left)
      } else {
        var numbers = Array(repeating: Int64(0), count: Self.size)
        unpack(0..<left, of: block, into: &numbers)
        append(count: left) { numbers[$0] }
        words.removeSubrange(Int(block.start)...)
      }
    }
    if count < self.count { tailCount = count - blockCount }
  }

  private func endsWithBlock(of value: Int64) -> Bool { blocks.last.map { $0.width == 0 && $0.base == value } ?? false }

  private mutating func addConstant(_ value: Int64, count: Int) {
    if !endsWithBlock(of: value) {
      blocks.append(Block(first: blockCount, sum: blockSum, base: value, start: 0, width: 0))
    }
    blockCount += count
    blockSum = blockSum &+ value &* Int64(count)
  }

  /// Converts the full tail to a block.
  private mutating func pack() {
    tailCount = 0
    let room = tail
    let numbers = room.span
    var (least, greatest, sum) = (numbers[0], numbers[0], Int64(0))
    for index in numbers.indices {
      (least, greatest, sum) = (min(least, numbers[index]), max(greatest, numbers[index]), sum &+ numbers[index])
    }
    if least == greatest { return addConstant(least, count: Self.size) }
    // A power of two, so that no number crosses a word boundary.
    let bits = 64 - UInt64(bitPattern: greatest &- least).leadingZeroBitCount
    let width = bits <= 1 ? 1 : 1 << (Int.bitWidth - (bits - 1).leadingZeroBitCount)
    // If most numbers are equal, two adjacent ones are.
    var (pair, marks) = (1, UInt64.max)
    while width > 2, pair < Self.size, numbers[pair] != numbers[pair - 1] { pair += 1 }
    let usual = numbers[min(pair, Self.size - 1)]
    if width > 2, pair < Self.size {
      for index in numbers.indices where numbers[index] == usual { marks &= ~(1 &<< UInt64(index)) }
    }
    var block = Block(
      first: blockCount, sum: blockSum, base: least, start: UInt32(truncatingIfNeeded: words.count),
      width: UInt8(width))
    // A dense block takes as many words as a number has bits.
    if marks.nonzeroBitCount + 1 < width {
      (block.base, block.isSparse) = (usual, true)
      words.append(marks)
      for index in numbers.indices where numbers[index] != usual { words.append(UInt64(bitPattern: numbers[index])) }
    } else {
      for first in stride(from: 0, to: Self.size, by: Self.size / width) {
        var (word, index) = (UInt64(0), first &+ Self.size / width)
        while index > first {
          index &-= 1
          word = word &<< UInt64(width & 63) | UInt64(bitPattern: numbers[index] &- least)
        }
        words.append(word)
      }
    }
    blocks.append(block)
    blockCount += Self.size
    blockSum = blockSum &+ sum
  }
}
