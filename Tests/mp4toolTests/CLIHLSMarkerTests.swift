import MP4HLS
import Support
import Testing

@Suite("hls: ad breaks, interstitials, dates and data of presentations, end to end")
struct CLIHLSMarkerTests {
  /// Video with a sync sample each second, and audio, as `film.mp4`.
  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    var pictures: [SampleSpec] = .samples(500)
    for index in stride(from: 0, to: 500, by: 25) { pictures[index].flags = .sync }
    let tracks = [TrackSpec.video().with(\.samples, pictures), TrackSpec.audio().with(\.samples, .samples(938))]
    try shell.folder.write("film.mp4", FragmentedFileBuilder(tracks).build().bytes)
    return shell
  }
  private func media(_ shell: EndToEnd, _ path: String) throws -> MediaPlaylist {
    try MediaPlaylist(shell.bytes(path))
  }

  private func names(_ result: RunResult) -> [Substring] { result.text.split(separator: "\n") }

  @Test("An ad break is a date range and an event, and segments start at both ends")
  func adBreak() throws {
    let shell = try shell()
    let result = try shell(
      "mp4tool hls film.mp4 --ad-break 7..9.5 --date 2026-01-31T20:15:00+01:00 --dash -o out; cd out; ls")
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.errorText.contains("the segment of the marker at 9.500 s starts 0.500 s later"), "\(result)")
    let folder = try #require(names(result).first { $0.hasPrefix("video") })
    let video = try media(shell, "out/\(folder)/index.m3u8")
    #expect(video.segments.map(\.duration) == [.seconds(6), .seconds(1), .seconds(3), .seconds(6), .seconds(4)])
    #expect(video.segments[0].programDateTime == DateTime("2026-01-31T20:15:00+01:00"))
    let range = try #require(video.dateRanges.first)
    #expect(video.dateRanges.count == 1 && range.start == DateTime("2026-01-31T20:15:07+01:00"), "\(video.text)")
    #expect(range.duration == .milliseconds(2500) && range.plannedDuration == .milliseconds(2500))
    #expect(range.scte35Out?.first == 0xfc && range.scte35In?.first == 0xfc)
    // All media playlists need dates if one has them.
    for path in ["\(folder)/iframes.m3u8", "audio/index.m3u8"] {
      #expect(try media(shell, "out/\(path)").segments[0].programDateTime != nil, "\(path)")
    }
    let manifest = try String(decoding: shell.bytes("out/manifest.mpd"), as: UTF8.self)
    #expect(manifest.contains("<Event presentationTime=\"630000\" duration=\"225000\" id=\"1\">"), "\(manifest)")
    let events = try shell("mp4tool events out/master.m3u8")
    #expect(events.text.contains("event 1 leaves the network at 17.000 s for 2.500 s"), "\(events)")
    let checked = try shell("mp4tool check --ignore nal-samples,iso-audio-frames out/master.m3u8 out/manifest.mpd")
    #expect(checked.exitCode == 0, "\(checked)")
  }

  @Test("Splice messages of the input become date ranges, unless that is not wanted")
  func splices() throws {
    let shell = try shell()
    // The messages of a package, as events of a fragmented file.
    let made = try shell("mp4tool hls film.mp4 --ad-break 7..9 -o ads; mp4tool fragment film.mp4 -o f.mp4; ls ads")
    let folder = try #require(names(made).first { $0.hasPrefix("video") })
    let range = try #require(try media(shell, "ads/\(folder)/index.m3u8").dateRanges.first)
    let (out, back) = (try #require(range.scte35Out), try #require(range.scte35In))
    func event(_ time: UInt64, _ id: UInt32, _ data: [UInt8]) -> [UInt8] {
      let fields =
        [1, 0, 0, 0] + big(UInt32(1000)) + big(time) + big(UInt32(0)) + big(id)
        + ascii("urn:scte:scte35:2013:bin\0\0") + data
      return big(UInt32(fields.count + 8)) + ascii("emsg") + fields
    }
    let file = try shell.bytes("f.mp4")
    let fragment = try #require(
      (4..<file.count).first { file[$0..<min($0 + 4, file.count)].elementsEqual("moof".utf8) })
    try shell.folder.write(
      "events.mp4",
      Array(file[..<(fragment - 4)]) + event(7000, 1, out) + event(9000, 2, back) + event(9000, 3, [0xfc, 1])
        + Array(file[(fragment - 4)...]))
    let result = try shell("mp4tool hls events.mp4 --dash -o out; mp4tool hls -q --no-splices events.mp4 -o none")
    #expect(result.errorText.contains("the splice message at 9.000 s cannot be read"), "\(result)")
    let video = try media(shell, "out/\(folder)/index.m3u8")
    #expect(video.dateRanges.map(\.scte35Out) == [out] && video.dateRanges.map(\.scte35In) == [back], "\(video.text)")
    #expect(video.dateRanges[0].duration == .seconds(2))
    #expect(video.segments.map(\.duration).prefix(3) == [.seconds(6), .seconds(1), .seconds(2)])
    #expect(try media(shell, "none/\(folder)/index.m3u8").dateRanges.isEmpty)
  }

  @Test("Interstitials, the start, session data and steering")
  func data() throws {
    let shell = try shell()
    let result = try shell(
      "mp4tool hls film.mp4 --interstitial '5=https://example.com/a,b.m3u8,duration=15,resume=0,restrict=skip+jump' "
        + "--interstitial 10=ads.json,list,once --start=-10.5,precise --session-data com.example.title=Film "
        + "--session-data 'com.example.title,de=Der Film' --steering https://example.com/s.json,CDN-A -o out; ls out")
    #expect(result.exitCode == 0, "\(result)")
    let folder = try #require(names(result).first { $0.hasPrefix("video") })
    let ranges = try media(shell, "out/\(folder)/index.m3u8").dateRanges
    #expect(ranges.map(\.classIdentifier) == ["com.apple.hls.interstitial", "com.apple.hls.interstitial"])
    #expect(ranges[0].attributes["X-ASSET-URI"]?.string == "https://example.com/a,b.m3u8")
    #expect(ranges[0].attributes["X-RESTRICT"]?.string == "SKIP,JUMP" && ranges[0].duration == .seconds(15))
    #expect(ranges[1].attributes["X-ASSET-LIST"]?.string == "ads.json" && ranges[1].cue == "ONCE")
    let main = try MultivariantPlaylist(shell.bytes("out/master.m3u8"))
    #expect(main.startPoint?.offset == .milliseconds(-10_500) && main.startPoint?.isPrecise == true)
    #expect(main.sessionData.map(\.language) == [nil, "de"] && main.sessionData.map(\.value) == ["Film", "Der Film"])
    #expect(main.contentSteering?.pathway == "CDN-A" && main.variants.allSatisfy { $0.pathway == "CDN-A" })
    #expect(main.iFrameVariants.allSatisfy { $0.pathway == "CDN-A" } && !main.iFrameVariants.isEmpty)
    let checked = try shell("mp4tool check --ignore nal-samples,iso-audio-frames out/master.m3u8")
    #expect(checked.exitCode == 0, "\(checked)")
  }

  @Test("Packaged again, a presentation keeps its dates and date ranges, also on another date")
  func again() throws {
    let shell = try shell()
    let result = try shell(
      """
      mp4tool hls -q film.mp4 --ad-break 4..8 --interstitial 6=https://example.com/a.m3u8 --date 2026-12-01T20:00:00Z -o a
      mp4tool hls -q a/master.m3u8 --segment-duration 2 -o b; mp4tool hls -q a/master.m3u8 -o c --date 2027-01-01T00:00:00Z
      for folder in a b; do cat $folder/video*/index.m3u8 | grep -e DATERANGE -e PROGRAM | tr , '\n' | sort > $folder.txt; done
      cmp a.txt b.txt; grep -c SCTE35-OUT b.txt
      cat c/video*/index.m3u8 | grep -o 'START-DATE="[^"]*"'
      """)
    let expected = "1\nSTART-DATE=\"2027-01-01T00:00:04.000Z\"\nSTART-DATE=\"2027-01-01T00:00:06.000Z\"\n"
    #expect(result.text == expected && result.errorText.isEmpty, "\(result)")
  }

  @Test("Wrong times and names exit with 64")
  func usage() throws {
    let shell = try shell()
    for option in [
      "--ad-break 9..7", "--ad-break 9", "--ad-break 1..3 --ad-break 2..4", "--interstitial 5=a.m3u8",
      "--interstitial 5=https://example.com/a.m3u8,resum=3", "--interstitial https://example.com/a.m3u8",
      "--interstitial 5=", "--date now",
      "--start soon", "--start 1,exact", "--session-data title", "--session-data 'a,b,c=d'",
      "--steering 'https://example.com/,a/b'", "--session-data a=1 --session-data a=2",
    ] {
      let result = try shell("mp4tool hls film.mp4 \(option) -o out")
      #expect(result.exitCode == 64 && result.errorText.contains("mp4tool hls: "), "\(option): \(result)")
    }
  }
}
