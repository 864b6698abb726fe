import ISOBMFF
import MP4Bytes

extension RuleVector {
  static let progressive = "progressive-moov-last.mp4"
  static let fragmented = "fragmented.mp4"
  /// Fragments without an index at the end, so that boxes can grow.
  static let withoutIndex = "fragmented.mp4 without mfra"

  static let structure: [RuleVector] = [
    RuleVector("iso-box-size", progressive) { try $0.setPayload("moov/udta") { $0[0...3] = [0, 1, 0, 0] } },
    RuleVector("iso-box-remainder", fragmented, also: ["iso-mfro-size"]) {
      try $0.setPayload("mfra") { $0 += [1, 2, 3] }
    },
    RuleVector("iso-box-fields", progressive) { try $0.setPayload("moov/trak[2]/mdia/minf/smhd") { $0.removeLast() } },
    RuleVector("iso-box-version", progressive) { try $0.setPayload("moov/mvhd") { $0[0] = 9 } },
    RuleVector("iso-box-rest", progressive) { try $0.setPayload("moov/trak[2]/mdia/minf/smhd") { $0.append(0) } },
    RuleVector("iso-not-media", { [("a.mp4", try EditedFile("progressive.mp4").bytes())] }) {
      [("a.mp4", Array("Not Found".utf8))]
    },
    RuleVector("iso-box-unknown", progressive) { try $0.append(Box("zzzz", bytes: [1]), to: "moov") },
    RuleVector("iso-box-place", progressive) { try $0.append($0.box("moov/trak/mdia/mdhd"), to: "moov") },
    RuleVector("iso-box-missing", progressive) { try $0.remove("moov/trak/mdia/minf/dinf") },
    RuleVector("iso-box-twice", progressive) { try $0.duplicate("moov/trak/mdia/mdhd") },
    RuleVector("iso-count-boxes", progressive) {
      try $0.setPayload("moov/trak/mdia/minf/dinf/dref") { $0[7] = 2 }
    },
    RuleVector("iso-ftyp-missing", progressive) { try $0.edit("ftyp") { $0.type = "free" } },
    RuleVector("iso-ftyp-late", fragmented) {
      let type = try $0.box("ftyp")
      try $0.remove("ftyp")
      $0.boxes.insert(type, at: 1)
    },
    RuleVector("iso-ftyp-twice", progressive) { try $0.duplicate("ftyp") },
    RuleVector("iso-brand-major", progressive) { try $0.set("ftyp", "major_brand", .text("zzzz")) },
    RuleVector("iso-brand-none", withoutIndex) { try $0.setPayload("ftyp") { $0.removeLast($0.count - 8) } },
    RuleVector("iso-brand-twice", progressive) {
      try $0.edit("ftyp", FileTypeBox.self) { type in
        type.compatibleBrands = BoxTable(type.compatibleBrands.map { _ in type.majorBrand })
      }
    },
    RuleVector("iso-moov-twice", progressive) { try $0.duplicate("moov") },
    RuleVector("iso-moov-late", withoutIndex) {
      let movie = try $0.box("moov")
      try $0.remove("moov")
      $0.boxes.append(movie)
    },
    RuleVector("web-moov-last", { [("a.mp4", try EditedFile("progressive.mp4").bytes())] }) {
      [("a.mp4", try EditedFile("progressive-moov-last.mp4").bytes())]
    },
    RuleVector("iso-mdat-missing", fragmented) { file in
      for index in file.boxes.indices where file.boxes[index].type == "mdat" { file.boxes[index].type = "free" }
    },
  ]
}
