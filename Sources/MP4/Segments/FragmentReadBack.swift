import ISOBMFF
import MP4Bytes

/// Reads planned movie fragments with this library's reader, and compares them with the planned samples. Only boxes are
/// read, no media.
struct FragmentReadBack {
  private let movie: MovieDescription
  private let file: String
  private let tracks: [TrackFragmentWriter]

  /// Fragments that follow an init segment, as a reader sees it.
  init(_ initialization: OutputPlan, _ tracks: [TrackFragmentWriter], of file: String) throws(MovieError) {
    let source = try io(PlannedSource(initialization, name: file))
    let input = try ReadBack.read(source, of: file)
    guard input.tracks.count == tracks.count else { throw ReadBack.refusal(file, ReadBack.otherTracks) }
    movie = input.groups[0].movie
    self.file = file
    self.tracks = tracks
  }

  /// Throws if reading a fragment would not give the planned samples.
  func check(_ fragment: MovieFragmentWriter.MovieFragment) throws(MovieError) {
    try check(fragment, as: MemorySource(fragment.boxes, name: file))
  }

  /// The same for a fragment whose boxes are the bytes of `source`.
  func check(_ fragment: MovieFragmentWriter.MovieFragment, as source: any ByteSource) throws(MovieError) {
    let (table, _, isWhole) = try FragmentTable.reading(0..<fragment.moofSize, of: source, movie)
    guard isWhole, table.headers.count == 1,
      table.headers.allSatisfy(\.isWhole), table.omitted.isEmpty,
      !table.diagnostics.contains(where: { $0.severity > .note }),
      table.trackFragments.count == fragment.samples.count
    else { throw refusal(fragment, "it contains damaged boxes") }
    var media = FragmentMedia(fragment)
    for (own, planned) in zip(table.trackFragments, fragment.samples) {
      if let difference = difference(own, table, planned.track, planned.range, &media) {
        throw refusal(fragment, "track \(tracks[planned.track].trackID): \(difference)")
      }
    }
  }

  private func refusal(_ fragment: MovieFragmentWriter.MovieFragment, _ damage: String) -> MovieError {
    ReadBack.refusal(file, "fragment \(fragment.part + 1): \(damage)")
  }

  /// The difference between a parsed track fragment and the planned one, if any.
  private func difference(
    _ fragment: TrackFragment, _ table: FragmentTable, _ track: Int, _ samples: Range<Int>,
    _ media: inout FragmentMedia
  ) -> String? {
    let writer = tracks[track]
    let list = writer.list
    let (start, overflow) = list.columns.time(samples.lowerBound).addingReportingOverflow(writer.placement.start)
    guard fragment.track == track, fragment.sampleCount == samples.count else { return "it has different samples" }
    guard !overflow, 0..<TrackTimeline.limit ~= start, fragment.declaredTime == UInt64(start) else {
      return "its decode time cannot be written"
    }
    guard fragment.descriptionIndex == list.descriptions[list.descriptionIndex(at: samples.lowerBound)].index else {
      return "it has a different sample description"
    }
    let (read, columns, first) = (table.samples[track], list.columns, samples.lowerBound)
    let other =
      columns.sizes.firstDifference(in: samples, from: read.sizes, at: fragment.firstSample)
      ?? columns.durations.firstDifference(in: samples, from: read.durations, at: fragment.firstSample)
      ?? read.flags.firstDifference(in: fragment.samples, from: columns.flags, at: first) {
        Int64(SampleFlags(rawValue: UInt32(truncatingIfNeeded: $0)).withDependency.rawValue)
      }.map { $0 - fragment.firstSample + first }
    if let other { return "sample \(other + 1) would have a different size, duration or flags" }
    let misplaced = read.compositionOffsets.firstDifference(
      in: fragment.samples, from: columns.compositionOffsets, at: first
    ) { $0 - writer.placement.offsetShift }
    if let misplaced {
      return "the composition offset of sample \(misplaced - fragment.firstSample + first + 1) cannot be written"
    }
    for extent in read.extents(in: fragment.samples) {
      let start = extent.samples.lowerBound - fragment.firstSample + first
      var (offset, isSame) = (extent.offset, true)
      list.forEachRange(of: start..<(start + extent.samples.count)) { range, source in
        isSame = isSame && media.has(range, of: source, at: offset)
        offset += range.count
      }
      guard isSame else { return "sample \(start + 1) would have the data of other samples" }
    }
    let auxiliary = writer.details.auxiliary(of: samples)
    let isSame = fragment.information.auxiliary.map { place in
      let information = table.information[track]
      let sizes = information.auxiliarySizes[place.sample..<(place.sample + place.count)]
      // Without bytes, all entries are empty, whether there is a box for them or not.
      if auxiliary.bytes.isEmpty { return sizes.allSatisfy { $0 == 0 } }
      return sizes.elementsEqual(auxiliary.sizes)
        && information.auxiliaryBytes[place.byte...].elementsEqual(auxiliary.bytes)
    }
    return isSame ?? auxiliary.bytes.isEmpty ? nil : "its auxiliary information would change"
  }
}

/// The expected media data of a fragment.
private struct FragmentMedia {
  private let pieces: [CopyPlan.CopiedRange]
  /// The start of each piece, relative to the start of the fragment, and the end of the last one.
  private var starts: [Int] = []
  /// The piece that was looked up last.
  private var latest = 0

  init(_ fragment: MovieFragmentWriter.MovieFragment) {
    pieces = fragment.copies.pieces
    var position = fragment.boxes.count
    for piece in pieces {
      starts.append(position)
      position += piece.range.count
    }
    starts.append(position)
  }

  /// Whether the bytes from `offset` on are this range of a source. Adjacent ranges of a source are one piece.
  mutating func has(_ range: Range<Int>, of source: Int, at offset: Int) -> Bool {
    if range.isEmpty { return true }
    // It is usually in the piece after the latest one.
    let next = latest + 1
    latest = next < pieces.count && starts[next] == offset ? next : starts.partition { $0 > offset } - 1
    guard pieces.indices.contains(latest), offset + range.count <= starts[latest + 1] else { return false }
    return pieces[latest].source == source
      && pieces[latest].range.lowerBound + offset - starts[latest] == range.lowerBound
  }
}
