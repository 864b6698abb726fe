import Support
import Testing

/// Players line renditions up by media times, and many ignore edit lists.
@Suite("Packages have one timeline without edit lists")
struct CLITimelineTests {
  /// The media time of the first sample of each rendition in the order of presentation, by folder; and its tracks.
  private func starts(_ shell: EndToEnd) throws -> [String: (start: Double, track: TrackReading)] {
    var result: [String: (start: Double, track: TrackReading)] = [:]
    let names = try shell("ls -d out/*/").lines.map { String($0.dropLast()) }
    for name in names {
      let files = try shell("ls \(name)/segment*.m4s | sort -V").lines.map(String.init)
      let reading = try SampleReader.read(shell.bytes("\(name)/init.mp4") + files.flatMap { try shell.bytes($0) })
      for track in reading.tracks {
        #expect(track.edits.isEmpty, "\(name)")
        let first = try #require(track.samples.map { $0.decodeTime + $0.compositionOffset }.min())
        result["\(name.dropFirst(4)) \(track.handler)"] = (Double(first) / Double(track.timescale), track)
      }
    }
    return result
  }

  /// The sum of the EXTINF of a playlist.
  private func duration(_ playlist: String, _ shell: EndToEnd) throws -> Double {
    let text = String(decoding: try shell.bytes(playlist), as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("#EXTINF:") }
      .compactMap { Double($0.dropFirst(8).dropLast()) }.reduce(0, +)
  }

