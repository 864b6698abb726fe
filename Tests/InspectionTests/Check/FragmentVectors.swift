import ISOBMFF
import MP4Bytes
import Support

extension RuleVector {
  /// Movie fragments, their indexes, and their samples.
  static let fragments: [RuleVector] = [
    RuleVector("iso-mvex-missing", withoutIndex, also: ["web-priming"]) {
      try $0.remove("moov/mvex")
    },
    RuleVector("iso-trex-missing", withoutIndex) { try $0.remove("moov/mvex/trex") },
    RuleVector("iso-trex-track", withoutIndex) { file in
      try file.duplicate("moov/mvex/trex")
      try file.edit("moov/mvex/trex[3]", TrackExtendsBox.self) { $0.trackID = 9 }
    },
    RuleVector("iso-traf-track", fragmented) { try $0.set("moof/traf/tfhd", "track_ID", .unsigned(9)) },
    RuleVector("iso-traf-description", fragmented, also: ["iso-description"]) { file in
      for number in 1...2 {
        try file.edit("moov/mvex/trex[\(number)]", TrackExtendsBox.self) { $0.defaultSampleDescriptionIndex = 2 }
      }
    },
    RuleVector("iso-sequence-number", fragmented) { try $0.set("moof[3]/mfhd", "sequence_number", .unsigned(1)) },
    RuleVector("iso-decode-time", fragmented, also: ["iso-decode-gap", "iso-fragment-overrun"]) {
      try shift("moof[3]/traf/tfdt", -1, &$0)
    },
    RuleVector("iso-decode-gap", fragmented) { file in
      for number in 3...20 { try? shift("moof[\(number)]/traf/tfdt", 100_000, &file) }
    },
    RuleVector("iso-trun-offset", "base-data-offset.mp4", also: ["iso-base-offset"]) {
      try $0.edit("moof/traf/tfhd", TrackFragmentHeaderBox.self) { $0.baseDataOffset = 1 << 40 }
    },
    RuleVector("iso-sidx-size", "global-sidx.mp4") { file in
      try file.edit("sidx", SegmentIndexBox.self) { index in
        var references = Array(index.references)
        references[references.count - 1].referencedSize += 1000
        index.references = BoxTable(references)
      }
    },
    RuleVector("iso-sidx-timescale", "global-sidx.mp4") { try $0.set("sidx", "timescale", .unsigned(0)) },
    RuleVector("iso-sidx-media-timescale", "global-sidx.mp4") {
      try $0.edit("sidx", SegmentIndexBox.self) { index in
        index.timescale *= 2
        index.earliestPresentationTime *= 2
        index.references = BoxTable(
          index.references.map { reference in
            var reference = reference
            reference.subsegmentDuration *= 2
            return reference
          })
      }
    },
    RuleVector("iso-sidx-fragment", "global-sidx.mp4") { file in
      try file.edit("sidx", SegmentIndexBox.self) { index in
        var references = Array(index.references)
        references[0].referencedSize -= 8
        index.references = BoxTable(references)
      }
    },
    RuleVector("iso-sidx-track", "global-sidx.mp4") { try $0.set("sidx", "reference_ID", .unsigned(9)) },
    RuleVector("iso-sidx-duration", "global-sidx.mp4") { file in
      try file.edit("sidx", SegmentIndexBox.self) { index in
        var references = Array(index.references)
        references[0].subsegmentDuration *= 2
        index.references = BoxTable(references)
      }
    },
    RuleVector("iso-run-media", withoutIndex) {
      try $0.edit("moof/traf/trun", TrackRunBox.self) { $0.dataOffset = 8 }
    },
    RuleVector("iso-run-hole", withoutIndex) { try $0.setPayload("mdat") { $0 += [1, 2, 3] } },
    RuleVector("iso-brand-segments", { try segments(fragmented, [1, 2, 3, 4]) }) {
      try segments(fragmented, [1, 2, 3, 4]).enumerated().map { number, file in
        guard number == 1 else { return file }
        var segment = try EditedFile(file.bytes)
        var type = FileTypeBox()
        (type.majorBrand, type.compatibleBrands) = ("cmfs", ["cmfs"])
        segment.boxes.insert(Box(type, type: "styp"), at: 0)
        return (file.name, try segment.bytes())
      }
    },
    RuleVector("iso-mfro-size", fragmented) { try $0.set("mfra/mfro", "parent_size", .unsigned(7)) },
    RuleVector("iso-tfra-fragment", fragmented) { file in
      try file.edit("mfra/tfra", TrackFragmentRandomAccessBox.self) { index in
        index.entries = BoxTable(
          index.entries.map { entry in
            var entry = entry
            entry.moofOffset += 1
            return entry
          })
      }
    },
  ]

  private static func shift(_ path: String, _ amount: Int64, _ file: inout EditedFile) throws {
    try file.edit(path, TrackFragmentDecodeTimeBox.self) {
      $0.baseMediaDecodeTime = UInt64(Int64($0.baseMediaDecodeTime) + amount)
    }
  }
}

extension RuleVector {
  private static let other = "base-data-offset.mp4 without mfra"

