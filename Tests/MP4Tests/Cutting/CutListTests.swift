import MP4
import MP4Bytes
import Support
import Testing

@Suite("Lists of parts")
struct CutListTests {
  private func list(_ text: String) throws -> CutList { try CutList(Array(text.utf8), name: "list") }

  private func reason(_ text: String) -> String {
    do throws(MovieError) {
      _ = try CutList(Array(text.utf8), name: "list")
      return "none"
    } catch { return error.reason }
  }

  private func event(
    _ number: Int, _ start: String, _ end: String, reel: String = "A001", track: String = "V", kind: String = "C"
  ) -> String { "00\(number)  \(reel)  \(track)  \(kind)  \(start) \(end) 01:00:00:00 01:00:01:00\n" }

  @Test("Events of an edit decision list: source times, clip names, no audio events twice, no black")
  func events() throws {
    let text =
      "TITLE: x\r\nFCM: NON-DROP FRAME\r\n\n" + event(1, "10:00:00:00", "10:00:01:00")
      + "* FROM CLIP NAME:  Shot 1\n* TO CLIP NAME: other\n" + event(2, "10:00:00:00", "10:00:01:00", track: "A")
      + event(3, "00:00:00:00", "00:00:01:00", reel: "BL") + event(4, "09:00:00:05", "09:00:00;10", reel: "B002")
    let parts = try list(text).parts
    #expect(
      parts.map(\.line) == [4, 9] && parts.map(\.name) == ["Shot 1", nil] && parts.map(\.reel) == ["A001", "B002"])
    #expect(parts[0].start == CutTime("10:00:00:00") && parts[0].end == CutTime("10:00:01:00"))
    #expect(try list(text).keeping(reels: ["b002"]).parts.map(\.line) == [9])
    #expect(throws: MovieError.self) { try list(text).keeping(reels: ["C"]) }
    // Names are cut after eight letters, and AX is any reel.
    let cameras = event(1, "0:0:0:0", "0:0:1:0", reel: "A001_C001") + event(2, "0:0:0:0", "0:0:1:0", reel: "A001_C002")
    #expect(try list(cameras).keeping(reels: ["a001_c002"]).parts.map(\.line) == [2])
    let other = try list(event(1, "0:0:0:0", "0:0:1:0", reel: "LONGNAME") + event(2, "0:0:2:0", "0:0:3:0", reel: "AX"))
    #expect(try other.keeping(reels: ["longname_more"]).parts.count == 2)
  }

  @Test("A shot that is used twice is two parts; sound with other times than its video is none")
  func repeated() throws {
    let again = "003  A001  V  C  10:00:00:00 10:00:01:00 01:00:05:00 01:00:06:00\n* FROM CLIP NAME: Again\n"
    let text = event(1, "10:00:00:00", "10:00:01:00") + event(2, "09:59:59:00", "10:00:01:00", track: "A2") + again
    #expect(try list(text).parts.map(\.name) == [nil, "Again"])
    // A list of sound alone has its events.
    #expect(try list(event(2, "09:59:59:00", "10:00:01:00", track: "A2")).parts.count == 1)
  }

  @Test("Transitions, speeds and wrong times are refused with their line")
  func refusals() {
    let first = event(1, "10:00:00:00", "10:00:01:00")
    for (kind, name) in [("D 012", "dissolve"), ("W001 012", "wipe"), ("K B", "key")] {
      let text = first + event(2, "10:00:02:00", "10:00:03:00", kind: kind)
      #expect(reason(text).hasPrefix("line 2: a \(name)"), "\(reason(text))")
    }
    #expect(reason(first + "M2  A001  050.0  10:00:00:00\n").hasPrefix("line 2: a speed (M2)"))
    #expect(reason(first + event(2, "x", "10:00:03:00")).hasPrefix("line 2: 'x' and"))
    #expect(reason("0,1\nzwei,3\n").hasPrefix("line 2: 'zwei'") && reason("5\n").contains("line 1"))
    for text in ["", "\n\n", "# only a comment\n", "start,end\n"] {
      #expect(reason(text) == "it has no part", "\(text)")
    }
  }

  @Test("Lines with a header, quotes, other separators, and open ends")
  func rows() throws {
    let parts = try list("\u{feff}In,Out,Name\n0,1:02.5,\"a, \"\"b\"\"\"\n# no\n250f,,\n,500f , c \n").parts
    #expect(parts.map(\.name) == ["a, \"b\"", nil, "c"] && parts.map(\.line) == [2, 4, 5])
    #expect(parts.map(\.start) == [CutTime("0"), CutTime("250f"), nil])
    #expect(parts.map(\.end) == [CutTime("62.5"), nil, CutTime("500f")])
    #expect(try list("1\t2\tx,y\n").parts[0].name == "x,y" && list("1;2;x\n").parts[0].name == "x")
  }

  @Test("The parts of a list can overlap; times that do not exist are an error with the line")
  func ranges() throws {
    let cutter = try MovieCutter(reading: [MemorySource(try readFile(vectorPath("files/progressive.mp4")))])
    let ranges = try cutter.ranges(of: list("0,2\n1,3\n,1\n"))
    #expect(ranges.map { [$0.lowerBound.seconds, $0.upperBound.seconds] } == [[0, 2], [1, 3], [0, 1]])
    for text in ["0,1\n1:00:00:00,", "0,1\n2,2\n", "0,1\n99999f,\n"] {
      let error = #expect(throws: MovieError.self) { try cutter.ranges(of: list(text)) }
      #expect(error?.reason.hasPrefix("line 2: ") ?? false, "\(text)")
    }
    let times = cutter.times(every: MediaTime(1, 1))
    #expect(times.first == MediaTime(1, 1) && times.allSatisfy { $0 < cutter.duration })
  }
}
