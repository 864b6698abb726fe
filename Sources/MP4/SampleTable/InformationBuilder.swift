import ISOBMFF

/// Makes the boxes that say more of the samples of a track out of what its fragments say, in the order of the timeline.
struct InformationBuilder: Sendable {
  let track: TrackInformation
  /// Which samples are in which group of each kind, and for how many samples that is known so far.
  private(set) var groups: [(runs: RunLengths, sampleCount: Int)]
  private(set) var sizes = SampleColumn<UInt8>()
  /// The auxiliary information of all samples, one after the other.
  private(set) var auxiliaryBytes: [UInt8] = []
  private(set) var subsamples: [SubSampleInformationBox.Entry] = []
  private var lastWithSubsamples = -1
  private var sampleCount = 0

  /// Takes the samples of every entry of the timeline.
  init(_ track: TrackInformation, _ timeline: TrackTimeline, _ fragments: [TrackFragment]) {
    self.track = track
    groups = track.groups.kinds.map { _ in (RunLengths(), 0) }
    var parts = Self.parts(track, timeline, fragments)
    for entry in timeline.entries {
      if fragments[entry.index].hasInformation {
        let isCut = entry.first > fragments[entry.index].firstSample
        let part = isCut ? parts[entry.index]?.popLast() : nil
        append(part ?? fragments[entry.index].information, used: entry.used)
      } else {
        sizes.append(0, count: entry.used)
        sampleCount += entry.used
      }
    }
    for kind in groups.indices { fill(kind) }
  }

  /// What fragments say of the pieces of them that begin after their first sample, the last piece first. Each fragment
  /// is split once, however many pieces there are.
  private static func parts(_ track: TrackInformation, _ timeline: TrackTimeline, _ fragments: [TrackFragment])
    -> [Int: [FragmentInformation]]
  {
    var cuts: [Int: (counts: [Int], end: Int)] = [:]
    for entry in timeline.entries where fragments[entry.index].hasInformation {
      let first = entry.first - fragments[entry.index].firstSample
      guard first > 0 else { continue }
      let end = cuts[entry.index]?.end ?? 0
      cuts[entry.index, default: ([], 0)].counts += [first - end, entry.used]
      cuts[entry.index]?.end = first + entry.used
    }
    return cuts.reduce(into: [:]) { parts, cut in
      // What is between the pieces is left out.
      let all = fragments[cut.key].information.split(cut.value.counts, track)
      parts[cut.key] = stride(from: 1, to: all.count, by: 2).reversed().map { all[$0] }
    }
  }

  /// Samples of which nothing is said are in no group, or in the one that is said to be for them.
  private mutating func fill(_ kind: Int) {
    let number = track.groups.defaultNumber(of: track.groups.kinds[kind].type)
    groups[kind].runs.append(number, count: sampleCount - groups[kind].sampleCount)
    groups[kind].sampleCount = sampleCount
  }

  private mutating func append(_ information: FragmentInformation, used: Int) {
    // Only what a fragment says is looked at: it can name other kinds than all the others do.
    for group in information.groups where groups[group.kind].sampleCount <= sampleCount {
      fill(group.kind)
      var left = used
      for run in group.runs {
        let count = min(left, Int(run.count))
        groups[group.kind].runs.append(run.index, count: count)
        left -= count
      }
      groups[group.kind].sampleCount += used - left
    }
    if let start = information.auxiliary {
      let own = track.auxiliarySizes[start.sample..<(start.sample + min(used, start.count))]
      for size in own { sizes.append(size) }
      sizes.append(0, count: used - own.count)
      let byteCount = own.reduce(0) { $0 + Int($1) }
      auxiliaryBytes += track.auxiliaryBytes[start.byte..<(start.byte + byteCount)]
    } else {
      sizes.append(0, count: used)
    }
    for (sample, entry) in information.subsamples where sample < used {
      var copy = entry
      copy.sampleDelta = UInt32(clamping: sampleCount + sample - lastWithSubsamples)
      lastWithSubsamples = sampleCount + sample
      subsamples.append(copy)
    }
    sampleCount += used
  }

  /// The boxes but `saio`, which depends on where the auxiliary information is put.
  var boxes: [Box] {
    var boxes = track.groups.boxes
    for (kind, runs) in zip(track.groups.kinds, groups.map(\.runs))
    where !runs.isZero || track.groups.defaultNumber(of: kind.type) > 0 {
      var sbgp = SampleToGroupBox()
      sbgp.groupingType = kind.type
      sbgp.header.version = kind.parameter == nil ? 0 : 1
      sbgp.groupingTypeParameter = kind.parameter ?? 0
      sbgp.entries = runs.table()
      boxes.append(Box(sbgp))
    }
    if !subsamples.isEmpty {
      var subs = SubSampleInformationBox()
      subs.header.version = track.subsampleVersion
      subs.entries = subsamples
      boxes.append(Box(subs))
    }
    guard !auxiliaryBytes.isEmpty, let kind = track.auxiliaryKind else { return boxes }
    var saiz = kind
    saiz.sampleCount = UInt32(clamping: sizes.count)
    saiz.defaultSampleInfoSize = sizes.common ?? 0
    saiz.sampleInfoSizes = saiz.defaultSampleInfoSize == 0 ? Table(encoded: sizes.bytes, count: sizes.count) : Table()
    return boxes + [Box(saiz)]
  }

  /// Where the auxiliary information starts in the file.
  func auxiliaryOffset(_ offset: Int, large: Bool) -> Box? {
    guard !auxiliaryBytes.isEmpty, let kind = track.auxiliaryKind else { return nil }
    var saio = SampleAuxiliaryInformationOffsetsBox()
    saio.header = FullBoxHeader(version: large ? 1 : 0, flags: kind.flags)
    saio.auxInfoType = kind.auxInfoType
    saio.auxInfoTypeParameter = kind.auxInfoTypeParameter
    saio.offsets = Table([UInt64(offset)], shape: large ? 64 : 32)
    return Box(saio)
  }
}
