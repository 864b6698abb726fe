import ISOBMFF
import MP4
import Testing

@Suite("Timecode formats")
struct TimecodeFormatTests {
  private func entry(_ scale: UInt32, _ duration: UInt32, _ count: UInt8, flags: UInt32 = 0) -> TimecodeSampleEntry {
    var entry = TimecodeSampleEntry()
    (entry.timeScale, entry.frameDuration, entry.numberOfFrames, entry.flags) = (scale, duration, count, flags)
    return entry
  }

  @Test(
    "The rate decides if the number of frames contradicts it",
    arguments: [
      (90_000, 3003, 29, 30), (30_000, 1001, 30, 30), (30_000, 1001, 29, 30), (24_000, 1001, 24, 24),
      (24_000, 1001, 23, 24), (25, 1, 25, 25), (25, 1, 0, 25), (60_000, 1001, 60, 60), (60_000, 1001, 30, 60),
      // Rounded frame durations.
      (1000, 33, 30, 30), (1000, 17, 60, 60), (600, 20, 30, 30), (1000, 33, 25, 30), (100, 3, 25, 33),
      // No rate.
      (0, 0, 25, 25), (1, 2, 25, 25), (90_000, 1, 25, 25), (0, 0, 0, nil),
    ] as [(UInt32, UInt32, UInt8, Int?)])
  func rates(scale: UInt32, duration: UInt32, declared: UInt8, expected: Int?) {
    #expect(entry(scale, duration, declared).framesPerSecond == expected)
  }

  @Test(
    "Over a day, each frame has the timecode that counting gives",
    arguments: [(24, false), (25, false), (30, false), (30, true), (60, true)])
  func day(rate: UInt8, dropsFrames: Bool) throws {
    let duration: UInt32 = rate % 30 == 0 ? 1001 : 1000
    let format = try #require(
      TimecodeFormat(entry(UInt32(rate) * 1000, duration, rate, flags: dropsFrames ? 3 : 2)))
    #expect(format.dropsFrames == dropsFrames)
    let count = Int(rate)
    var number: Int64 = 0
    var failures = 0
    for minute in 0..<1440 {
      let (hours, minutes) = (minute / 60, minute % 60)
      for second in 0..<60 {
        let first = dropsFrames && second == 0 && minutes % 10 != 0 ? count / 15 : 0
        for frame in first..<count {
          // Each frame near the start of a minute, and some others.
          if second < 2 || second == 59 || frame == number % 60 {
            let found = format.timecode(number)
            let isSame =
              found.hours == hours && found.minutes == minutes && found.seconds == second && found.frames == frame
            if !isSame || format.number(hours, minutes, second, frame) != number { failures += 1 }
          }
          number += 1
        }
        if first > 0, format.number(hours, minutes, 0, first - 1) != nil { failures += 1 }
      }
    }
    #expect(failures == 0)
    #expect(number == (dropsFrames ? Int64(rate) * 86_400 - Int64(rate) / 15 * 1296 : Int64(rate) * 86_400))
    #expect(format.text(number) == (dropsFrames ? "00:00:00;00" : "00:00:00:00"))
  }
}
