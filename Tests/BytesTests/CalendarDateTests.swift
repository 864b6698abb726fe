import MP4Bytes
import Testing

@Suite("Calendar dates")
struct CalendarDateTests {
  @Test(
    "Known days",
    arguments: [
      (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (-24_107, 1904, 1, 1),
      (47_541, 2100, 3, 1), (47_540, 2100, 2, 28), (-719_468, 0, 3, 1), (-719_469, 0, 2, 29), (2_932_896, 9999, 12, 31),
    ])
  func known(days: Int, year: Int, month: Int, day: Int) {
    let date = CalendarDate(year: year, month: month, day: day)
    #expect(CalendarDate(daysSince1970: days) == date)
    #expect(date.daysSince1970 == days)
  }

  @Test("Days are consecutive for nine hundred years")
  func everyDay() {
    var date = CalendarDate(year: 1600, month: 1, day: 1)
    let start = date.daysSince1970
    for days in start..<start + 328_719 {
      guard CalendarDate(daysSince1970: days) == date, date.daysSince1970 == days else {
        Issue.record("\(days) is not \(date)")
        return
      }
      let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      date.day += 1
      if date.day > lengths[date.month - 1] { (date.month, date.day) = (date.month + 1, 1) }
      if date.month > 12 { (date.year, date.month) = (date.year + 1, 1) }
    }
    #expect(date == CalendarDate(year: 2500, month: 1, day: 1))
  }

  @Test("Seconds before and after 1970")
  func seconds() {
    let late = CalendarTime(secondsSince1970: 784_111_777)
    #expect((late.dateText, late.clockText, late.weekday) == ("1994-11-06", "08:49:37", 0))
    let early = CalendarTime(secondsSince1970: -1)
    #expect((early.dateText, early.clockText, early.weekday) == ("1969-12-31", "23:59:59", 3))
    _ = (CalendarTime(secondsSince1970: .min), CalendarTime(secondsSince1970: .max))
  }
}
