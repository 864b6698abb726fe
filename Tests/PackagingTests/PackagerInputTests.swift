import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Packages of several inputs")
struct PackagerInputTests {
  private func boxed(_ track: TrackSpec, _ entry: [UInt8]) -> TrackSpec { track.with(\.sampleEntries, [entry]) }

  @Test("Languages come from elng or mdhd, and folders and names are unique and simple")
  func languages() throws {
    let package = try Package([
      [progressive(.pictures(50))], [progressive(.sound(2, "eng"))], [progressive(.sound(2, "fre"))],
      [progressive(.sound(2, "eng"), seed: 2)], [progressive(TrackSpec.sound(2, "eng").tagged("zh-Hant"))],
      [progressive(TrackSpec.sound(2).tagged("a\"b\n#/../c"))], [progressive(TrackSpec.sound(2).tagged("en-2"))],
      [progressive(TrackSpec.sound(2).tagged(String(repeating: "long", count: 100)))],
      [progressive(.sound(2), seed: 3)],
    ])
    #expect(
      package.folders == [
        "video-90", "audio-en", "audio-fr", "audio-en-2", "audio-zh-Hant", "audio-abc", "audio-en-2-2",
        "audio-" + String(repeating: "long", count: 9).dropLast(), "audio",
      ])
    let renditions = try package.main.renditions
    #expect(Set(renditions.map(\.name)).count == renditions.count && renditions.count == 8)
    #expect(renditions.prefix(4).map(\.name) == ["English", "French", "English 2", "Chinese (Hant)"])
    #expect(renditions.prefix(4).map(\.language) == ["en", "fr", "en", "zh-Hant"])
    #expect(renditions.map(\.isDefault) == [true] + Array(repeating: false, count: 7))
    #expect(renditions.prefix(4).map(\.isAutoselected) == [true, true, false, true])
    #expect(renditions.last?.language == nil && renditions.last?.name == "Audio")
  }

  @Test("Audio with other codecs and channels is a separate group, and each video is paired with each group")
  func groups() throws {
    let stereo = EntryBytes.audio("Opus", channels: 2, rate: 48_000, box("dOps", [0, 2], zeros(8), [0]))
    let package = try Package([
      [progressive(.pictures(50), .sound(2, "eng"))], [progressive(.pictures(50), seed: 2)],
      [progressive(boxed(.sound(2, "eng"), stereo))],
    ])
    let main = try package.main
    #expect(main.renditions.map(\.group) == ["audio-1", "audio-2"] && main.renditions.map(\.channels) == ["1", "2"])
    #expect(main.variants.map(\.audio) == ["audio-1", "audio-2", "audio-1", "audio-2"])
    let codecs = main.variants.compactMap(\.codecs)
    #expect(codecs.prefix(2) == ["avc1.64000B,mp4a.40.2", "avc1.64000B,Opus"])
    for variant in main.variants { #expect(variant.bandwidth >= variant.averageBandwidth ?? .max) }
  }

  @Test("Videos with sync samples at the same times are cut there, in any timescale")
  func aligned() throws {
    // 1001/24000 s, and the same in rounded milliseconds.
    var exact: [SampleSpec] = []
    var coarse: [SampleSpec] = []
    for index in 0..<960 as Range<UInt32> {
      let flags: UInt32 = index % 50 == 0 ? .sync : .depends
      exact.append(SampleSpec(50 + index % 9, duration: 1001, flags: flags))
      let (start, end) = ((index * 1001 + 12) / 24, ((index + 1) * 1001 + 12) / 24)
      coarse.append(SampleSpec(20 + index % 9, duration: end - start, flags: flags))
    }
    let first = TrackSpec.video().with(\.timescale, 24_000).with(\.samples, exact)
    let second = TrackSpec.video().with(\.timescale, 1000).with(\.samples, coarse)
    for order in [[first, second], [second, first]] {
      let package = try Package(order.map { [progressive($0)] })
      #expect(package.warnings == [])
      let counts = try package.folders.map { try package.durations($0).count }
      #expect(counts == [7, 7])
    }
  }

  @Test("A video that cannot be cut there has its own cuts, with a warning")
  func unaligned() throws {
    let package = try Package([
      [progressive(.pictures(500, group: 50))], [progressive(.pictures(500, group: 45), seed: 2)],
      [progressive(.pictures(500, group: 25), seed: 3)],
    ]) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(package.warnings.count == 1)
    #expect(
      package.warnings.first?.hasPrefix("input2.mp4: its keyframes are not aligned with those of the first") == true)
    let durations = try package.folders.map { try package.durations($0).first }
    #expect(durations == [2_000_000, 3_600_000, 2_000_000])
  }

  @Test(
    "A video shorter or longer than the first is cut like it without another warning", arguments: [200, 1000])
  func lengths(count: Int) throws {
    let package = try Package([[progressive(.pictures(600))], [progressive(.pictures(count))]])
    let folder = count < 600 ? "8 s, but video-90 lasts 24 s" : "40 s, but video-90 lasts 24 s"
    #expect(package.warnings == ["video-90-2: it lasts \(folder); players may stop when the shorter one ends"])
    #expect(try package.durations("video-90-2").allSatisfy { $0 <= 6_000_000 })
    #expect(try package.durations("video-90-2").reduce(0, +) == count * 40_000)
  }

  @Test(
    "Audio that is longer or shorter than the video is cut like it, and at the same interval after it",
    arguments: [3, 24, 26, 61])
  func sound(seconds: Int) throws {
    let package = try Package([[progressive(.pictures(250), .sound(seconds))]])
    let durations = try package.durations("audio")
    let frame = 1_024_000_000 / 48_000
    var clock = 0
    for duration in durations.dropLast() {
      clock += duration
      #expect((0...frame).contains(clock % 6_000_000) || clock % 6_000_000 < frame)
    }
    #expect(durations.allSatisfy { $0 <= 9_000_000 + frame } && durations.count == max(1, (seconds + 3) / 6))
    #expect(try package.playlist("video-90/index.m3u8").targetSeconds <= 9)
    #expect(package.otherWarnings == [])
  }

  @Test("Audio alone is a presentation, with its group in every variant")
  func audioOnly() throws {
    let package = try Package([[progressive(.sound(20, "eng"))], [progressive(.sound(40, "fra"))]])
    #expect(package.folders == ["audio-en", "audio-fr"])
    #expect(try package.main.variants.map(\.uri) == ["audio-en/index.m3u8"])
    #expect(try package.main.renditions.count == 2 && package.main.iFrameVariants.isEmpty)
    #expect(try package.durations("audio-fr").allSatisfy { $0 <= 9_000_000 })
  }

  @Test("Subtitles are a separate group, and long ones do not make video segments longer")
  func subtitles() throws {
    let text = TrackSpec.text().with(\.language, "eng")
    let long = text.with(\.samples, [SampleSpec(20, duration: 30_000)])
    let short = text.with(\.samples, .samples(60)).with(\.language, "fra")
    let stpp = box("stpp", zeros(6), big(UInt16(1)), ascii("http://www.w3.org/ns/ttml") + [0, 0, 0])
    let package = try Package([
      [progressive(.pictures(750), .sound(30), long)], [progressive(short)],
      [progressive(boxed(short.with(\.handler, "subt"), stpp))],
    ])
    #expect(package.folders == ["video-90", "audio", "text-en", "text-fr", "text-fr-2"])
    let main = try package.main
    let texts = main.renditions.filter { $0.kind == .subtitles }
    #expect(texts.map(\.name) == ["English", "French", "French 2"] && texts.allSatisfy { !$0.isDefault })
    #expect(texts.map(\.isAutoselected) == [true, true, false])
    #expect(main.variants.map(\.subtitles) == ["subtitles"])
    #expect(main.variants[0].codecs?.contains("wvtt") == true && main.variants[0].codecs?.contains("stpp") == true)
    #expect(try package.playlist("video-90/index.m3u8").targetSeconds == 6)
    #expect(try package.playlist("text-en/index.m3u8").targetSeconds == 30)
    #expect(try package.durations("text-fr").count == 5)
    // A growing playlist must not differ.
    let event = try Package([[progressive(.pictures(750), long)]]) { $0.playlistType = .event }
    #expect(try event.playlist("video-90/index.m3u8").targetSeconds == 30)
  }

  @Test("Inputs are separate even if audio and video are muxed")
  func muxed() throws {
    let package = try Package([
      [progressive(.pictures(500), .sound(20)), progressive(.pictures(500, group: 50))], [progressive(.sound(20))],
    ]) { $0.isMuxed = true }
    #expect(package.folders == ["video-90", "video-90-2", "audio"])
    #expect(try SampleReader.read(package.bytes(of: "video-90")).tracks.map(\.handler) == ["vide", "soun"])
    #expect(try SampleReader.read(package.bytes(of: "video-90-2")).tracks.map(\.handler) == ["vide"])
  }

  @Test("Unplayable tracks are omitted and reported; it is an error if there are no others")
  func notPlayable() throws {
    let data = TrackSpec.text().with(\.handler, "meta")
    let samples = data.with(\.samples, .samples(10))
    let package = try Package([[progressive(.pictures(50), samples)]])
    #expect(package.folders == ["video-90"])
    #expect(
      package.plan.diagnostics.map(\.description).contains(
        "input1.mp4: track 3: HLS has no meta tracks; omitted"))
    for track in [samples, TrackSpec.text().with(\.samples, .samples(10))] {
      #expect(throws: MovieError.self) { try Package([[progressive(track)]]) }
    }
  }

  @Test("Base URL, first segment number and playlist type are those requested")
  func options() throws {
    let package = try Package([[progressive(.pictures(500), .sound(20))]]) {
      $0.baseURL = "https://example.com/a/"
      $0.startNumber = 7
      $0.playlistType = .event
    }
    #expect(package.files["video-90/segment7.m4s"] != nil && package.files["video-90/segment1.m4s"] == nil)
    let main = try package.main
    #expect(main.variants.map(\.uri) == ["https://example.com/a/video-90/index.m3u8"])
    #expect(main.renditions.map(\.uri) == ["https://example.com/a/audio/index.m3u8"])
    #expect(main.iFrameVariants.map(\.uri) == ["https://example.com/a/video-90/iframes.m3u8"])
    let text = try package.playlist("video-90/index.m3u8").text
    #expect(text.contains("\n#EXT-X-PLAYLIST-TYPE:EVENT\n") && !text.contains("ENDLIST"))
    #expect(text.contains("URI=\"https://example.com/a/video-90/init.mp4\""))
    let plain = try Package([[progressive(.pictures(50))]]) { $0.hasIFramePlaylists = false }
    #expect(!plain.files.keys.contains { $0.contains("iframes") })
  }

  @Test("A video without a sync sample is packaged, without keyframes")
  func noSync() throws {
    let samples: [SampleSpec] = .samples(100, flags: .depends)
    let package = try Package([[progressive(TrackSpec.video().with(\.samples, samples))]])
    #expect(try package.main.iFrameVariants.isEmpty && !package.main.hasIndependentSegments)
  }
}
