import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import Support
import Testing
import TimedText

@Suite("Text in packages")
struct PackagedTextTests {
  /// A subtitle movie as bytes.
  private func movie(_ cues: [Cue], _ format: TextFormat, _ language: String = "en", isForced: Bool = false) throws
    -> [UInt8]
  {
    var subtitles = Subtitles(WebVTTDocument(cues), language: language)
    subtitles.isForced = isForced
    let source = try SubtitleMovie(subtitles, format).source
    let sink = MemorySink()
    try sink.copy(0..<(source.byteCount ?? 0), of: source)
    return sink.bytes
  }
  private let cues = [
    Cue(start: 1000, end: 3000, text: "one <b>two</b> &amp; &lt;three"), Cue(start: 2000, end: 3000, text: "<i>x</i>"),
    Cue(start: 5000, end: 8000, text: "a\n\u{a0}\nb"),
  ]

  // MARK: Early ends

  @Test("A text track that ends early is filled with empty samples", arguments: [false, true])
  func filled(isFragmented: Bool) throws {
    var text = try movie(cues, .webVTT)
    if isFragmented {
      let sink = MemorySink()
      try Fragmenter().plan(Movie(reading: [MemorySource(text)])).write(to: sink)
      text = sink.bytes
    }
    let package = try Package([[progressive(.pictures(750), .sound(30))], [text]])
    #expect(package.warnings == [] && package.folders == ["video-90", "audio", "text-en"])
    // A cut needs a sample start, so it is after the cue that crosses the first cut.
    #expect(try package.durations("text-en") == [8, 4, 6, 6, 6].map { $0 * 1_000_000 })
    let track = try #require(try SampleReader.read(package.bytes(of: "text-en")).tracks.first)
    let old = try #require(try SampleReader.read(text).tracks.first)
    #expect(track.samples.prefix(old.samples.count).map(\.payload) == old.samples.map(\.payload))
    let added = track.samples.dropFirst(old.samples.count)
    #expect(added.map(\.payload) == Array(repeating: [0, 0, 0, 8] + ascii("vtte"), count: 4))
    #expect(track.samples.reduce(0) { $0 + Int($1.duration) } == 30_000)
  }

  @Test("A text track shorter by less than half a second, or longer, does not change")
  func notFilled() throws {
    for end in [29_600, 30_000, 50_000] as [Int64] {
      let text = try movie([Cue(start: 0, end: end, text: "a")], .webVTT)
      let package = try Package([[progressive(.pictures(750))], [text]])
      let samples = try #require(try SampleReader.read(package.bytes(of: "text-en")).tracks.first).samples
      #expect(samples.map(\.payload) == (try SampleReader.read(text).tracks.first?.samples.map(\.payload)))
    }
  }

  @Test("BANDWIDTH includes the subtitles")
  func bandwidth() throws {
    let long = String(repeating: "x", count: 10_000)
    let text = try movie([Cue(start: 0, end: 29_999, text: long)], .webVTT)
    let without = try Package([[progressive(.pictures(750))]]).main.variants[0]
    let with = try Package([[progressive(.pictures(750))], [text]]).main.variants[0]
    let more = with.bandwidth - without.bandwidth
    // A single sample contains all text.
    #expect((80_000 / 31...85_000 / 29).contains(more), "\(more)")
    #expect(with.averageBandwidth ?? 0 > (without.averageBandwidth ?? 0) + 80_000 / 31)
  }

  // MARK: 3GPP text

