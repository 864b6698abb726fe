import MP4

/// A positive time, such as `0.5`.
struct Seconds: TextOptionValue {
  /// More than 60 years. Sums of such times in nanoseconds fit into 64 bits.
  private static let most: Int64 = 2_000_000_000
  static let expectation = "a positive number of seconds, at most \(most), such as 0.5"
  let time: MediaTime

  /// Parses a positive decimal number of seconds exactly: digits with at most one decimal point and nine
  /// decimals; `nil` for anything else and for values out of range.
  init?(_ text: String) {
    guard let time = MediaTime(seconds: text), time.value > 0, time <= MediaTime(Self.most, 1) else { return nil }
    self.time = time
  }
}

/// A time that can be 0.
struct TimeOffset: TextOptionValue {
  static let expectation = "a number of seconds, such as 10 or 0.5"
  let time: MediaTime

  init?(_ text: String) {
    guard let time = MediaTime(seconds: text) else { return nil }
    self.time = time
  }
}

/// A time that can be negative.
struct SignedTime {
  let time: MediaTime

  init?(_ text: String) {
    let isNegative = text.hasPrefix("-")
    guard let time = TimeOffset(isNegative ? String(text.dropFirst()) : text)?.time else { return nil }
    self.time = isNegative ? MediaTime(-time.value, time.timescale) : time
  }
}
