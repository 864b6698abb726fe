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
    guard let time = Self.time(text), time.value > 0, time <= MediaTime(Self.most, 1) else { return nil }
    self.time = time
  }

  /// A decimal number of seconds, 0 or more.
  fileprivate static func time(_ text: String) -> MediaTime? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : ""[...].utf8
    // A point must be followed by digits.
    guard let whole = parts.first, parts.count == 1 || !fraction.isEmpty, !text.isEmpty, fraction.count <= 9 else {
      return nil
    }
    var value: Int64 = 0
    var timescale: UInt32 = 1
    for digit in Array(whole) + Array(fraction) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow, product <= 1 << 61 else { return nil }
      value = product + Int64(digit - UInt8(ascii: "0"))
    }
    for _ in fraction { timescale *= 10 }
    return MediaTime(value, timescale)
  }
}

/// A time that can be 0.
struct TimeOffset: TextOptionValue {
  static let expectation = "a number of seconds, such as 10 or 0.5"
  let time: MediaTime

  init?(_ text: String) {
    guard let time = Seconds.time(text) else { return nil }
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
