import Bytes
import ISOBMFF

/// What is said of the samples of a track besides times, sizes and flags, by the number of the sample, so that each
/// fragment gets its part.
struct SampleDetails: Sendable {
  /// The samples in groups of one kind.
  private struct Group: Sendable {
    var kind: SampleGroups.Kind
    /// From which sample on which description holds, by its number in the movie box.
    var firstSamples: [Int] = []
    var indices: [UInt32] = []
  }
  private var groups: [Group] = []
  /// The descriptions of the groups, which the movie box has for all fragments.
  let descriptions: [Box]
  /// Those that the movie box does not have, by type, and how many it has of that type.
  private var local: [FourCC: (movieCount: UInt32, box: Box)] = [:]
  /// The descriptions of `seig`.
  private let keyDescriptions: [[UInt8]]
  private var subsamples: [(sample: Int, entry: SubSampleInformationBox.Entry)] = []
  private let subsampleVersion: UInt8
  /// The kind of auxiliary information; `nil` without any.
  let auxiliaryKind: SampleAuxiliaryInformationSizesBox?
  private var auxiliarySizes: [UInt8]
  private var auxiliaryBytes: [UInt8]
  /// Where in the bytes the information of every thousandth sample starts.
  private var auxiliaryStarts: [Int] = []
  private static let step = 1000

  /// Takes what was collected for a sample table.
  init(_ builder: InformationBuilder) {
    for (kind, runs) in zip(builder.track.groups.kinds, builder.groups.map(\.runs)) {
      var group = Group(kind: kind)
      var sample = 0
      runs.table(of: SampleToGroupBox.Entry.self).forEachRow { run in
        group.firstSamples.append(sample)
        group.indices.append(run.groupDescriptionIndex)
        sample += Int(run.sampleCount)
      }
      groups.append(group)
    }
    var sample = -1
    for entry in builder.subsamples {
      sample += Int(entry.sampleDelta)
      subsamples.append((sample, entry))
    }
    descriptions = builder.track.groups.boxes
    keyDescriptions = builder.track.groups.descriptions["seig"]?.entries.map(\.description) ?? []
    subsampleVersion = builder.track.subsampleVersion
    auxiliaryKind = builder.auxiliaryBytes.isEmpty ? nil : builder.track.auxiliaryKind
    auxiliaryBytes = builder.auxiliaryBytes
    auxiliarySizes = auxiliaryBytes.isEmpty ? [] : builder.sizes.bytes
    findAuxiliaryStarts()
  }

  /// Takes what was collected for fragments of a movie box that describes only these groups and will not change: what
  /// fragments add is in each of them.
  init(_ builder: InformationBuilder, besides movie: [SampleGroupDescriptionBox]) {
    self.init(builder)
    local = builder.track.groups.added(to: movie)
  }

  private mutating func findAuxiliaryStarts() {
    auxiliaryStarts = []
    var start = 0
    for (sample, size) in auxiliarySizes.enumerated() {
      if sample % Self.step == 0 { auxiliaryStarts.append(start) }
      start += Int(size)
    }
  }

  /// What is said of these samples only, which are in rising order, as if there were no others.
  func keeping(_ samples: [Int]) -> SampleDetails {
    var result = self
    for index in groups.indices {
      (result.groups[index].firstSamples, result.groups[index].indices) = ([], [])
      var run = 0
      for (number, sample) in samples.enumerated() {
        let own = groups[index]
        while run + 1 < own.firstSamples.count, own.firstSamples[run + 1] <= sample { run += 1 }
        guard run < own.indices.count, result.groups[index].indices.last != own.indices[run] else { continue }
        result.groups[index].firstSamples.append(number)
        result.groups[index].indices.append(own.indices[run])
      }
    }
    let numbers = Dictionary(uniqueKeysWithValues: samples.enumerated().map { ($0.element, $0.offset) })
    result.subsamples = subsamples.compactMap { sample, entry in numbers[sample].map { ($0, entry) } }
    if !auxiliarySizes.isEmpty {
      (result.auxiliarySizes, result.auxiliaryBytes) = ([], [])
      for sample in samples {
        let own = auxiliary(of: sample..<(sample + 1))
        result.auxiliarySizes += own.sizes
        result.auxiliaryBytes += own.bytes
      }
      result.findAuxiliaryStarts()
    }
    return result
  }

