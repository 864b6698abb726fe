import MP4Bytes

/// Times in WebVTT notation: `00:01.500`, `100:00:00.000`.
package enum CueTime {
  /// The latest possible time in milliseconds; later times in a file are clamped. Sums of such times do not overflow.
  package static let latest: Int64 = 1 << 52

  /// A time in milliseconds as hours, minutes, seconds and three decimals, at least 0.
  package static func text(_ milliseconds: Int64) -> String {
    let time = Int(min(max(0, milliseconds), latest))
    let (seconds, minutes, hours) = (time / 1000 % 60, time / 60_000 % 60, time / 3_600_000)
    return "\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(seconds, 2)).\(padded(time % 1000, 3))"
  }

  /// Hours, minutes, seconds and milliseconds as one number.
  static func milliseconds(_ hours: Int64, _ minutes: Int64, _ seconds: Int64, _ thousandths: Int64) -> Int64 {
    // 2^30 hours are 2^52 milliseconds and less than a factor of four.
    min(latest, min(hours, 1 << 31) * 3_600_000 + minutes * 60_000 + seconds * 1000 + thousandths)
  }
}

/// A position in a line that advances over expected characters.
struct LineCursor {
  private(set) var rest: Substring.UTF8View

  init(_ line: some StringProtocol) { rest = Substring(line).utf8 }

  mutating func skipBlanks() { rest = rest.drop(while: isBlank) }

  /// Advances over a character if it is the next one.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }
  mutating func takeArrow() -> Bool { take("-") && take("-") && take(">") }

  /// Advances over digits: their number, and their value, at most 2^32.
  mutating func number() -> (count: Int, value: Int64) {
    var (count, value): (Int, Int64) = (0, 0)
    while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
      value = min(value * 10 + Int64(byte - 0x30), 1 << 32)
      count += 1
      rest.removeFirst()
    }
    return (count, value)
  }

  /// Advances over a time (W3C WebVTT, 6.3 "collect a WebVTT timestamp"); `nil` if there is none.
  mutating func time() -> Int64? {
    let first = number()
    guard first.count > 0, take(":") else { return nil }
    var hasHours = first.count != 2 || first.value > 59
    let second = number()
    guard second.count == 2 else { return nil }
    if rest.first == UInt8(ascii: ":") { hasHours = true }
    var (hours, minutes, seconds) = (Int64(0), first.value, second.value)
    if hasHours {
      guard take(":") else { return nil }
      let third = number()
      guard third.count == 2 else { return nil }
      (hours, minutes, seconds) = (first.value, second.value, third.value)
    }
    guard take(".") else { return nil }
    let decimals = number()
    guard decimals.count == 3, minutes <= 59, seconds <= 59 else { return nil }
    return CueTime.milliseconds(hours, minutes, seconds, decimals.value)
  }
}

/// ASCII whitespace as defined by the standard.
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0c || byte == 0x0d }

extension StringProtocol {
  /// Without whitespace at both ends.
  var withoutBlanks: String {
    var bytes = Substring(self).utf8.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return String(Substring(bytes))
  }

  /// Whether it contains the arrow of a line of times.
  var hasArrow: Bool {
    var dashes = 0
    for byte in utf8 {
      if byte == UInt8(ascii: ">"), dashes >= 2 { return true }
      dashes = byte == UInt8(ascii: "-") ? dashes + 1 : 0
    }
    return false
  }
}
