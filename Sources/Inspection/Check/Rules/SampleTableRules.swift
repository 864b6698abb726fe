import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The sample tables of progressive files.
  static let sampleTables: [Rule] = [
    .container(
      "iso-table-offsets", .isobmff, .error, ["stbl"], "A sample table has the offsets of its chunks.",
      mendedBy: .defragment
    ) { box, report in
      let count = box.all("stco").count + box.all("co64").count
      if count != 1 { report.add(box, count == 0 ? "it has no stco or co64" : "it has stco and co64") }
    },
    .container(
      "iso-table-sizes", .isobmff, .error, ["stbl"], "A sample table has the sizes of its samples.",
      mendedBy: .defragment
    ) { box, report in
      let count = box.all("stsz").count + box.all("stz2").count
      if count != 1 { report.add(box, count == 0 ? "it has no stsz or stz2" : "it has stsz and stz2") }
    },
    .container(
      "iso-stts-count", .isobmff, .error, ["stbl"], "stts has as many samples as the track.",
      mendedBy: .defragment
    ) { box, report in
      guard let sizes = box.sampleCount, let times = box.fields("stts", as: TimeToSampleBox.self) else { return }
      let count = times.entries.reduce(UInt64(0)) { $0 &+ UInt64($1.sampleCount) }
      if let table = box.first("stts"), count != sizes {
        report.add(table, "it declares the times of \(counted(count, "sample")), but there are \(sizes) sizes")
      }
    },
    .box("iso-stts-empty-entry", .isobmff, .warning, ["stts"], "Each entry of stts covers at least one sample.") {
      (times: TimeToSampleBox, box, report) in
      if let index = times.entries.enumerated().first(where: { $1.sampleCount == 0 })?.offset {
        report.add(box, "sample_count of entry \(index + 1) is 0")
      }
    },
    .box("iso-stts-zero", .isobmff, .warning, ["stts"], "Only the last sample can have a duration of 0.") {
      (times: TimeToSampleBox, box, report) in
      let entries = times.entries.enumerated()
      let zero = entries.first { index, entry in
        entry.sampleDelta == 0 && (entry.sampleCount > 1 || index + 1 < times.entries.count)
      }
      if let zero {
        report.add(box, "samples of entry \(zero.offset + 1) have the duration 0, so several are at the same time")
      }
    },
    .box("iso-stts-negative", .isobmff, .error, ["stts"], "Sample durations are less than 2^31 units.") {
      (times: TimeToSampleBox, box, report) in
      let negative = times.entries.enumerated().first { $1.sampleDelta >= 1 << 31 }
      if let negative {
        let value = Int32(bitPattern: negative.element.sampleDelta)
        report.add(
          box,
          "sample_delta of entry \(negative.offset + 1) is \(value) in players that interpret it as signed")
      }
    },
    .container(
      "iso-ctts-count", .isobmff, .error, ["stbl"], "ctts has as many samples as the track.",
      mendedBy: .defragment
    ) { box, report in
      guard let sizes = box.sampleCount, let table = box.first("ctts"),
        let offsets = table.payload as? CompositionOffsetBox
      else { return }
      let count = offsets.entries.reduce(UInt64(0)) { $0 &+ UInt64($1.sampleCount) }
      if count != sizes { report.add(table, "it has \(counted(count, "offset")), but there are \(sizes) sizes") }
    },
    .box(
      "iso-ctts-version", .isobmff, .warning, ["ctts"],
      "Composition offsets are negative only in version 1, or in QuickTime movies, where they are signed."
    ) { (offsets: CompositionOffsetBox, box, report) in
      guard offsets.version == 0, !box.file.isQuickTime,
        let index = offsets.entries.enumerated().first(where: { $1.sampleOffset < 0 })?.offset
      else { return }
      report.add(box, "the offset of entry \(index + 1) is negative, but the version is 0")
    },
    .container(
      "iso-cslg", .isobmff, .warning, ["stbl"], "cslg agrees with the composition offsets and the sample times."
    ) { box, report in
      // The samples of fragments have other offsets.
      guard let table = box.first("cslg"), let shift = table.payload as? CompositionToDecodeBox,
        let times = box.fields("stts", as: TimeToSampleBox.self), !times.entries.isEmpty,
        box.enclosing("moov")?.first("mvex") == nil
      else { return }
      let span = CompositionSpan(times, box.fields("ctts", as: CompositionOffsetBox.self))
      let names: [(String, Int64, Int64)] = [
        ("leastDecodeToDisplayDelta", shift.leastDecodeToDisplayDelta, span.offsets.lowerBound),
        ("greatestDecodeToDisplayDelta", shift.greatestDecodeToDisplayDelta, span.offsets.upperBound),
        ("compositionStartTime", shift.compositionStartTime, span.start),
        // 0 means that the end is unknown.
        ("compositionEndTime", shift.compositionEndTime == 0 ? span.end : shift.compositionEndTime, span.end),
      ]
      if let (name, own, actual) = names.first(where: { $0.1 != $0.2 }) {
        report.add(table, "\(name) is \(own), but according to stts and ctts it is \(actual)")
      } else if shift.compositionToDTSShift.addingReportingOverflow(span.offsets.lowerBound).partialValue < 0 {
        report.add(
          table,
          "compositionToDTSShift is \(shift.compositionToDTSShift), but the smallest composition offset is "
            + "\(span.offsets.lowerBound)")
      }
    }.explained(by: "iso-ctts-count", "iso-stts-count", "iso-stts-negative"),
    .container(
      "iso-stsc-count", .isobmff, .error, ["stbl"], "The chunks have as many samples as the track.",
      mendedBy: .defragment
    ) { box, report in
      guard let sizes = box.sampleCount, let chunks = box.chunkCount, let table = box.first("stsc"),
        let runs = table.payload as? SampleToChunkBox, runs.isOrdered
      else { return }
      let count = runs.sampleCount(chunks: UInt64(chunks))
      if count != sizes {
        report.add(table, "its chunks contain \(counted(count, "sample")), but there are \(sizes) sizes")
      }
    }.explained(by: "iso-stsc-empty"),
    .box("iso-stsc-order", .isobmff, .error, ["stsc"], "The chunks of stsc are numbered from 1, in order.") {
      (runs: SampleToChunkBox, box, report) in
      if !runs.isOrdered { report.add(box, "first_chunk does not increase from 1") }
    },
    .box("iso-stsc-empty", .isobmff, .warning, ["stsc"], "Each chunk has at least one sample.") {
      (runs: SampleToChunkBox, box, report) in
      if let index = runs.entries.enumerated().first(where: { $1.samplesPerChunk == 0 })?.offset {
        report.add(box, "samples_per_chunk of entry \(index + 1) is 0")
      }
    },
    .container(
      "iso-stsc-description", .isobmff, .error, ["stbl"], "Samples use existing sample descriptions."
    ) { box, report in
      guard let table = box.first("stsc"), let runs = table.payload as? SampleToChunkBox, let stsd = box.first("stsd")
      else { return }
      let count = stsd.boxes.count
      let wrong = runs.entries.enumerated().first {
        $1.sampleDescriptionIndex == 0 || Int($1.sampleDescriptionIndex) > count
      }
      if let wrong {
        report.add(
          table,
          "sample_description_index of entry \(wrong.offset + 1) is \(wrong.element.sampleDescriptionIndex), but "
            + "there \(count == 1 ? "is" : "are") \(count)")
      }
    },
    .container(
      "iso-chunk-offset", .isobmff, .error, ["stco", "co64"], "Chunks are inside the file."
    ) { box, report in
      let (first, count) = box.chunkOffsets(where: { $0 >= UInt64(box.file.size) })
      guard let first, box.isOfFile else { return }
      report.add(box, "\(counted(count, "chunk is", "chunks are")) after the end of the file; the first is \(first)")
    },
    .file(
      "iso-chunk-media", .isobmff, .error, "Chunks are in media data boxes.", mendedBy: .defragment
    ) { file, report in
      let media = file.mediaRanges
      for track in file.first("moov")?.all("trak") ?? [] {
        for box in track.first("mdia", "minf", "stbl")?.boxes ?? [] where box.isOfFile {
          let (first, count) = box.chunkOffsets(where: { offset in
            offset < UInt64(file.size) && !media.contains { $0.contains(Int(offset)) }
          })
          guard let first else { continue }
          report.add(box, "\(counted(count, "chunk is", "chunks are")) not in an mdat; the first is \(first)")
        }
      }
    },
    .container("iso-stss-range", .isobmff, .error, ["stbl"], "stss lists only existing samples.") { box, report in
      guard let sizes = box.sampleCount, let table = box.first("stss"), let sync = table.payload as? SyncSampleBox
      else { return }
      if let wrong = sync.sampleNumbers.first(where: { $0 == 0 || UInt64($0) > sizes }) {
        report.add(table, "it lists sample \(wrong), but there are \(sizes)")
      }
    },
    .box("iso-stss-order", .isobmff, .error, ["stss"], "stss lists sync samples in ascending order, each once.") {
      (sync: SyncSampleBox, box, report) in
      var last: UInt32 = 0
      for number in sync.sampleNumbers {
        guard number > last else { return report.add(box, "sample \(number) follows sample \(last)") }
        last = number
      }
    },
    .container("iso-stss-first", .isobmff, .warning, ["stbl"], "The first sample is a sync sample.") { box, report in
      guard let table = box.first("stss"), let sync = table.payload as? SyncSampleBox,
        let sizes = box.sampleCount, sizes > 0
      else { return }
      if sync.sampleNumbers.first != 1 {
        report.add(table, "the first sync sample is \(sync.sampleNumbers.first.map { "\($0)" } ?? "missing")")
      }
    },
    .container("iso-sdtp-count", .isobmff, .error, ["stbl"], "sdtp has as many samples as the track.") {
      box, report in
      guard let sizes = box.sampleCount, let table = box.first("sdtp"),
        let types = table.payload as? SampleDependencyTypeBox, UInt64(types.entries.count) != sizes
      else { return }
      report.add(table, "it has \(counted(types.entries.count, "entry", "entries")), but there are \(sizes) sizes")
    },
    .container(
      "iso-sbgp-count", .isobmff, .error, ["stbl"], "Sample groups do not cover more samples than the track has."
    ) {
      box, report in
      guard let sizes = box.sampleCount else { return }
      for table in box.all("sbgp") {
        guard let groups = table.payload as? SampleToGroupBox else { continue }
        let count = groups.entries.reduce(UInt64(0)) { $0 &+ UInt64($1.sampleCount) }
        if count > sizes { report.add(table, "it has \(counted(count, "sample")), but there are \(sizes)") }
      }
    },
    .container(
      "iso-sbgp-description", .isobmff, .error, ["stbl", "traf"], "Sample groups use existing descriptions."
    ) {
      box, report in
      for table in box.all("sbgp") {
        guard let groups = table.payload as? SampleToGroupBox else { continue }
        let descriptions = box.all("sgpd").compactMap { $0.payload as? SampleGroupDescriptionBox }
        let count = descriptions.first { $0.groupingType == groups.groupingType }?.entries.count ?? 0
        // In fragments, numbers above 65,536 refer to the fragment, and smaller ones to the movie box.
        let wrong = groups.entries.first { entry in
          let index = entry.groupDescriptionIndex
          return box.type == "stbl" ? index > count : index > 0x1_0000 && index - 0x1_0000 > count
        }
        if let wrong {
          report.add(
            table, "group_description_index is \(wrong.groupDescriptionIndex), but \(groups.groupingType) has \(count)")
        }
      }
    },
    .container(
      "iso-saio-count", .isobmff, .error, ["stbl", "traf"],
      "Sample auxiliary information has both sizes (saiz) and offsets (saio): one offset, or one for each run or chunk."
    ) {
      box, report in
      let (sizes, offsets) = (box.all("saiz").count, box.all("saio").count)
      if sizes != offsets {
        report.add(
          box, "there are \(counted(sizes, "saiz box", "saiz boxes")) and \(counted(offsets, "saio box", "saio boxes"))"
        )
      }
      let runs = box.type == "traf" ? box.all("trun").count : box.chunkCount ?? 1
      for table in box.all("saio") {
        guard let fields = table.payload as? SampleAuxiliaryInformationOffsetsBox, fields.offsets.count != 1,
          fields.offsets.count != runs
        else { continue }
        report.add(
          table,
          "it has \(counted(fields.offsets.count, "offset")), but there \(runs == 1 ? "is" : "are") "
            + counted(runs, box.type == "traf" ? "run" : "chunk"))
      }
    },
    .container(
      "iso-mdhd-duration", .isobmff, .warning, ["mdia"], "The duration in mdhd is the sum of the sample durations."
    ) {
      box, report in
      guard let table = box.first("mdhd"), let header = table.payload as? MediaHeaderBox,
        let times = box.fields("minf", "stbl", "stts", as: TimeToSampleBox.self), !times.entries.isEmpty,
        !header.isUnknown(header.duration), box.enclosing("moov")?.first("mvex") == nil
      else { return }
      let duration = times.entries.reduce(UInt64(0)) { $0 &+ UInt64($1.sampleCount) &* UInt64($1.sampleDelta) }
      // Some writers count up to the end of the composition, and the duration of the last sample may differ.
      let last = UInt64(Array(times.entries).last?.sampleDelta ?? 0)
      let offsets = box.fields("minf", "stbl", "ctts", as: CompositionOffsetBox.self)
      let later = UInt64(max(0, offsets?.entries.lazy.map(\.sampleOffset).max() ?? 0))
      if header.duration &+ last < duration || header.duration > duration &+ last &+ later {
        report.add(table, "duration is \(header.duration), but the samples last \(duration)")
      }
    }.explained(by: "iso-stts-count", "iso-stts-negative"),
  ]
}

