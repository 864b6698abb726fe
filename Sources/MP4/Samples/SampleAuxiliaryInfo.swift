import ISOBMFF
import MP4Bytes

/// Information about the samples of a track other than times, sizes and flags, by sample number, so that it can be
/// divided into fragments.
struct SampleAuxiliaryInfo: Sendable {
  /// The number of each sample's description of one kind among those of the track, from 1; 0 for none.
  private struct Group: Sendable {
    var kind: SampleGroups.Kind
    var numbers = PackedColumn()
  }
  private var groups: [Group]
  /// Whether some samples have their own encryption parameters.
  var hasEncryptionGroups: Bool { groups.contains { $0.kind.type == "seig" } }
  /// Whether the output declares these groups; otherwise, init segments declare the keys.
  private(set) var writesEncryptionGroups = true
  /// The descriptions of the groups.
  private(set) var groupDescriptions: SampleGroups
  /// The descriptions that the movie box does not contain, by type, and the number of those that it contains.
  private var local: [FourCC: (movieCount: UInt32, box: Box)] = [:]
  private var subsamples: [(sample: Int, entry: SubSampleInformationBox.Entry)] = []
  private var subsampleVersion: UInt8 = 0
  /// The kind of auxiliary information; `nil` without any.
  private(set) var auxiliaryKind: SampleAuxiliaryInformationSizesBox?
  private var auxiliarySizes = PackedColumn()
  /// The auxiliary information of all samples, concatenated.
  private(set) var auxiliaryBytes: [UInt8] = []

  /// No information, with these group descriptions.
  init(_ groups: SampleGroups = SampleGroups()) {
    (self.groups, groupDescriptions) = (groups.kinds.map { Group(kind: $0) }, groups)
  }

  /// Collects the information in the fragments of a track about the samples that its timeline uses.
  init(_ track: TrackAuxiliaryInfo, _ timeline: TrackTimeline, _ fragments: [TrackFragment]) {
    self.init(track.groups)
    subsampleVersion = track.subsampleVersion
    var parts = Self.parts(track, timeline, fragments)
    var sampleCount = 0
    for entry in timeline.entries {
      if fragments[entry.index].hasInformation {
        let isCut = entry.first > fragments[entry.index].firstSample
        let part = isCut ? parts[entry.index]?.popLast() : nil
        append(part ?? fragments[entry.index].information, of: track, to: sampleCount, used: entry.used)
      }
      sampleCount += entry.used
    }
    for group in groups.indices { fill(group, to: sampleCount) }
    auxiliaryKind = auxiliaryBytes.isEmpty ? nil : track.auxiliaryKind
    if auxiliaryKind == nil { (auxiliarySizes, auxiliaryBytes) = (PackedColumn(), []) }
    auxiliarySizes.append(0, count: auxiliaryKind == nil ? 0 : sampleCount - auxiliarySizes.count)
  }

  /// Information of a movie box with only these group descriptions, which do not change: fragments contain their own
  /// descriptions.
  init(
    _ track: TrackAuxiliaryInfo, _ timeline: TrackTimeline, _ fragments: [TrackFragment],
    besides movie: [SampleGroupDescriptionBox]
  ) {
    self.init(track, timeline, fragments)
    local = track.groups.added(to: movie)
  }

