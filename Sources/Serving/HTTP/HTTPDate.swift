import MP4Bytes

/// HTTP dates (RFC 9110, 5.6.7), in seconds.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(_ seconds: Int) -> String {
    let time = CalendarTime(secondsSince1970: seconds)
    let date = time.date
    // Every response has two dates, and string interpolation would take longer than the rest of the response.
    var text = days[time.weekday]
    text += ", "
    text += padded(date.day, 2)
    text += " "
    text += months[date.month - 1]
    text += " "
    text += padded(date.year, 4)
    text += " "
    text += time.clockText
    text += " GMT"
    return text
  }

  /// The seconds since 1970 of a date in one of the three formats of HTTP; `nil` for anything else.
  package static func seconds(_ text: String) -> Int? {
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
    let days = CalendarDate(year: year, month: month + 1, day: day).daysSince1970
    return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// In the format of access logs: `06/Nov/1994:08:49:37 +0000`.
  static func logText(_ seconds: Int) -> String {
    let time = CalendarTime(secondsSince1970: seconds)
    let date = time.date
    return "\(padded(date.day, 2))/\(months[date.month - 1])/\(padded(date.year, 4)):\(time.clockText) +0000"
  }

  /// In the format of JSON logs: `1994-11-06T08:49:37Z`.
  static func isoText(_ seconds: Int) -> String {
    let time = CalendarTime(secondsSince1970: seconds)
    return "\(time.dateText)T\(time.clockText)Z"
  }
}

/// The last dates of a connection, since most responses repeat them.
struct DateTexts {
  private var (older, newer) = ((seconds: Int.min, text: ""), (seconds: Int.min, text: ""))

  mutating func text(_ seconds: Int) -> String {
    if newer.seconds == seconds { return newer.text }
    if older.seconds != seconds { older = (seconds, HTTPDate.text(seconds)) }
    swap(&older, &newer)
    return newer.text
  }
}
