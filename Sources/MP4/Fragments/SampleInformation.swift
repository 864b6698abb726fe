import ISOBMFF
import MP4Bytes

/// Information about the samples of one track in its fragments other than times, sizes and flags, in the order of
/// reading.
struct TrackAuxiliaryInfo: Sendable {
  var groups = SampleGroups()
  /// The kind of auxiliary information, from the first `saiz`.
  var auxiliaryKind: SampleAuxiliaryInformationSizesBox?
  var auxiliarySizes: [UInt8] = []
  var auxiliaryBytes: [UInt8] = []
  var subsampleVersion: UInt8 = 0
  /// The number of fragments that are encrypted with other parameters than the track, which a sample table cannot
  /// express.
  var otherEncryption = 0
  /// The number of runs from patterns of `csgp`.
  private var patternRuns = 0

  /// The group assignments of a `csgp` for the first `sampleCount` samples of a fragment or movie box; `nil` if it is
  /// invalid. All runs of the track together take little more memory than the `byteCount` bytes of the files.
  mutating func members(_ box: CompactSampleToGroupBox, sampleCount: Int, byteCount: Int) -> GroupMembers? {
    let most = (1 << 16) + byteCount / 8
    guard let members = GroupMembers(box, sampleCount: sampleCount, limit: most - patternRuns) else { return nil }
    patternRuns += members.runs.count
    return members
  }
}

/// Information about the samples of one track fragment other than times, sizes and flags.
struct FragmentAuxiliaryInfo: Sendable {
  var groups: [SampleGroups.Runs] = []
  /// The start of its auxiliary information in the columns of the track, and the number of leading samples that have
  /// some; `nil` if none do.
  var auxiliary: (sample: Int, byte: Int, count: Int)?
  /// Samples by their index in the fragment, with their subsamples.
  var subsamples: [(sample: Int, entry: SubSampleInformationBox.Entry)] = []
  /// The time after its samples: its whole duration if that is declared empty, or the duration of samples without data.
  var emptyDuration: UInt64 = 0

  var isEmpty: Bool { groups.isEmpty && auxiliary == nil && subsamples.isEmpty && emptyDuration == 0 }

  /// The information for runs of samples with these counts, in order.
  func split(_ counts: [Int], _ track: TrackAuxiliaryInfo) -> [FragmentAuxiliaryInfo] {
    var result = counts.map { _ in FragmentAuxiliaryInfo() }
    for group in groups {
      for (part, runs) in group.split(counts).enumerated() { result[part].groups.append(runs) }
    }
    var first = 0
    var subsample = 0
    var auxiliary = auxiliary
    for (part, count) in counts.enumerated() {
      while subsample < subsamples.count, subsamples[subsample].sample < first + count {
        let (sample, entry) = subsamples[subsample]
        result[part].subsamples.append((sample - first, entry))
        subsample += 1
      }
      first += count
      guard let all = auxiliary else { continue }
      let own = min(count, all.count)
      let byteCount = track.auxiliarySizes[all.sample..<(all.sample + own)].reduce(0) { $0 + Int($1) }
      result[part].auxiliary = (all.sample, all.byte, own)
      auxiliary = (all.sample + own, all.byte + byteCount, all.count - own)
    }
    return result
  }
}

/// The boxes of one track fragment with further information about its samples, collected until all of them have been
/// read.
struct InformationBoxes {
  var descriptions: [SampleGroupDescriptionBox] = []
  var groups: [SampleToGroupBox] = []
  var compactGroups: [CompactSampleToGroupBox] = []
  var subsamples: [SubSampleInformationBox] = []
  var auxiliarySizes: SampleAuxiliaryInformationSizesBox?
  var auxiliaryOffsets: SampleAuxiliaryInformationOffsetsBox?
  var encryption: SampleEncryptionBox?
  /// One byte for each sample with the same information as its flags, which it overrides.
  var dependencies: [UInt8]?

  /// Adds the information of the boxes to the track. `base` is the base of offsets, `runs` are the numbers of samples
  /// of the runs, and `precedingBytes` is the total size of the previous sources. Returns the boxes that could not be
  /// read, for a message.
  func resolve(
    into track: inout TrackAuxiliaryInfo, base: Int, runs: [Int], sampleCount: Int, precedingBytes: Int,
    _ window: inout ByteWindow
  ) throws(IOError) -> (information: FragmentAuxiliaryInfo, notUnderstood: [FourCC]) {
    var result = FragmentAuxiliaryInfo()
    var problems: [FourCC] = []
    var local = SampleGroups.Local(descriptions)
    let byteCount = precedingBytes + (window.source.byteCount ?? 0)
    let compact = compactGroups.map { track.members($0, sampleCount: sampleCount, byteCount: byteCount) }
    let groups = groups + defaultGroups(sampleCount)
    for (index, members) in (groups.map { GroupMembers($0) } + compact).enumerated() {
      if let members, let runs = track.groups.add(members, &local) {
        result.groups.append(runs)
      } else {
        problems.append(index < groups.count ? "sbgp" : "csgp")
      }
    }
    for box in subsamples {
      track.subsampleVersion = max(track.subsampleVersion, box.version)
      var sample = -1
      for entry in box.entries {
        sample = min(sample &+ Int(entry.sampleDelta), Int(UInt32.max))
        if sample < sampleCount { result.subsamples.append((sample, entry)) }
      }
    }
    let (sample, byte) = (track.auxiliarySizes.count, track.auxiliaryBytes.count)
    if let isRead = try readAuxiliary(
      into: &track, base: base, runs: runs, sampleCount: sampleCount, precedingBytes: precedingBytes, &window)
    {
      if isRead {
        result.auxiliary = (sample, byte, track.auxiliarySizes.count - sample)
      } else {
        problems.append(auxiliarySizes == nil ? "senc" : "saiz")
      }
    }
    return (result, problems)
  }

