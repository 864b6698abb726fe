import ISOBMFF
import MP4Bytes

/// Base data offsets that are outdated because boxes were inserted before their fragments.
extension FragmentParser {
  /// A run of a track fragment whose base data offset is not the start of its movie fragment.
  struct ShiftableRun {
    /// The index of its movie fragment.
    var header: Int
    /// The declared range of its data.
    var range: Range<Int>
    /// The distance from the declared position to the position relative to the movie fragment.
    var shift: Int

    /// The range relative to the start of the movie fragment; `nil` if it would start before the file.
    var shifted: Range<Int>? {
      let (start, overflow) = range.lowerBound.addingReportingOverflow(shift)
      guard !overflow, start >= 0, start <= .max / 4 else { return nil }
      return start..<start + range.count
    }
  }

  /// Records the data range of a run if it may have to be corrected.
  mutating func noteShift(_ range: Range<Int>) {
    guard current.shift != 0, !range.isEmpty else { return }
    shiftableRuns.append(ShiftableRun(header: table.headers.count - 1, range: range, shift: current.shift))
  }

  /// The offsets of the movie fragments of the current source whose base data offsets are outdated: no run is in media
  /// data as declared, but every run is if its offset is relative to the start of the fragment. Runs can also be in
  /// media data by chance, because all fragments moved slightly or because it is the data of other fragments. Such a
  /// fragment counts if its corrected runs start where media data starts.
  func findStaleBases(_ contents: SourceContents) -> Set<Int> {
    guard !shiftableRuns.isEmpty else { return [] }
    let media = MediaRanges(ranges: contents.mediaData)
    var result: Set<Int> = []
    var knownShift: Int?
    var start = 0
    while start < shiftableRuns.count {
      var end = start + 1
      while end < shiftableRuns.count, shiftableRuns[end].header == shiftableRuns[start].header { end += 1 }
      let runs = shiftableRuns[start..<end]
      start = end
      let shifted = runs.compactMap(\.shifted)
      guard shifted.count == runs.count, shifted.allSatisfy(media.holds), let header = runs.first?.header else {
        continue
      }
      let declared = runs.reduce(0) { $0 + (media.holds($1.range) ? 1 : 0) }
      let startsMedia = shifted.map(\.lowerBound).min().map(media.starts) ?? false
      let shift = runs.first?.shift
      let isStale = declared == 0 || startsMedia && (declared < runs.count || shift == knownShift)
      guard isStale else { continue }
      knownShift = shift
      result.insert(table.headers[header].offset)
    }
    return result
  }
}

/// The bytes in the media data boxes of a source, in the order of the file.
private struct MediaRanges {
  let ranges: [Range<Int>]

  /// Whether one box contains all these bytes.
  func holds(_ range: Range<Int>) -> Bool {
    let place = place(of: range.lowerBound)
    return place < ranges.count && ranges[place].lowerBound <= range.lowerBound
      && range.upperBound <= ranges[place].upperBound
  }
  /// Whether the contents of a box start at this offset.
  func starts(at offset: Int) -> Bool {
    let place = place(of: offset)
    return place < ranges.count && ranges[place].lowerBound == offset
  }

  /// The first box that ends after a byte.
  private func place(of offset: Int) -> Int { ranges.partition { $0.upperBound > offset } }
}
