import ISOBMFF
import MP4Bytes

extension RuleVector {
  /// Movie and track headers.
  static let movieBoxes: [RuleVector] = [
    RuleVector("iso-mvhd-timescale", progressive) { try $0.set("moov/mvhd", "timescale", .unsigned(0)) },
    RuleVector("iso-mvhd-rate", progressive) { try $0.edit("moov/mvhd", MovieHeaderBox.self) { $0.rate = 0x2_0000 } },
    RuleVector("iso-next-track-id", progressive) { try $0.set("moov/mvhd", "next_track_ID", .unsigned(1)) },
    RuleVector("iso-track-id-zero", progressive) { try $0.set("moov/trak/tkhd", "track_ID", .unsigned(0)) },
    RuleVector("iso-track-id-twice", progressive) { try $0.set("moov/trak/tkhd", "track_ID", .unsigned(2)) },
    RuleVector("iso-movie-no-tracks", progressive, also: ["iso-movie"]) { file in
      try file.remove("moov/trak")
      try file.remove("moov/trak")
    },
    RuleVector("iso-track-none-enabled", progressive) { file in
      for number in 1...2 { try file.edit("moov/trak[\(number)]/tkhd", TrackHeaderBox.self) { $0.header.flags = 0 } }
    },
    RuleVector("iso-visual-size", progressive) { try $0.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.width = 0 } },
    RuleVector("iso-track-shape", progressive) {
      try $0.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.width = 90 << 16 }
    },
    RuleVector("iso-audio-volume", progressive) {
      try $0.edit("moov/trak[2]/tkhd", TrackHeaderBox.self) { $0.volume = 0 }
    },
    RuleVector("iso-matrix", progressive, also: ["web-rotation"]) {
      try $0.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.matrix.values[0] = 0 }
    },
    RuleVector("iso-mdhd-timescale", progressive) { try $0.set("moov/trak/mdia/mdhd", "timescale", .unsigned(0)) },
    RuleVector("iso-language", progressive) {
      try $0.setPayload("moov/trak/mdia/mdhd") { $0[20...21] = [0x7f, 0xfe] }
    },
    RuleVector("iso-hdlr-pre-defined", progressive) {
      try $0.edit("moov/trak/mdia/hdlr", HandlerBox.self) { $0.preDefined = "mhlr" }
    },
    RuleVector("iso-media-header", progressive) { try $0.remove("moov/trak/mdia/minf/vmhd") },
    RuleVector("iso-vmhd-flags", progressive) {
      try $0.edit("moov/trak/mdia/minf/vmhd", VideoMediaHeaderBox.self) { $0.header.flags = 0 }
    },
    RuleVector("iso-dref-empty", progressive, also: ["iso-data-reference"]) { file in
      try file.setPayload("moov/trak/mdia/minf/dinf/dref") { $0 = [0, 0, 0, 0, 0, 0, 0, 0] }
    },
    RuleVector("iso-data-elsewhere", progressive, also: ["iso-movie"]) {
      try $0.setPayload("moov/trak/mdia/minf/dinf/dref/url ") { $0 = [0, 0, 0, 0] + Array("a.mp4\0".utf8) }
    },
    RuleVector("iso-stsd-empty", progressive, also: ["iso-stsc-description"]) {
      try $0.setPayload("moov/trak/mdia/minf/stbl/stsd") { $0 = [0, 0, 0, 0, 0, 0, 0, 0] }
    },
    RuleVector("iso-data-reference", progressive) {
      try $0.edit("moov/trak/mdia/minf/stbl/stsd/avc1", VisualSampleEntry.self) { $0.dataReferenceIndex = 2 }
    },
    RuleVector("iso-entry-size", progressive) {
      try $0.edit("moov/trak/mdia/minf/stbl/stsd/avc1", VisualSampleEntry.self) { $0.width = 0 }
    },
    RuleVector("iso-entry-channels", progressive) {
      try $0.edit("moov/trak[2]/mdia/minf/stbl/stsd/mp4a", AudioSampleEntry.self) { $0.channelCount = 0 }
    },
    RuleVector("iso-reference", progressive) {
      try $0.append(Box("tref", boxes: [Box("chap", bytes: [0, 0, 0, 9])]), to: "moov/trak")
    },
    RuleVector("iso-edit-rate", progressive, also: ["iso-tkhd-duration"]) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { $0.entries = edits(rate: 2) }
    },
    RuleVector("iso-edit-empty-list", progressive) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { $0.entries = [] }
    },
    RuleVector("iso-edit-empty-last", progressive, also: ["cmaf-edit-list"]) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { list in
        list.entries = BoxTable(Array(list.entries) + [EditListBox.Entry(segmentDuration: 100, mediaTime: -1)])
      }
    },
    RuleVector("iso-edit-media-time", progressive, also: ["cmaf-edit-list", "iso-tkhd-duration"]) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { list in
        list.entries = [EditListBox.Entry(segmentDuration: 1000, mediaTime: -2)]
      }
    },
    RuleVector("iso-edit-outside", progressive, also: ["iso-tkhd-duration"]) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { list in
        list.entries = [EditListBox.Entry(segmentDuration: 1000, mediaTime: 10_000_000)]
      }
    },
    RuleVector("iso-pasp", progressive) {
      try $0.append(
        Box(PixelAspectRatioBox().with { $0.hSpacing = 0 }), to: "moov/trak/mdia/minf/stbl/stsd/avc1")
    },
    RuleVector("iso-clap", progressive) {
      try $0.append(Box(CleanApertureBox()), to: "moov/trak/mdia/minf/stbl/stsd/avc1")
    },
  ]

  private static func edits(rate: Int16) -> BoxTable<EditListBox.Entry> {
    var entry = EditListBox.Entry(segmentDuration: 1000, mediaTime: 0)
    entry.mediaRateInteger = rate
    return [entry]
  }
}

extension BoxPayload {
  /// A copy with changes.
  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