  /// The groups of all samples, which are only declared as defaults of the descriptions.
  private func defaultGroups(_ sampleCount: Int) -> [SampleToGroupBox] {
    descriptions.filter { box in
      box.version >= 2 && box.defaultGroupDescriptionIndex > 0
        && !groups.contains { $0.groupingType == box.groupingType }
        && !compactGroups.contains { $0.groupingType == box.groupingType }
    }.map { description in
      var box = SampleToGroupBox()
      box.groupingType = description.groupingType
      var entry = SampleToGroupBox.Entry()
      entry.sampleCount = UInt32(clamping: sampleCount)
      entry.groupDescriptionIndex = 0x1_0000 + min(description.defaultGroupDescriptionIndex, 0xffff)
      box.entries = BoxTable([entry])
      return box
    }
  }

  /// Adds the sizes and bytes of the auxiliary information: those of `senc`, which all readers support, or those that
  /// `saio` refers to. Returns `nil` if there is none, and `false` if it is incomplete.
  private func readAuxiliary(
    into track: inout TrackAuxiliaryInfo, base: Int, runs: [Int], sampleCount: Int, precedingBytes: Int,
    _ window: inout ByteWindow
  ) throws(IOError) -> Bool? {
    if let encryption, encryption.version == 0, encryption.samples.count == sampleCount {
      if track.auxiliaryKind == nil { track.auxiliaryKind = auxiliarySizes ?? SampleAuxiliaryInformationSizesBox() }
      var coder = SampleEncryptionBytes(hasSubsamples: encryption.flags & 2 != 0)
      for sample in encryption.samples {
        let bytes = coder.bytes(of: sample)
        guard let size = UInt8(exactly: bytes.count) else { return false }
        track.auxiliarySizes.append(size)
        track.auxiliaryBytes += bytes
      }
      return true
    }
    guard let sizes = auxiliarySizes, let offsets = auxiliaryOffsets, !offsets.offsets.isEmpty else {
      return auxiliarySizes == nil && encryption == nil ? nil : encryption?.samples.isEmpty == true && isAllEmpty
    }
    guard sizes.sampleCount <= sampleCount, offsets.offsets.count == 1 || offsets.offsets.count == runs.count else {
      return false
    }
    if track.auxiliaryKind == nil { track.auxiliaryKind = sizes }
    return try read(sizes, offsets, into: &track, base: base, runs: runs, precedingBytes: precedingBytes, &window)
  }

  /// Whether no sample has information, as with a constant initialization vector and no subsamples.
  private var isAllEmpty: Bool { auxiliarySizes.map { $0.sampleCount == 0 } ?? true }

  private func read(
    _ sizes: SampleAuxiliaryInformationSizesBox, _ offsets: SampleAuxiliaryInformationOffsetsBox,
    into track: inout TrackAuxiliaryInfo, base: Int, runs: [Int], precedingBytes: Int, _ window: inout ByteWindow
  ) throws(IOError) -> Bool {
    let common = Int(sizes.defaultSampleInfoSize)
    let all = common > 0 ? [] : Array(sizes.sampleInfoSizes)
    let sampleCount = common > 0 ? Int(sizes.sampleCount) : all.count
    var first = 0
    for (index, offset) in offsets.offsets.enumerated() {
      let count = offsets.offsets.count == 1 ? sampleCount : min(runs[index], sampleCount - first)
      let byteCount = common > 0 ? common * count : all[first..<(first + count)].reduce(0) { $0 + Int($1) }
      let (start, overflow) = base.addingReportingOverflow(Int(clamping: offset))
      guard !overflow, start >= 0, start <= Int.max / 2 else { return false }
      // The information of single samples cannot be larger than all bytes up to here.
      let available = precedingBytes + (window.source.byteCount ?? (start + byteCount))
      guard byteCount <= available - min(available, track.auxiliaryBytes.count) else { return false }
      let bytes = try window.slice(at: start, count: byteCount)
      guard bytes.count == byteCount else { return false }
      track.auxiliaryBytes += bytes
      first += count
    }
    track.auxiliarySizes += common > 0 ? Array(repeating: sizes.defaultSampleInfoSize, count: first) : all
    return true
  }
}

/// Encodes the entry of a sample in `senc`, which equals its auxiliary information.
struct SampleEncryptionBytes {
  let hasSubsamples: Bool

  mutating func bytes(of sample: SampleEncryptionBox.Sample) -> [UInt8] {
    guard hasSubsamples else { return sample.initializationVector }
    var writer = ByteWriter()
    writer.bytes = sample.initializationVector
    writer.integer(UInt16(clamping: sample.subsamples.count))
    writer.bytes += sample.subsamples.encodedRows
    return writer.bytes
  }
}
