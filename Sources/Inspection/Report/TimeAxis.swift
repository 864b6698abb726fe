import Bytes
package import MP4

/// The times that all charts of a report show, and the bins of time in which bytes are counted.
package struct TimeAxis: Sendable {
  /// When it starts and ends.
  package let start: MediaTime, end: MediaTime
  /// How long a bin lasts.
  package let bin: MediaTime
  /// The number of bins; 0 if there is no time.
  package let binCount: Int

  private let firstSecond: Double
  /// Its length in seconds.
  let length: Double

  /// An axis with at most `limit` bins.
  init(_ start: MediaTime, _ end: MediaTime, limit: Int) {
    (self.start, self.end) = (start, max(start, end))
    firstSecond = start.seconds
    length = max(0, self.end.seconds - firstSecond)
    // Nothing shorter than a second says much about a bit rate, but a short file has too few of these.
    let least = max(length * 1000 / Double(limit), min(1000, length * 1000 / 20))
    let width = Self.width(atLeast: least)
    bin = MediaTime(width, 1000)
    binCount = length > 0 ? min(limit, max(1, Int((length * 1000 / Double(width)).rounded(.up)))) : 0
  }

  /// A number of milliseconds that people count in.
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

  /// Where a time in seconds is, from 0 to 1.
  func position(of seconds: Double) -> Double {
    length > 0 ? max(0, min(1, (seconds - firstSecond) / length)) : 0
  }
}

extension TimeAxis: Record {
  package static let summary = "The times of the charts."
  package static let members: [RecordMember<Self>] = [
    RecordMember("start_seconds", "when they start") { $0.start },
    RecordMember("end_seconds", "when they end") { $0.end },
    RecordMember("bin_seconds", "how long a bin of the bit rates lasts") { $0.bin },
    RecordMember("bins", "the number of these") { $0.binCount },
  ]
}

extension Track {
  /// What is added to its decode times, so that it starts when its presentation does: edits are taken as one offset.
  var presentationShift: MediaTime {
    guard let start = presentedTimes?.lowerBound, let first = samples.first else { return MediaTime(0, 1) }
    return start - first.decodeTime
  }
}
