import MP4HLS
import Testing

@Suite("Values in playlists")
struct ValueTests {
  /// The duration of an EXTINF tag with this text.
  private func duration(_ text: String) throws -> Duration {
    try MediaPlaylist("#EXTM3U\n#EXTINF:\(text),\na").segments[0].duration
  }

  @Test("Durations are exact, regardless of their digits")
  func durations() throws {
    #expect(try duration("6") == .seconds(6))
    #expect(try duration("6.006") == .milliseconds(6006))
    #expect(try duration("0.000001") == .microseconds(1))
    #expect(try duration("0.1") * 10 == .seconds(1))
    #expect(try duration("10.") == .seconds(10))
    #expect(try duration("00010.0500") == .milliseconds(10_050))
    #expect(try duration("1.0000000000000000019") == Duration(secondsComponent: 1, attosecondsComponent: 1))
    #expect(try duration("9999999999.999999999999999999") < .seconds(10_000_000_000))
  }

  @Test(
    "An invalid duration is an error with its line",
    arguments: ["", "-1", "six", "1e3", "0x10", ".5", "1.2.3", "10000000000", "+1", "1;5", "NaN"])
  func wrongDurations(text: String) {
    #expect {
      try duration(text)
    } throws: {
      ($0 as? PlaylistError)?.description
        == "line 2: EXTINF is \"\(text),\" but can only be a number of seconds and a comma, such as \"6.006,\""
    }
  }

  @Test("Timescale units are rounded to the nearest microsecond, and sums of differences do not drift")
  func units() {
    #expect(Duration.units(540_540, timescale: 90_000) == .microseconds(6_006_000))
    #expect(Duration.units(1, timescale: 3) == .microseconds(333_333))
    #expect(Duration.units(2, timescale: 3) == .microseconds(666_667))
    #expect(Duration.units(-1, timescale: 2) == .milliseconds(-500) && Duration.units(5, timescale: 0) == .seconds(5))
    #expect(Duration.units(.max, timescale: 1) == .seconds(9_999_999_999))
    #expect(Duration.units(.min, timescale: 1) == .seconds(-9_999_999_999))
    var sum = Duration.zero
    for i in 0..<48_000 {
      sum += Duration.units(Int64(i + 1) * 1024, timescale: 48_000) - Duration.units(Int64(i) * 1024, timescale: 48_000)
    }
    #expect(sum == .seconds(1024))
    #expect(Duration.milliseconds(5500).roundedSeconds == 6 && Duration.milliseconds(5499).roundedSeconds == 5)
  }

  @Test("Durations are written with six decimals, or more if necessary")
  func written() {
    #expect(Segment("a", duration: .seconds(6)).lines[0].text == "#EXTINF:6.000000,")
    #expect(Segment("a", duration: .nanoseconds(1_000_000_001)).lines[0].text == "#EXTINF:1.000000001,")
    #expect(Segment("a", duration: .seconds(-1)).lines[0].text == "#EXTINF:0.000000,")
    #expect(StartPoint(offset: .milliseconds(-1500)).attributes.description == "TIME-OFFSET=-1.500")
  }

  @Test(
    "Dates are read exactly and written in their time zone",
    arguments: [
      ("1970-01-01T00:00:00Z", Duration.zero, "1970-01-01T00:00:00.000Z"),
      ("2024-02-29T23:59:59.999Z", .milliseconds(1_709_251_199_999), "2024-02-29T23:59:59.999Z"),
      ("2024-03-01T01:00:00+01:00", .seconds(1_709_251_200), "2024-03-01T01:00:00.000+01:00"),
      ("2024-03-01T01:00:00.5+0100", .milliseconds(1_709_251_200_500), "2024-03-01T01:00:00.500+01:00"),
      ("2024-02-29T19:00:00-05", .seconds(1_709_251_200), "2024-02-29T19:00:00.000-05:00"),
      ("2000-02-29 12:00", .seconds(951_825_600), "2000-02-29T12:00:00.000"),
      ("1969-12-31T23:59:59.75Z", .milliseconds(-250), "1969-12-31T23:59:59.750Z"),
      ("0001-01-01T00:00:00Z", .seconds(-62_135_596_800), "0001-01-01T00:00:00.000Z"),
      ("9999-12-31T23:59:59.123456Z", .microseconds(253_402_300_799_123_456), "9999-12-31T23:59:59.123456Z"),
    ])
  func dates(text: String, moment: Duration, written: String) throws {
    let date = try #require(DateTime(text))
    #expect(date.sinceEpoch == moment)
    #expect(date.description == written)
    #expect(DateTime(written) == date)
    #expect((date + .milliseconds(1) - .milliseconds(1)) == date && date < date + .milliseconds(1))
  }

  @Test(
    "An invalid date is refused",
    arguments: [
      "", "2024", "2024-13-01T00:00:00Z", "2024-01-32T00:00:00Z", "2024-01-01", "2024-01-01T25:00:00Z",
      "2024-01-01T00:60:00Z", "2024-01-01T00:00:00X", "2024-01-01T00:00:00+1", "2024-01-01T00:00:00+01:00:00",
      "24-01-01T00:00:00Z", "2024-01-01T00:00:61Z", "２０２４-01-01T00:00:00Z",
    ])
  func wrongDates(text: String) {
    #expect(DateTime(text) == nil)
  }

  @Test("Every day of four centuries has the right date", arguments: [1601, 1970, 2000, 2100, 2399])
  func calendar(year: Int) throws {
    var date = try #require(DateTime("\(year)-01-01T00:00:00Z"))
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    for month in 1...12 {
      let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      for day in 1...days {
        let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T00:00:00.000Z"
        #expect(date.description == text)
        #expect(DateTime(text) == date)
        date = date + .seconds(86_400)
      }
    }
    #expect(date.description.hasPrefix("\(year + 1)-01-01"))
  }

  @Test("Frame rates have three decimals")
  func decimals() {
    let texts = [
      (30_000 / 1001, "29.970"), (24_000 / 1001, "23.976"), (60, "60.000"), (0.005, "0.005"), (-1.5, "-1.500"),
      (29.9996, "30.000"), (1e300, "0.000"), (.infinity, "0.000"), (.nan, "0.000"),
    ]
    for (number, text) in texts {
      var list = AttributeList()
      list["T", .number] = number
      #expect(list.description == "T=\(text)")
      if number >= 0, number < 1e9 { #expect(list["T", .number] == (number * 1000).rounded() / 1000) }
    }
    var list = AttributeList()
    list["T", .word([])] = "29.97"
    list["T", .number] = 30_000 / 1001
    #expect(list.description == "T=29.97", "the same number stays as it is written")
  }

  @Test("Attributes of all forms are read, and an invalid form is nil")
  func attributes() throws {
    let line = try PlaylistLine(
      parsing: "#EXT-X-DATERANGE:ID=\"a,b=c\",X-N=1.5,X-H=0X0aF,X-W=WORD,X-R=3x4,X-B=\"5@6\","
        + "X-D=\"2024-01-01T00:00:00Z\"")
    guard case .attributes(let list) = try #require(line.value) else { return #expect(line.tag == nil) }
    #expect(
      list["ID", .string] == "a,b=c" && list["X-W", .word([])] == "WORD"
        && list["X-N", .signedSeconds] == .milliseconds(1500))
    #expect(list["X-H", .hexadecimal] == [0x00, 0xAF])
    #expect(list["X-R", .resolution] == Resolution(width: 3, height: 4))
    #expect(list["X-B", .byteRange] == ByteRange(length: 5, offset: 6) && list["X-D", .date] != nil)
    #expect(list["X-N", .integer] == nil && list["X-W", .signedSeconds] == nil && list["X-W", .hexadecimal] == nil)
    #expect(list["X-W", .resolution] == nil && list["X-W", .date] == nil && list["X-MISSING"] == nil)
    #expect(list["X-MISSING", .integer] == nil && list["X-W", .yes] == false)
  }

  @Test("Setting an attribute writes it in its form; nil removes it")
  func settingAttributes() {
    var list = AttributeList()
    list["S", .string] = "x"
    list["F", .yes] = true
    list["I", .integer] = 5
    list["H", .hexadecimal] = [0, 0xAB]
    list["T", .number] = 1.5
    list["I", .integer] = 6
    #expect(list.description == "S=\"x\",F=YES,I=6,H=0x00AB,T=1.500")
    list["S", .string] = nil
    list["F", .yes] = false
    list["W", .word([])] = nil
    #expect(list.description == "I=6,H=0x00AB,T=1.500")
  }

  @Test("A byte range has a length and an optional offset")
  func byteRanges() {
    #expect(ByteRange(5..<9) == ByteRange(length: 4, offset: 5))
    #expect(ByteRange(length: 4).bytes(from: 10) == 10..<14 && ByteRange(length: 4, offset: 2).bytes(from: 10) == 2..<6)
    #expect(ByteRange(length: .max).bytes(from: 10) == 10..<Int.max)
    #expect(ByteRange(length: 4).description == "4" && ByteRange(5..<9).description == "4@5")
  }
}
