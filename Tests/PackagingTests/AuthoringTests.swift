import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Video diagnostics of packaging")
struct AuthoringTests {
  // MARK: Inputs

  /// NAL units with length prefixes.
  private func sample(_ units: [UInt8]...) -> [UInt8] { units.flatMap { big(UInt32($0.count)) + $0 } }
  private static let size = 120
  /// Four seconds of video with a keyframe each second; every sample begins with `start`.
  private func video(_ entry: [UInt8], _ start: [UInt8] = [], sound: TrackSpec? = nil, group: Int = 25) -> [[UInt8]] {
    var samples = TrackSpec.pictures(100, group: group).samples
    for index in samples.indices { samples[index].size = UInt32(Self.size) }
    let track = TrackSpec.video().with(\.samples, samples).with(\.sampleEntries, [entry])
    let built = FragmentedFileBuilder([track] + (sound.map { [$0] } ?? []), seed: 1).build()
    var bytes = built.bytes
    for (index, place) in (built.places[1] ?? []).enumerated() {
      var payload = index % group == 0 ? start : sample([0x41])
      // Zeros are the lengths of empty units.
      payload += zeros(Self.size - payload.count)
      bytes.replaceSubrange(place, with: payload)
    }
    return [bytes]
  }
  private static let sets: [[UInt8]] = [
    [
      0x67, 0x64, 0x00, 11, 0xac, 0xd9, 0x42, 0x8d, 0xf9, 0x3f, 0xf0, 0x00, 0xa0, 0x00, 0x91, 0x00,
      0x00, 0x03, 0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x32, 0x0f, 0x14, 0x29, 0x96,
    ], [0x68, 0xeb, 0xec, 0xb2, 0x2c],
  ]
  private static let idr: [UInt8] = [0x65, 1, 2, 3]
  /// An AVC sample entry that allows parameter sets in samples.
  private var avc3: [UInt8] {
    var entry = EntryBytes.avc1()
    entry.replaceSubrange(4..<8, with: ascii("avc3"))
    return entry
  }
  /// A High 10 parameter set by x264 with PQ transfer characteristics, and one without.
  private static let withPQ: [UInt8] = [
    0x67, 0x6e, 0, 0x0a, 0xa6, 0xcd, 0x94, 0x42, 0x6c, 0x05, 0xa8, 0x48, 0x80, 0x4a, 0, 0, 3, 0, 2, 0, 0, 3, 0, 0x64,
    0x1e,
    0x24, 0x4b, 0x2c,
  ]
  private static let withoutColour: [UInt8] = [
    0x67, 0x6e, 0, 0x0a, 0xa6, 0xcd, 0x94, 0x42, 0x6c, 0x04, 0x40, 0, 0, 3, 0, 0x40, 0, 0, 0x0c, 0x83, 0xc4, 0x89, 0x65,
    0x80,
  ]
  /// A 10-bit sample entry without colors.
  private func high10(_ boxes: [UInt8] = []) -> [UInt8] {
    let set = Self.withoutColour, picture = Self.sets[1]
    let configuration = box(
      "avcC", [1, 0x6e, 0, 10, 0xff, 0xe1], big(UInt16(set.count)), set, [1], big(UInt16(picture.count)), picture,
      [0xfd, 0xfa, 0xfa, 0])
    return EntryBytes.visual("avc1", width: 64, height: 64, configuration + boxes)
  }

  // MARK: The video range

  private func range(_ package: Package) throws -> [String?] {
    try package.main.variants.map(\.videoRange) + package.main.iFrameVariants.map(\.videoRange)
  }

  @Test("The first parameter sets in samples declare the video range if the sample entry does not")
  func inBand() throws {
    let package = try Package([video(high10(), sample(Self.withPQ, Self.idr))])
    #expect(try range(package) == ["PQ", "PQ"] && package.warnings == [])
  }

  @Test(
    "So does Dolby Vision, by its base layer compatibility", arguments: [(1, "PQ"), (2, "SDR"), (4, "HLG")])
  func dolbyVision(compatibility: UInt8, expected: String) throws {
    let configuration = box("dvvC", [1, 0, 0x10, 0x2d, compatibility << 4], zeros(19))
    let package = try Package([video(high10(configuration), sample(Self.idr))])
    #expect(try range(package) == [expected, expected] && package.warnings == [])
  }