  @Test(
    "Hidden pictures before a cut last for less than 2 ms, and all renditions start at the same media time",
    arguments: ["", "--muxed", "--profile apple", "--profile cmaf", "--time-offset 3"])
  func cut(options: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool cut -q --from 2.6 --to 9.3 "$V"/progressive.mp4 -o in.mp4
      mp4tool hls -q --segment-duration 2 \(options) in.mp4 -o out
      mp4tool check -q out > findings; echo $?
      """)
    #expect(result.description == "exit code 0\n0\n\n", "\(result)")
    let offset = options.contains("3") ? 3.0 : 10
    let found = try starts(shell)
    #expect(found.count == 2)
    let source = try SampleReader.read(shell.bytes("in.mp4"))
    for (name, (start, track)) in found {
      // Audio has one sample that decoders need, and the one in which the cut is.
      let most = name.hasSuffix("vide") ? 0.002 : 2.1 * 1024 / Double(track.timescale)
      #expect(start <= offset + 0.0001 && start >= offset - most, "\(name): \(start)")
      let own = try #require(source.tracks.first { $0.handler == track.handler })
      let payloads = own.samples.map(\.payload)
      let kept = track.samples.map(\.payload)
      #expect(payloads.suffix(kept.count).elementsEqual(kept) || payloads.prefix(kept.count).elementsEqual(kept))
      // Presented samples keep the distances of their times.
      guard name.hasSuffix("vide") else { continue }
      let times = track.samples.map { Double($0.decodeTime + $0.compositionOffset) / Double(track.timescale) }.sorted()
      let shown = times.filter { $0 >= offset - 0.0001 && $0 < offset + 6.65 }
      #expect(zip(shown, shown.dropFirst()).dropFirst().allSatisfy { abs($1 - $0 - 0.04) < 0.001 }, "\(shown)")
      #expect(track.samples.count - times.count { $0 >= offset - 0.0001 } > 5)
      let negative = track.samples.contains { $0.compositionOffset < 0 }
      #expect(!negative || options.contains("cmaf"))
    }
    for folder in Set(found.keys.compactMap { $0.split(separator: " ").first }) {
      #expect(try abs(duration("out/\(folder)/index.m3u8", shell) - 6.7) < 0.09, "\(folder)")
    }
    if !options.contains("muxed") {
      let frames = try SampleReader.read(shell.bytes("out/video-90/iframes.mp4")).tracks[0]
      let first = frames.samples[0].decodeTime + frames.samples[0].compositionOffset
      let video = try #require(found["video-90 vide"])
      #expect(abs(Double(first) / Double(frames.timescale) - video.start) < 0.0001)
    }
  }

  @Test("What was changed is reported")
  func notes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool cut -q --from 2.6 --to 9.3 "$V"/progressive.mp4 -o in.mp4
      mp4tool hls in.mp4 -o out
      """)
    #expect(result.exitCode == 0)
    #expect(result.errorText.contains("before the start; they are delivered"), "\(result)")
  }

  /// A fragmented movie whose sound starts 2.5 s later than that of `in.mp4`.
  private func lateSound(_ shell: EndToEnd) throws -> [UInt8] {
    var bytes = try shell.bytes("in.mp4")
    for place in bytes.indices.dropLast(24) where bytes[place..<place + 4].elementsEqual(ascii("tfhd")) {
      guard bytes[place + 8..<place + 12].elementsEqual(big(UInt32(2))) else { continue }
      let time = try #require(
        bytes.indices[place...].first { $0 + 4 < bytes.count && bytes[$0..<$0 + 4].elementsEqual(ascii("tfdt")) })
      let old = bytes[time + 8..<time + 16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      bytes.replaceSubrange(time + 8..<time + 16, with: big(old + 55_125))
    }
    return bytes
  }

  @Test("Sound that starts late begins with silence, which is counted")
  func silence() throws {
    let shell = try EndToEnd()
    let bytes = try lateSound(shell)
    try shell.folder.write("late.mp4", bytes)
    for options in ["", "--muxed"] {
      let made = try shell("rm -rf out; mp4tool hls --recut \(options) late.mp4 -o out; mp4tool check -q out; echo $?")
      #expect(made.errorText.contains("silent samples are added"), "\(made)")
      let found = try starts(shell)
      let sound = try #require(found.first { $0.key.hasSuffix("soun") }?.value)
      #expect(abs(sound.start - 10) <= 1024 / 22_050, "\(found)")
      let source = try SampleReader.read(bytes).tracks[1].samples.map(\.payload)
      let written = sound.track.samples.map(\.payload)
      #expect(written.suffix(source.count).elementsEqual(source))
      let added = written.dropLast(source.count)
      #expect(added.count == 54 && Set(added).count == 1 && added.allSatisfy { $0.count < 16 }, "\(added.count)")
    }
  }

  @Test("check reports renditions that start at different media times")
  func check() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool cut -q --from 2.6 --to 9.3 "$V"/progressive.mp4 -o cut.mp4
      mp4tool fragment -q --tracks video cut.mp4 -o v.mp4; mp4tool fragment -q --tracks audio cut.mp4 -o a.mp4
      mp4tool hls --reference v.mp4 a.mp4 -o out; mp4tool check --allow-outside out
      """)
    #expect(made.errorText.contains("its edit lists hide or delay media"), "\(made)")
    #expect(made.text.contains("[hls-timeline,") && !made.text.contains("[hls-duration,"), "\(made)")
  }

  @Test("Several sounds of one input are separate renditions")
  func sounds() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool cut -q --to 5 "$V"/progressive.mp4 -o one.mp4; mp4tool cut -q --from 1 --to 6 "$V"/progressive.mp4 -o two.mp4
      mp4tool fragment -q --tracks audio two.mp4 -o sound.mp4; mp4tool fragment -q one.mp4 -o first.mp4
      mp4tool defrag -q first.mp4 sound.mp4 -o in.mp4
      mp4tool hls --muxed in.mp4 -o out; ls -d out/*/
      """)
    #expect(made.errorText.contains("2 audio tracks are separate renditions"), "\(made)")
    #expect(made.lines.count == 3, "\(made)")
  }

  @Test("A gap within the sound is filled with silence")
  func gap() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool fragment -q --tracks video "$V"/progressive.mp4 -o v.mp4
      mp4tool cut -q --tracks audio --to 3 "$V"/progressive.mp4 -o short.mp4; mp4tool fragment -q short.mp4 -o a.mp4
      mp4tool defrag -q v.mp4 a.mp4 -o one.mp4; mp4tool concat -q one.mp4 "$V"/progressive.mp4 -o in.mp4
      mp4tool hls in.mp4 -o out
      """)
    #expect(made.errorText.contains("it has no sound from 3.") && made.exitCode == 0, "\(made)")
    let sound = try #require(starts(shell).first { $0.key.hasSuffix("soun") }?.value.track)
    let most = try #require(sound.samples.map(\.duration).max())
    #expect(most < 2 * 1024, "\(most)")
    let source = try SampleReader.read(shell.bytes("in.mp4")).tracks.first { $0.handler == "soun" }
    let payloads = Set(sound.samples.map(\.payload))
    #expect(try #require(source).samples.allSatisfy { payloads.contains($0.payload) })
  }

  @Test("Times that only edit lists correct are reported where fragments keep them")
  func edited() throws {
    let shell = try EndToEnd()
    try shell.folder.write("late.mp4", lateSound(shell))
    let made = try shell(
      """
      mp4tool defrag -q late.mp4 -o whole.mp4; mp4tool fragment whole.mp4 -o in.mp4
      mp4tool live --no-follow --dvr in.mp4 -o live; mp4tool check live
      mp4tool hls --reference in.mp4 -o out; mp4tool check --allow-outside out
      """)
    let apart = made.errorLines.filter { $0.contains("only its edit lists present its tracks together") }
    // Fragments of a live stream get other times.
    #expect(apart.count == 1 && apart.allSatisfy { $0.contains("warning") && $0.contains("2.500 s apart") }, "\(made)")
    #expect(made.errorText.contains("its edit lists hide or delay media"), "\(made)")
    let found = made.lines.filter { $0.contains("[hls-timeline,") }
    // The sound of the live stream starts late, in the same segments.
    let moment = "the media time of the same moment differs by 2.500 s"
    #expect(found.count == 1 && found[0].contains("too early") && found[0].contains(moment), "\(made)")
  }

  @Test("A sound that ends or pauses within a segment is listed as long as the video, and the check agrees")
  func soundWithinSegments() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool cut -q --tracks video --to 5 "$V"/progressive.mp4 -o v.mp4; mp4tool fragment -q v.mp4 -o video.mp4
      mp4tool cut -q --tracks audio --to 3.3 "$V"/progressive.mp4 -o a.mp4; mp4tool fragment -q a.mp4 -o sound.mp4
      mp4tool cut -q --tracks audio --to 5 "$V"/progressive.mp4 -o b.mp4; mp4tool fragment -q b.mp4 -o whole.mp4
      mp4tool defrag -q video.mp4 whole.mp4 sound.mp4 -o in.mp4; mp4tool fragment -q in.mp4 -o fragmented.mp4
      mp4tool live -q --no-follow --dvr --segment-duration 2 fragmented.mp4 -o live; mp4tool check live
      grep -h EXTINF live/index.m3u8 live/*/index.m3u8
      """)
    #expect(made.lines.first?.hasPrefix("no findings") == true, "\(made)")
    let durations = made.lines.dropFirst().compactMap { Double($0.dropFirst("#EXTINF:".count).dropLast()) }
    #expect(durations.count == 9, "\(made)")
    let lengths = stride(from: 0, to: durations.count, by: 3).map { durations[$0..<($0 + 3)].reduce(0, +) }
    #expect(lengths.allSatisfy { abs($0 - 5) < 0.1 }, "\(lengths)")
  }

  @Test("A segment lasts as long as its longest track")
  func longerSound() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool cut -q --tracks video --to 5 "$V"/progressive.mp4 -o short.mp4; mp4tool fragment -q short.mp4 -o v.mp4
      mp4tool fragment -q --tracks audio "$V"/progressive.mp4 -o a.mp4; mp4tool defrag -q v.mp4 a.mp4 -o in.mp4
      mp4tool hls -q --muxed in.mp4 -o out; mp4tool check -q out; echo $?
      """)
    #expect(made.lines.last == "0" && !made.text.contains("[hls-duration,"), "\(made)")
  }

  @Test(
    "An event has the media time of the picture with the same presentation time", arguments: ["hls", "apple", "cmaf"])
  func events(profile: String) throws {
    let shell = try EndToEnd()
    let bytes = try shell.bytes("in.mp4")
    let fragments = bytes.indices.dropLast(8).filter { bytes[$0 + 4..<$0 + 8].elementsEqual(ascii("moof")) }
    // At 4.08 s, between the first two fragments.
    let fields = big(UInt32(1 << 24)) + big(UInt32(1000)) + big(UInt64(4080)) + big(UInt32(500)) + big(UInt32(7))
    let payload = fields + ascii("urn:x") + [0, 0] + ascii("hello")
    let event = big(UInt32(8 + payload.count)) + ascii("emsg") + payload
    try shell.folder.write("event.mp4", bytes[..<fragments[1]] + event + bytes[fragments[1]...])
    let made = try shell(
      "mp4tool hls -q --profile \(profile) --segment-duration 2 event.mp4 -o out; mp4tool events -q out | head -n 1")
    #expect(made.lines.first?.hasPrefix("0:04.080  event  urn:x") == true, "\(made)")
    let source = try SampleReader.read(bytes).tracks[0]
    let found = try shell("mp4tool dump out/video-90/segment3.m4s | grep -A 8 emsg | grep presentation_time")
    #expect(found.lines.first?.contains("14080") == true, "\(found)")
    let package = try #require(starts(shell)["video-90 vide"])
    let picture = try #require(source.samples.first { $0.compositionTime * 100 == source.timescale * 408 })
    let own = try #require(package.track.samples.first { $0.payload == picture.payload })
    #expect(Double(own.compositionTime) / Double(package.track.timescale) == 14.08)
  }

  @Test("Pictures continue after those of the part before a discontinuity, not after its decode times")
  func discontinuity() throws {
    let shell = try EndToEnd()
    let made = try shell(
      #"""
      mp4tool cut -q --to 4 "$V"/progressive.mp4 -o one.mp4; mp4tool cut -q --from 4 --to 8 "$V"/progressive.mp4 -o two.mp4
      for name in one two; do mp4tool hls -q --muxed --segment-duration 2 $name.mp4 -o $name; done
      uris() { sed 's#URI="#&'$1'/video-90/#; s#^segment#'$1'/video-90/&#'; }
      { grep -v ENDLIST one/video-90/index.m3u8 | uris one; echo '#EXT-X-DISCONTINUITY'
        sed -n '/EXT-X-MAP/,$p' two/video-90/index.m3u8 | uris two; } > both.m3u8
      mp4tool defrag -q both.m3u8 -o out.mp4
      """#)
    #expect(made.description == "exit code 0\n\n")
    let tracks = try SampleReader.read(shell.bytes("out.mp4")).tracks
    for track in tracks {
      let times = track.samples.map(\.compositionTime).sorted()
      let longest = try #require(zip(times, times.dropFirst()).map { $1 - $0 }.max())
      // Sound that decoders need before the second part delays it: two samples.
      let most = track.handler == "vide" ? 0.041 + 2 * 1024.0 / 22_050 : 2 * 1024.0 / 22_050
      #expect(Double(longest) / Double(track.timescale) < most, "\(track.handler): \(longest)")
    }
  }
}