extension CheckedBox {
  /// The number of samples according to the sizes in a sample table.
  var sampleCount: UInt64? {
    if let sizes = fields("stsz", as: SampleSizeBox.self) { return UInt64(sizes.sampleCount) }
    return fields("stz2", as: CompactSampleSizeBox.self).map { UInt64($0.sampleCount) }
  }
  /// The number of chunks of a sample table.
  fileprivate var chunkCount: Int? {
    if let offsets = fields("stco", as: ChunkOffsetBox.self) { return offsets.offsets.count }
    return fields("co64", as: ChunkLargeOffsetBox.self)?.offsets.count
  }
  /// Whether the chunks of a table are in the file itself, not in another one that it refers to.
  fileprivate var isOfFile: Bool {
    let reference = enclosing("minf")?.first("dinf", "dref")?.boxes.first?.payload as? any FullBoxPayload
    return reference.map { $0.flags & 1 != 0 } ?? true
  }
  /// The number of chunks with wrong offsets, and the first one, counted from 1, with its offset.
  fileprivate func chunkOffsets(where isWrong: (UInt64) -> Bool) -> (first: String?, count: Int) {
    var (first, count): (String?, Int) = (nil, 0)
    func test(_ offset: UInt64, _ index: Int) {
      guard isWrong(offset) else { return }
      if first == nil { first = "chunk \(index + 1) at byte \(offset)" }
      count += 1
    }
    if let table = payload as? ChunkOffsetBox {
      for (index, offset) in table.offsets.enumerated() { test(UInt64(offset), index) }
    } else if let table = payload as? ChunkLargeOffsetBox {
      for (index, offset) in table.offsets.enumerated() { test(offset, index) }
    }
    return (first, count)
  }
}

