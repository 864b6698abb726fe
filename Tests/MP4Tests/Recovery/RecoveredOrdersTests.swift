import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Times of recovered pictures")
struct RecoveredOrdersTests {
  /// The output orders of a group of pictures with three B pictures between others, in decoding order.
  private static func group(_ count: Int) -> [Int] {
    [0] + (0..<count).flatMap { [8, 4, 2, 6].map(($0 * 8).advanced) }
  }

  private func places(_ orders: [Int], holes: Set<Int> = [], step: Int = 2, isEnd: Bool = false) -> [Int] {
    var all = RecoveredOrders(step: step)
    let pictures = orders.enumerated().map { index, order in
      RecoveredPicture(offset: index, size: 1, isSync: index == 0, order: order, isAfterHole: holes.contains(index))
    }
    return all.places(pictures, isEnd: isEnd).numbers
  }

  @Test("Pictures after a lost sync sample are not sorted into the sequence before it")
  func lostSync() {
    let (first, second) = (Self.group(6), Array(Self.group(6).dropFirst()))
    let expected = first.map { $0 / 2 } + second.map { $0 / 2 - 1 + first.count }
    // Also if the low bits of the order seem to continue it.
    for change in [0, 32, first.count * 2 - 8] {
      #expect(places(first + second.map { $0 + change }, holes: [first.count]) == expected, "\(change)")
    }
  }

  @Test("The time of pictures that are missing in a hole is kept, if the distance of adjacent pictures is known")
  func missing() {
    let all = Self.group(6)
    for lost in 1..<all.count {
      for count in [1, 2, 4, 7] where lost + count < all.count {
        var orders = all
        orders.removeSubrange(lost..<lost + count)
        let missing = Set(all).subtracting(orders).filter { $0 < orders.max() ?? 0 }
        var sequence = RecoveredOrders(step: 2)
        let pictures = orders.enumerated().map { index, order in
          RecoveredPicture(offset: index, size: 1, isSync: index == 0, order: order, isAfterHole: index == lost)
        }
        let places = sequence.places(pictures, isEnd: false)
        #expect(places.numbers == orders.map { $0 / 2 }, "\(count) from \(lost) on")
        #expect(places.missing == orders.indices.map { $0 == lost ? missing.count : 0 }, "\(count) from \(lost) on")
        // Without the distance, or without a hole, none are known to be missing.
        let ranks = orders.map { order in orders.count { $0 < order } }
        #expect(self.places(orders, holes: [lost], step: 0) == ranks)
        #expect(self.places(orders) == ranks)
      }
    }
  }

  @Test("The last pictures leave room for those missing at the end, if the distance of adjacent pictures is known")
  func end() {
    let orders = Array(Self.group(6).dropLast(3))
    let times = orders.map { $0 / 2 }
    #expect(places(orders, isEnd: true) == times)
    #expect(places(Array(Self.group(6).dropLast(1)), isEnd: true) == Self.group(6).dropLast(1).map { $0 / 2 })
    let ranks = times.map { $0 == 24 ? 21 : $0 }
    #expect(places(orders) == ranks)
    for step in [0, 1, 4] { #expect(places(orders, step: step, isEnd: true) == ranks, "\(step)") }
    #expect(places(orders.dropLast() + [Int.max], isEnd: true) == ranks)
  }

  /// A recording of two groups of pictures, from the media of a file.
  private func twice(_ name: String) throws -> (good: [UInt8], broken: [UInt8], second: Range<Int>) {
    let good = try readFile(vectorPath("files/" + name))
    let broken = try #require(try BrokenFile(good))
    let known = broken.samples.flatMap { $0.map { $0.key..<$0.key + $0.value.size } }
      .sorted { $0.lowerBound < $1.lowerBound }
    let (first, last) = (try #require(known.first), try #require(known.last))
    let media = broken.bytes[first.lowerBound..<last.upperBound]
    let start = last.upperBound
    return (good, broken.bytes[..<start] + Array(media), start..<start + first.count)
  }

  @Test("A lost sync sample is reported, and the groups before and after it do not overlap", arguments: [false, true])
  func lostGroupStart(isZero: Bool) throws {
    let (good, whole, lost) = try twice("progressive-moov-last.mp4")
    var broken = whole
    for index in lost { broken[index] = isZero ? 0 : UInt8(truncatingIfNeeded: index &* 7919 >> 3) }
    let recovery = try Recovery(of: MemorySource(broken, name: "broken"), like: MemorySource(good, name: "good"))
    #expect(recovery.unknownByteCount >= lost.count && recovery.diagnostics.contains { $0.severity == .error })
    var (before, after): ([Int64], [Int64]) = ([], [])
    recovery.found[0].forEach { offset, _, _, time in
      if offset < lost.lowerBound { before.append(time) } else { after.append(time) }
    }
    #expect(!before.isEmpty && after.count == before.count - 1)
    #expect(try #require(before.max()) < (try #require(after.min())))
  }

  @Test("Zeros at the end of the media and between boxes are padding, others are not")
  func zeros() throws {
    let (good, broken, second) = try twice("progressive-moov-last.mp4")
    let zeros = [UInt8](repeating: 0, count: 5000)
    func recovery(_ bytes: [UInt8]) throws -> Recovery {
      try Recovery(of: MemorySource(bytes, name: "broken"), like: MemorySource(good, name: "good"))
    }
    let end = try recovery(broken + zeros)
    #expect(end.unknown.isEmpty && end.paddingByteCount >= zeros.count)
    let header: [UInt8] = [0, 0, 0, 0] + Array("mdat".utf8)
    let between = try recovery(broken[..<second.lowerBound] + zeros + header + broken[second.lowerBound...])
    #expect(between.unknown.isEmpty && between.paddingByteCount >= zeros.count)
    let middle = try recovery(broken[..<second.lowerBound] + zeros + broken[second.lowerBound...])
    #expect(middle.unknown == [second.lowerBound..<second.lowerBound + zeros.count])
  }
}
