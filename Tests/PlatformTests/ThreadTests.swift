import MP4Platform
import Testing

@Suite("Threads")
struct ThreadTests {
  @Test("Results are in the order of the items, regardless of how long each takes")
  func order() {
    var count = 0
    let values = Thread.map(Array(0..<200), width: 7, onEach: { count += 1 }) { number in
      if number % 20 == 0 { SystemClock.sleep(milliseconds: 1) }
      return number * number
    }
    #expect(values == (0..<200).map { $0 * $0 } && count == 200)
    #expect(Thread.map([Int](), width: 7) { $0 } == [] && Thread.map([1], width: 7) { $0 + 1 } == [2])
  }

  @Test("Items are processed concurrently, up to the limit")
  func width() {
    let inside = Monitor((now: 0, most: 0))
    // The first ones wait for each other.
    let met = Thread.map(Array(0..<40), width: 4) { number in
      inside.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { inside.change { $0.now -= 1 } }
      return number > 3 || inside.wait(milliseconds: 60_000) { $0.most == 4 ? true : nil } ?? false
    }
    #expect(met.allSatisfy { $0 } && inside { $0.most } == 4)
  }
}
