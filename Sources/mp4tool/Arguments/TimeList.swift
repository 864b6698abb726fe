import MP4

/// A list of times, such as `6,12.5`.
struct TimeList: TextOptionValue {
  static let expectation = "increasing seconds separated by commas, such as 6,12.5"
  let times: [MediaTime]

  init?(_ text: String) {
    var times: [MediaTime] = []
    for word in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let time = Seconds(String(word) ?? "")?.time, times.last.map({ $0 < time }) ?? true else { return nil }
      times.append(time)
    }
    self.times = times
  }
}
