import MP4Bytes

extension MediaTime {
  /// A decimal number of seconds, 0 or more: digits with at most one decimal point and nine decimals, which is read
  /// exactly; `nil` for anything else and for values out of range.
  package init?(seconds text: String) {
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
    self.init(value, timescale)
  }

  /// A clock time, such as `62.5`, `1:02.5` or `1:01:02`; `nil` for anything else.
  package init?(clock text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String($0) ?? "" }
    guard parts.count <= 3, let seconds = parts.last.flatMap({ MediaTime(seconds: $0) }) else { return nil }
    var whole: Int64 = 0
    for (place, part) in parts.dropLast().enumerated() {
      guard let number = Int64(part), number >= 0, number < (place == 0 ? 1_000_000 : 60) else { return nil }
      whole = (whole + number) * 60
    }
    if parts.count > 1, seconds >= MediaTime(60, 1) { return nil }
    self = MediaTime(whole, 1) + seconds
  }
}
