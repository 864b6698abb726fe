import Support
import Testing

@Suite("dump of damaged or unknown boxes, end to end")
struct CLIDumpDamageTests {
  @Test("A segment of a track that is missing in --init is shown with a warning")
  func otherMovie() throws {
    let shell = try EndToEnd()
    let media = box("mdia", fullBox("mdhd", zeros(8), big(UInt32(1000)), zeros(8)))
    let track = box("trak", fullBox("tkhd", zeros(8), big(UInt32(9)), zeros(68)), media)
    try shell.folder.write("other.mp4", box("moov", track))
    try shell.folder.write(
      "segment", box("moof", box("traf", fullBox("tfhd", big(UInt32(4))), fullBox("trun", zeros(4)))))
    let result = try shell("mp4tool dump --init other.mp4 segment")
    #expect(result.exitCode == 0)
    #expect(result.lines.contains { $0.contains("[trun]") })
    #expect(
      result.errorText
        == "mp4tool: warning: segment: moof/traf/tfhd: track 4 does not exist in other.mp4; "
        + "details of its fragments are unknown\n"
    )
    #expect(try shell("mp4tool dump --init in.mp4 in.mp4").errorText == "")
  }

  @Test("A message shortens the path of a deeply nested box in the middle")
  func deep() throws {
    let shell = try EndToEnd()
    var bytes = fullBox("tkhd", zeros(3))
    for _ in 0..<40 { bytes = box("trak", bytes) }
    try shell.folder.write("deep.mp4", box("moov", bytes))
    let result = try shell("mp4tool dump deep.mp4 >/dev/null")
    #expect(result.exitCode == 1)
    let before = Array(repeating: "trak", count: 7).joined(separator: "/")
    #expect(
      result.errorText.hasPrefix("mp4tool: deep.mp4: moov/\(before)/(30 more)/trak/trak/trak/tkhd: "),
      "\(result.errorText)")
    // The output contains the whole path.
    let path = try shell("mp4tool dump --format jsonl --quiet deep.mp4 | tail -n 1")
    #expect(path.text.contains("\"moov/" + Array(repeating: "trak/", count: 40).joined() + "tkhd\""))
  }

  @Test("An unknown version is reported in a note, and the exit code is 0")
  func version() throws {
    let shell = try EndToEnd()
    try shell.folder.write(
      "new.mp4",
      box("moov", fullBox("mvhd", version: 7, zeros(96)), box("trak", fullBox("tkhd", version: 9, zeros(80)))))
    let result = try shell("mp4tool dump new.mp4")
    #expect(result.exitCode == 0)
    #expect(result.lines.filter { $0.contains("??") }.count == 2)
    #expect(
      result.errorText == "mp4tool: note: new.mp4: moov/mvhd: version at byte 16 is 7, and only 0 and 1 are known; its "
        + "fields are not shown (and 1 more)\n")
    let json = try shell("mp4tool dump --format jsonl --path //tkhd new.mp4")
    #expect(
      json.exitCode == 0 && json.text.contains("\"note\":{\"field\":\"version\"") && !json.text.contains("\"error\""))
  }

  @Test("Damage in a box does not hide its later contents")
  func inside() throws {
    let shell = try EndToEnd()
    let movie = box("moov", fullBox("mvhd", zeros(96)), ascii("no box"), box("trak", fullBox("tkhd", zeros(80))))
    try shell.folder.write("odd.mp4", movie + box("mdat", zeros(9)))
    let file = try shell("mp4tool dump odd.mp4")
    #expect(file.exitCode == 1)
    #expect(
      file.lines.filter { $0.contains("[") }.map { $0.prefix { $0 != "]" } } == [
        "[moov", "  [mvhd", "  [trak", "    [tkhd", "[mdat",
      ])
    #expect(
      file.errorText == "mp4tool: odd.mp4: moov: size at byte 116 starts 6 bytes that are not a box\n")
    let pipe = try shell("cat odd.mp4 | mp4tool dump -")
    #expect(pipe.exitCode == 1 && pipe.text == file.text)
  }

  @Test("JSON lines give the reason for each unusable file, and the contents of the others")
  func lines() throws {
    let shell = try EndToEnd()
    let one = try shell("echo text > text; mp4tool dump --format jsonl text")
    #expect(one.exitCode == 65 && one.lines.count == 1)
    #expect(one.text.hasPrefix("{\"error\":{\"message\":\"text: this is not an MP4 file: "))
    let all = try shell("mp4tool dump --format jsonl --depth 1 --path ftyp text none in.mp4")
    #expect(all.exitCode == 66)
    #expect(
      all.lines.map { $0.split(separator: ":").prefix(2).joined(separator: ":") } == [
        "{\"file\":\"text\",\"error\"", "{\"file\":\"none\",\"error\"", "{\"file\":\"in.mp4\",\"type\"",
      ])
  }
}
