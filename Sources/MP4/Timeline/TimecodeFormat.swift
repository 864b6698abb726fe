package import ISOBMFF

/// How the frame numbers of timecode samples are counted: QuickTime File Format, and SMPTE ST 12-1 for drop-frame
/// timecodes.
package struct TimecodeFormat: Sendable, Hashable {
  /// The number of frames that a second of a timecode counts, such as 30 for 29.97 frames per second.
  package let framesPerSecond: Int64
  /// The duration of a frame, in units of `timescale`; not 0.
  package let frameDuration: UInt32
  /// Units per second.
  package let timescale: UInt32
  /// Whether numbers count something other than frames.
  package let isCounter: Bool
  /// The number of timecodes that are dropped in each minute except every tenth: two for each 30 frames per second.
  private let dropped: Int64
  /// Whether timecodes are dropped to keep 29.97 and 59.94 frames per second in step with a clock.
  package var dropsFrames: Bool { dropped > 0 }
  /// Whether timecodes wrap after 24 hours.
  package let wraps: Bool
  private let hasNegatives: Bool

  /// `nil` if the number of frames per second is unknown.
  package init?(_ entry: TimecodeSampleEntry) {
    guard let rate = entry.framesPerSecond else { return nil }
    framesPerSecond = Int64(rate)
    (frameDuration, timescale) =
      entry.frameDuration > 0 && entry.timeScale > 0
      ? (entry.frameDuration, entry.timeScale) : (1, UInt32(clamping: rate))
    (isCounter, wraps, hasNegatives) = (entry.flags & 8 != 0, entry.flags & 2 != 0, entry.flags & 4 != 0)
    dropped = entry.flags & 1 != 0 && framesPerSecond % 30 == 0 ? framesPerSecond / 15 : 0
  }

  /// The frame number of a sample, which has 4 bytes; `nil` if it has another size.
  package func frameNumber(_ sample: some Collection<UInt8>) -> Int64? {
    guard sample.count == 4 else { return nil }
    let number = sample.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return hasNegatives ? Int64(Int32(bitPattern: number)) : Int64(number)
  }

  private var framesPerTenMinutes: Int64 { framesPerSecond * 600 - dropped * 9 }
  private var framesPerDay: Int64 { framesPerTenMinutes * 144 }

  /// A frame number, which wraps after 24 hours if the flags say so.
  package func wrapped(_ number: Int64) -> Int64 {
    guard wraps, !isCounter else { return number }
    return (number % framesPerDay + framesPerDay) % framesPerDay
  }

  /// The frame number of a timecode; `nil` if it is not valid in this format.
  package func number(_ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int) -> Int64? {
    guard !isCounter, (0..<100).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds), frames >= 0,
      Int64(frames) < framesPerSecond
    else { return nil }
    if minutes % 10 != 0, seconds == 0, Int64(frames) < dropped { return nil }
    let minute = Int64(hours * 60 + minutes)
    return (minute * 60 + Int64(seconds)) * framesPerSecond + Int64(frames) - dropped * (minute - minute / 10)
  }

  /// The timecode of a frame number that is not negative, as its hours, minutes, seconds and frames.
  package func timecode(_ number: Int64) -> (hours: Int64, minutes: Int64, seconds: Int64, frames: Int64) {
    let (tens, rest) = number.quotientAndRemainder(dividingBy: framesPerTenMinutes)
    var counted = number + dropped * 9 * tens
    // The first minute of ten is complete.
    let minute = framesPerSecond * 60
    if rest >= minute { counted += dropped * (1 + (rest - minute) / (minute - dropped)) }
    let hours = counted / (minute * 60)
    return (
      wraps ? hours % 24 : hours, counted / minute % 60, counted / framesPerSecond % 60, counted % framesPerSecond
    )
  }

  /// A frame number as text, such as `01:00:10:00`, or `01:00:10;00` with dropped frames.
  package func text(_ number: Int64) -> String {
    let (hours, minutes, seconds, frames) = timecode(number < 0 ? 0 - number : number)
    func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (number < 0 ? "-" : "") + "\(digits(hours)):\(digits(minutes)):\(digits(seconds))"
      + (dropsFrames ? ";" : ":") + digits(frames)
  }

  /// The number of frames between two frame numbers.
  func distance(from start: Int64, to end: Int64) -> Int64 {
    end < start && wraps ? end &- start &+ framesPerDay : end &- start
  }
}

extension TimecodeSampleEntry {
  /// The number of frames that a second of a timecode counts; `nil` if it is unknown.
  ///
  /// It is `numberOfFrames`, unless that contradicts the rate, `timeScale / frameDuration`. Some cameras declare 29
  /// frames at 29.97 frames per second; then the rate decides, rounded up.
  package var framesPerSecond: Int? {
    let (scale, duration, declared) = (Int(timeScale), Int(frameDuration), Int(numberOfFrames))
    let own = declared > 0 ? declared : nil
    guard duration > 0, scale >= duration, scale / duration < 256 else { return own }
    let ceiling = (scale + duration - 1) / duration
    // A frame duration of 33/1000 s is that of 30 frames per second, rounded to the timescale.
    func fits(_ count: Int) -> Bool { count == ceiling || count > 0 && (scale + count / 2) / count == duration }
    if fits(declared) { return declared }
    let nearest = (scale + duration / 2) / duration
    return fits(nearest) ? nearest : ceiling
  }
}