  /// The information of the pieces of fragments that start after the first sample of their fragment, the last piece
  /// first. Each fragment is split once, regardless of the number of pieces.
  private static func parts(_ track: TrackAuxiliaryInfo, _ timeline: TrackTimeline, _ fragments: [TrackFragment])
    -> [Int: [FragmentAuxiliaryInfo]]
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
      // Samples between the pieces are omitted.
      let all = fragments[cut.key].information.split(cut.value.counts, track)
      parts[cut.key] = stride(from: 1, to: all.count, by: 2).reversed().map { all[$0] }
    }
  }

  /// Samples without an entry are in no group, or in the default group.
  private mutating func fill(_ group: Int, to sampleCount: Int) {
    let number = groupDescriptions.defaultNumber(of: groups[group].kind.type)
    groups[group].numbers.append(Int64(number), count: sampleCount - groups[group].numbers.count)
  }

  /// Adds the information of `used` samples, which are after `sampleCount` others.
  private mutating func append(
    _ information: FragmentAuxiliaryInfo, of track: TrackAuxiliaryInfo, to sampleCount: Int, used: Int
  ) {
    // Only the kinds that the fragment declares are looked at, because their total number can be large.
    for group in information.groups where groups[group.kind].numbers.count <= sampleCount {
      fill(group.kind, to: sampleCount)
      var left = used
      for run in group.runs {
        let count = min(left, Int(run.count))
        groups[group.kind].numbers.append(Int64(run.index), count: count)
        left -= count
      }
    }
    if let start = information.auxiliary {
      let own = track.auxiliarySizes[start.sample..<(start.sample + min(used, start.count))]
      auxiliarySizes.append(0, count: sampleCount - auxiliarySizes.count)
      for size in own { auxiliarySizes.append(Int64(size)) }
      let byteCount = own.reduce(0) { $0 + Int($1) }
      auxiliaryBytes += track.auxiliaryBytes[start.byte..<(start.byte + byteCount)]
    }
    for (sample, entry) in information.subsamples where sample < used {
      subsamples.append((sampleCount + sample, entry))
    }
  }

  /// Replaces the auxiliary information of all samples; without bytes, there is none.
  mutating func setAuxiliary(sizes: [UInt8], bytes: [UInt8]) {
    auxiliaryKind = bytes.isEmpty ? nil : SampleAuxiliaryInformationSizesBox()
    auxiliarySizes = PackedColumn()
    if !bytes.isEmpty { for size in sizes { auxiliarySizes.append(Int64(size)) } }
    auxiliaryBytes = bytes
  }

  /// Sets the `seig` groups of samples: each period but the first one, whose parameters are those of the track, has a
  /// description, and lasts until the next one.
  mutating func setEncryptionGroups(
    _ periods: [(firstSample: Int, description: [UInt8])], sampleCount: Int, areWritten: Bool
  ) {
    writesEncryptionGroups = areWritten
    let (index, numbers) = groupDescriptions.add(
      SampleGroups.Kind(type: "seig"), periods.dropFirst().map(\.description))
    groups += groupDescriptions.kinds[groups.count...].map { Group(kind: $0) }
    groups[index].numbers = PackedColumn()
    var end = 0
    for (number, period) in zip([0] + numbers, periods.map(\.firstSample).dropFirst() + [sampleCount]) {
      groups[index].numbers.append(Int64(number), count: period - end)
      end = period
    }
  }

  // MARK: Joining

  /// Adds the descriptions of another track, and returns the numbers of its groups here.
  mutating func merge(_ other: SampleAuxiliaryInfo) -> SampleGroups.Numbers {
    let numbers = groupDescriptions.append(other.groupDescriptions)
    groups += groupDescriptions.kinds[groups.count...].map { Group(kind: $0) }
    return numbers
  }

  /// Adds the information of samples of another track after that of `count` samples. Its groups have these `numbers`,
  /// or the same numbers as here.
  mutating func append(
    _ other: SampleAuxiliaryInfo, _ samples: Range<Int>, after count: Int, _ numbers: SampleGroups.Numbers?
  ) {
    let end = count + samples.count
    subsampleVersion = max(subsampleVersion, other.subsampleVersion)
    for (index, group) in other.groups.enumerated() {
      let own = numbers?.kinds[index] ?? index
      fill(own, to: count)
      guard let new = numbers?.descriptions[group.kind.type] else {
        groups[own].numbers.append(group.numbers, in: samples)
        continue
      }
      group.numbers.forEachRun(in: samples) { number, count in
        groups[own].numbers.append(Int64(new[Int(number)]), count: count)
      }
    }
    if let numbers {
      // Samples without a group have the default group of the other track.
      for index in groups.indices where groups[index].numbers.count < end {
        fill(index, to: count)
        let type = groups[index].kind.type
        let number = numbers.descriptions[type]?[Int(other.groupDescriptions.defaultNumber(of: type))] ?? 0
        groups[index].numbers.append(Int64(number), count: samples.count)
      }
    }
    let first = other.subsamples.partition { $0.sample >= samples.lowerBound }
    subsamples += other.subsamples[first...].prefix { $0.sample < samples.upperBound }.map {
      ($0.sample - samples.lowerBound + count, $0.entry)
    }
    let (sizes, bytes) = other.auxiliary(of: samples)
    auxiliaryKind = auxiliaryKind ?? (bytes.isEmpty ? nil : other.auxiliaryKind)
    guard auxiliaryKind != nil else { return }
    auxiliarySizes.append(0, count: count - auxiliarySizes.count)
    for size in sizes { auxiliarySizes.append(Int64(size)) }
    auxiliarySizes.append(0, count: end - auxiliarySizes.count)
    auxiliaryBytes += bytes
  }

  /// Adds a sample without information after `count` others.
  mutating func appendNone(after count: Int) {
    for index in groups.indices { fill(index, to: count + 1) }
    if auxiliaryKind != nil { auxiliarySizes.append(0, count: count + 1 - auxiliarySizes.count) }
  }

  /// Whether one sample table can have the auxiliary information of both.
  func hasSameAuxiliaryKind(as other: SampleAuxiliaryInfo) -> Bool {
    guard let own = auxiliaryKind, let kind = other.auxiliaryKind else { return true }
    return own.flags & 1 == kind.flags & 1 && own.auxInfoType == kind.auxInfoType
      && own.auxInfoTypeParameter == kind.auxInfoTypeParameter
  }

  // MARK: A sample table

  /// The group descriptions, which the movie box contains for all fragments.
  var descriptions: [Box] { groupDescriptions.boxes(besides: writesEncryptionGroups ? nil : "seig") }

  /// The boxes of a sample table except `saio`, which depends on the position of the auxiliary information.
  var boxes: [Box] {
    var boxes = descriptions
    for group in groups where group.numbers.constant(in: 0..<group.numbers.count) != 0 {
      boxes.append(Self.box(group.kind, BoxTable(runsOf: group.numbers, in: 0..<group.numbers.count)))
    }
    if !subsamples.isEmpty { boxes.append(subsampleBox(subsamples[...], after: -1)) }
    guard let saiz = auxiliarySizes(of: 0..<auxiliarySizes.count) else { return boxes }
    return boxes + [Box(saiz)]
  }

  /// The box with the offset of the auxiliary information in the file.
  func auxiliaryOffset(_ offset: Int, large: Bool) -> Box? {
    guard let kind = auxiliaryKind else { return nil }
    var saio = SampleAuxiliaryInformationOffsetsBox()
    saio.header = FullBoxHeader(version: large ? 1 : 0, flags: kind.flags)
    saio.auxInfoType = kind.auxInfoType
    saio.auxInfoTypeParameter = kind.auxInfoTypeParameter
    saio.offsets = [UInt64(offset)]
    return Box(saio)
  }

  private static func box(_ kind: SampleGroups.Kind, _ entries: BoxTable<SampleToGroupBox.Entry>) -> Box {
    var sbgp = SampleToGroupBox()
    sbgp.groupingType = kind.type
    sbgp.header.version = kind.parameter == nil ? 0 : 1
    sbgp.groupingTypeParameter = kind.parameter ?? 0
    sbgp.entries = entries
    return Box(sbgp)
  }

  private func subsampleBox(
    _ entries: ArraySlice<(sample: Int, entry: SubSampleInformationBox.Entry)>, after sample: Int
  ) -> Box {
    var subs = SubSampleInformationBox()
    subs.header.version = subsampleVersion
    var last = sample
    for (sample, entry) in entries {
      var own = entry
      own.sampleDelta = UInt32(clamping: sample - last)
      last = sample
      subs.entries.append(own)
    }
    return Box(subs)
  }

  /// The sizes of the auxiliary information of these samples; `nil` without any.
  func auxiliarySizes(of samples: Range<Int>) -> SampleAuxiliaryInformationSizesBox? {
    guard var saiz = auxiliaryKind else { return nil }
    let common = UInt8(truncatingIfNeeded: auxiliarySizes.constant(in: samples) ?? 0)
    saiz.defaultSampleInfoSize = common
    saiz.sameSizeCount = common == 0 ? 0 : UInt32(clamping: samples.count)
    let sizes = auxiliary(of: samples).sizes
    saiz.sampleInfoSizes = common == 0 ? BoxTable(encoded: sizes, count: sizes.count) : []
    return saiz
  }

  // MARK: Subsets

  /// The information of samples in this order. New samples (`nil`) have none.
  func arranged(_ samples: [Int?]) -> SampleAuxiliaryInfo {
    var result = SampleAuxiliaryInfo(groupDescriptions)
    (result.local, result.auxiliaryKind) = (local, auxiliaryKind)
    result.writesEncryptionGroups = writesEncryptionGroups
    for (count, sample) in samples.enumerated() {
      if let sample {
        result.append(self, sample..<(sample + 1), after: count, nil)
      } else {
        result.appendNone(after: count)
      }
    }
    return result
  }

  /// The boxes of a track fragment with the groups and subsamples of these samples.
  func boxes(of samples: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var described: Set<FourCC> = []
    for group in groups where writesEncryptionGroups || group.kind.type != "seig" {
      var entries = Self.entries(of: group, samples)
      guard entries.contains(where: { $0.groupDescriptionIndex > 0 }) else { continue }
      if let (movieCount, box) = local[group.kind.type] {
        // ISO/IEC 14496-12:2022, 8.9.4.
        for index in entries.indices where entries[index].groupDescriptionIndex > movieCount {
          entries[index].groupDescriptionIndex += 0x1_0000 - movieCount
        }
        if described.insert(group.kind.type).inserted { boxes.append(box) }
      }
      boxes.append(Self.box(group.kind, BoxTable(entries)))
    }
    let first = subsamples.partition { $0.sample >= samples.lowerBound }
    let end = subsamples.partition { $0.sample >= samples.upperBound }
    if first == end { return boxes }
    return boxes + [subsampleBox(subsamples[first..<end], after: samples.lowerBound - 1)]
  }

  /// The groups that a sample is in.
  func groups(of sample: Int) -> [Sample.Group] {
    groups.compactMap { group in
      guard sample < group.numbers.count else { return nil }
      let (number, type) = (Int(group.numbers[sample]), group.kind.type)
      guard number > 0, let known = groupDescriptions.descriptions[type]?.entries, number <= known.count else {
        return nil
      }
      return Sample.Group(
        type: type, parameter: group.kind.parameter, descriptionIndex: number,
        description: known[number - 1].description)
    }
  }

  /// The keys of samples with this encryption, unless groups declare other keys; `nil` for clear samples.
  func keyIDs(of samples: Range<Int>, _ encryption: TrackEncryption?) -> Set<[UInt8]?> {
    Set(orderedKeyIDs(of: samples, encryption))
  }

  /// The keys in the order of their first samples, without duplicates.
  func orderedKeyIDs(of samples: Range<Int>, _ encryption: TrackEncryption?) -> [[UInt8]?] {
    guard let group = groups.first(where: { $0.kind.type == "seig" }), !samples.isEmpty else {
      return [encryption?.usedKeyID]
    }
    var (known, result): (Set<[UInt8]?>, [[UInt8]?]) = ([], [])
    let keyDescriptions = groupDescriptions.descriptions["seig"]?.entries.map(\.description) ?? []
    for entry in Self.entries(of: group, samples) {
      let number = Int(entry.groupDescriptionIndex) - 1
      let keyID =
        keyDescriptions.indices.contains(number)
        ? TrackEncryption.keyID(ofGroup: keyDescriptions[number]) : encryption?.usedKeyID
      if known.insert(keyID).inserted { result.append(keyID) }
    }
    return result
  }

  private static func entries(of group: Group, _ samples: Range<Int>) -> [SampleToGroupBox.Entry] {
    var entries: [SampleToGroupBox.Entry] = []
    group.numbers.forEachRun(in: samples.clamped(to: 0..<group.numbers.count)) { number, count in
      var entry = SampleToGroupBox.Entry()
      entry.sampleCount = UInt32(clamping: count)
      entry.groupDescriptionIndex = UInt32(truncatingIfNeeded: number)
      entries.append(entry)
    }
    return entries
  }

  /// The first of these samples that differs from the first one in whether it has auxiliary information, or their end.
  func auxiliaryEnd(in samples: Range<Int>) -> Int {
    guard auxiliaryKind != nil, let first = samples.first else { return samples.upperBound }
    let isEmpty = auxiliarySizes[first] == 0
    return samples.first { (auxiliarySizes[$0] == 0) != isEmpty } ?? samples.upperBound
  }

  /// The auxiliary information of these samples: the size of each, and all bytes.
  func auxiliary(of samples: Range<Int>) -> (sizes: [UInt8], bytes: ArraySlice<UInt8>) {
    guard auxiliaryKind != nil else { return ([], []) }
    let start = Int(auxiliarySizes.sum(before: samples.lowerBound))
    let sizes = samples.map { UInt8(truncatingIfNeeded: auxiliarySizes[$0]) }
    return (sizes, auxiliaryBytes[start..<(start + sizes.reduce(0) { $0 + Int($1) })])
  }
}