  /// The boxes of a track fragment that say in which groups these samples are, and their parts.
  func boxes(of samples: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var described: Set<FourCC> = []
    for group in groups {
      var entries = Self.entries(of: group, samples)
      guard entries.contains(where: { $0.groupDescriptionIndex > 0 }) else { continue }
      if let (movieCount, box) = local[group.kind.type] {
        // ISO/IEC 14496-12:2022, 8.9.4.
        for index in entries.indices where entries[index].groupDescriptionIndex > movieCount {
          entries[index].groupDescriptionIndex += 0x1_0000 - movieCount
        }
        if described.insert(group.kind.type).inserted { boxes.append(box) }
      }
      var sbgp = SampleToGroupBox()
      sbgp.groupingType = group.kind.type
      sbgp.header.version = group.kind.parameter == nil ? 0 : 1
      sbgp.groupingTypeParameter = group.kind.parameter ?? 0
      sbgp.entries = Table(entries)
      boxes.append(Box(sbgp))
    }
    let first = Self.partition(subsamples.count) { subsamples[$0].sample >= samples.lowerBound }
    var subs = SubSampleInformationBox()
    subs.header.version = subsampleVersion
    var last = samples.lowerBound - 1
    for (sample, entry) in subsamples[first...] {
      guard sample < samples.upperBound else { break }
      var own = entry
      own.sampleDelta = UInt32(clamping: sample - last)
      last = sample
      subs.entries.append(own)
    }
    return subs.entries.isEmpty ? boxes : boxes + [Box(subs)]
  }

  /// The keys of samples with one description that is encrypted so, unless groups say something else; `nil` is for samples
  /// in the clear.
  func keyIDs(of samples: Range<Int>, _ encryption: TrackEncryption?) -> Set<[UInt8]?> {
    guard let group = groups.first(where: { $0.kind.type == "seig" }), !samples.isEmpty else {
      return [encryption?.usedKeyID]
    }
    var result: Set<[UInt8]?> = []
    for entry in Self.entries(of: group, samples) {
      let number = Int(entry.groupDescriptionIndex) - 1
      result.insert(
        keyDescriptions.indices.contains(number)
          ? TrackEncryption.keyID(ofGroup: keyDescriptions[number]) : encryption?.usedKeyID)
    }
    return result
  }

  private static func entries(of group: Group, _ samples: Range<Int>) -> [SampleToGroupBox.Entry] {
    var entries: [SampleToGroupBox.Entry] = []
    // The last run that starts at the first sample or before.
    var run = max(0, partition(group.firstSamples.count) { group.firstSamples[$0] > samples.lowerBound } - 1)
    var sample = samples.lowerBound
    while sample < samples.upperBound, run < group.firstSamples.count {
      let end = run + 1 < group.firstSamples.count ? group.firstSamples[run + 1] : Int.max
      var entry = SampleToGroupBox.Entry()
      entry.sampleCount = UInt32(clamping: min(end, samples.upperBound) - sample)
      entry.groupDescriptionIndex = group.indices[run]
      entries.append(entry)
      (sample, run) = (min(end, samples.upperBound), run + 1)
    }
    return entries
  }

  /// The first of these samples but one that has auxiliary information where the first has none, or the other way round;
  /// or their end.
  func auxiliaryEnd(in samples: Range<Int>) -> Int {
    guard !auxiliarySizes.isEmpty, let first = samples.first else { return samples.upperBound }
    let isEmpty = auxiliarySizes[first] == 0
    return auxiliarySizes[samples].firstIndex { ($0 == 0) != isEmpty } ?? samples.upperBound
  }

  /// The auxiliary information of these samples: the size of each, and all bytes.
  func auxiliary(of samples: Range<Int>) -> (sizes: ArraySlice<UInt8>, bytes: ArraySlice<UInt8>) {
    guard !auxiliarySizes.isEmpty else { return ([], []) }
    var start = auxiliaryStarts[samples.lowerBound / Self.step]
    for sample in (samples.lowerBound / Self.step * Self.step)..<samples.lowerBound {
      start += Int(auxiliarySizes[sample])
    }
    let sizes = auxiliarySizes[samples]
    let byteCount = sizes.reduce(0) { $0 + Int($1) }
    return (sizes, auxiliaryBytes[start..<(start + byteCount)])
  }

  /// The first index below `count` for which `isBehind` is true, when it is for all that follow.
  private static func partition(_ count: Int, _ isBehind: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
