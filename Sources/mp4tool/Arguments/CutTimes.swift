import MP4

extension CutTime: TextOptionValue {
  static let expectation = "a time such as 62.5, 1:02.5, 250f (a frame) or 01:00:10:00 (a timecode)"

  /// The valid forms of times, for the descriptions of commands.
  static let description =
    "A time is a presentation time: a clock time, such as `62.5` (seconds), `1:02.5` or `1:01:02`; a video frame "
    + "number, starting at 0, such as `250f`; or a timecode of the timecode track, such as `01:00:10:00`. A time "
    + "within a millisecond of the start of a frame refers to that frame."
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
