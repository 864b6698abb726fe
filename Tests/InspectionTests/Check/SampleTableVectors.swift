import ISOBMFF
import MP4Bytes

extension RuleVector {
  private static let table = "moov/trak/mdia/minf/stbl/"

  static let sampleTables: [RuleVector] = [
    RuleVector("iso-table-offsets", progressive) {
      try $0.remove(table + "stco")
    },
    RuleVector("iso-table-sizes", progressive) {
      try $0.remove(table + "stsz")
    },
    RuleVector("iso-stts-count", progressive) {
      try $0.edit(table + "stts", TimeToSampleBox.self) { $0.entries = times((3, 512)) }
    },
    RuleVector("iso-stts-empty-entry", progressive) {
      try $0.edit(table + "stts", TimeToSampleBox.self) { $0.entries = BoxTable(Array($0.entries) + times((0, 1))) }
    },
    RuleVector("iso-stts-zero", progressive) { file in
      try file.edit(table + "stts", TimeToSampleBox.self) { box in
        let count = box.entries.reduce(0) { $0 + $1.sampleCount }
        box.entries = times((2, 0), (count - 2, 512))
      }
    },
    RuleVector("iso-stts-negative", progressive) { file in
      try file.edit(table + "stts", TimeToSampleBox.self) { box in
        let count = box.entries.reduce(0) { $0 + $1.sampleCount }
        box.entries = times((1, 0xffff_fff0), (count - 1, 512))
      }
    },
    RuleVector("iso-ctts-count", progressive) {
      try $0.edit(table + "ctts", CompositionOffsetBox.self) { $0.entries = BoxTable(Array($0.entries).dropLast()) }
    },
    RuleVector("iso-ctts-version", progressive) { file in
      try file.setPayload(table + "ctts") { $0.replaceSubrange(12..<16, with: [0xff, 0xff, 0xff, 0]) }
    },
    RuleVector("iso-cslg", progressive) { file in
      var shift = CompositionToDecodeBox()
      (shift.compositionToDTSShift, shift.leastDecodeToDisplayDelta) = (0, -512)
      try file.append(Box(shift), to: "moov/trak/mdia/minf/stbl")
    },
    RuleVector("iso-sample-empty", progressive) { file in
      try file.edit(table + "stsz", SampleSizeBox.self) { $0.sizes = BoxTable(Array($0.sizes).dropLast() + [0]) }
    },
    RuleVector("iso-audio-frames", progressive, also: ["iso-sample-shared"]) { file in
      try file.edit("moov/trak[2]/mdia/minf/stbl/stco", ChunkOffsetBox.self) {
        $0.offsets = BoxTable($0.offsets.map { $0 - 3 })
      }
    },
    RuleVector("iso-stsc-count", progressive) {
      try $0.edit(table + "stsc", SampleToChunkBox.self) { $0.entries = [run(1, 1, 1)] }
    },
    RuleVector("iso-stsc-order", progressive) {
      try $0.edit(table + "stsc", SampleToChunkBox.self) { $0.entries = BoxTable(Array($0.entries) + [run(1, 1, 1)]) }
    },
    RuleVector("iso-stsc-empty", progressive) {
      try $0.edit(table + "stsc", SampleToChunkBox.self) {
        $0.entries = BoxTable(Array($0.entries) + [run(9999, 0, 1)])
      }
    },
    RuleVector("iso-stsc-description", progressive) {
      try $0.edit(table + "stsc", SampleToChunkBox.self) {
        $0.entries = BoxTable($0.entries.map { run($0.firstChunk, $0.samplesPerChunk, 2) })
      }
    },
    RuleVector("iso-chunk-offset", progressive) {
      try $0.edit(table + "stco", ChunkOffsetBox.self) { $0.offsets = BoxTable($0.offsets.map { _ in 1 << 30 }) }
    },
    RuleVector("iso-chunk-media", progressive) {
      try $0.edit(table + "stco", ChunkOffsetBox.self) { $0.offsets = BoxTable([4] + Array($0.offsets).dropFirst()) }
    },
    RuleVector("iso-stss-range", progressive) {
      try $0.edit(table + "stss", SyncSampleBox.self) { $0.sampleNumbers = BoxTable(Array($0.sampleNumbers) + [99999]) }
    },
    RuleVector("iso-stss-order", progressive) {
      try $0.edit(table + "stss", SyncSampleBox.self) { $0.sampleNumbers = BoxTable([1] + Array($0.sampleNumbers)) }
    },
    RuleVector("iso-stss-first", progressive) {
      try $0.edit(table + "stss", SyncSampleBox.self) {
        $0.sampleNumbers = BoxTable(Array($0.sampleNumbers).dropFirst())
      }
    },
    RuleVector("iso-sdtp-count", progressive) {
      try $0.append(Box("sdtp", bytes: [0, 0, 0, 0, 0x20]), to: "moov/trak/mdia/minf/stbl")
    },
    RuleVector("iso-sbgp-count", progressive) { file in
      var groups = SampleToGroupBox()
      groups.entries = [group(99999, 0)]
      try file.append(Box(groups), to: "moov/trak/mdia/minf/stbl")
    },
    RuleVector("iso-sbgp-description", progressive) { file in
      var groups = SampleToGroupBox()
      groups.entries = [group(1, 5)]
      try file.append(Box(groups), to: "moov/trak/mdia/minf/stbl")
    },
    RuleVector("iso-saio-count", progressive) {
      try $0.append(Box(SampleAuxiliaryInformationSizesBox()), to: "moov/trak/mdia/minf/stbl")
    },
    RuleVector("iso-mdhd-duration", progressive) { try $0.set("moov/trak/mdia/mdhd", "duration", .unsigned(10)) },
  ]

