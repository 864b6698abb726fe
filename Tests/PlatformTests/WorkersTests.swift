import MP4Platform
import Testing

@Suite("Workers")
struct WorkersTests {
  @Test("All work is done, at most 32 pieces at the same time")
  func limit() {
    let state = Monitor((now: 0, most: 0, done: 0))
    for _ in 0..<500 {
      Workers.run {
        state { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.done) }
        SystemClock.sleep(milliseconds: 1)
        state.change { $0 = ($0.now - 1, $0.most, $0.done + 1) }
      }
    }
    state.wait { $0.done == 500 ? () : nil }
    // Other tests also use the threads.
    #expect(state { $0.most } <= 32)
  }

  @Test("Work that waits for other work does not keep it from being done")
  func waiting() {
    let done = Monitor(0)
    for _ in 0..<100 {
      Workers.run {
        let inner = Monitor(false)
        Workers.run { inner.change { $0 = true } }
        Workers.whileWaiting { inner.wait { $0 ? () : nil } }
        done.change { $0 += 1 }
      }
    }
    done.wait { $0 == 100 ? () : nil }
  }

  @Test("Work is done one after the other without a pause")
  func sequence() {
    for number in 0..<2000 {
      let done = Monitor(0)
      Workers.run { done.change { $0 = number + 1 } }
      #expect(done.wait { $0 > 0 ? $0 : nil } == number + 1)
    }
  }
}
