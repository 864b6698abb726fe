import ISOBMFF
import Support
import Testing

@Suite("Derived times in dumps")
struct DumpTimesTests {
  /// A fragment of track 1: two runs with default durations, and one with its own durations between them.
  private static func fragment(decodeTime: [UInt8]) -> [UInt8] {
    let runs = [
      fullBox("trun", big(UInt32(3))),
      fullBox("trun", flags: 0x100, big(UInt32(2)), big(UInt32(5)), big(UInt32(6))),
      fullBox("trun", big(UInt32(1))),
    ]
    return box("moof", box("traf", fullBox("tfhd", big(UInt32(1))), decodeTime, runs.flatMap { $0 }))
  }
  private static let movie = box(
    "moov",
    box(
      "trak", fullBox("tkhd", zeros(8), big(UInt32(1)), zeros(68)),
      box("mdia", fullBox("mdhd", zeros(8), big(UInt32(1000)), zeros(8)))),
    box("mvex", fullBox("trex", big(UInt32(1)), big(UInt32(1)), big(UInt32(10)), zeros(8))))
  private static let decodeTime = fullBox("tfdt", big(UInt32(2000)))

  private func derived(_ lines: [String]) -> [String] {
    lines.drop { !$0.hasPrefix("[moof") }.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("=> ") }
      .map { String($0.dropFirst(3)) }.filter {
        $0.hasPrefix("decode_time") || $0.hasPrefix("duration")
      }
  }

  @Test("Runs of a fragment are consecutive, with the durations of trex if they have none")
  func runs() throws {
    let file = Self.movie + Self.fragment(decodeTime: Self.decodeTime)
    #expect(
      derived(try dumpLines(file, verbosity: 3)) == [
        "decode_time = 2000", "decode_time_in_seconds = 2.000000", "duration = 30", "duration_in_seconds = 0.030000",
        "decode_time = 2030", "decode_time_in_seconds = 2.030000", "duration = 11", "duration_in_seconds = 0.011000",
        "decode_time = 2041", "decode_time_in_seconds = 2.041000", "duration = 10", "duration_in_seconds = 0.010000",
      ])
    #expect(derived(try dumpLines(file, verbosity: 2)) == [])
    let json = String(decoding: try dumpJSON(file), as: UTF8.self)
    #expect(json.contains(#""derived":{"default_sample_size":0,"default_sample_flags":0,"decode_time":2030,"#))
  }

  @Test("Unknown times are not shown: a decode time without tfdt, seconds without a movie box")
  func unknown() throws {
    let withoutTime = Self.movie + Self.fragment(decodeTime: [])
    #expect(derived(try dumpLines(withoutTime, verbosity: 3)).filter { $0.hasPrefix("decode") } == [])
    let alone = Self.fragment(decodeTime: Self.decodeTime)
    #expect(derived(try dumpLines(alone, verbosity: 3)) == ["decode_time = 2000", "duration = 11"])
    let late = fullBox("tfdt", version: 1, big(UInt64.max))
    let lines = derived(try dumpLines(Self.movie + Self.fragment(decodeTime: late), verbosity: 3))
    #expect(lines.filter { $0.hasPrefix("decode_time =") } == ["decode_time = \(UInt64.max)"])
  }

  @Test("prft shows the decode time of a sample and the time of day, for which NTP wraps around in 2036")
  func producerTime() throws {
    let time = { (stamp: UInt64) in
      fullBox("prft", version: 1, big(UInt32(1)), big(stamp), big(UInt64(1500)))
    }
    let file = Self.movie + time(0xe5a1_c2d3_8000_0000) + time(0x0000_0010_0000_0000) + time(0)
    let lines = try dumpLines(file, verbosity: 3).map { $0.drop { $0 == " " } }
    #expect(lines.filter { $0 == "=> media_time_in_seconds = 1.500000" }.count == 3)
    #expect(
      lines.filter { $0.hasPrefix("=> ntp_timestamp_date") } == [
        "=> ntp_timestamp_date = 2022-01-31T02:07:15.500000Z", "=> ntp_timestamp_date = 2036-02-07T06:28:32.000000Z",
      ])
  }

  @Test("sidx and emsg show times in their own timescales")
  func indexAndEvents() throws {
    let reference = big(UInt32(100)) + big(UInt32(3000)) + big(UInt32(0x9000_0000))
    let index = fullBox(
      "sidx", big(UInt32(1)), big(UInt32(2000)), big(UInt32(500)), zeros(4), big(UInt32(2)), reference, reference)
    #expect(
      try dumpLines(index, verbosity: 3).suffix(2) == [
        "  => earliest_presentation_time_in_seconds = 0.250000", "  => duration_in_seconds = 3.000000",
      ])
    let numbers = big(UInt32(100)) + big(UInt32(150)) + big(UInt32.max) + big(UInt32(1))
    #expect(
      try dumpLines(fullBox("emsg", [0, 0], numbers), verbosity: 3).suffix(2) == [
        "  message_data = []", "  => presentation_time_delta_in_seconds = 1.500000",
      ])
    let later = big(UInt32(100)) + big(UInt64(1200)) + big(UInt32(50)) + big(UInt32(1))
    #expect(
      try dumpLines(fullBox("emsg", version: 1, later, [0, 0]), verbosity: 3).suffix(2) == [
        "  => presentation_time_in_seconds = 12.000000", "  => event_duration_in_seconds = 0.500000",
      ])
  }
}
