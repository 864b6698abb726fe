import ISOBMFF
import MP4Bytes

/// The boxes of a track that is created, not read.
enum TrackBoxes {
  /// A track with samples in the file itself and the sample description `stsd`. `table` contains the other boxes of the
  /// sample table.
  static func track(
    _ header: TrackHeaderBox, edits: [EditListBox.Entry] = [], _ media: MediaHeaderBox, _ handler: HandlerBox,
    language: ExtendedLanguageBox? = nil, _ stsd: Box, table: [Box] = []
  ) -> Box {
    let information = [mediaHeader(handler.handlerType), dataInformation(), Box("stbl", boxes: [stsd] + table)]
    let boxes = [Box(media), Box(handler)] + (language.map { [Box($0)] } ?? []) + [Box("minf", boxes: information)]
    return Box("trak", boxes: [Box(header)] + editBoxes(edits) + [Box("mdia", boxes: boxes)])
  }

  /// A sample description box with one entry.
  static func description(_ entry: Box) -> Box {
    var stsd = SampleDescriptionBox()
    stsd.entryCount = 1
    return Box(stsd, boxes: [entry])
  }

  private static func mediaHeader(_ handler: FourCC) -> Box {
    switch handler {
    case "vide": Box(VideoMediaHeaderBox())
    case "soun": Box(SoundMediaHeaderBox())
    case "subt": Box(NullMediaHeaderBox(), type: "sthd")
    default: Box(NullMediaHeaderBox())
    }
  }

  private static func editBoxes(_ edits: [EditListBox.Entry]) -> [Box] {
    guard !edits.isEmpty else { return [] }
    var elst = EditListBox()
    // Rows are encoded when they are added to the table.
    let isWide = edits.contains { $0.segmentDuration > UInt32.max || Int32(exactly: $0.mediaTime) == nil }
    elst.header.version = isWide ? 1 : 0
    elst.entries = BoxTable(edits)
    return [Box("edts", boxes: [Box(elst)])]
  }

  /// Data references to the file itself.
  static func dataInformation(_ count: Int = 1) -> Box {
    var dref = DataReferenceBox()
    dref.entryCount = UInt32(clamping: count)
    return Box("dinf", boxes: [Box(dref, boxes: Array(repeating: Box(DataEntryURLBox()), count: count))])
  }

  /// The tables of samples that follow each other from `offset` on. Each run of samples with the same description is a
  /// chunk.
  static func chunks(_ runs: [(description: UInt32, sizes: [UInt32])], at offset: Int) -> [Box] {
    var (stsc, stsz, stco, co64) = (SampleToChunkBox(), SampleSizeBox(), ChunkOffsetBox(), ChunkLargeOffsetBox())
    stsc.entries = BoxTable(
      runs.enumerated().map { number, run in
        SampleToChunkBox.Entry(
          firstChunk: UInt32(clamping: number + 1), samplesPerChunk: UInt32(clamping: run.sizes.count),
          sampleDescriptionIndex: run.description)
      })
    stsz.sizes = BoxTable(runs.flatMap(\.sizes))
    var (offsets, next): ([UInt64], UInt64) = ([], UInt64(offset))
    for run in runs {
      offsets.append(next)
      next = run.sizes.reduce(next) { $0 + UInt64($1) }
    }
    let small = offsets.compactMap { UInt32(exactly: $0) }
    stco.offsets = BoxTable(small)
    co64.offsets = BoxTable(offsets)
    return [Box(stsc), Box(stsz), small.count == offsets.count ? Box(stco) : Box(co64)]
  }
}
