import MP4
import MP4Bytes
import Support
import Testing

@testable import MP4Inspection
@testable import MP4Records

@Suite("Specifications")
struct SpecificationTests {
  /// 24 s of H.264 High 1.1, 160x90, 25 frames per second, and AAC LC, mono, 22,050 Hz.
  private func movie() throws -> MovieSummary { try movie("progressive.mp4") }

  private func movie(_ file: String) throws -> MovieSummary {
    try MovieSummary(Movie(reading: [MemorySource(readFile(vectorPath("files/" + file)))]))
  }

  private func specification(_ line: String) throws -> Specification {
    try Specification(Array(line.utf8), name: "test.txt")
  }

  @Test(
    "Requirements that the movie meets",
    arguments: [
      "video.codec = \"H.264 High\"", "video.level = \"1.1\"", "video.width = 160", "video.frame_rate = 25",
      "video.frame_rate = 25/1", "video.frame_rate in [24, 25]", "video.width != 161", "duration = 24",
      "duration = 23.97 within 0.04", "video.bit_rate in 1000..1000000", "video.bit_rate in ..1000000",
      "video.bit_rate in 1000..", "audio[*].sample_rate = 22050", "audio[1].layout in [\"stereo\", \"mono\"]",
      "audio.count = 1", "text.count = 0", "container.moov = \"first\"", "moov_first = true", "timecode missing",
      "timecode.start missing", "metadata.title missing", "metadata.\"a b\" missing", "video.scan = \"progressive\"",
      "video.pixel_aspect = \"1:1\"", "text[*] missing", "tracks[*].edits present", "tracks[3] missing",
      "tracks[2].kind = \"audio\"",
      "brands.count in 1..", "video.groups present", "tracks[1].video.width = 160", "video.colors missing",
      "video.colors.name missing", "\u{feff}duration present", "duration = 24 # seconds\r",
      "# A comment\n\n  warn duration = 5", "video.codec != \"a # b\"\nduration = 24",
    ])
  func areMet(line: String) throws {
    let specification = try specification(line)
    let result = try specification.test(movie(), isDamaged: false, ignoring: [])
    #expect(result.result.passes)
    #expect(result.findings.findings.allSatisfy { $0.severity == .warning })
  }

  @Test(
    "Requirements that it does not meet",
    arguments: [
      ("video.codec = \"ProRes 422 HQ\"", "video.codec is \"H.264 High\", not \"ProRes 422 HQ\""),
      ("video.width = 161", "video.width is 160, not 161"),
      ("video.frame_rate = 29.97", "video.frame_rate is \"25\", not 29.97"),
      ("duration = 24.1 within 0.05", "duration is 24.000000, not 24.1 within 0.05"),
      ("video.bit_rate in 1..2", "video.bit_rate is 36582, not between 1 and 2"),
      ("video.height in 91..", "video.height is 90, not at least 91"),
      ("video.height in ..89", "video.height is 90, not at most 89"),
      ("audio[*].layout in [\"stereo\", \"5.1\"]", "audio[1].layout is \"mono\", not one of \"stereo\", \"5.1\""),
      ("container.moov = \"last\"", "container.moov is \"first\", not \"last\""),
      ("metadata.title present", "metadata.title is missing"),
      ("timecode.start = \"10:00:00:00\"", "timecode.start is missing, but must be \"10:00:00:00\""),
      ("video missing", "video is present, but must be missing"),
      ("text[*].language = \"en\"", "text[*].language: there is none"),
      ("video[2].scan = \"progressive\"", "video[2].scan is missing, but must be \"progressive\""),
      ("metadata.title != \"x\"", "metadata.title is missing"),
    ])
  func areNotMet(line: String, problem: String) throws {
    let result = try specification(line).test(movie(), isDamaged: false, ignoring: [])
    #expect(result.findings.findings.map(\.message) == [problem])
    #expect(result.findings.findings.first?.severity == .error)
    #expect(!result.result.passes)
  }

