import Support
import Testing

@Suite("dump of parts, end to end")
struct CLIDumpPartTests {
  @Test("--path, --depth and --only select parts, and report if there are none")
  func parts() throws {
    let shell = try EndToEnd()
    let path = try shell("mp4tool dump --path 'moov/trak[2]/mdia/hdlr,ftyp' --offsets in.mp4")
    #expect(path.exitCode == 0)
    #expect(path.lines.filter { $0.contains("[") }.map { $0.prefix(6) } == ["[ftyp]", "[hdlr]"])
    #expect(path.lines.contains("  handler_type = soun"))
    #expect(path.lines[0] == "[ftyp] size=8+20, offset=0")
    let depth = try shell("mp4tool dump --depth 1 in.mp4 | grep '\\[' | tr -d '\\n'")
    #expect(depth.text.hasPrefix("[ftyp] size=8+20[moov] size=8+") && !depth.text.contains("trak"))
    let only = try shell("mp4tool dump --only tfdt in.mp4 | head -n 3")
    #expect(only.lines.map { $0.prefix { $0 != " " || $0 == "[" } }.count == 3)
    #expect(only.lines[1].hasPrefix("  [traf] size=8+") && only.lines[2].hasPrefix("    [tfdt] size=12+8, version=1"))
    for option in ["--path moov/abcd", "--only abcd"] {
      let none = try shell("mp4tool dump \(option) in.mp4")
      #expect(none.exitCode == 1 && none.text == "")
      #expect(none.errorText == "mp4tool: in.mp4: no box matches '\(option.prefix(6))'\n")
    }
    let several = try shell("mp4tool dump --path 'moov/trak[2]/mdia/hdlr' --path ftyp --only ftyp --only hdlr in.mp4")
    #expect(several.lines.filter { $0.contains("[") }.map { $0.prefix(6) } == ["[ftyp]", "[hdlr]"])
    let hint = "matches boxes inside others"
    for (path, shown) in [
      ("trak", "; '//trak' \(hint)"), ("mdia/hdlr", "; '//mdia/hdlr' \(hint)"),
      ("tkhd,trak[9]", "; '//tkhd,//trak[9]' \(hint)"), ("//abcd", ""), ("trak[9]", ""),
    ] {
      let none = try shell("mp4tool dump --path '\(path)' in.mp4")
      #expect(none.exitCode == 1 && none.errorText == "mp4tool: in.mp4: no box matches '--path'\(shown)\n")
    }
    let piped = try shell("cat in.mp4 | mp4tool dump --path trak -")
    #expect(piped.exitCode == 1 && piped.errorText.hasSuffix("'--path'; '//trak' also matches boxes inside others\n"))
    for wrong in ["--path moov//", "--depth 0", "--only abcde", "--only trun,", "--color red"] {
      #expect(try shell("mp4tool dump \(wrong) in.mp4").exitCode == 64)
    }
  }

  @Test("--path finds metadata items by number and by key, and all output formats show the key")
  func keys() throws {
    let shell = try EndToEnd()
    let key = "com.example.maker"
    let item = box("data", big(UInt32(1)), zeros(4), ascii("someone"))
    let items = box("ilst", big(UInt32(8 + item.count)), big(UInt32(1)), item)
    let names = fullBox("keys", big(UInt32(1)), big(UInt32(8 + key.utf8.count)), ascii("mdta"), ascii(key))
    let handler = fullBox("hdlr", zeros(4), ascii("mdta"), zeros(13))
    try shell.folder.write("keys.mov", box("moov", box("meta", handler, names, items)))
    let byKey = try shell("mp4tool dump --verbosity 3 --path '//ilst/[\(key)]' keys.mov")
    #expect(byKey.exitCode == 0 && byKey.lines.dropFirst().first == "  => key = \(key)")
    let byNumber = try shell("mp4tool dump --format jsonl --path '//ilst/#1' keys.mov")
    let shown = try byNumber.lines.map { try JSONValue(Array($0.utf8)) }
    #expect(shown.map { $0["path"]?.string } == ["moov/meta/ilst/#1", "moov/meta/ilst/#1/data"])
    #expect(shown.map { $0["derived"]?["key"]?.string } == [key, nil])
    #expect(try shell("mp4tool dump --path '//[com.example.other]' keys.mov").exitCode == 1)
    #expect(try shell("mp4tool dump --path '//ilst/[]' keys.mov").exitCode == 64)
  }

  @Test("Damage outside the selected part does not count; inside it does")
  func damage() throws {
    let shell = try EndToEnd()
    let setting = "head -c 30000 in.mp4 > cut.mp4;"
    #expect(try shell("\(setting) mp4tool dump --path moov cut.mp4").exitCode == 0)
    #expect(try shell("\(setting) mp4tool dump --path 'moof[3]' cut.mp4").exitCode == 1)
  }

