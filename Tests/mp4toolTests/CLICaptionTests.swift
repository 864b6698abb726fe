import Support
import Testing

@Suite("Closed captions, end to end")
struct CLICaptionTests {
  /// Adds messages with closed captions (ATSC A/53) to pictures of an H.264 byte stream, by their numbers in decoding
  /// order: pairs as words of SCC.
  private func captioned(_ stream: [UInt8], _ captions: [Int: String]) -> [UInt8] {
    var (result, picture, at): ([UInt8], Int, Int) = ([], 0, 0)
    while at < stream.count {
      if stream[at...].starts(with: [0, 0, 1]), at + 4 < stream.count, [1, 5].contains(stream[at + 3] & 31),
        stream[at + 4] & 0x80 != 0
      {
        if let words = captions[picture] {
          let pairs = words.split(separator: " ").compactMap { UInt16($0, radix: 16) }
          let data = pairs.flatMap { [0xfc, UInt8($0 >> 8), UInt8($0 & 0xff)] }
          let user: [UInt8] =
            [0xb5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0x40 | UInt8(pairs.count), 0xff] + data + [0xff]
          result += [0, 0, 1, 6, 4, UInt8(user.count)] + user + [0x80]
        }
        picture += 1
      }
      result.append(stream[at])
      at += 1
    }
    return result
  }
  private static let hello = "9420 94ae 9476 c845 4c4c 4f80 942f"