  @Test("More than eight bits with an unknown range are a warning, unless the range is given")
  func unknown() throws {
    let input = video(high10(), sample(Self.idr))
    let package = try Package([input])
    #expect(try range(package) == ["SDR", "SDR"])
    #expect(
      package.warnings == [
        "input1.mp4: nothing declares whether its video of 10 bits is SDR, PQ or HLG; the playlists declare SDR, which "
          + "would be wrong for PQ or HLG"
      ])
    let given = try Package([input]) { $0.videoRange = .hlg }
    #expect(try range(given) == ["HLG", "HLG"] && given.warnings == [])
    // BT.709 colors and 8 bits are SDR.
    for entry in [high10(box("colr", ascii("nclx"), [0, 1, 0, 2, 0, 1, 0])), EntryBytes.avc1()] {
      let package = try Package([video(entry, sample(Self.idr))])
      #expect(try range(package) == ["SDR", "SDR"] && package.warnings == [])
    }
  }

  @Test("8-bit video is PQ or HLG only on request, with a warning")
  func tooFewBits() throws {
    let package = try Package([video(EntryBytes.avc1(), sample(Self.idr))]) { $0.videoRange = .pq }
    #expect(try range(package) == ["PQ", "PQ"])
    #expect(
      package.warnings == [
        "input1.mp4: its video has a bit depth of 8, but PQ needs 10; the playlists declare PQ as requested"
      ])
    let plain = try Package([video(EntryBytes.avc1(), sample(Self.idr))]) { $0.videoRange = .sdr }
    #expect(try range(plain) == ["SDR", "SDR"] && plain.warnings == [])
  }

  @Test("The declared range of the input is kept, with a warning")
  func contradiction() throws {
    let entry = high10(box("colr", ascii("nclx"), [0, 9, 0, 16, 0, 9, 0]))
    let package = try Package([video(entry, sample(Self.idr))]) { $0.videoRange = .sdr }
    #expect(try range(package) == ["PQ", "PQ"])
    #expect(package.warnings == ["input1.mp4: its video declares PQ, not SDR"])
  }

  // MARK: Apple's rules

  private func notes(_ input: [[UInt8]], apple: Bool = true) throws -> (package: Package, notes: [String]) {
    let package = try Package([input]) {
      if apple { ($0.profile, $0.timeOffset) = (.apple, MediaTime(10, 1)) }
      $0.segmentDuration = MediaTime(1, 1)
    }
    return (
      package, package.plan.diagnostics.filter { $0.severity == .note }.map { String($0.description.dropFirst(12)) }
    )
  }

  @Test("An entry that allows parameter sets in samples is renamed if there are none, or only repetitions")
  func renamed() throws {
    for repeats in [false, true] {
      let start = sample(Self.idr)
      let (package, notes) = try notes(video(avc3, repeats ? sample(Self.sets[0], Self.sets[1]) + start : start))
      #expect(try package.main.variants.map(\.codecs) == ["avc1.64000B"])
      let entry = try SampleReader.read(package.bytes(of: "video-90")).tracks[0].sampleEntries[0]
      #expect(entry == EntryBytes.avc1())
      let text = "its sample entry avc3 was renamed to avc1, because it has all parameter sets"
      #expect(notes == [repeats ? text + "; 4 keyframes repeat them" : text])
    }
  }

  @Test("It is kept if a sample has another parameter set, and in other profiles")
  func notRenamed() throws {
    let input = video(avc3, sample(Self.withPQ, Self.idr))
    let (package, notes) = try notes(input)
    #expect(try package.main.variants.map(\.codecs) == ["avc3.64000B"])
    #expect(notes.count == 1 && notes.first?.hasSuffix("(Apple's HLS Authoring Specification, 1.10)") == true)
    let other = try Package([input])
    #expect(try other.main.variants.map(\.codecs) == ["avc3.64000B"])
    // A length that exceeds the sample is ignored.
    let (damaged, _) = try self.notes(video(avc3, [0, 0, 1, 0, 0x65]))
    #expect(try damaged.main.variants.map(\.codecs) == ["avc3.64000B"])
  }

  @Test("HEVC arrays of parameter sets are declared complete")
  func hevc() throws {
    var hevc = HEVCConfigurationBox()
    hevc.arrays = ([32, 33, 34] as [UInt8]).map { type in
      var array = HEVCConfigurationBox.NALArray()
      (array.nalUnitType, array.isComplete) = (type, false)
      var unit = HEVCConfigurationBox.NALUnit()
      unit.bytes = [type << 1, 1, 9, 9]
      array.nalUnits = [unit]
      return array
    }
    let entry = EntryBytes.visual("hev1", width: 64, height: 64, box("hvcC", try hevc.encoded()))
    let start = sample([32 << 1, 1, 9, 9], [19 << 1, 1, 0])
    let (package, notes) = try notes(video(entry, start))
    #expect(
      notes.filter { $0.contains("hev1 was renamed to hvc1") && $0.contains("4 keyframes repeat them") }.count == 1)
    let written = try SampleReader.read(package.bytes(of: "video-64")).tracks[0].sampleEntries[0]
    #expect(written.dropFirst(4).starts(with: ascii("hvc1")))
    for index in hevc.arrays.indices { hevc.arrays[index].isComplete = true }
    #expect(written.suffix(try hevc.encoded().count) == (try hevc.encoded())[...])
  }

  @Test("Segments without IDR pictures, undeclared captions, no language and muxed audio tracks are noted")
  func rules() throws {
    let captions: [UInt8] = [0x06, 4, 10, 0xb5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0x40, 0xff]
    let sound = TrackSpec.sound(4)
    let (_, notes) = try notes(video(EntryBytes.avc1(), sample(captions, [0x41, 1]), sound: sound))
    let apple = "(Apple's HLS Authoring Specification, "
    #expect(
      notes == [
        "4 segments start with a picture that is not an IDR picture, the first at 0.000 s \(apple)7.4)",
        "its video has closed captions (CEA-608 or CEA-708), which the playlists do not declare \(apple)4.4)",
        "its language is unknown, so EXT-X-MEDIA has no LANGUAGE \(apple)8.10)",
      ])
    let plain = try self.notes(video(EntryBytes.avc1(), sample(captions, [0x41, 1]), sound: sound), apple: false)
    #expect(plain.notes == [])
    let two = [progressive(.pictures(50), .sound(2, "eng"), .sound(2, id: 3, "fra"))]
    let muxed = try Package([two]) {
      ($0.profile, $0.timeOffset) = (.apple, MediaTime(10, 1))
      $0.isMuxed = true
    }
    #expect(muxed.plan.diagnostics.contains { $0.description.contains("2 audio tracks are separate renditions") })
  }

  /// An MV-HEVC sample entry as written by Apple's encoder, with these view bits for the second layer.
  private func stereo(_ views: UInt8?) throws -> [UInt8] {
    let layers = fullBox("lhvC", [1, 0xf0, 0, 0xfc, 0xc3, 0])
    let eyes = views.map { box("vexu", box("eyes", fullBox("stri", [$0]), fullBox("hero", [1]))) } ?? []
    return EntryBytes.visual(
      "hvc1", width: 64, height: 64, box("hvcC", try HEVCConfigurationBox().encoded()) + layers + eyes)
  }

  @Test(
    "MV-HEVC with a view for each eye requires that layout in all profiles (Apple's specification, 16.1)",
    arguments: [(3, true), (7, true), (11, true), (1, false), (2, false), (nil, false)] as [(UInt8?, Bool)])
  func videoLayout(views: UInt8?, isStereoscopic: Bool) throws {
    let input = video(try stereo(views), sample([19 << 1, 1, 0]))
    for apple in [true, false] {
      let main = try notes(input, apple: apple).package.main
      let layout = isStereoscopic ? "CH-STEREO" : nil
      #expect(main.variants.map(\.requiredVideoLayout) == [layout])
      #expect(main.iFrameVariants.map(\.requiredVideoLayout) == [layout])
      // This requires version 12 (rfc8216bis, 8).
      #expect(main.version >= (isStereoscopic ? 12 : 1))
    }
  }

  @Test("Media encrypted with cenc does not play on Apple devices, which a note says", arguments: ["cenc", "cbcs"])
  func encryption(scheme: String) throws {
    let tenc =
      scheme == "cenc"
      ? fullBox("tenc", [0, 0, 1, 8], EncryptedTrack.keyID)
      : box("tenc", [1, 0, 0, 0, 0, 0x19, 1, 0], EncryptedTrack.keyID, [16], zeros(16))
    let protection = box(
      "sinf", box("frma", ascii("avc1")), fullBox("schm", ascii(scheme), big(UInt32(0x1_0000))), box("schi", tenc))
    var samples = TrackSpec.pictures(100).samples
    if scheme == "cenc" { samples = samples.withAuxiliary((0..<100).map { big(UInt64($0)) }) }
    let entry = EntryBytes.visual("encv", width: 160, height: 90, protection)
    let track = TrackSpec.video().with(\.sampleEntries, [entry]).with(\.samples, samples)
    for apple in [true, false] {
      let notes = try notes([progressive(track)], apple: apple).notes.filter { $0.contains("13.11") }
      let text =
        "it is encrypted with cenc (SAMPLE-AES-CTR), which Apple players do not support; use cbcs (Apple's HLS "
        + "Authoring Specification, 13.11)"
      #expect(notes == (apple && scheme == "cenc" ? [text] : []))
    }
  }

  @Test("A first picture that is not a keyframe is a warning, and a long segment a note, in all profiles")
  func starts() throws {
    var late = TrackSpec.pictures(100).samples
    late[0].flags = .depends
    let package = try Package([[progressive(TrackSpec.video().with(\.samples, late))]])
    #expect(package.warnings.count == 1)
    #expect(package.warnings.first?.hasPrefix("input1.mp4: its first picture is not a keyframe; players") == true)
    // A single GOP of four seconds.
    let long = try Package([[progressive(.pictures(100, group: 100))]]) { $0.segmentDuration = MediaTime(1, 1) }
    #expect(long.plan.diagnostics.contains { if case .longSegments(1, _) = $0.kind { true } else { false } })
  }

  // MARK: Timing in Apple's profile

  @Test("Priming before the first picture is hidden again", arguments: [10, 7] as [Int64])
  func priming(offset: Int64) throws {
    let sound = TrackSpec.sound(4).with(\.edits, [.media(from: 1024)]).with(
      \.groupDescriptions, ["roll": [[0xff, 0xff]]])
    let input = [progressive(.pictures(100), sound)]
    let package = try Package([input]) { ($0.profile, $0.timeOffset) = (.apple, MediaTime(offset, 1)) }
    let sources = try package.folders.map { MemorySource(try package.bytes(of: $0), name: $0) }
    let sink = MemorySink()
    let plan = try Defragmenter().plan(sources)
    try plan.write(to: sink)
    let tracks = try SampleReader.read(sink.bytes).tracks
    let edits = tracks.map { $0.edits.map(\.mediaTime) }
    #expect(edits == [[0], [1024]] || edits == [[], [1024]], "\(edits)")
    let note =
      "the presentation starts with the first picture at \(offset).000 s, which becomes 0; the audio before it is "
      + "priming and hidden"
    #expect(plan.diagnostics.contains { $0.description.hasSuffix(note) })
    // A different start does not indicate that layout.
    let other = try Package([input]) { ($0.profile, $0.timeOffset) = (.apple, MediaTime(offset * 10 + 1, 10)) }
    let second = try other.folders.map { MemorySource(try other.bytes(of: $0), name: $0) }
    #expect(!(try Defragmenter().plan(second)).diagnostics.contains { $0.description.contains("priming") })
  }

  // MARK: The report

  @Test("The report contains bandwidths, frame rates and sizes of renditions and variants")
  func report() throws {
    let package = try Package([[progressive(.pictures(100), .sound(4, "eng"))]])
    let sink = MemorySink()
    try package.plan.writeReport(to: sink, output: "out", isWritten: true)
    let text = String(decoding: sink.bytes, as: UTF8.self)
    let variant = try #require(try package.main.variants.first)
    for part in [
      "\"bandwidth\":\(variant.bandwidth)", "\"average_bandwidth\":\(variant.averageBandwidth ?? 0)", "\"width\":160",
      "\"height\":90", "\"frame_rate\":\"25.000\"", "\"video_range\":\"SDR\"", "\"channels\":\"1\"",
      "\"audio\":\"audio-1\"",
      "\"uri\":\"video-90/index.m3u8\"",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let sizes = package.plan.renditions.map { rendition in
      package.files.filter { $0.key.hasPrefix(rendition.folder + "/segment") }.values.reduce(0) { $0 + $1.count }
    }
    for size in sizes { #expect(text.contains("\"size\":\(size)")) }
  }
}
