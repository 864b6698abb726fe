import ISOBMFF

/// The assignment of the samples of a fragment or movie box to groups of one kind.
struct GroupMembers: Sendable {
  var kind: SampleGroups.Kind
  /// Runs of samples with the same description, numbered from 1; 0 for none, and above 0x10000 for a description of the
  /// fragment itself.
  var runs: [(count: UInt32, index: UInt32)] = []

  private init(kind: SampleGroups.Kind) { self.kind = kind }

  /// The groups in `sbgp`.
  init(_ box: SampleToGroupBox) {
    kind = SampleGroups.Kind(type: box.groupingType, parameter: box.version == 1 ? box.groupingTypeParameter : nil)
    runs.reserveCapacity(box.entries.count)
    box.entries.forEachRow { runs.append(($0.sampleCount, $0.groupDescriptionIndex)) }
  }

  /// The groups of the first `sampleCount` samples from `csgp`. A few bytes can encode many runs: `nil` if there are
  /// more than `limit`, or if a pattern without indices is to be repeated.
  init?(_ box: CompactSampleToGroupBox, sampleCount: Int, limit: Int) {
    kind = SampleGroups.Kind(type: box.groupingType, parameter: box.groupingTypeParameter)
    var first = 0
    var left = sampleCount
    for pattern in box.patterns where left > 0 {
      let length = Int(pattern.patternLength)
      let count = min(left, Int(pattern.sampleCount))
      guard length > 0 || count == 0 else { return nil }
      guard repeatIndices(of: box, in: first..<(first + length), count: count, limit: limit) else { return nil }
      first += length
      left -= count
    }
  }

  /// Repeats the indices at `range` for `count` samples.
  private mutating func repeatIndices(
    of box: CompactSampleToGroupBox, in range: Range<Int>, count: Int, limit: Int
  ) -> Bool {
    var pattern = GroupMembers(kind: kind)
    for position in range.prefix(count) { pattern.append(Self.index(at: position, of: box), count: 1) }
    // Most patterns consist of one index, for any number of samples.
    if pattern.runs.count == 1 {
      append(pattern.runs[0].index, count: count)
      return runs.count <= limit
    }
    var left = count
    while left > 0 {
      for run in pattern.runs where left > 0 {
        append(run.index, count: min(left, Int(run.count)))
        left -= min(left, Int(run.count))
      }
      if runs.count > limit { return false }
    }
    return true
  }

  private mutating func append(_ index: UInt32, count: Int) {
    guard count > 0 else { return }
    if let last = runs.last, last.index == index {
      runs[runs.count - 1].count = UInt32(clamping: Int(last.count) + count)
    } else {
      runs.append((UInt32(clamping: count), index))
    }
  }

  /// An index in the form of `sbgp`: descriptions of the fragment have numbers above 0x10000.
  private static func index(at position: Int, of box: CompactSampleToGroupBox) -> UInt32 {
    let index = box[position]
    let mark: UInt32 = 1 << UInt32(box.indexWidth - 1)
    guard box.marksOwnDescriptions, index & mark != 0 else { return index }
    let own = index & ~mark
    return own == 0 ? 0 : min(own, 0x7fff_0000) + 0x1_0000
  }
}
