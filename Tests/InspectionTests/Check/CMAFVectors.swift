import ISOBMFF
import MP4Bytes

extension RuleVector {
  static let cmaf: [RuleVector] = [
    cmaf("cmaf-decode-time-continuous", 3, also: ["iso-fragment-repeated"]) {
      try $0.edit("moof/traf/tfdt", TrackFragmentDecodeTimeBox.self) { $0.baseMediaDecodeTime += 12_800 }
    },
    cmaf("cmaf-segment-sync", 2) {
      try $0.edit("moof/traf/trun", TrackRunBox.self) { $0.firstSampleFlags = 0x101_0000 }
    },
    cmaf("cmaf-segment-type", 2) {
      try $0.edit("styp", FileTypeBox.self) { ($0.majorBrand, $0.compatibleBrands) = ("msdh", ["msdh", "msix"]) }
    },
    cmaf("cmaf-event-place", 2) { try $0.append(Box(EventMessageBox())) },
    RuleVector("cmaf-brand", also: ["iso-brand-segments"], { try track("cmfc", nil) { _ in } }) {
      try track("iso6", nil) { _ in }
    },
    cmaf("cmaf-one-track", also: ["iso-track-empty", "iso-track-id-twice", "mse-tracks"]) {
      try $0.duplicate("moov/trak")
    },
    cmaf("cmaf-mvex") { try $0.remove("moov/mvex") },
    cmaf("cmaf-header-samples", also: ["iso-stsc-count", "iso-stts-count"]) {
      try $0.setPayload("moov/trak/mdia/minf/stbl/stsz") { $0 = [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1] }
    },
    cmaf("cmaf-header-duration") { try $0.set("moov/mvhd", "duration", .unsigned(5)) },
    cmaf("cmaf-header-volume") { try $0.edit("moov/mvhd", MovieHeaderBox.self) { $0.volume = 0 } },
    cmaf("cmaf-header-order") { try $0.edit("moov") { $0.boxes.append($0.boxes.removeFirst()) } },
    cmaf("cmaf-edit-list") {
      try edits([.init(segmentDuration: 5, mediaTime: -1), .init(segmentDuration: 0, mediaTime: 0)], &$0)
    },
    cmaf("cmaf-cmf2-edit", brand: "cmf2") { try edits([.init(segmentDuration: 0, mediaTime: 0)], &$0) },
    cmaf("cmaf-entry-version") {
      try $0.edit("moov/trak/mdia/minf/stbl/stsd", SampleDescriptionBox.self) { $0.header.version = 1 }
    },
    RuleVector("cmaf-scheme", "encrypted-cenc.mp4") {
      try $0.edit("moov/trak/mdia/minf/stbl/stsd/encv/sinf/schm", SchemeTypeBox.self) { $0.schemeType = "cbc1" }
    },
    cmaf("cmaf-traf-one", 2, also: ["cmaf-data-offset", "iso-decode-time"]) { try $0.duplicate("moof/traf") },
    cmaf("cmaf-trun-one", 2, also: ["cmaf-data-offset", "iso-decode-time"]) {
      try $0.duplicate("moof/traf/trun")
    },
    cmaf("cmaf-tfdt", 1) { try $0.remove("moof/traf/tfdt") },
    cmaf("cmaf-base", 1) {
      try $0.edit("moof/traf/tfhd", TrackFragmentHeaderBox.self) { $0.header.flags &= ~0x2_0000 }
    },
    cmaf("cmaf-data-offset", 1) {
      try $0.edit("moof/traf/trun", TrackRunBox.self) { $0.dataOffset = 4 }
    },
    cmaf("cmaf-mdat-next", 2) { file in
      guard let place = file.boxes.firstIndex(where: { $0.type == "mdat" }) else { return }
      file.boxes.insert(Box("free", bytes: []), at: place)
      try file.edit("moof/traf/trun", TrackRunBox.self) { $0.dataOffset = ($0.dataOffset ?? 0) + 8 }
    },
    RuleVector("cmaf-cmf2-offsets", { try track("cmf2", nil) { try offsets(version: 1, &$0) } }) {
      try track("cmf2", nil) { try offsets(version: 0, &$0) }
    },
    cmaf("cmaf-fragment-duration", 4) {
      try $0.edit("moof/traf/tfhd", TrackFragmentHeaderBox.self) { $0.defaultSampleDuration = 0 }
    },
    RuleVector("cmaf-senc", "encrypted-cbcs.mp4", also: ["iso-data-missing", "iso-run-hole"]) {
      try $0.remove("moof/traf/senc")
    },
  ]

  /// A CMAF track with a change in one file: the header, or the segment with this number.
  private static func cmaf(
    _ rule: String, _ segment: Int = 0, brand: FourCC = "cmfc", also: Set<String> = [],
    _ change: @escaping @Sendable (inout EditedFile) throws -> Void
  ) -> RuleVector {
    RuleVector(rule, also: also, { try track(brand, segment) { _ in } }) { try track(brand, segment, change) }
  }
  /// The header and the segments of a video track, with a change in one file or in all segments.
  private static func track(
    _ brand: FourCC, _ changed: Int?, _ change: (inout EditedFile) throws -> Void
  ) throws -> Files {
    try (0...4).map { number in
      let name = number == 0 ? "init.mp4" : "segment\(number).m4s"
      var file = try EditedFile("video/" + name)
      try file.edit(number == 0 ? "ftyp" : "styp", FileTypeBox.self) {
        ($0.majorBrand, $0.compatibleBrands) = number == 0 ? (brand, [brand, "mp42"]) : ("cmfs", ["cmfs", "iso6"])
      }
      try? file.remove(number > 0 ? "sidx" : "moov/trak/edts")
      if number == changed || changed == nil && number > 0 { try change(&file) }
      return (name, try file.bytes())
    }
  }

  private static func edits(_ entries: [EditListBox.Entry], _ file: inout EditedFile) throws {
    var list = EditListBox()
    list.entries = BoxTable(entries)
    try file.append(Box("edts", boxes: [Box(list)]), to: "moov/trak")
  }
  private static func offsets(version: UInt8, _ file: inout EditedFile) throws {
    try file.edit("moof/traf/trun", TrackRunBox.self) { $0.header.version = version }
  }
}
