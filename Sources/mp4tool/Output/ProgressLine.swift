/// The text of a progress line, computed with integers.
struct ProgressLine {
  var title: String
  var done: Int
  /// The total number, or `nil` if it is unknown.
  var total: Int?
  /// The unit of work.
  var unit = Unit.bytes
  var elapsedMilliseconds: Int

  /// The units of work.
  enum Unit {
    case bytes
    case segments
  }

  /// A line such as `out.mp4: 45 %  540 MB of 1.2 GB  310 MB/s  0:02 left`, or `index.m3u8: 45 %  901 of 2003 segments
  /// 310/s  0:03 left`.
  var text: String {
    let rate = Self.product(done, 1000, dividedBy: max(elapsedMilliseconds, 1))
    guard let total, total > 0 else {
      return "\(title): \(amount(done))  \(amount(rate))/s"
    }
    let part = min(done, total)
    var line = "\(title): \(Self.product(part, 100, dividedBy: total)) %  \(amount(part)) of \(amount(total))"
    if unit != .bytes { line += " \(unit)" }
    line += "  \(amount(rate))/s"
    if rate > 0 { line += "  \(Self.time((total - part + rate - 1) / rate)) left" }
    return line
  }

  private func amount(_ number: Int) -> String { unit == .bytes ? Self.size(number) : "\(number)" }

  /// A number of bytes in decimal units, with one decimal below ten: `999 B`, `1.2 GB`, `310 MB`.
  static func size(_ bytes: Int) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var unit = 0
    var scale = 1
    while unit + 1 < units.count, bytes / scale >= 1000 {
      scale *= 1000
      unit += 1
    }
    let whole = bytes / scale
    if unit == 0 || whole >= 10 { return "\(whole) \(units[unit])" }
    return "\(whole).\(bytes % scale / (scale / 10)) \(units[unit])"
  }

  /// Seconds as `0:02`, `12:34` or `1:02:03`.
  static func time(_ seconds: Int) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// `a × b ÷ divisor` without intermediate overflow; `Int.max` if the result does not fit.
  private static func product(_ a: Int, _ b: Int, dividedBy divisor: Int) -> Int {
    let wide = UInt(max(a, 0)).multipliedFullWidth(by: UInt(max(b, 0)))
    let divisor = UInt(max(divisor, 1))
    guard wide.high < divisor else { return .max }
    return Int(clamping: divisor.dividingFullWidth(wide).quotient)
  }
}
