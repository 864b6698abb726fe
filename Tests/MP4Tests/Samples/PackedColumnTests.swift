import Support
import Testing

@testable import MP4

@Suite("Columns of numbers in blocks")
struct PackedColumnTests {
  /// Numbers like those of samples: long runs, rare changes, small, large, and unrealistic ones.
  private static func numbers(_ random: inout SplitMix64) -> [Int64] {
    var result: [Int64] = []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let count = Int.random(in: 1...200, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: result += Array(repeating: Int64.random(in: 0...5, using: &random), count: count)
      case 1: result += (0..<count).map { $0 % 50 == 7 ? 1_000_000_000_000 : 0 }
      case 2: result += (0..<count).map { _ in Int64.random(in: -100...100, using: &random) }
      case 3: result += (0..<count).map { _ in Int64.random(in: 0...60_000, using: &random) }
      case 4: result += (0..<count).map { _ in Int64(UInt32.random(in: 0...(.max), using: &random)) }
      default: result += (0..<count).map { _ in Int64.random(in: .min...(.max), using: &random) }
      }
    }
    return result
  }
  private static func column(_ numbers: [Int64], _ random: inout SplitMix64) -> PackedColumn {
    var column = PackedColumn()
    var index = 0
    while index < numbers.count {
      let value = numbers[index]
      let end = numbers[index...].firstIndex { $0 != value } ?? numbers.count
      let count = Bool.random(using: &random) ? end - index : 1
      if count == 1 { column.append(value) } else { column.append(value, count: count) }
      index += count
    }
    return column
  }

  @Test("Numbers, runs, sums and slices equal those of an array", arguments: 0..<60)
  func array(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let numbers = Self.numbers(&random)
    var column = Self.column(numbers, &random)
    #expect(column.count == numbers.count)
    #expect(numbers.indices.allSatisfy { column[$0] == numbers[$0] })
    var sum: Int64 = 0
    for index in numbers.indices {
      #expect(column.sum(before: index) == sum)
      let run = column.run(at: index)
      #expect(run.value == numbers[index] && numbers[index..<run.end].allSatisfy { $0 == run.value })
      sum = sum &+ numbers[index]
    }
    #expect(column.sum(before: numbers.count) == sum)
    for _ in 0..<20 {
      let range = Self.range(numbers.count, &random)
      #expect(column.sum(in: range) == numbers[range].reduce(0) { $0 &+ $1 })
      #expect(column.constant(in: range) == (Set(numbers[range]).count == 1 ? numbers[range].first : nil))
      #expect(column.firstNonZero(in: range) == range.first { numbers[$0] != 0 })
      var runs: [Int64] = []
      column.forEachRun(in: range) { value, count in runs += Array(repeating: value, count: count) }
      #expect(runs == Array(numbers[range]))
      var copy = PackedColumn()
      copy.append(7)
      copy.append(column, in: range)
      #expect((0..<range.count).allSatisfy { copy[$0 + 1] == numbers[range.lowerBound + $0] })
      #expect(column.firstDifference(in: range, from: copy, at: 1) == nil)
      var reader = PackedColumn.Reader()
      #expect(range.allSatisfy { reader.value(at: $0, in: column) == numbers[$0] })
      var others = Array(numbers[range])
      guard let place = others.indices.randomElement(using: &random) else { continue }
      others[place] = others[place] &+ 1
      var different = PackedColumn()
      different.append(count: others.count) { others[$0] }
      #expect(column.firstDifference(in: range, from: different, at: 0) == range.lowerBound + place)
      #expect(column.firstDifference(in: range, from: column, at: range.lowerBound) { $0 &+ 1 } == range.lowerBound)
    }
    var left = numbers
    while !left.isEmpty {
      left.removeLast(Int.random(in: 1...min(150, left.count), using: &random))
      column.shorten(to: left.count)
      #expect(column.count == left.count)
      #expect(left.indices.allSatisfy { column[$0] == left[$0] })
      let more = (0..<Int.random(in: 0...40, using: &random)).map { _ in Int64.random(in: 0...300, using: &random) }
      for value in more { column.append(value) }
      #expect(column.sum(before: column.count) == (left + more).reduce(0) { $0 &+ $1 })
      column.shorten(to: left.count)
    }
  }
  private static func range(_ count: Int, _ random: inout SplitMix64) -> Range<Int> {
    let ends = [Int.random(in: 0...count, using: &random), Int.random(in: 0...count, using: &random)].sorted()
    return ends[0]..<ends[1]
  }

  @Test("The number at which a sum is exceeded is found", arguments: 0..<40)
  func search(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let numbers = Self.numbers(&random).map { $0.magnitude > 1 << 40 ? 0 : Int64($0.magnitude) }
    let column = Self.column(numbers, &random)
    let total = numbers.reduce(0, +)
    for _ in 0..<50 {
      let target = Int64.random(in: -1...(total + 1), using: &random)
      var (index, sum) = (0, Int64(0))
      while index < numbers.count, sum + numbers[index] <= target { (index, sum) = (index + 1, sum + numbers[index]) }
      let found = column.index(whereSumExceeds: target)
      #expect(found.index == index || found.index < index && numbers[found.index..<index].allSatisfy { $0 == 0 })
      #expect(found.sum == sum)
    }
  }

  @Test("Long runs need no memory, and recordings need little")
  func room() {
    var column = PackedColumn()
    column.append(3)
    column.append(1, count: 4_000_000_000)
    column.append(2)
    #expect(column.count == 4_000_000_002 && column[3_999_999_999] == 1 && column[4_000_000_001] == 2)
    #expect(column.sum(before: column.count) == 4_000_000_005)
    #expect(column.run(at: 100).end >= 3_999_999_900)
  }
}
