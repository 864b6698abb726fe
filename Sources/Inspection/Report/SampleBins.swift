package import MP4
import MP4Bytes
package import MP4Records

/// The samples of a track in decoding order, in bins of a fixed number of samples; one sample per bin if there are few.
package struct SampleBins: Sendable {
  /// The kind of a sample, as far as tables show it.
  package enum Kind: Int, CaseIterable, Sendable {
    /// A sync sample.
    case key
    /// It is presented after all samples that are decoded before it.
    case forward
    /// It is presented before a sample that is decoded before it.
    case backward
  }

  /// The number of samples per bin; the last bin may have fewer.
  package let samplesPerBin: Int
  /// The decode time of the first sample of each bin.
  package private(set) var times: [MediaTime] = []
  /// The total, the smallest and the largest size in each bin.
  package private(set) var bytes: [Int] = [], smallest: [Int] = [], largest: [Int] = []
  /// The largest size of each kind in each bin, in the order of the kinds; 0 without such samples.
  package private(set) var largestOfKind: [[Int]]
  /// The smallest and the largest composition offset in each bin.
  package private(set) var leastComposition: [Int] = [], mostComposition: [Int] = []
  /// The offsets of the first and the last sample of each bin in the concatenated inputs.
  package private(set) var firstOffset: [Int] = [], lastOffset: [Int] = []
  private var left = 0

  /// No samples yet, of `count` in at most `limit` bins.
  init(count: Int, limit: Int) {
    samplesPerBin = max(1, (count + limit - 1) / limit)
    largestOfKind = Kind.allCases.map { _ in [] }
  }

  /// Adds the next sample, which starts at `offset` in the concatenated inputs.
  mutating func add(_ sample: Sample, _ size: Int, _ kind: Kind, composition: Int, at offset: Int) {
    if left == 0 {
      left = samplesPerBin
      times.append(sample.relativeDecodeTime)
      bytes.append(0)
      smallest.append(size)
      largest.append(size)
      for kind in Kind.allCases { largestOfKind[kind.rawValue].append(0) }
      leastComposition.append(composition)
      mostComposition.append(composition)
      firstOffset.append(offset)
      lastOffset.append(offset)
    }
    left -= 1
    let last = times.count - 1
    bytes[last] += size
    smallest[last] = min(smallest[last], size)
    largest[last] = max(largest[last], size)
    largestOfKind[kind.rawValue][last] = max(largestOfKind[kind.rawValue][last], size)
    leastComposition[last] = min(leastComposition[last], composition)
    mostComposition[last] = max(mostComposition[last], composition)
    firstOffset[last] = min(firstOffset[last], offset)
    lastOffset[last] = max(lastOffset[last], offset)
  }

  /// Whether all samples are sync samples.
  var areAllKey: Bool { Kind.allCases.dropFirst().allSatisfy { largestOfKind[$0.rawValue].allSatisfy { $0 == 0 } } }
  /// Whether samples are reordered, or presented later than they are decoded.
  var hasCompositionOffsets: Bool { (leastComposition + mostComposition).contains { $0 != 0 } }
}

extension SampleBins: Record {
  package static let summary = "The samples of a track, in bins."
  package static let members: [RecordMember<Self>] = [
    RecordMember("per_bin", "the number of samples in a bin; the last bin may have fewer") { $0.samplesPerBin },
    RecordMember("decode_seconds", "the decode time of the first sample of each bin") { $0.times },
    RecordMember("bytes", "the sum of the sizes in each bin") { $0.bytes },
    RecordMember("smallest", "the smallest size in each bin") { $0.smallest },
    RecordMember("largest", "the largest size in each bin") { $0.largest },
    RecordMember(
      "largest_of_kind",
      "the same for keyframes, forward and backward samples; missing if all are keyframes"
    ) {
      $0.areAllKey ? nil : $0.largestOfKind
    },
    RecordMember("least_composition", "the smallest composition offset in each bin; missing if all are 0") {
      $0.hasCompositionOffsets ? $0.leastComposition : nil
    },
    RecordMember("most_composition", "the largest composition offset in each bin; missing if all are 0") {
      $0.hasCompositionOffsets ? $0.mostComposition : nil
    },
    RecordMember("first_offset", "the offset of the first sample of each bin, if all inputs are concatenated") {
      $0.firstOffset
    },
    RecordMember("last_offset", "the offset of the last sample of each bin") { $0.lastOffset },
  ]
}

/// Statistics about the samples of one kind.
package struct KindStatistics: Sendable {
  /// The kind.
  package let kind: SampleBins.Kind
  /// The number of samples.
  package private(set) var count = 0
  /// Their total, smallest and largest size.
  package private(set) var byteCount = 0, smallest = Int.max, largest = 0

  init(_ kind: SampleBins.Kind) { self.kind = kind }

  mutating func add(_ size: Int) {
    count += 1
    byteCount += size
    smallest = min(smallest, size)
    largest = max(largest, size)
  }
}

extension KindStatistics: Record {
  package static let summary = "The samples of one kind."
  package static let members: [RecordMember<Self>] = [
    RecordMember("kind", "`key`, `forward` or `backward`") { "\($0.kind)" },
    RecordMember("samples", "the number of samples") { $0.count },
    RecordMember("bytes", "the sum of their sizes") { $0.byteCount },
    RecordMember("smallest", "the smallest size") { $0.smallest },
    RecordMember("largest", "the largest size") { $0.largest },
  ]
}
