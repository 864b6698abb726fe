import ISOBMFF
import MP4Bytes

extension RuleVector {
  /// Requirements of browsers and phones.
  static let players: [RuleVector] = [
    RuleVector("mse-mvex", withoutIndex, also: ["web-priming"]) {
      try $0.remove("moov/mvex")
    },
    RuleVector(
      "mse-header-samples", withoutIndex, also: ["iso-stts-count"]
    ) {
      try $0.setPayload("moov/trak/mdia/minf/stbl/stts") { $0 = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] }
    },
    RuleVector("mse-traf", withoutIndex) { file in
      for number in [2, 1] { try file.remove("moof[4]/traf[\(number)]") }
    },
    // Smaller fragments move their data.
    RuleVector(
      "mse-tfdt", withoutIndex, also: ["iso-data-missing", "nal-samples", "iso-run-hole", "iso-audio-frames"]
    ) {
      try $0.remove("moof/traf/tfdt")
    },
    // The audio of the first fragment is then searched behind the video.
    RuleVector(
      "mse-relative-addressing", withoutIndex,
      also: ["cmaf-base", "iso-run-hole", "iso-audio-frames", "iso-sample-shared"]
    ) {
      try $0.edit("moof/traf[2]/tfhd", TrackFragmentHeaderBox.self) { $0.header.flags &= ~0x2_0000 }
    },
    edits(
      "mse-edit-list", also: ["iso-tkhd-duration"],
      [.init(segmentDuration: 100, mediaTime: -1), .init(segmentDuration: 5000, mediaTime: 1024)]),
    RuleVector("mse-segment-sync", { try segments(fragmented, [1, 2, 3, 4]) }) {
      try segments(fragmented, [1, 2, 3, 4]).map { name, bytes in
        guard name.hasSuffix("-2.m4s") else { return (name, bytes) }
        var file = try EditedFile(bytes)
        try file.edit("moof/traf/trun", TrackRunBox.self) { $0.firstSampleFlags = 0x101_0000 }
        return (name, try file.bytes())
      }
    },
    RuleVector("mse-tracks", withoutIndex, also: ["iso-handler-entry", "iso-media-header", "iso-visual-size"]) {
      try $0.edit("moov/trak[2]/mdia/hdlr", HandlerBox.self) { $0.handlerType = "vide" }
    },
    RuleVector("apple-parameter-sets", progressive, also: ["web-parameter-sets"]) {
      try $0.edit(videoEntry) { $0.type = "avc3" }
    },
    RuleVector("web-parameter-sets", progressive, also: ["apple-parameter-sets"]) {
      try $0.edit(videoEntry) { $0.type = "avc3" }
    },
    RuleVector("web-h264-profile", progressive, also: ["nal-profile"]) {
      try $0.edit(videoEntry + "/avcC", AVCConfigurationBox.self) { $0.avcProfileIndication = 122 }
    },
    entry("web-video-codec", Box(VisualSampleEntry().with { ($0.width, $0.height) = (160, 90) }, type: "apch")),
    RuleVector("web-dolby-vision", "hevc-fragmented.mp4 without mfra") {
      try $0.append(
        Box(DOVIConfigurationBox().with { $0.dvProfile = 5 }), to: "moov/trak/mdia/minf/stbl/stsd/hvc1")
    },
    entry("web-dolby-audio", sound("ac-3", [Box(AC3SpecificBox())]), 2, also: ["audio-timescale", "iso-audio-frames"]),
    entry("web-lossless-audio", sound("alac", [Box(ALACSpecificBox().with { $0.sampleRate = 22_050 })]), 2),
    entry("web-pcm", sound("sowt", []), 2),
    RuleVector("web-he-aac", progressive) {
      try $0.edit(audioEntry, AudioSampleEntry.self) { $0.sampleRate = 44_100 << 16 }
    },
    RuleVector("web-priming", progressive) { try $0.remove("moov/trak[2]/edts") },
    edits(
      "web-edit-list", also: ["iso-tkhd-duration", "mse-edit-list"],
      [.init(segmentDuration: 1000, mediaTime: 1024), .init(segmentDuration: 2000, mediaTime: 25_600)]),
    RuleVector("web-rotation", progressive) {
      try $0.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.matrix.values[0] = -0x1_0000 }
    },
    RuleVector("web-quicktime", progressive) {
      try $0.edit("ftyp", FileTypeBox.self) {
        ($0.majorBrand, $0.compatibleBrands) = ("qt  ", ["qt  ", none, none, none])
      }
    },
  ]

  private static let none = FourCC(rawValue: 0)

  private static func entry(_ rule: String, _ entry: Box, _ track: Int = 1, also: Set<String> = []) -> RuleVector {
    RuleVector(rule, progressive, also: also) {
      try $0.edit("moov/trak[\(track)]/mdia/minf/stbl/stsd") { $0.boxes = [entry] }
    }
  }
  private static func sound(_ type: FourCC, _ boxes: [Box]) -> Box {
    Box(AudioSampleEntry().with { $0.sampleRate = 22_050 << 16 }, type: type, boxes: boxes)
  }
  private static func edits(_ rule: String, also: Set<String> = [], _ entries: [EditListBox.Entry])
    -> RuleVector
  {
    RuleVector(rule, progressive, also: also) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { $0.entries = BoxTable(entries) }
    }
  }
}
