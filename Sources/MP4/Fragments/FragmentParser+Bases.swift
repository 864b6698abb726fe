import ISOBMFF

/// Base data offsets that are out of date, since boxes were inserted before their fragments.
extension FragmentParser {
  /// A run of a track fragment whose base data offset is not where its movie fragment starts.
  struct ShiftableRun {
    /// Which of the movie fragments.
    var header: Int
    /// Where its data is as declared.
    var range: Range<Int>
    /// How far after that it is when counted from the start of the movie fragment.
    var shift: Int

    /// Where it is when counted from the start of the movie fragment; `nil` before the start of the file.
    var shifted: Range<Int>? {
      let (start, overflow) = range.lowerBound.addingReportingOverflow(shift)
      guard !overflow, start >= 0, start <= .max / 4 else { return nil }
      return start..<start + range.count
    }
  }

  /// Remembers where the data of a run is, if that may have to change.
  mutating func noteShift(_ range: Range<Int>) {
    guard current.shift != 0, !range.isEmpty else { return }
    shiftableRuns.append(ShiftableRun(header: table.headers.count - 1, range: range, shift: current.shift))
  }

  /// The movie fragments of the current source, by where they start, of which no run is in its media data as declared
  /// but every one when counted from the start of the fragment. Runs that are partly right, since all moved by little,
  /// or in the media data of others, count as well where the shifted ones start where media data does.
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

  /// Whether all these bytes are in one box.
  func holds(_ range: Range<Int>) -> Bool {
    let place = place(of: range.lowerBound)
    return place < ranges.count && ranges[place].lowerBound <= range.lowerBound
      && range.upperBound <= ranges[place].upperBound
  }
  /// Whether the bytes of a box start there.
  func starts(at offset: Int) -> Bool {
    let place = place(of: offset)
    return place < ranges.count && ranges[place].lowerBound == offset
  }

  /// The first box that ends after a byte.
  private func place(of offset: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