  /// A folder with `cc.mp4`, whose pictures have a caption from the first picture to the 51st.
  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    #expect(try shell("mp4tool extract --tracks video in.mp4 -o in.h264").exitCode == 0)
    try shell.folder.write("cc.h264", captioned(shell.bytes("in.h264"), [0: Self.hello, 50: "942c"]))
    #expect(try shell("mp4tool mux -q cc.h264,rate=25 -o cc.mp4").exitCode == 0)
    return shell
  }

  @Test("Concatenated captions, captions without an end, and lines that are out of order have the right times")
  func times() throws {
    let shell = try EndToEnd()
    let load = "9420 94ae 9470 c845 4c4c 4f80 942f"
    try shell.folder.write(
      "a.scc", Array("Scenarist_SCC V1.0\n\n00:00:03:00\t\(load)\n\n00:00:01:00\t\(load)\n\n00:00:05:00\t942c\n".utf8))
    try shell.folder.write("open.scc", Array("Scenarist_SCC V1.0\n\n00:00:01:00\t\(load)\n".utf8))
    try shell.folder.write(
      "long.scc", Array("Scenarist_SCC V1.0\n\n00:00:01:00\t\(load)\n\n00:00:01:02\t942c\n".utf8))
    let result = try shell(
      """
      mp4tool cut --from 0 --to 6 $V/progressive.mp4 -o film.mp4 -q
      for f in a open long; do mp4tool mux film.mp4 $f.scc -o $f.mp4; done
      mp4tool concat a.mp4 a.mp4 -o both.mp4 -q
      for f in a open both; do mp4tool extract --captions $f.mp4 -o - -q | grep -e '-->' | cut -c 4-32; done
      """)
    #expect(result.exitCode == 0, "\(result)")
    let lines = result.lines.map(String.init)
    #expect(lines.prefix(2).map { $0.prefix(8) } == ["00:01.20", "00:03.20"], "\(result)")
    #expect(lines.count == 7, "\(result)")
    // The second part starts after the first one, which lasts about six seconds.
    let seconds = lines.compactMap { Double($0.dropFirst(3).prefix(6)) }
    #expect(seconds.count == 7 && abs(seconds[5] - seconds[3] - 6) < 0.1 && abs(seconds[6] - seconds[4] - 6) < 0.1)
    #expect(lines[2].utf8.count > 20 && lines[2].dropFirst(14).hasPrefix("00:00:06."), "\(result)")
    #expect(result.errorLines.contains { $0.contains("1 line is sent later than the timecodes say, by up to 0.1") })
  }

  @Test("info shows the captions in the first 10 seconds, or everywhere")
  func info() throws {
    let shell = try shell()
    try shell.folder.write("late.h264", captioned(shell.bytes("in.h264"), [60: Self.hello, 62: "942c"]))
    let result = try shell(
      """
      mp4tool mux -q late.h264,rate=5 -o late.mp4
      for words in 'cc.mp4' 'late.mp4' '-v late.mp4' '--scan-captions late.mp4' '--scan-captions in.mp4'; do
        mp4tool info $words | grep -o 'closed captions.*' || echo nothing
      done
      mp4tool info --format json late.mp4 | tr -d ' \\n' | grep -o '"captions":{[^}]*}'
      mp4tool info --scan-captions --format json late.mp4 | tr -d ' \\n' | grep -o '"captions":{[^}]*}'
      """)
    #expect(
      result.lines == [
        "closed captions: CC1", "nothing", "closed captions: none in the first 10 s", "closed captions: CC1",
        "closed captions: none", #""captions":{"channels":[],"searched_seconds":10}"#,
        #""captions":{"channels":["CC1"]}"#,
      ], "\(result)")
  }

  @Test("Captions in pictures are extracted in all formats, and survive cut, concat and fragments")
  func extract() throws {
    let shell = try shell()
    let result = try shell(
      """
      mp4tool extract --captions cc.mp4 -o - && mp4tool extract --captions --format srt --channel cc1 cc.mp4 -o -
      mp4tool extract --captions --format scc cc.mp4 -o -
      mp4tool extract --captions --format mcc cc.mp4 -o cc.mcc && grep -c 9420 cc.mcc
      mp4tool fragment -q cc.mp4 -o f.mp4; mp4tool cut -q --from 0 --to 3 cc.mp4 -o c.mp4
      mp4tool concat -q c.mp4 c.mp4 -o cat.mp4
      for f in f c cat; do mp4tool extract --captions $f.mp4 -o - | grep -c HELLO; done
      """)
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    let lines = result.lines
    #expect(lines.first == "WEBVTT" && lines[1].hasPrefix("00:00:00.000 --> 00:00:0") && lines[2] == "HELLO")
    #expect(lines[3] == "1" && lines[5] == "HELLO" && lines[6] == "Scenarist_SCC V1.0")
    #expect(lines[7] == "00:00:00;00\t\(Self.hello)" && lines[8].hasSuffix(" 942c") == false)
    #expect(lines[8].hasSuffix("\t942c"))
    #expect(lines.suffix(4) == ["1", "1", "1", "2"])
    for (words, message) in [
      ("--channel CC3 --captions cc.mp4", "it has no closed captions in CC3, only in CC1"),
      ("--captions in.mp4", "it has no closed captions"),
    ] {
      let result = try shell("mp4tool extract \(words) -o out")
      #expect(result.exitCode == 65 && result.errorText.contains(message), "\(result)")
    }
    for (words, message) in [
      ("--channel CC1", "option '--channel' needs '--captions'"), ("--channel CC9 --captions", "a channel such as CC1"),
      ("--captions --raw", "captions are not samples"), ("--captions --format ivf", "--format"),
      ("--captions --format mcc --channel CC1", "MCC, which has all channels"),
    ] {
      let result = try shell("mp4tool extract \(words) cc.mp4 -o out")
      #expect(result.exitCode == 64 && result.errorText.contains(message), "\(result)")
    }
  }

  @Test("SCC and subtitles become caption tracks, which come back unchanged")
  func mux() throws {
    let shell = try shell()
    let scc = "Scenarist_SCC V1.0\n\n00:00:00;10\t\(Self.hello)\n\n00:00:03;00\t942c\n"
    let vtt = "WEBVTT\n\n00:00:01.001 --> 00:00:02.002\nOne <i>two</i>\n\n00:00:02.002 --> 00:00:03.003\né\n\n"
    try shell.folder.write("a.scc", Array(scc.utf8))
    try shell.folder.write("a.vtt", Array(vtt.utf8))
    let result = try shell(
      """
      mp4tool mux in.mp4 a.scc,language=en a.vtt,channel=CC3,name=Other -o a.mp4 && mp4tool info a.mp4 | grep -c c608
      mp4tool extract --tracks 3 --format scc a.mp4 -o - | cmp - a.scc && echo same
      mp4tool extract --captions --channel CC3 a.mp4 -o - | cmp - a.vtt && echo same
      mp4tool mux in.mp4 a.scc -o a.mov && mp4tool extract --captions a.mov --format scc -o - | cmp - a.scc && echo same
      mp4tool info --format json a.mp4 | tr -d ' \\n' | grep -o '"captions":{[^}]*}'
      """)
    #expect(
      result.lines == [
        "2", "same", "same", "same", #""captions":{"channels":[],"searched_seconds":10}"#,
        #""captions":{"channels":["CC1"],"searched_seconds":10}"#,
        #""captions":{"channels":["CC3"],"searched_seconds":10}"#,
      ], "\(result)")
    for (words, message) in [
      ("in.mp4,channel=CC1", "applies only to subtitles and SCC"), ("a.scc,forced", "applies only to subtitles"),
      ("a.vtt,channel=SERVICE1", "channel takes CC1, CC2, CC3 or CC4"),
      ("a.vtt,channel=CC1,sdh", "does not apply to closed captions"),
    ] {
      let result = try shell("mp4tool mux \(words) -o out.mp4")
      #expect(result.exitCode == 64 && result.errorText.contains(message), "\(result)")
    }
  }

  @Test("hls declares captions, says that there are none only after a search, and converts caption tracks")
  func hls() throws {
    let shell = try shell()
    let scc = "Scenarist_SCC V1.0\n\n00:00:00;10\t1c20 1cae 1c76 c845 4c4c 4f80 1c2f\n\n00:00:03;00\t1c2c\n"
    try shell.folder.write("a.scc", Array(scc.utf8))
    let result = try shell(
      """
      mp4tool hls -q --no-iframes cc.mp4 -o cc && grep -o 'TYPE=CLOSED.*' cc/master.m3u8
      grep -o 'CLOSED-CAPTIONS=.*' cc/master.m3u8
      mp4tool hls -q --no-iframes in.mp4 -o none && grep -c CLOSED none/master.m3u8
      mp4tool hls -q --no-iframes --scan-captions in.mp4 -o none2 && grep -o 'CLOSED-CAPTIONS=NONE' none2/master.m3u8
      mp4tool mux -q cc.mp4 a.scc,language=en -o both.mp4 && mp4tool hls --no-iframes both.mp4 -o both
      grep -o 'TYPE=SUBTITLES.*LANGUAGE="en"' both/master.m3u8; cat both/text-en/*.vtt | grep -c HELLO
      mp4tool check -q both cc none2 > /dev/null && echo valid
      """)
    let subtitles = result.lines.first { $0.hasPrefix("TYPE=SUBTITLES") }
    #expect(
      result.lines.filter { $0 != subtitles } == [
        #"TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC1",INSTREAM-ID="CC1",DEFAULT=YES,AUTOSELECT=YES"#,
        #"CLOSED-CAPTIONS="cc""#, "0", "CLOSED-CAPTIONS=NONE", "1", "valid",
      ], "\(result)")
    #expect(subtitles != nil && result.errorText.contains("players read closed captions only from pictures"))
  }

  @Test("events lists captions, and check compares them with their declaration")
  func inspect() throws {
    let shell = try shell()
    let result = try shell(
      """
      mp4tool events --scan-captions --format csv cc.mp4 | grep -c 'caption,0.000.*CC1 ""HELLO""'
      mp4tool events --format csv cc.mp4 | grep -c HELLO
      mp4tool hls -q --no-iframes cc.mp4 -o cc; cd cc
      mp4tool check --scan-captions . > /dev/null && echo valid
      sed 's/CLOSED-CAPTIONS="cc"/CLOSED-CAPTIONS=NONE/; /EXT-X-MEDIA:TYPE=CL/d' master.m3u8 > none.m3u8
      mp4tool check none.m3u8 | grep -o 'CLOSED-CAPTIONS is NONE.*CC1'
      sed 's/STREAM-ID="CC1"/STREAM-ID="CC2"/' master.m3u8 > other.m3u8
      mp4tool check other.m3u8 | grep -o 'the pictures have CC1, which is not declared'
      mp4tool check other.m3u8 | grep -c 'CC2 is declared'
      mp4tool check --scan-captions other.m3u8 | grep -o 'CC2 is declared, but.*have it'
      """)
    #expect(
      result.lines == [
        "1", "0", "valid", "CLOSED-CAPTIONS is NONE, but the pictures have CC1",
        "the pictures have CC1, which is not declared", "0", "CC2 is declared, but the pictures do not have it",
      ], "\(result)")
  }

  @Test(
    "ffmpeg reads the same captions from pictures and from tracks",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let shell = try shell()
    let vtt = "WEBVTT\n\n00:00:01.001 --> 00:00:02.002\nOne\ntwo é ♪\n\n00:00:02.970 --> 00:00:04.004\nThree\n\n"
    try shell.folder.write("a.vtt", Array(vtt.utf8))
    let result = try shell(
      """
      text() { ffmpeg -nostdin -v error "$@" -f srt - | tr -d '\\r' | sed -E 's/<[^>]*>|\\{[^}]*\\}|\\\\h//g'; }
      text -f lavfi -i 'movie=cc.mp4[out0+subcc]' -map 0:s > a; mp4tool extract --captions --format srt cc.mp4 -o b
      grep HELLO a | sort -u; cmp <(grep -e --'>' a | head -c 12) <(grep -e --'>' b | head -c 12) && echo same
      mp4tool mux -q a.vtt,channel=CC1 -o a.mp4; text -i a.mp4 -map 0:s > a
      mp4tool extract --format srt a.mp4 -o b; diff -B a b && echo same
      mp4tool mux -q a.vtt,channel=CC1 -o a.mov; text -i a.mov -map 0:s | diff -B - b && echo same
      """)
    #expect(result.lines == ["HELLO", "same", "same", "same"], "\(result)")
  }
}