  private func document(_ package: Package, _ name: String) throws -> WebVTTDocument {
    let document = try WebVTTDocument(try #require(package.files[name], "\(package.files.keys.sorted())"))
    #expect(document.findings.isEmpty)
    return document
  }

  @Test("3GPP text becomes WebVTT with segments like those of the video, until the end of the video")
  func timedText() throws {
    let text = try movie(cues, .timedText)
    let package = try Package([[progressive(.pictures(750))], [text]])
    let main = try package.main
    let rendition = try #require(main.renditions.first { $0.kind == .subtitles })
    #expect(rendition.name == "English" && rendition.language == "en" && rendition.uri == "text-en/index.m3u8")
    #expect(rendition.isAutoselected && !rendition.isForced && main.variants.map(\.subtitles) == ["subtitles"])
    #expect(main.variants.map(\.codecs) == ["avc1.64000B"])
    let playlist = try package.playlist("text-en/index.m3u8")
    #expect(playlist.segments.map(\.uri) == (1...5).map { "segment\($0).vtt" } && playlist.isEnded)
    #expect(playlist.segments.map(\.duration) == (try package.playlist("video-90/index.m3u8").segments.map(\.duration)))
    let first = try document(package, "text-en/segment1.vtt")
    #expect(first.timestampMap == TimestampMap(mpegTS: 900_000))
    #expect(first.cues.map(\.startMilliseconds) == [1000, 2000, 5000])
    #expect(first.cues.map(\.endMilliseconds) == [2000, 3000, 8000])
    #expect(
      first.cues.map(\.text) == [
        "one <b>two</b> &amp; &lt;three", "one <b>two</b> &amp; &lt;three\n<i>x</i>", "a\n\u{a0}\nb",
      ])
    #expect(try document(package, "text-en/segment2.vtt").cues.map(\.startMilliseconds) == [5000])
    for number in 3...5 { #expect(try document(package, "text-en/segment\(number).vtt").cues.isEmpty) }
    let notes = package.plan.diagnostics.map(\.description)
    #expect(notes.contains { $0.contains("3GPP timed text (tx3g) is converted to WebVTT") } && package.warnings == [])
    #expect(package.plan.renditionCount == 2)
  }

  @Test("With Apple's profile the timestamps are those of the media, and --single-file creates one file")
  func timedTextOptions() throws {
    let text = try movie(cues, .timedText)
    let apple = try Package([[progressive(.pictures(750))], [text]]) {
      ($0.profile, $0.timeOffset) = (.apple, MediaTime(10, 1))
      $0.startNumber = 7
      $0.baseURL = "https://example.com/"
    }
    #expect(try document(apple, "text-en/segment7.vtt").timestampMap == TimestampMap(mpegTS: 900_000))
    let playlist = try apple.playlist("text-en/index.m3u8")
    #expect(playlist.mediaSequence == 7 && playlist.segments.first?.uri == "https://example.com/text-en/segment7.vtt")
    let single = try Package([[progressive(.pictures(750))], [text]]) { $0.storage = .singleFile }
    #expect(try single.playlist("text-en/index.m3u8").segments.map(\.uri) == ["subtitles.vtt"])
    let event = try Package([[progressive(.pictures(750))], [text]]) { $0.playlistType = .event }
    let growing = try event.playlist("text-en/index.m3u8")
    #expect(!growing.isEnded && growing.segments.count == 5 && growing.targetSeconds == 6)
  }

  @Test("The same text in several inputs is used once")
  func sameText() throws {
    let text = try movie(cues, .timedText)
    let package = try Package([[progressive(.pictures(250))], [text], [text], [try movie(cues, .timedText, "de")]])
    #expect(try package.main.renditions.map(\.name) == ["English", "German"])
  }

  @Test("Languages, forced text and names that exist already")
  func timedTextNames() throws {
    let texts = [
      try movie(cues, .webVTT), try movie(cues, .timedText), try movie(cues, .timedText, "fr", isForced: true),
      try movie(cues, .timedText, "und"),
    ]
    let package = try Package([[progressive(.pictures(250))]] + texts.map { [$0] })
    let renditions = try package.main.renditions
    #expect(renditions.map(\.name) == ["English", "English 2", "French (forced)", "Subtitles"])
    #expect(renditions.map(\.language) == ["en", "en", "fr", nil])
    #expect(renditions.map(\.isForced) == [false, false, true, false])
    #expect(
      renditions.map(\.uri) == ["text-en", "text-en-2", "text-fr", "text"].map { "\($0)/index.m3u8" },
      "\(renditions.map(\.uri))")
  }

  /// A movie of one text track with these samples.
  private func raw(_ samples: [[UInt8]], _ entry: [UInt8], handler: String, boxes: [String: [UInt8]] = [:]) -> [UInt8] {
    let specs = samples.map { SampleSpec(UInt32($0.count), duration: 1000) }
    let track = TrackSpec.text().with(\.sampleEntries, [entry]).with(\.samples, specs).with(\.handler, handler)
      .with(\.boxes, boxes).with(\.language, "eng")
    var file = FragmentedFileBuilder([track], seed: 1).build()
    for (place, bytes) in zip(file.places[track.id] ?? [], samples) { file.bytes.replaceSubrange(place, with: bytes) }
    return file.bytes
  }
  private func tx3g(flags: UInt32 = 0, vertical: UInt8 = 0xff, face: UInt8 = 0) -> [UInt8] {
    box(
      "tx3g", zeros(6), big(UInt16(1)), big(flags), [1, vertical], zeros(4), zeros(8),
      zeros(4) + big(UInt16(1)) + [face, 16] + big(UInt32.max))
  }