  @Test("Values are compared as users write them")
  func values() throws {
    let movie = try #require(
      JSONNode(
        #"""
        {"major_brand":"qt  ","metadata":[{"key":"©nam","name":"Title","value":"a \"b\""},
        {"key":"aART","name":"Album artist","value":"c"}],"tracks":[{"kind":"video","video":{"frame_rate":"30000/1001",
        "progressive":false}},{"kind":"text","is_chapters":true},{"kind":"video","video":{"progressive":true}}]}
        """#.utf8))
    for line in [
      "container.brand = \"qt\"", "metadata.title = \"a \\\"b\\\"\"", "metadata.album-artist = \"c\"",
      "metadata.aART present", "video.frame_rate in ..29.97", "video.frame_rate in 29.97..29.97",
      "video.frame_rate in 29.970..", "text.count = 0", "video.scan missing", "video[2].scan = \"progressive\"",
    ] {
      #expect(try specification(line).requirements[0].problems(in: movie) == [], "\(line)")
    }
    for (line, problem) in [
      ("video.frame_rate in ..29", "video.frame_rate is \"30000/1001\", not at most 29"),
      ("video.scan = \"progressive\"", "video.scan is missing, but must be \"progressive\""),
      ("metadata.title = \"\\\"\"", #"metadata.title is "a \"b\"", not "\"""#),
    ] {
      #expect(try specification(line).requirements[0].problems(in: movie) == [problem], "\(line)")
    }
    let twice = try specification("duration = 1\nduration = 2\nlayout present")
    #expect(twice.requirements.map(\.rule) == ["spec-duration", "spec-duration-2", "spec-layout"])
  }

  @Test("A number with decimals equals what rounds to it; another number is exact")
  func numbers() throws {
    for (number, value, isEqual) in [
      ("29.97", "30000/1001", true), ("23.976", "24000/1001", true), ("30", "30000/1001", false), ("25", "25", true),
      ("59.94", "60000/1001", true), ("59.9", "60000/1001", true), ("29.97", "30", false),
      ("24000/1001", "23.976", false),
      ("-1", "-1", true), ("0.000000001", "0.000000001", true),
    ] {
      let expected = RequiredValue.number(try #require(RequiredNumber(number)))
      #expect(expected.matches(.string(value), within: nil) == isEqual, "\(number) and \(value)")
    }
    for text in ["", ".", "1.", "x", "1/0", "1/x", "99999999999999999999", "1.1234567890", "1.5.5", "+", "-", "1e5"] {
      #expect(RequiredNumber(text) == nil, "\(text)")
    }
  }

  @Test(
    "What cannot be read is an error with its line, and what is possible",
    arguments: [
      ("", "it has no requirement"), ("# nothing", "it has no requirement"),
      ("duration = 1\nvideo.codek = \"x\"", "line 2: `video` has no property `codek`; did you mean `codec`"),
      ("vidio present", "line 1: there is no property `vidio`; did you mean `video`?"),
      ("zebra present", "line 1: there is no property `zebra`; possible are `audio`, "),
      ("video.width = \"160\"", "line 1: `video.width` is a number"),
      ("moov_first = \"true\"", "line 1: `moov_first` is true or false"),
      ("video.width = true", "line 1: `video.width` is not true or false"),
      ("video.codec = H.264", "line 1: `H.264` is not a number; text is written in quotes"),
      ("video.codec in [\"a\" \"b\"]", "line 1: a list of values ends with `]`"),
      ("audio[0] present", "line 1: the index of `audio` is a number, starting at 1, or `*`"),
      ("tracks.id = 1", "line 1: `tracks` is a list: use `tracks[1]`"),
      ("duration[1] = 1", "line 1: `duration` is not a list"),
      ("video.bit_rate in 5..1", "line 1: the range 5..1 is empty"),
      ("video.bit_rate in ..", "line 1: a range has a least or a greatest number"),
      ("duration within 5", "line 1: `duration` is followed by `=`"), ("warn", "line 1: `warn` is followed by"),
      ("duration = 1 2", "line 1: the requirement ends before `2`"), ("\"a\" = 1", "line 1: a requirement begins with"),
      ("video.codec = \"a", "line 1: a string ends with"), ("metadata. = 1", "line 1: `metadata.` is followed by"),
      ("duration = \"a\" within 1", "line 1: `duration` is a number"),
    ])
  func isRejected(text: String, reason: String) {
    #expect {
      try Specification(Array(text.utf8), name: "test.txt")
    } throws: { error in
      let words = (error as? MovieError)?.reason ?? ""
      return words.hasPrefix(reason)
    }
  }

  @Test(
    "A movie passes the specification that is drafted from it",
    arguments: [
      "progressive.mp4", "fragmented.mp4", "progressive.mov", "pcm.mov", "encrypted-cenc.mp4", "hevc-fragmented.mp4",
    ])
  func draftPasses(file: String) throws {
    let movie = try movie(file)
    let draft = try specification(Specification.draft(from: movie))
    let result = draft.test(movie, isDamaged: false, ignoring: [])
    #expect(result.findings.findings.map(\.message) == [])
    #expect(result.result.outcomes.count >= 8)
  }

  @Test("The requirements of a delivery, by line")
  func delivery() throws {
    let delivery = """
      # A delivery
      video.codec = "ProRes 422 HQ"
      video.frame_rate = 25
      video.colors = "BT.709"
      audio[*].sample_rate = 48000
      audio[1].layout in ["stereo", "5.1"]
      timecode.start = "10:00:00:00"
      duration = 60 within 0.04
      container.moov = "first"
      video.bit_rate in 8000000..12000000
      warn metadata.title present
      """
    let specification = try specification(delivery)
    #expect(specification.requirements.map(\.line) == Array(2...11))
    #expect(specification.requirements.map(\.isAdvice) == Array(repeating: false, count: 9) + [true])
    let (findings, result) = try specification.test(movie(), isDamaged: false, ignoring: ["spec-timecode.start"])
    #expect(findings.findings.map(\.rule.source.clause) == [2, 4, 5, 6, 8, 10, 11].map { "line \($0)" })
    #expect((result.outcomes.count, result.failed, result.warned) == (9, 6, 1))
  }

  @Test("The examples can be read", arguments: Specification.examples.map(\.name))
  func exampleIsRead(name: String) throws {
    let example = try #require(Specification.examples.first { $0.name == name })
    #expect(try specification(example.text).requirements.count >= 5)
  }

  @Test("JSON is read back as it was written")
  func json() {
    let text = #" {"a\"\u00e9\ud83d\ude00\n":[1,-2.5e3,true,false,null,{}],"b":[],"c":{"d":"x"}} "#
    let value = JSONNode(text.utf8)
    #expect(
      value?["a\"é😀\n"] == .array([.number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null, .object([])]))
    #expect(value?["c"]?["d"] == .string("x"))
    for wrong in ["", "{", "[1,]", "{\"a\"}", "\"", "\"\\u12\"", "tru", "1 2", String(repeating: "[", count: 100_000)] {
      #expect(JSONNode(wrong.utf8) == nil)
    }
  }
}
