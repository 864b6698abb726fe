import MP4

/// A time of a movie: `62.5`, `1:02.5`, `250f` (a frame number) or `01:00:10:00` (a timecode).
struct CutTime: TextOptionValue {
  static let expectation = "a time such as 62.5, 1:02.5, 250f (a frame) or 01:00:10:00 (a timecode)"
  /// The unit of the time.
  enum Value: Sendable, Hashable {
    case time(MediaTime)
    case frame(Int)
    /// Hours, minutes, seconds and frames.
    case timecode(Int, Int, Int, Int)
  }
  let value: Value

  /// The valid forms of times, for the descriptions of commands.
  static let description =
    "A time is a presentation time: a clock time, such as `62.5` (seconds), `1:02.5` or `1:01:02`; a video frame "
    + "number, starting at 0, such as `250f`; or a timecode of the timecode track, such as `01:00:10:00`. A time "
    + "within a millisecond of the start of a frame refers to that frame."

  /// The presentation time in a movie.
  func time(in movie: MovieCutter) throws(MovieError) -> MediaTime {
    switch value {
    case .time(let time): movie.frameStart(near: time)
    case .frame(let number): try movie.time(ofFrame: number)
    case .timecode(let hours, let minutes, let seconds, let frames):
      try movie.time(ofTimecode: hours, minutes, seconds, frames)
    }
  }

  init?(_ text: String) {
    let bytes = text.utf8
    if bytes.last == UInt8(ascii: "f") {
      guard let number = Self.number(bytes.dropLast()) else { return nil }
      value = .frame(number)
      return
    }
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") }
    let parts = bytes.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
    guard parts.count == 4 else {
      guard let time = ClockTime(text)?.time else { return nil }
      value = .time(time)
      return
    }
    let numbers = parts.compactMap { $0.count <= 3 ? Self.number($0) : nil }
    guard numbers.count == 4, numbers[1] < 60, numbers[2] < 60 else { return nil }
    value = .timecode(numbers[0], numbers[1], numbers[2], numbers[3])
  }

  private static func number(_ digits: some Sequence<UInt8>) -> Int? {
    let text = String(decoding: Array(digits), as: UTF8.self)
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(text), number <= 1 << 40
    else { return nil }
    return number
  }
}

/// A range of times to cut from a movie, such as `10..20`, `10..` or `..20`; the end is exclusive.
struct CutRange: OptionValue {
  static let expectation = "two times such as 10..1:02.5 or 250f..500f, or one such as 10.. or ..20"
  /// `nil` for the start of the presentation.
  let start: CutTime?
  /// `nil` for the end of the presentation.
  let end: CutTime?

  init(_ start: CutTime?, _ end: CutTime?) { (self.start, self.end) = (start, end) }

  init?(_ word: Argument) {
    let (first, last) = ClockRange.halves(word.text)
    guard let last, !first.isEmpty || !last.isEmpty else { return nil }
    (start, end) = (CutTime(first), CutTime(last))
    guard first.isEmpty == (start == nil), last.isEmpty == (end == nil) else { return nil }
  }
}

/// Times at which to split a movie, such as `60,2:00`.
struct CutTimes: TextOptionValue {
  static let expectation = "times separated by commas, such as 60,2:00 or 250f"
  let times: [CutTime]

  init?(_ text: String) {
    let words = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    times = words.compactMap { CutTime(String($0) ?? "") }
    if times.count != words.count { return nil }
  }
}
