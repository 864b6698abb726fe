/// Dates as HTTP has them (RFC 9110, 5.6.7), to the second.
enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(_ seconds: Int) -> String {
    let date = CalendarTime(seconds)
    // Every answer has two of them, and interpolation would take longer than all the rest of it.
    var text = days[date.weekday]
    text += ", "
    text += two(date.day)
    text += " "
    text += months[date.month - 1]
    text += " "
    text += four(date.year)
    text += " "
    text += date.clock
    text += " GMT"
    return text
  }

  /// The seconds since 1970 of a date in one of the three forms that HTTP ever had; `nil` for anything else.
  static func seconds(_ text: String) -> Int? {
    let words = text.split { " ,-".contains($0) }.map(String.init)
    // `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    guard words.count == 6 || words.count == 5 else { return nil }
    let isOldest = words.count == 5
    if !isOldest, words[5] != "GMT" { return nil }
    guard let day = Int(words[isOldest ? 2 : 1]), (1...31).contains(day),
      let month = months.firstIndex(of: words[isOldest ? 1 : 2]), var year = Int(words[isOldest ? 4 : 3]),
      (0...9999).contains(year)
    else { return nil }
    if words[3].utf8.count == 2, !isOldest { year += year < 70 ? 2000 : 1900 }
    let clock = words[isOldest ? 3 : 4].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    let days = CalendarTime.days(year: year, month: month + 1, day: day)
    return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// As access logs have it: `06/Nov/1994:08:49:37 +0000`.
  static func logText(_ seconds: Int) -> String {
    let date = CalendarTime(seconds)
    return "\(two(date.day))/\(months[date.month - 1])/\(four(date.year)):\(date.clock) +0000"
  }

  /// As JSON has it: `1994-11-06T08:49:37Z`.
  static func isoText(_ seconds: Int) -> String {
    let date = CalendarTime(seconds)
    return "\(four(date.year))-\(two(date.month))-\(two(date.day))T\(date.clock)Z"
  }

  fileprivate static func two(_ number: Int) -> String {
    let digits = String(number)
    return number < 10 ? "0" + digits : digits
  }
  private static func four(_ number: Int) -> String {
    let digits = String(number)
    return digits.utf8.count < 4 ? String(repeating: "0", count: 4 - digits.utf8.count) + digits : digits
  }
}

/// The dates that one connection wrote last: most answers have those of the one before.
struct DateTexts {
  private var (older, newer) = ((seconds: Int.min, text: ""), (seconds: Int.min, text: ""))

  mutating func text(_ seconds: Int) -> String {
    if newer.seconds == seconds { return newer.text }
    if older.seconds != seconds { older = (seconds, HTTPDate.text(seconds)) }
    swap(&older, &newer)
    return newer.text
  }
}

/// A second in the Gregorian calendar, in UTC.
private struct CalendarTime {
  let year: Int
  let month: Int
  let day: Int
  /// 0 is Sunday.
  let weekday: Int
  let clock: String

  init(_ seconds: Int) {
    // Years that begin in March have their leap day at the end, and 400 of them have 146,097 days.
    let days = Self.floor(seconds, 86_400)
    let rest = seconds - days * 86_400
    weekday = ((days + 4) % 7 + 7) % 7
    let shifted = days + 719_468
    let era = Self.floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    clock = HTTPDate.two(rest / 3600) + ":" + HTTPDate.two(rest / 60 % 60) + ":" + HTTPDate.two(rest % 60)
  }

  /// The days from the first of 1970 to this one.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = floor(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }
}