  @Test("UTF-16, text at the top, bold text, damaged samples, and samples with only spaces")
  func timedTextSamples() throws {
    func sample(_ bytes: [UInt8], _ more: [UInt8] = []) -> [UInt8] { big(UInt16(bytes.count)) + bytes + more }
    func style(_ start: UInt16, _ end: UInt16, _ face: UInt8) -> [UInt8] {
      big(start) + big(end) + big(UInt16(1)) + [face, 16] + big(UInt32.max)
    }
    let samples = [
      sample([0xfe, 0xff] + "é日😀".utf16.flatMap { big($0) }), sample(ascii(" \n ")), sample(ascii("same")),
      sample(ascii("same")), big(UInt16(9)) + ascii("short"), [7], [], sample(ascii("--> \r\n\r\nb\n")),
      sample(ascii("abcd"), box("styl", big(UInt16(2)) + style(2, 900, 4) + style(0, 1, 0))),
      sample(ascii("x"), big(UInt32(99)) + ascii("styl")),
    ]
    let package = try Package([
      [progressive(.pictures(250))], [raw(samples, tx3g(vertical: 0, face: 1), handler: "sbtl")],
    ])
    let first = try document(package, "text-en/segment1.vtt").cues + document(package, "text-en/segment2.vtt").cues
    var cues: [Cue] = []
    for cue in first where !cues.contains(cue) { cues.append(cue) }
    #expect(
      cues.map(\.text) == [
        "<b>é日😀</b>", "<b>same</b>", "<b>--&gt; \n\u{a0}\nb</b>", "a<b>b</b><u>cd</u>", "<b>x</b>",
      ])
    #expect(cues.map(\.startMilliseconds) == [0, 2000, 7000, 8000, 9000])
    #expect(cues.map(\.endMilliseconds) == [1000, 4000, 8000, 9000, 10_000])
    #expect(cues.allSatisfy { $0.settings == "line:0" })
    #expect(
      package.plan.diagnostics.filter { $0.severity == .error }.map(\.description) == [
        "input2.mp4: track 3: 2 text samples cannot be read; omitted"
      ])
  }

  @Test("Chapters are not subtitles")
  func chapters() throws {
    let track = TrackSpec.text().with(\.sampleEntries, [tx3g()]).with(\.samples, .samples(10))
    let video = TrackSpec.pictures(250).with(\.boxes, ["trak": box("tref", box("chap", big(UInt32(3))))])
    let package = try Package([[progressive(video, track)]])
    #expect(package.folders == ["video-90"] && package.plan.renditionCount == 1)
  }

  // MARK: TTML

  private func stpp(_ document: String) throws -> Package {
    let entry = box("stpp", zeros(6), big(UInt16(1)), ascii("http://www.w3.org/ns/ttml") + [0, 0, 0])
    return try Package([
      [progressive(.pictures(750))], [raw([Array(document.utf8)], entry, handler: "subt")],
    ])
  }

  @Test(
    "The TTML profile is read from the documents if the sample entry has none",
    arguments: [
      ("ttp:profile=\"http://www.w3.org/ns/ttml/profile/imsc1/text\"", "", "im1t"),
      ("ttp:contentProfiles=' all(http://www.w3.org/ns/ttml/profile/imsc1.1/text) '", "", "im2t"),
      ("xmlns:ittp='http://www.w3.org/ns/ttml/profile/imsc1#parameter'", "", "im1t"),
      ("", "<e:conformsToStandard>urn:ebu:tt:distribution:2014-01</e:conformsToStandard>", "im1t"),
      ("ttp:profile='http://www.w3.org/ns/ttml/profile/imsc1/image'", "", "im1i"),
      ("ttp:profile='http://www.w3.org/ns/ttml/profile/dfxp-full'", "", nil),
      ("", "", "im1t"), ("ttp:timeBase='smpte'", "", nil), ("", "<set begin='1s'/>", nil),
      ("", "<style tts:fontSize='16px'/>", nil), ("tts:extent='640px 480px'", "<style tts:fontSize='16px'/>", "im1t"),
    ] as [(String, String, String?)])
  func profiles(attributes: String, metadata: String, profile: String?) throws {
    let package = try stpp(
      """
      <?xml version="1.0" encoding="UTF-8"?><!-- <tt ttp:profile="x:y"> -->
      <tt:tt xmlns:tt="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xml:lang="" \(attributes)>
      <tt:head>\(metadata)</tt:head><tt:body><tt:div><tt:p begin="0s">a</tt:p></tt:div></tt:body></tt:tt>
      """)
    #expect(try package.main.variants[0].codecs == "avc1.64000B,stpp.ttml" + (profile.map { ".\($0)" } ?? ""))
    let isNamed = package.warnings.contains { $0.contains("its TTML is not IMSC1") }
    #expect(isNamed == (profile == nil))
    // The rest of the 30 seconds is an empty document.
    #expect(try package.durations("text-en") == package.durations("video-90"))
    let last = try #require(try SampleReader.read(package.bytes(of: "text-en")).tracks.first?.samples.last)
    #expect(String(decoding: last.payload, as: UTF8.self) == "<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"\"/>")
  }

  @Test(
    "TTML samples can contain any bytes",
    arguments: ["", "<", "<tt", "<tt a=", "<tt a='", "<tt a b=c =>", "<!--", "x"])
  func noDocument(text: String) throws {
    #expect(try stpp(text + " ").main.variants[0].codecs == "avc1.64000B,stpp.ttml")
    _ = TTMLDocument(Array(text.utf8) + [0xff, 0xfe, 0x3c])
  }
}