  /// Durations, and values derived from sample times.
  static let durations: [RuleVector] = [
    RuleVector("iso-edit-longer", progressive) {
      try $0.edit("moov/trak/edts/elst", EditListBox.self) { list in
        list.entries = BoxTable(
          list.entries.map { EditListBox.Entry(segmentDuration: $0.segmentDuration * 2, mediaTime: $0.mediaTime) })
      }
    },
    RuleVector("iso-tkhd-duration", progressive) {
      try $0.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.duration *= 2 }
    },
    RuleVector("iso-mvhd-duration", progressive) {
      try $0.edit("moov/mvhd", MovieHeaderBox.self) { $0.duration /= 2 }
    },
    RuleVector("iso-mehd-duration", withoutIndex) { file in
      try file.append(Box(MovieExtendsHeaderBox().with { $0.fragmentDuration = 9_000_000 }), to: "moov/mvex")
    },
    RuleVector("iso-composition-offset", progressive) {
      try $0.edit(table + "ctts", CompositionOffsetBox.self) { box in
        var entries = Array(box.entries)
        entries[entries.count / 2].sampleOffset = 1_000_000
        box.entries = BoxTable(entries)
      }
    },
    RuleVector("iso-sample-shared", progressive) {
      try $0.edit(table + "stco", ChunkOffsetBox.self) { box in
        var offsets = Array(box.offsets)
        offsets[1] = offsets[0]
        box.offsets = BoxTable(offsets)
      }
    },
  ]

  private static func times(_ entries: (UInt32, UInt32)...) -> BoxTable<TimeToSampleBox.Entry> {
    BoxTable(
      entries.map { count, delta in
        var entry = TimeToSampleBox.Entry()
        (entry.sampleCount, entry.sampleDelta) = (count, delta)
        return entry
      })
  }
  private static func run(_ chunk: UInt32, _ samples: UInt32, _ description: UInt32) -> SampleToChunkBox.Entry {
    var entry = SampleToChunkBox.Entry()
    (entry.firstChunk, entry.samplesPerChunk, entry.sampleDescriptionIndex) = (chunk, samples, description)
    return entry
  }
  private static func group(_ count: UInt32, _ description: UInt32) -> SampleToGroupBox.Entry {
    var entry = SampleToGroupBox.Entry()
    (entry.sampleCount, entry.groupDescriptionIndex) = (count, description)
    return entry
  }
}