  /// A transport stream of AAC; a packet in it can be missing.
  private static func sound(isWhole: Bool) -> [UInt8] {
    var builder = TransportStreamBuilder([.init(257, type: 0x0f, streamID: 0xc0)])
    builder.addTables()
    for number in 0..<8 {
      let frame: [UInt8] = [0xff, 0xf1, 0x4c, 0x80, 0x0c, 0xff, 0xfc] + Array(repeating: UInt8(number + 1), count: 96)
      builder.add(frame + frame + frame, to: 0, at: 900_000 + Int64(number) * 5760)
    }
    if !isWhole { builder.removePacket(7) }
    return builder.bytes()
  }

  /// Findings of the movie model.
  static let samples: [RuleVector] = [
    RuleVector("ts-packets", { [("a.ts", sound(isWhole: true))] }) { [("a.ts", sound(isWhole: false))] },
    RuleVector("iso-movie", progressive, also: ["iso-movie-no-tracks"]) { file in
      try file.remove("moov/trak")
      try file.remove("moov/trak")
    },
    RuleVector(
      "iso-data-missing", withoutIndex, also: ["cmaf-data-offset", "cmaf-mdat-next"]
    ) { file in
      file.boxes.removeAll { $0.type == "mdat" }
    },
    cut(
      "iso-samples-damaged", fragmented, at: "moof[3]/traf/trun", also: ["cmaf-mdat-next"]),
    RuleVector(
      "iso-fragment-repeated", fragmented, also: ["iso-decode-time", "iso-fragment-order", "iso-sequence-number"]
    ) { file in
      let places = file.boxes.indices.filter { file.boxes[$0].type == "moof" }
      file.boxes += [file.boxes[places[1]], file.boxes[places[1] + 1]]
    },
    RuleVector("iso-fragment-overrun", fragmented, also: ["iso-decode-gap"]) {
      try shift("moof[3]/traf/tfdt", -1, &$0)
    },
    RuleVector("iso-fragment-time", fragmented, also: ["iso-decode-time", "iso-decode-gap"]) {
      try $0.edit("moof[2]/traf/tfdt", TrackFragmentDecodeTimeBox.self) { $0.baseMediaDecodeTime = .max - 5 }
    },
    RuleVector(
      "iso-fragment-order", withoutIndex, also: ["iso-decode-gap", "iso-sequence-number"]
    ) { file in
      let places = file.boxes.indices.filter { file.boxes[$0].type == "moof" }
      let moved = Array(file.boxes[places[1]...places[1] + 1])
      file.boxes.removeSubrange(places[1]...places[1] + 1)
      file.boxes += moved
    },
    RuleVector("iso-base-offset", other) { file in
      file.boxes.insert(Box("free", bytes: [0, 0, 0, 0]), at: 1)
    },
    RuleVector("iso-tables", progressive) {
      try $0.edit("moov/trak/mdia/minf/stbl/ctts", CompositionOffsetBox.self) {
        $0.entries = BoxTable(Array($0.entries).dropLast())
      }
    },
    RuleVector("iso-track-lost", progressive) {
      try $0.remove("moov/trak/mdia/minf/stbl/stco")
    },
    // Without half of their boxes, the fragments no longer give the position of the video data.
    RuleVector("iso-track-empty", withoutIndex, also: ["nal-samples", "iso-run-hole"]) { file in
      for number in 1...4 { try? file.remove("moof[\(number)]/traf[2]") }
    },
    RuleVector("iso-description", progressive) {
      try $0.edit("moov/trak/mdia/minf/stbl/stsc", SampleToChunkBox.self) { table in
        table.entries = BoxTable(
          table.entries.map { entry in
            var entry = entry
            entry.sampleDescriptionIndex = 9
            return entry
          })
      }
    },
    RuleVector("cenc-information", "encrypted-cenc.mp4") { file in
      for type in ["senc", "saiz", "saio"] { try? file.remove("moov/trak/mdia/minf/stbl/" + type) }
    },
  ]

  /// A file that is truncated in the middle of a box.
  private static func cut(_ rule: String, _ vector: String, at path: String, also: Set<String>) -> RuleVector {
    RuleVector(rule, also: also, { [(vector, try EditedFile(vector).bytes())] }) {
      let file = try EditedFile(vector)
      let end = (try file.box(path).header?.end ?? 0) - 1
      return [(vector, Array(try file.bytes().prefix(end)))]
    }
  }
  /// The init segment of a file, and some of its fragments as media segments.
  static func segments(_ vector: String, _ numbers: [Int]) throws -> Files {
    let file = try EditedFile(vector)
    let places = file.boxes.indices.filter { file.boxes[$0].type == "moof" }
    func part(_ boxes: [Box]) throws -> [UInt8] {
      var part = file
      part.boxes = boxes
      return try part.bytes()
    }
    let initial = try part(file.boxes.filter { $0.type == "ftyp" || $0.type == "moov" })
    return try [("init.mp4", initial)]
      + numbers.map { number in
        ("\(vector)-\(number).m4s", try part(Array(file.boxes[places[number - 1]...places[number - 1] + 1])))
      }
  }
}
