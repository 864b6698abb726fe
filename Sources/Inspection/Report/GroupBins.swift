package import MP4
import MP4Bytes
package import MP4Records

/// The GOPs of a track in bins of a fixed number of GOPs; one GOP per bin if there are few.
package struct GroupBins: Sendable {
  /// The number of GOPs per bin; the last bin may have fewer.
  package let groupsPerBin: Int
  /// The decode time of the first GOP of each bin.
  package private(set) var times: [MediaTime] = []
  /// The number of samples in the shortest and the longest GOP of each bin.
  package private(set) var fewestSamples: [Int] = [], mostSamples: [Int] = []
  /// The shortest and the longest duration of a GOP in each bin.
  package private(set) var shortest: [MediaTime] = [], longest: [MediaTime] = []
  /// The total size of the GOPs in each bin, and the size of the largest one.
  package private(set) var bytes: [Int] = [], largest: [Int] = []
  /// The number of samples in each bin that are presented before their sync sample.
  package private(set) var leading: [Int] = []
  private var left = 0

  /// The GOPs of a track, of which there are `count`.
  init(_ track: Track, count: Int, limit: Int) {
    groupsPerBin = max(1, (count + limit - 1) / limit)
    track.forEachGroupOfPictures { (group) throws(Never) in add(group) }
  }

  private mutating func add(_ group: GroupOfPictures) {
    if left == 0 {
      left = groupsPerBin
      times.append(group.relativeDecodeTime)
      fewestSamples.append(group.samples.count)
      mostSamples.append(group.samples.count)
      shortest.append(group.duration)
      longest.append(group.duration)
      bytes.append(0)
      largest.append(0)
      leading.append(0)
    }
    left -= 1
    let last = times.count - 1
    fewestSamples[last] = min(fewestSamples[last], group.samples.count)
    mostSamples[last] = max(mostSamples[last], group.samples.count)
    shortest[last] = min(shortest[last], group.duration)
    longest[last] = max(longest[last], group.duration)
    bytes[last] += group.byteCount
    largest[last] = max(largest[last], group.byteCount)
    leading[last] += group.leadingCount
  }
}

extension GroupBins: Record {
  package static let summary = "The GOPs of a track, in bins."
  package static let members: [RecordMember<Self>] = [
    RecordMember("per_bin", "the number of GOPs in a bin; the last bin may have fewer") { $0.groupsPerBin },
    RecordMember("decode_seconds", "the decode time of the first GOP of each bin") { $0.times },
    RecordMember("fewest_samples", "the number of samples in the shortest GOP of each bin") { $0.fewestSamples },
    RecordMember("most_samples", "the number of samples in the longest GOP of each bin") { $0.mostSamples },
    RecordMember("shortest_seconds", "the shortest duration of a GOP in each bin") { $0.shortest },
    RecordMember("longest_seconds", "the longest duration of a GOP in each bin") { $0.longest },
    RecordMember("bytes", "the sum of the sizes of the GOPs in each bin") { $0.bytes },
    RecordMember("largest", "the size of the largest GOP in each bin") { $0.largest },
    RecordMember("leading", "the number of samples of each bin that are presented before their sync sample") {
      $0.leading
    },
  ]
}
