import MP4Platform
import Testing

@Suite("Monitor")
struct MonitorTests {
  @Test("Threads change the value one at a time")
  func exclusion() {
    let monitor = Monitor((count: 0, ended: 0))
    for _ in 0..<4 {
      let isStarted = Thread.start {
        for _ in 0..<10_000 { monitor { $0.count += 1 } }
        monitor.change { $0.ended += 1 }
      }
      #expect(isStarted)
    }
    #expect(monitor.wait { $0.ended == 4 ? $0.count : nil } == 40_000)
  }

  @Test("Waiting has a time limit")
  func timeout() {
    let monitor = Monitor(0)
    #expect(monitor.wait(milliseconds: 5) { $0 > 0 ? $0 : nil } == nil)
    monitor { $0 = 1 }
    #expect(monitor.wait(milliseconds: 0) { $0 > 0 ? $0 : nil } == 1)
  }

  @Test("The value is released with the monitor")
  func deinitialization() {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let value = Token()
      token = value
      let monitor = Monitor(value)
      monitor { _ in #expect(token != nil) }
    }
    #expect(token == nil)
  }
}
