import Support
import Testing

@Suite("hls, end to end")
struct CLIHLSTests {
  @Test("Wrong usage exits with 64 and writes nothing")
  func usage() throws {
    let shell = try EndToEnd()
    let lines = [
      ("in.mp4", "option '--output' is missing: add '-o DIR'"),
      ("-o out", "INPUT is missing: 'mp4tool hls [OPTION]... -o DIR INPUT...'"),
      ("in.mp4 -o -", "option '--output' writes a folder, which cannot go to standard output"),
      (
        "--segment-duration 0 in.mp4 -o out",
        "option '--segment-duration' takes a positive number of seconds, at most 2000000000, such as 0.5, not '0'"
      ),
      (
        "--playlist-type vid in.mp4 -o out",
        "option '--playlist-type' can be 'vod' or 'event', not 'vid'; did you mean 'vod'?"
      ),
      ("--start-number -1 in.mp4 -o out", "option '--start-number' takes a number from 0 to 1000000000, not '-1'"),
      ("--key-format identity in.mp4 -o out", "option '--key-format' needs '--key-uri URI'"),
      ("--key-format-versions 1 in.mp4 -o out", "option '--key-format-versions' needs '--key-uri URI'"),
      (
        "--base-url 'a\"b' in.mp4 -o out",
        "option '--base-url' cannot contain quotation marks or control characters"
      ),
      (
        "--key-uri $'a\\nb' in.mp4 -o out",
        "option '--key-uri' cannot contain quotation marks or control characters"
      ),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool hls \(arguments)")
      #expect(result.exitCode == 64 && result.errorLines.first == "mp4tool hls: \(message)", "\(result)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("An input without media exits with 65, a missing one with 66, and a folder that is not empty with 73")
  func failures() throws {
    let shell = try EndToEnd()
    let empty = try shell("mp4tool hls \"$V\"/hls/init.mp4 -o out")
    #expect(empty.exitCode == 65 && empty.errorText.hasSuffix("add the segments of this init segment\n"))
    let segment = try shell("mp4tool hls \"$V\"/hls/segment1.m4s -o out")
    #expect(segment.exitCode == 65 && segment.errorText.hasSuffix("put the init segment before it\n"))
    let text = TrackSpec.text().with(\.samples, .samples(10))
    try shell.folder.write("text.mp4", FragmentedFileBuilder([text]).build().bytes)
    let only = try shell("mp4tool hls text.mp4 -o out")
    #expect(only.exitCode == 65 && only.errorText == "mp4tool: text.mp4: it has no video or audio\n", "\(only)")
    #expect(try shell("mp4tool hls none.mp4 -o out").exitCode == 66)
    #expect(shell.folder.names == ["in.mp4", "text.mp4"])
    let full = try shell("mkdir out; touch out/file; mp4tool hls in.mp4 -o out")
    #expect(full.exitCode == 73 && full.errorText.contains("out"), "\(full)")
    #expect(namesInFolder(shell.folder("out")) == ["file"])
    #expect(try shell("mp4tool hls in.mp4 -o none/out").exitCode == 73)
    #expect(try shell("rm out/file; mp4tool hls in.mp4 -o out").exitCode == 0)
    #expect(namesInFolder(shell.folder("out")) == ["audio", "master.m3u8", "video-90"])
  }

  @Test("With --strict a loss writes nothing; otherwise the rest is written, and the exit code is 1")
  func strict() throws {
    let shell = try EndToEnd()
    let result = try shell("head -c 40000 in.mp4 > cut.mp4; mp4tool hls --strict cut.mp4 -o out")
    #expect(result.exitCode == 65 && shell.folder.names == ["cut.mp4", "in.mp4"])
    #expect(try shell("mp4tool hls cut.mp4 -o out").exitCode == 1)
    #expect(namesInFolder(shell.folder("out")).contains("master.m3u8"))
  }

  @Test("A dry run writes nothing, and reports the expected size")
  func dryRun() throws {
    let shell = try EndToEnd()
    let dry = try shell("mp4tool hls --dry-run in.mp4; mp4tool hls --dry-run -v in.mp4 -o out")
    #expect(dry.exitCode == 0 && shell.folder.names == ["in.mp4"], "\(dry)")
    _ = try shell("mp4tool hls in.mp4 -o out")
    let size = try filesBelow(shell.folder("out")).reduce(0) { try $0 + readFile($1).count }
    #expect(dry.errorText.contains(" \(size) bytes"), "\(dry)")
    #expect(dry.errorText.contains("2 renditions"), "\(dry)")
  }

  @Test("Options have their documented effects")
  func options() throws {
    let shell = try EndToEnd()
    func names(_ options: String) throws -> [String] {
      let made = try shell("rm -rf out; mp4tool hls -q \(options) \"$V\"/progressive.mp4 -o out")
      #expect(made.description == "exit code 0\n\n")
      return filesBelow(shell.folder("out")).map { String($0.dropFirst(shell.folder("out/").count)) }
    }
    #expect(
      try names("--single-file") == [
        "audio-en/index.m3u8", "audio-en/media.mp4", "master.m3u8", "video-90/iframes.m3u8", "video-90/iframes.mp4",
        "video-90/index.m3u8", "video-90/media.mp4",
      ])
    #expect(
      try names("--no-iframes --tracks video --segment-duration 12 --start-number 0") == [
        "master.m3u8", "video-90/index.m3u8", "video-90/init.mp4", "video-90/segment0.m4s", "video-90/segment1.m4s",
      ])
    #expect(
      try names("--muxed --single-file --no-iframes") == ["master.m3u8", "video-90/index.m3u8", "video-90/media.mp4"])
    let muxed = try SampleReader.read(shell.bytes("out/video-90/media.mp4"))
    #expect(muxed.tracks.count == 2 && !muxed.brands.contains("cmfc"))
    _ = try names("--profile apple --time-offset 7")
    let apple = try SampleReader.read(shell.bytes("out/video-90/init.mp4") + shell.bytes("out/video-90/segment1.m4s"))
    #expect(apple.tracks[0].edits.isEmpty && apple.presentationStart[apple.tracks[0].id] == Seconds(7, 1))
    _ = try names("--playlist-type event --base-url https://example.com/")
    let text = String(decoding: try shell.bytes("out/video-90/index.m3u8"), as: UTF8.self)
    #expect(text.contains("EVENT\n") && !text.contains("ENDLIST") && text.contains("https://example.com/video-90/init"))
  }

  @Test("After packaging and defragmenting, every sample is unchanged")
  func roundTrip() throws {
    for options in ["", "--segment-duration 2", "--profile apple", "--segment-duration 1 --muxed"] {
      let shell = try EndToEnd()
      let result = try shell(
        """
        mp4tool hls -q \(options) "$V"/progressive.mp4 -o out
        mp4tool defrag -q $(for folder in out/*/; do echo $folder/init.mp4 $(ls $folder/segment* | sort -V); done) -o back.mp4
        """)
      #expect(result.description == "exit code 0\n\n")
      let source = try SampleReader.read(readFile(vectorPath("files/progressive.mp4")))
      let back = try SampleReader.read(shell.bytes("back.mp4"))
      for track in source.tracks {
        let same = try #require(back.tracks.first { $0.handler == track.handler })
        #expect(same.samples.map(\.payload) == track.samples.map(\.payload))
        #expect(same.samples.map(\.duration) == track.samples.map(\.duration))
        // Offsets are signed now, which edits compensate; Apple's profile has no edits.
        let shift = same.samples[0].compositionOffset - track.samples[0].compositionOffset
        #expect(same.samples.map { $0.compositionOffset - shift } == track.samples.map(\.compositionOffset))
        if !options.contains("apple") { #expect(back.presented[same.id] == source.presented[track.id]) }
        #expect(same.sampleEntries == track.sampleEntries)
      }
    }
  }

  @Test("The help names every option")
  func help() throws {
    let help = try EndToEnd()("mp4tool hls --help")
    #expect(help.exitCode == 0 && help.errorText == "")
    for option in [
      "output", "dry-run", "tracks", "segment-duration", "profile", "time-offset", "single-file", "muxed", "no-iframes",
      "playlist-type", "start-number", "base-url", "key-uri", "key-format", "key-format-versions", "strict",
      "reference",
      "recut", "iframes", "report",
    ] {
      #expect(help.text.contains("--\(option)"), "\(option)")
    }
  }

  @Test(
    "All playlists are unchanged",
    arguments: ["progressive.mp4", "progressive.mov", "hevc-fragmented.mp4", "encrypted-cenc.mp4"])
  func golden(name: String) throws {
    let shell = try EndToEnd()
    let key = name.hasPrefix("encrypted") ? "--key-uri skd://movie " : ""
    let command = "mp4tool hls --segment-duration 2 \(key)\(name) -o out; head -n 1000 out/*.m3u8 out/*/*.m3u8"
    let result = try shell("cp \"$V\"/\(name) .; \(command)")
    #expect(result.exitCode == 0)
    let whole = ascii("$ \(command)\n") + result.output
    let path = vectorPath("golden/hls/\(name).txt")
    if environment("UPDATE_GOLDEN") == "1" { try writeFile(path, whole) }
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
    let wanted = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
    let first = zip(lines, wanted).first { $0 != $1 }
    #expect(first == nil && lines.count == wanted.count, "UPDATE_GOLDEN=1 rewrites \(path)")
  }
}
