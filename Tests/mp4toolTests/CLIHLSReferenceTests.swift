import Support
import Testing

@Suite("hls --reference, end to end")
struct CLIHLSReferenceTests {
  @Test("Conflicting options, and inputs without a name, are wrong usage, and nothing is written")
  func usage() throws {
    let shell = try EndToEnd()
    let asTheyAre = "contradict each other: inputs are used as they are"
    let lines = [
      ("--reference --single-file in.mp4", "options '--reference' and '--single-file' \(asTheyAre)"),
      ("--reference --recut in.mp4", "options '--reference' and '--recut' \(asTheyAre)"),
      ("--reference --tracks 1 in.mp4", "options '--reference' and '--tracks' \(asTheyAre)"),
      ("--reference --no-edits in.mp4", "options '--reference' and '--no-edits' \(asTheyAre)"),
      ("--reference --profile cmaf in.mp4", "options '--reference' and '--profile' \(asTheyAre)"),
      ("--iframes in.mp4", "option '--iframes' needs '--reference'"),
      (
        "--reference --iframes --no-iframes in.mp4",
        "options '--iframes' and '--no-iframes' contradict each other"
      ),
      (
        "--reference - < in.mp4", "option '--reference' needs files that players can request by name, not '-'"
      ),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool hls -o out \(arguments)")
      #expect(result.exitCode == 64 && result.errorLines.first == "mp4tool hls: \(message)", "\(result)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("The URI of the input is relative to the folder, whatever its name is, or to the URL of the folder")
  func names() throws {
    let shell = try EndToEnd()
    let name = "a b#c?d%e:ä.mp4"
    let escaped = "a%20b%23c%3Fd%25e%3A%C3%A4.mp4"
    let result = try shell(
      """
      mkdir -p x/y; mv in.mp4 '\(name)'; cp '\(name)' before
      mp4tool hls -q --reference '\(name)' -o out; mp4tool hls -q --reference '\(name)' -o x/y/out
      (cd x/y; mp4tool hls -q --reference '../../\(name)' -o ../up)
      mp4tool hls -q --reference --base-url https://example.com/a/out/ '\(name)' -o url
      cmp before '\(name)'
      for list in out x/y/out x/up url; do find $list -type f | sort; grep -h mp4 $list/*/index.m3u8 | uniq; done
      """)
    func wanted(_ folder: String, _ uri: String) -> [String] {
      ["\(folder)/master.m3u8", "\(folder)/video-90/index.m3u8", "#EXT-X-MAP:URI=\"\(uri)\",BYTERANGE=\"1241@0\"", uri]
    }
    let lines =
      wanted("out", "../../\(escaped)") + wanted("x/y/out", "../../../../\(escaped)")
      + wanted("x/up", "../../../\(escaped)") + wanted("url", "https://example.com/a/\(escaped)")
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    #expect(Array(Set(result.lines.map(String.init))).sorted() == Array(Set(lines)).sorted())
  }

  @Test("The report has the position of each segment, and a dry run writes nothing")
  func report() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool hls -q --dry-run --reference --segment-duration 2 --report - in.mp4")
    let json = try JSONValue(result.output)
    let rendition = try #require(json["renditions"]?[0])
    #expect(rendition["source_fragments"]?.string == "referenced" && rendition["folder"]?.string == "video-90")
    let segments = try #require(rendition["segments"]).elements
    #expect(segments.allSatisfy { $0["source"]?.string == "in.mp4" } && segments.count == 5)
    #expect(segments[1]["offset"]?.number == "1241" && segments[1]["size"]?.number == "13680")
    #expect(shell.folder.names == ["in.mp4"])
    let made = try shell("mp4tool hls -q --report report.json in.mp4 -o out; cat report.json")
    let folders = try #require(JSONValue(made.output)["renditions"]).elements
    for folder in folders {
      for segment in try #require(folder["segments"]).elements {
        let path = "out/\(try #require(folder["folder"]?.string))/\(try #require(segment["name"]?.string))"
        #expect(try segment["size"]?.number == "\(shell.bytes(path).count)")
      }
    }
    #expect(folders.count == 2)
  }

  @Test("A recording truncated anywhere is referenced as far as possible, or refused, with a message")
  func cutOff() throws {
    let shell = try EndToEnd()
    let size = try shell.bytes("in.mp4").count
    for count in stride(from: 0, to: size, by: 3001) {
      let result = try shell("head -c \(count) in.mp4 > cut.mp4; rm -rf out; mp4tool hls --reference cut.mp4 -o out")
      #expect([0, 1, 65].contains(result.exitCode) && !result.errorText.isEmpty, "\(count): \(result)")
    }
  }

  @Test(
    "ffprobe finds the packets of the input, and ffmpeg decodes them without a message",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: ["fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4", "prft.mp4"])
  func packets(name: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp "$V"/\(name) .; mp4tool hls -q --reference --iframes --segment-duration 2 \(name) -o out
      for stream in v a; do
        for input in \(name) out/master.m3u8; do
          ffprobe -v error -select_streams $stream -show_entries packet=pts_time,dts_time,size,flags -of csv=p=0 $input \\
            | awk -F, 'NF > 3 { printf "%.6f %.6f %d %s\\n", $1, $2, $3, substr($4, 1, 1) }' > $(basename $input).packets
        done
        diff \(name).packets master.m3u8.packets | head -n 5
      done
      wc -l < \(name).packets
      for list in out/master.m3u8 out/*/iframes.m3u8; do
        ffmpeg -nostdin -v warning -xerror -i $list -map 0 -f null - || echo "ended with $?"
      done
      """)
    #expect(result.errorText == "" && result.lines.count == 1, "\(result)")
  }

  @Test("All playlists are unchanged")
  func golden() throws {
    let shell = try EndToEnd()
    let command =
      "mp4tool hls -q --reference --segment-duration 2 global-sidx.mp4 -o out; head -n 1000 out/*.m3u8 out/*/*.m3u8"
    let result = try shell("cp \"$V\"/global-sidx.mp4 .; \(command)")
    #expect(result.exitCode == 0)
    let whole = ascii("$ \(command)\n") + result.output
    let path = vectorPath("golden/hls/global-sidx.mp4.reference.txt")
    if environment("UPDATE_GOLDEN") == "1" { try writeFile(path, whole) }
    #expect(whole == (try readFile(path)), "UPDATE_GOLDEN=1 rewrites \(path)")
  }
}
