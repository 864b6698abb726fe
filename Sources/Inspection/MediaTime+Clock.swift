package import MP4
package import MP4Bytes

extension MediaTime {
  /// Hours, if any, minutes, and seconds with three decimals, rounded down: `1:02:03.500`.
  package var clock: String {
    let scale = UInt64(timescale)
    let (seconds, rest) = value.magnitude.quotientAndRemainder(dividingBy: scale)
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let minutes = seconds / 60 % 60
    let start = seconds >= 3600 ? "\(seconds / 3600):\(digits(minutes, 2))" : "\(minutes)"
    return (value < 0 ? "-" : "") + "\(start):\(digits(seconds % 60, 2)).\(digits(rest * 1000 / scale, 3))"
  }
}

extension CalendarTime {
  /// In ISO 8601, such as `2024-02-29T12:30:05Z`.
  package var text: String { "\(dateText)T\(clockText)Z" }
}
