import Support
import Testing

@Suite("extract of several, encrypted and empty tracks, and of tags, end to end")
struct CLIExtractTracksTests {
  private static let given = "--key 0123456789abcdef0123456789abcdef:00112233445566778899aabbccddeeff"

  @Test("With keys, the streams are those of the clear file")
  func keys() throws {
    let shell = try EndToEnd()
    try shell.folder.write("keys", Array("2:00112233445566778899aabbccddeeff\n".utf8))
    let result = try shell(
      """
      for t in video audio; do for f in encrypted-cenc:progressive-moov-last encrypted-cbcs:fragmented; do
        mp4tool extract \(Self.given) --tracks $t $V/${f%:*}.mp4 -o a && mp4tool extract --tracks $t $V/${f#*:}.mp4 -o b
        cmp a b && echo same
      done; done
      mp4tool extract --key-file keys --tracks 2 $V/encrypted-cbcs.mp4 -o - | cmp - b && echo same
      mp4tool extract \(Self.given) --raw --tracks 2 $V/encrypted-cbcs.mp4 -o a
      mp4tool extract --raw --tracks 2 $V/fragmented.mp4 -o b; cmp a b && echo same
      """)
    #expect(result.lines == Array(repeating: "same", count: 6), "\(result.errorText)")
    #expect(result.errorLines.allSatisfy { $0.contains("could not be verified from the samples") }, "\(result)")
  }

  @Test("With %d in the output name, each track becomes a file with its ID and the extension of its format")
  func several() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir out; mp4tool extract in.mp4 -o 'out/t%d' && ls out && mp4tool extract in.mp4 -o 'out/x%02d.bin' && ls out
      mp4tool extract --tracks 1 in.mp4 -o a; cmp a out/t1.h264; mp4tool extract --tracks audio in.mp4 -o a
      cmp a out/t2.aac; cmp out/x02.bin out/t2.aac; mp4tool extract --raw --tracks audio in.mp4 -o 'out/r%d'; ls out/r*
      mp4tool extract \(Self.given) $V/encrypted-cbcs.mp4 -o 'out/d%d' && cmp out/d1.h264 out/t1.h264
      """)
    #expect(
      result.lines == [
        "t1.h264", "t2.aac", "t1.h264", "t2.aac", "x01.bin", "x02.bin", "out/r2",
      ])
    #expect(result.errorLines.allSatisfy { $0.contains("could not be verified from the samples") }, "\(result)")
    let noted = try shell("mp4tool extract in.mp4 -o 'n%d.aac'")
    #expect(noted.exitCode == 0)
    #expect(
      noted.errorText == "mp4tool: note: n1.aac: the content is H.264 (Annex B), which is usually named .h264\n")
  }

  @Test("No track is written if one of several is impossible")
  func allOrNone() throws {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.audio(), .video()])
    file.addFragment { $0.addTraf(1, .samples(3)) }
    try shell.folder.write("empty.mp4", file.build().bytes)
    _ = try shell("head -c 30000 in.mp4 > cut.mp4; mkdir folder; echo x > there2.aac")
    let names = shell.folder.names
    for (line, code, message) in [
      ("empty.mp4 -o 'out%d'", 65, "empty.mp4: track 2: it has no samples\n"),
      ("--tracks 2 empty.mp4 -o out", 65, "empty.mp4"),
      ("--tracks 1,2 --format wav in.mp4 -o 'out%d'", 65, "in.mp4: track 1: its codec avc1.64000B cannot be"),
      ("--tracks 1,5 in.mp4 -o 'out%d'", 65, "in.mp4: track 5 does not exist"),
      ("--no-clobber in.mp4 -o 'there%d'", 73, "there2.aac: cannot create: the file exists"),
      ("in.mp4 -o 'none/t%d'", 73, "none/t1.h264: cannot create"),
      ("--strict cut.mp4 -o 'out%d'", 65, "out1.h264: not written because of"),
      ("in.mp4 -o out", 65, "track 2 (soun); -o 'NAME%d' writes each track to a separate file"),
      ("$V/encrypted-cenc.mp4 -o 'out%d'", 65, "specify keys with --key or --key-file"),
      ("--key 1:00112233445566778899aabbccddeef0 --tracks 1 $V/encrypted-cenc.mp4 -o out", 65, "is wrong"),
      ("--key 1:00112233445566778899aabbccddeeff --tracks 2 $V/encrypted-cenc.mp4 -o out", 65, "there is no key for"),
      ("\(Self.given) --cover in.mp4 -o out", 64, "options '--cover' and '--key' contradict each other"),
      ("$V/hls/playlist.m3u8 -o out", 65, "this is an HLS playlist, not MP4; 'mp4tool defrag' saves it as one file"),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool extract \(line)")
      #expect(result.exitCode == code, "\(line): \(result.errorText)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
    }
    #expect(shell.folder.names == names)
    #expect(try shell("mp4tool extract cut.mp4 -o 'out%d'").exitCode == 1)
    let cut = try shell("mp4tool extract cut.mp4 -o 'out%d'")
    #expect(cut.errorLines.count { $0.contains("the file is cut off") } == 1, "\(cut.errorText)")
    #expect(shell.folder.names == (names + ["out1.h264", "out2.aac"]).sorted())
  }

  @Test("ID3 tags of messages and of a track are written in time order")
  func tags() throws {
    let shell = try EndToEnd()
    func tag(_ text: String) -> [UInt8] {
      let frame = ascii("TIT2") + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 3] + ascii(text)
      return ascii("ID3") + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }
    func message(_ scheme: String, _ id: UInt32, _ time: UInt64, _ data: [UInt8]) -> [UInt8] {
      fullBox(
        "emsg", version: 1, big(UInt32(1000)), big(time), big(UInt32(500)), big(id), ascii(scheme + "\0v\0"), data)
    }
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(
      message("https://aomedia.org/emsg/ID3", 7, 1000, tag("second") + tag("third") + [0, 0]),
      message("urn:x", 8, 250, [0, 27, 255]), message("https://aomedia.org/emsg/ID3", 9, 500, tag("first")))
    file.addFragments(2, samples: 48)
    try shell.folder.write("events.mp4", file.build().bytes)
    let result = try shell("mp4tool extract --id3 events.mp4 -o out.id3")
    #expect(result.exitCode == 0 && result.errorText == "")
    #expect(try shell.bytes("out.id3") == tag("first") + tag("second") + tag("third"))
    let none = try shell("mp4tool extract --id3 in.mp4 -o none.id3")
    #expect(none.exitCode == 65 && none.errorText == "mp4tool: in.mp4: it has no timed ID3 tags\n")
    #expect(try shell("mp4tool extract --id3 --chapters events.mp4 -o x").exitCode == 64)
  }
}
