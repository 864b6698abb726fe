import ISOBMFF
import MP4Bytes

/// The chunks of a track whose samples are in other files.
struct ExternalChunks {
  /// Ranges of chunk indexes, from 0, in ascending order.
  private var ranges: [Range<Int>] = []

  /// None.
  init() {}

  /// The chunks of these sample descriptions, which are numbered from 1, according to the rows of `stsc`.
  init(_ entries: [SampleToChunkBox.Entry], _ descriptions: Set<Int>) {
    for (index, entry) in entries.enumerated() where descriptions.contains(Int(entry.sampleDescriptionIndex)) {
      let first = max(Int(entry.firstChunk) - 1, ranges.last?.upperBound ?? 0)
      let end = index + 1 < entries.count ? Int(entries[index + 1].firstChunk) - 1 : Int.max
      if first < end { ranges.append(first..<end) }
    }
  }

  /// Whether a chunk, counted from 0, is in another file.
  func contains(_ chunk: Int) -> Bool {
    let index = ranges.partition { $0.upperBound > chunk }
    return index < ranges.count && ranges[index].contains(chunk)
  }
}
