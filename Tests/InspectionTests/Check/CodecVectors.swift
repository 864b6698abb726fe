import ISOBMFF
import MP4
import MP4Bytes

extension RuleVector {
  static let videoEntry = "moov/trak/mdia/minf/stbl/stsd/avc1"
  static let audioEntry = "moov/trak[2]/mdia/minf/stbl/stsd/mp4a"
  static let codecs = sampleEntries + videoCodecs + audioCodecs + encryption
  private static let hevc = "hevc-fragmented.mp4 without mfra"
  private static let hevcEntry = "moov/trak/mdia/minf/stbl/stsd/hvc1"

  /// Sample entries of all kinds.
  static let sampleEntries: [RuleVector] = [
    RuleVector("iso-handler-entry", progressive, also: ["iso-media-header", "iso-audio-volume"]) {
      try $0.set("moov/trak/mdia/hdlr", "handler_type", .code("soun"))
    },
    RuleVector("iso-entry-unknown", progressive) { try $0.edit(videoEntry) { $0.type = "zzzz" } },
    // The samples have one channel.
    RuleVector("iso-entry-samples", progressive) {
      try $0.setPayload(audioEntry + "/esds") { bytes in
        if let place = bytes.firstIndex(of: 0x13) { bytes[place...place + 1] = [0x13, 0x90] }
      }
    },
    entry("text-webvtt-configuration", Box(PlainSampleEntry(), type: "wvtt"), also: ["text-handler"]),
    entry("text-ttml-namespace", Box(XMLSubtitleSampleEntry()), also: ["text-handler"]),
    entry("text-handler", Box(PlainSampleEntry(), type: "wvtt", boxes: [Box(WebVTTConfigurationBox())])),
    entry("text-tx3g-fonts", Box(TimedTextSampleEntry())),
    RuleVector("quicktime-timecode-reference", progressive) {
      try $0.append(Box("tref", boxes: [Box("tmcd", bytes: [0, 0, 0, 2])]), to: "moov/trak")
    },
    RuleVector("quicktime-timecode-entry", progressive) {
      try $0.set("moov/trak/mdia/hdlr", "handler_type", .code("tmcd"))
    },
    RuleVector(
      "quicktime-timecode-rate",
      { [("good.mp4", try timecode(30))] }, { [("bad.mp4", try timecode(29))] }),
  ]

