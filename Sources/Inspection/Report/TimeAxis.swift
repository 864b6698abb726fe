package import MP4
import MP4Bytes
package import MP4Records

/// The time range of all charts of a report, and the bins in which bytes are counted.
package struct TimeAxis: Sendable {
  /// When it starts and ends.
  package let start: MediaTime, end: MediaTime
  /// The duration of a bin.
  package let bin: MediaTime
  /// The number of bins; 0 if the range is empty.
  package let binCount: Int

  private let firstSecond: Double
  /// Its length in seconds.
  let length: Double

  /// An axis with at most `limit` bins, which are at least `finest` seconds wide.
  init(_ start: MediaTime, _ end: MediaTime, limit: Int, finest: Double = 1) {
    (self.start, self.end) = (start, max(start, end))
    firstSecond = start.seconds
    length = max(0, self.end.seconds - firstSecond)
    // Bit rates are most meaningful for at least a second, but a short file has too few of these.
    let least = max(length * 1000 / Double(limit), min(finest * 1000, length * 1000 / 20))
    let width = Self.width(atLeast: least)
    bin = MediaTime(width, 1000)
    binCount = length > 0 ? min(limit, max(1, Int((length * 1000 / Double(width)).rounded(.up)))) : 0
  }

  /// A round number of milliseconds.
  private static func width(atLeast least: Double) -> Int64 {
    var widths: [Int64] = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000]
    widths += [120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000]
    if let width = widths.first(where: { Double($0) >= least }) { return width }
    var width: Int64 = 7_200_000
    while Double(width) < least, width < 1 << 61 { width *= 2 }
    return width
  }

  /// The bin of a time in seconds.
  func bin(of seconds: Double) -> Int {
    Int(max(0, min(Double(binCount - 1), (seconds - firstSecond) * 1000 / Double(bin.value))))
  }

  /// The position of a time in seconds, from 0 to 1.
  func position(of seconds: Double) -> Double {
    length > 0 ? max(0, min(1, (seconds - firstSecond) / length)) : 0
  }
}

extension TimeAxis {
  /// At most eight round times, and their positions.
  var ticks: [(place: Double, text: String)] {
    let steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400]
    let step = steps.first { length / $0 <= 8 } ?? (length / 8)
    var (ticks, time) = ([(place: Double, text: String)](), (start.seconds / step).rounded(.up) * step)
    while time <= start.seconds + length, ticks.count < 9 {
      // A damaged file can have any time.
      let clock = MediaTime(Int64(max(-1e15, min(1e15, time * 1000)).rounded()), 1000).clock
      ticks.append((position(of: time), String(clock.dropLast(step < 1 ? 2 : 4))))
      time += step
    }
    return ticks
  }
}

extension TimeAxis: Record {
  package static let summary = "The time axis of the charts."
  package static let members: [RecordMember<Self>] = [
    RecordMember("start_seconds", "its start") { $0.start },
    RecordMember("end_seconds", "its end") { $0.end },
    RecordMember("bin_seconds", "the duration of a bin of the bit rates") { $0.bin },
    RecordMember("bins", "the number of bins") { $0.binCount },
  ]
}

extension Track {
  /// The value added to its decode times, so that they start with the presentation: edits are treated as one offset.
  var presentationShift: MediaTime {
    guard let start = presentedTimes?.lowerBound, let first = samples.first else { return MediaTime(0, 1) }
    return start - first.decodeTime
  }
}