/// The composition times of the samples of a table.
private struct CompositionSpan {
  var offsets: ClosedRange<Int64> = 0...0
  var start: Int64 = 0
  var end: Int64 = 0

  init(_ times: TimeToSampleBox, _ table: CompositionOffsetBox?) {
    var runs = (table?.entries).map { Array($0) } ?? []
    var (time, run, isFirst) = (Int64(0), 0, true)
    if runs.isEmpty { runs = [CompositionOffsetBox.Entry()]; runs[0].sampleCount = .max }
    var left = runs[0].sampleCount
    for entry in times.entries {
      var count = entry.sampleCount
      while count > 0 {
        while left == 0, run + 1 < runs.count { (run, left) = (run + 1, runs[run + 1].sampleCount) }
        guard left > 0 else { return }
        // Of samples with the same offset, the first and the last one have the extreme times.
        let (part, offset) = (min(count, left), Int64(runs[run].sampleOffset))
        let last = time &+ Int64(part - 1) &* Int64(entry.sampleDelta)
        offsets = isFirst ? offset...offset : min(offsets.lowerBound, offset)...max(offsets.upperBound, offset)
        start = isFirst ? time &+ offset : min(start, time &+ offset)
        let own = last &+ offset &+ Int64(entry.sampleDelta)
        end = isFirst ? own : max(end, own)
        isFirst = false
        time = last &+ Int64(entry.sampleDelta)
        (count, left) = (count - part, left - part)
      }
    }
  }
}

extension SampleToChunkBox {
  /// Whether the chunk numbers start at 1 and increase.
  fileprivate var isOrdered: Bool {
    var last: UInt32 = 0
    for entry in entries {
      guard entry.firstChunk > last, last > 0 || entry.firstChunk == 1 else { return false }
      last = entry.firstChunk
    }
    return true
  }
  /// The number of samples in this number of chunks.
  fileprivate func sampleCount(chunks: UInt64) -> UInt64 {
    let entries = Array(entries)
    return entries.enumerated().reduce(UInt64(0)) { sum, entry in
      let next = entry.offset + 1 < entries.count ? UInt64(entries[entry.offset + 1].firstChunk) : chunks &+ 1
      let first = UInt64(entry.element.firstChunk)
      return next > first ? sum &+ (next - first) &* UInt64(entry.element.samplesPerChunk) : sum
    }
  }
}