  static let videoCodecs: [RuleVector] = [
    RuleVector("nal-configuration", progressive) { try $0.remove(videoEntry + "/avcC") },
    RuleVector("nal-parameter-sets", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.pictureParameterSets = [] }
    },
    RuleVector("nal-length-size", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.lengthSizeMinusOne = 2 }
    },
    RuleVector("nal-profile", progressive, also: ["web-h264-profile"]) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.avcProfileIndication = 110 }
    },
    RuleVector("nal-level", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.avcLevelIndication = 10 }
    },
    RuleVector("nal-compatibility", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.profileCompatibility = 0x80 }
    },
    RuleVector("nal-chroma", hevc) {
      try $0.edit(hevcEntry + "/hvcC", HEVCConfigurationBox.self) { $0.bitDepthLumaMinus8 = 2 }
    },
    RuleVector("nal-picture-size", progressive) {
      try $0.edit(videoEntry, VisualSampleEntry.self) { $0.height = 96 }
    },
    RuleVector("nal-colour", progressive) { file in
      var colours = ColourInformationBox()
      colours.colourPrimaries = 9
      try file.append(Box(colours), to: videoEntry)
      // The parameter set of the file has no colors.
      try file.edit(videoEntry + "/avcC", AVCConfigurationBox.self) {
        $0.sequenceParameterSets = [.init(nalUnit: setWithColours)]
      }
    },
    RuleVector("nal-hvc1-complete", hevc) {
      try $0.edit(hevcEntry + "/hvcC", HEVCConfigurationBox.self) { box in
        for array in box.arrays.indices { box.arrays[array].isComplete = false }
      }
    },
    RuleVector("nal-samples", progressive) {
      try $0.setPayload("mdat") { $0[0...3] = [0x7f, 0xff, 0xff, 0xff] }
    },
    RuleVector("iso-samples-zero", progressive, also: ["iso-audio-frames"]) {
      try $0.setPayload("mdat") { bytes in for place in bytes.indices { bytes[place] = 0 } }
    },
    RuleVector("nal-parameter-set-damaged", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) {
        $0.sequenceParameterSets = [.init(nalUnit: [UInt8](repeating: 0, count: 24))]
      }
    },
    RuleVector("nal-length-fit", progressive) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.lengthSizeMinusOne = 1 }
    },
    RuleVector("nal-sync-missing", progressive) { try $0.remove("moov/trak/mdia/minf/stbl/stss") },
    RuleVector("nal-sync-sample", progressive, also: ["iso-stss-first"]) {
      try $0.edit("moov/trak/mdia/minf/stbl/stss", SyncSampleBox.self) { $0.sampleNumbers = [2] }
    },
    entry("av1-configuration", av1(nil)),
    entry("av1-version", av1 { $0.version = 2 }),
    entry("av1-header", av1 { $0.seqLevelIdx0 = 5 }),
    entry("av1-picture-size", av1(width: 320) { _ in }),
    entry("vp9-configuration", Box(picture(), type: "vp09")),
    entry(
      "vp9-profile", Box(picture(), type: "vp09", boxes: [Box(VPCodecConfigurationBox().with { $0.bitDepth = 10 })])),
  ]

  static let audioCodecs: [RuleVector] = [
    RuleVector("aac-esds", progressive) { try $0.remove(audioEntry + "/esds") },
    RuleVector("aac-object-type", progressive) {
      try $0.setPayload(audioEntry + "/esds") { bytes in
        if let place = bytes.firstIndex(of: 0x40) { bytes[place] = 0x20 }
      }
    },
    RuleVector("aac-configuration", progressive) {
      try $0.setPayload(audioEntry + "/esds") { bytes in
        if let place = bytes.firstIndex(of: 0x13) { bytes[place...place + 1] = [0x16, 0x88] }
      }
    },
    RuleVector("aac-channels", progressive) {
      try $0.edit(audioEntry, AudioSampleEntry.self) { $0.channelCount = 6 }
    },
    RuleVector("aac-sample-rate", progressive) {
      try $0.edit(audioEntry, AudioSampleEntry.self) { $0.sampleRate = 48_000 << 16 }
    },
    RuleVector("audio-timescale", progressive) { try $0.set("moov/trak[2]/mdia/mdhd", "timescale", .unsigned(22_000)) },
    // The samples are AAC.
    entry(
      "dolby-configuration", Box(sound(48_000), type: "ac-3"), track: 2,
      also: ["audio-timescale", "web-dolby-audio", "iso-audio-frames"]),
    entry(
      "dolby-sample-rate", Box(sound(22_050), type: "ac-3", boxes: [Box(AC3SpecificBox().with { $0.fscod = 3 })]),
      track: 2, also: ["web-dolby-audio", "iso-audio-frames"]),
    entry("opus-configuration", Box(sound(48_000), type: "Opus"), track: 2, also: ["audio-timescale"]),
    entry(
      "opus-version", Box(sound(48_000), type: "Opus", boxes: [Box(OpusSpecificBox().with { $0.version = 1 })]),
      track: 2, also: ["audio-timescale"]),
    entry(
      "opus-sample-rate", Box(sound(44_100), type: "Opus", boxes: [Box(OpusSpecificBox())]), track: 2,
      also: ["audio-timescale"]),
    entry("flac-configuration", Box(sound(22_050), type: "fLaC"), track: 2),
    entry("flac-stream-info", Box(sound(22_050), type: "fLaC", boxes: [Box(FLACSpecificBox())]), track: 2),
    entry("alac-configuration", Box(sound(22_050), type: "alac"), track: 2, also: ["web-lossless-audio"]),
  ]

  /// A track with another sample entry.
  private static func entry(_ rule: String, _ entry: Box, track: Int = 1, also: Set<String> = []) -> RuleVector {
    RuleVector(rule, progressive, also: also) {
      try $0.edit("moov/trak[\(track)]/mdia/minf/stbl/stsd") { $0.boxes = [entry] }
    }
  }
  private static func picture(width: UInt16 = 160) -> VisualSampleEntry {
    VisualSampleEntry().with { ($0.width, $0.height) = (width, 90) }
  }
  private static func sound(_ rate: UInt32) -> AudioSampleEntry {
    AudioSampleEntry().with { $0.sampleRate = rate << 16 }
  }

  /// A movie with a timecode track at 29.97 frames per second.
  static func timecode(_ count: UInt8) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    let entry = TimecodeSampleEntry().with {
      ($0.timeScale, $0.frameDuration, $0.numberOfFrames) = (90_000, 3003, count)
      $0.entry.dataReferenceIndex = 1
    }
    let track = try writer.add(MovieWriter.Track(Box(entry), timescale: 90_000, handler: "tmcd"))
    try writer.append([0, 0, 0, 100], to: track, duration: MediaTime(3003, 90_000))
    try writer.finish()
    return sink.bytes
  }

  /// An AV1 sample entry with a sequence header: 8 bits, 4:2:0, level 2.0, 160 x 90.
  private static func av1(width: UInt16 = 160, _ change: ((inout AV1CodecConfigurationBox) -> Void)?) -> Box {
    var configuration = AV1CodecConfigurationBox()
    configuration.configOBUs = [0x0a, 0x06, 0x18, 0x1d, 0xa7, 0xec, 0x80, 0x01]
    guard let change else { return Box(picture(), type: "av01") }
    change(&configuration)
    return Box(picture(width: width), type: "av01", boxes: [Box(configuration)])
  }
  /// The sequence parameter set of the video, with BT.709 in its VUI.
  private static let setWithColours: [UInt8] = [
    0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9, 0x42, 0x8d, 0xf9, 0x30, 0x16, 0xa0, 0x20, 0x20, 0x28, 0x00, 0x00, 0x03, 0x00,
    0x08, 0x00, 0x00, 0x03, 0x01, 0x90, 0x78, 0xa1, 0x4c, 0xb0,
  ]
}
