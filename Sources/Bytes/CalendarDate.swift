/// A day of the Gregorian calendar.
package struct CalendarDate: Hashable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int

  /// The day with this year, month and day of the month.
  package init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

  // In a year that begins in March, the leap day is the last day. An era is 400 such years, or 146,097 days. Era 0
  // begins on 1 March of the year 0, 719,468 days before 1970.

  /// The day that is this many days after 1 January 1970.
  package init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = floored(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1 January 1970.
  package var daysSince1970: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = floored(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// A second of a day of the Gregorian calendar, in UTC.
package struct CalendarTime: Hashable, Sendable {
  package let date: CalendarDate
  /// 0 for Sunday.
  package let weekday: Int
  /// The seconds since midnight.
  package let secondOfDay: Int

  /// The time that is this many seconds after the start of 1970.
  package init(secondsSince1970 seconds: Int) {
    let days = floored(seconds, 86_400)
    date = CalendarDate(daysSince1970: days)
    weekday = (days + 4) - floored(days + 4, 7) * 7
    // Correct even if the product overflows.
    secondOfDay = seconds &- days &* 86_400
  }

  /// Such as `2024-02-29`.
  package var dateText: String { padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) }
  /// Such as `12:30:05`.
  package var clockText: String {
    padded(secondOfDay / 3600, 2) + ":" + padded(secondOfDay / 60 % 60, 2) + ":" + padded(secondOfDay % 60, 2)
  }
}

/// A number padded with zeros to at least `count` digits.
package func padded(_ number: Int, _ count: Int) -> String {
  let digits = String(number)
  let missing = count - digits.utf8.count
  return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
}

/// The quotient, rounded down.
private func floored(_ number: Int, _ divisor: Int) -> Int {
  number / divisor - (number % divisor < 0 ? 1 : 0)
}