  @Test("--hex shows exactly the bytes of the file, shortened without --full, from a pipe too")
  func hex() throws {
    let shell = try EndToEnd()
    let all = try shell(
      #"""
      bytes() { sed -nE 's/^ *[0-9a-f]{8}  (([0-9a-f]{2}  ?){1,16}).*/\1/p' | tr -d ' \n'; }
      mp4tool dump --hex --full in.mp4 | bytes > shown
      od -An -v -tx1 in.mp4 | tr -d ' \n' | cmp - shown && echo same
      cat in.mp4 | mp4tool dump --hex --full - | bytes | cmp - shown && echo same
      mp4tool dump --hex --path 'mdat[1]' in.mp4 | tail -n 1
      mp4tool dump --hex --path ftyp in.mp4 | tail -n 2
      mp4tool dump --hex --path ftyp --format json in.mp4 | grep -o '"bytes":"[0-9a-f]*"'
      """#)
    #expect(all.lines.prefix(2) == ["same", "same"])
    #expect(all.lines[2].hasPrefix("  ... ") && all.lines[2].hasSuffix(" more bytes"))
    #expect(all.lines[3].hasPrefix("  00000000  00 00 00 1c 66 74 79 70  69 73 6f "))
    #expect(all.lines[4].hasPrefix("  00000010  ") && all.lines[4].hasSuffix("|"))
    #expect(all.lines[5].hasPrefix(#""bytes":"0000001c66747970"#))
  }

  @Test("--init supplies the times and IV sizes for segments from their movie box")
  func initFile() throws {
    let shell = try EndToEnd()
    let times = try shell(
      "mp4tool dump --init $V/hls/init.mp4 --only tfdt $V/hls/segment2.m4s | grep -A 1 'base media'")
    #expect(
      times.lines.filter { $0.contains("second") } == [
        "      => time_in_seconds = 2.000000", "      => time_in_seconds = 1.996916",
      ])
    #expect(!(try shell("mp4tool dump $V/hls/segment2.m4s").text.contains("time_in_seconds")))
    let json = try shell("mp4tool dump --format json --path //tfdt --init $V/hls/init.mp4 $V/hls/segment2.m4s")
    #expect(json.text.contains(#""fields":{"baseMediaDecodeTime":25600},"derived":{"time_in_seconds":2.000000}"#))
    let wrong = try shell("mp4tool dump --init $V/hls/segment1.m4s in.mp4")
    #expect(wrong.exitCode == 65 && wrong.text == "")
    #expect(wrong.errorText.hasSuffix("segment1.m4s: it has no `moov` with tracks\n"))
    #expect(try shell("mp4tool dump --init none in.mp4").exitCode == 66)
    #expect(try shell("mp4tool dump --init - - < in.mp4").exitCode == 64)
  }

  @Test("--names standard uses the standard's names at every level, and --color controls color")
  func namesAndColour() throws {
    let shell = try EndToEnd()
    let names = try shell("mp4tool dump --names standard --path //tkhd,//tfhd,//esds --verbosity 1 in.mp4")
    #expect(names.lines.contains("  track_ID = 1") && names.lines.contains("  matrix_a = 1"))
    #expect(names.lines.contains { $0.hasPrefix("  [ES_Descriptor] size=") })
    #expect(!names.text.contains("  id = "))
    #expect(!(try shell("mp4tool dump in.mp4").text.contains("\u{1b}")))
    let colour = try shell("mp4tool dump --color always --path ftyp in.mp4")
    #expect(colour.lines[0] == "[\u{1b}[1;36mftyp\u{1b}[0m] size=8+20")
    let plain = try shell(
      "mp4tool dump --color always in.mp4 | sed 's/\\x1b\\[[0-9;]*m//g' > a; mp4tool dump in.mp4 | cmp - a")
    #expect(plain.exitCode == 0)
  }

  @Test("JSON lines are one box each, with path and file; the schema is printed without a file")
  func lines() throws {
    let shell = try EndToEnd()
    let lines = try shell(
      """
      mp4tool dump --format jsonl in.mp4 > lines; wc -l < lines; mp4tool dump in.mp4 | grep -c '^ *\\[.*\\] size='
      cp in.mp4 b; mp4tool dump --format jsonl --depth 1 in.mp4 b | grep -c '^{"file":"b","type":"'
      sed -n 2p lines
      """)
    #expect(lines.exitCode == 0)
    #expect(lines.lines[3].hasPrefix(#"{"type":"moov","path":"moov","offset":28,"header_size":8,"size":"#))
    #expect(lines.lines[3].hasSuffix("}") && !lines.lines[3].contains("boxes"))
    let schema = try shell("mp4tool dump --print-schema")
    #expect(schema.exitCode == 0 && schema.text.contains("json-schema.org/draft/2020-12"))
    #expect(try shell("mp4tool dump").exitCode == 64)
  }

  @Test("Long byte values are shortened in JSON, with their length, unless all are requested")
  func longBytes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      #"""
      printf '\0\0\x10\x20pssh\0\0\0\0aaaabbbbccccdddd\0\0\x10\0' > long; head -c 4096 /dev/zero >> long
      mp4tool dump --format json long; mp4tool dump --full --format json long
      """#)
    #expect(result.exitCode == 0)
    #expect(result.text.contains(#"{"start":""# + String(repeating: "0", count: 128) + #"","length":4096}"#))
    #expect(result.text.contains("\"Data\":\"" + String(repeating: "0", count: 8192) + "\""))
  }
}
