/// Concatenates the parts and records their offsets.
struct FragmentedLayout {
  let builder: FragmentedFileBuilder
  /// The samples of `moov`, by track.
  let tables: [UInt32: [SampleRecord]]
  /// One per part; empty for parts that are not fragments.
  let fragments: [ResolvedFragment]

  func build() -> BuiltFile {
    var file = BuiltFile()
    for track in builder.tracks { (file.samples[track.id], file.places[track.id]) = ([], []) }
    file.initialization = initialization(&file)
    file.bytes = file.initialization

    let start = file.initialization.count
    var whole = SegmentWriter(layout: self, start: start, isWhole: true)
    for range in segmentRanges {
      for index in range { whole.append(index, segmentEnd: range.upperBound) }
      var alone = SegmentWriter(layout: self, start: 0, isWhole: false)
      for index in range { alone.append(index, segmentEnd: range.upperBound) }
      if range.upperBound == builder.parts.count { alone.appendRandomAccess() }
      file.segments.append(alone.bytes)
    }
    whole.appendRandomAccess()
    file.bytes += whole.bytes
    for placed in whole.samples {
      file.samples[placed.track, default: []].append(placed.record)
      file.places[placed.track, default: []].append(placed.place)
      file.described[placed.track, default: []].append(placed.movieFragmentEnd)
    }
    for track in builder.tracks {
      file.presentationStart[track.id] = presentationStart(
        of: file.samples[track.id] ?? [], edits: track.edits ?? [], timescale: Int(track.timescale),
        movieTimescale: Int(builder.movieTimescale))
    }
    return file
  }

  /// The parts of each segment file.
  private var segmentRanges: [Range<Int>] {
    let parts = builder.parts
    var starts = parts.indices.filter { if case .segmentStart = parts[$0] { true } else { false } }
    if starts.isEmpty {
      starts = parts.indices.filter { if case .fragment = parts[$0] { true } else { false } }.map { $0 + 1 }
      // The parts after the last fragment belong to its segment.
      if !starts.isEmpty { starts.removeLast() }
    }
    let bounds = [0] + starts.filter { $0 > 0 } + [parts.count]
    return zip(bounds, bounds.dropFirst()).map { $0..<$1 }.filter { !$0.isEmpty }
  }

  /// `ftyp`, `moov`, and the media data of the samples in `moov`, whose locations are recorded.
  private func initialization(_ file: inout BuiltFile) -> [UInt8] {
    let before = builder.fileType + builder.boxesBeforeMovie
    var chunks: [UInt32: [Int]] = [:]
    for (id, samples) in tables {
      chunks[id] = Array(
        repeating: 0, count: (samples.count + TrackSpec.samplesPerChunk - 1) / TrackSpec.samplesPerChunk)
    }
    let data = before.count + builder.movieBytes(tables, chunks).count + 8
    var payload: [UInt8] = []
    // The chunks of the tracks are interleaved.
    for chunk in 0..<(chunks.values.map(\.count).max() ?? 0) {
      for track in builder.tracks {
        let samples = tables[track.id] ?? []
        let first = chunk * TrackSpec.samplesPerChunk
        guard first < samples.count else { continue }
        chunks[track.id]?[chunk] = data + payload.count
        for sample in samples[first..<min(first + TrackSpec.samplesPerChunk, samples.count)] {
          let place = data + payload.count
          file.samples[track.id, default: []].append(sample)
          file.places[track.id, default: []].append(place..<place + sample.payload.count)
          file.described[track.id, default: []].append(0)
          payload += sample.payload
        }
      }
    }
    let media = tables.values.allSatisfy(\.isEmpty) ? [] : box("mdat", payload)
    return before + builder.movieBytes(tables, chunks) + media
  }

  /// `ftyp` and `moov` as at the start of the file.
  var repeatedInitialization: [UInt8] {
    var file = BuiltFile()
    let bytes = initialization(&file)
    let media = tables.values.joined().reduce(0) { $0 + $1.payload.count }
    return Array(bytes.dropLast(tables.values.allSatisfy(\.isEmpty) ? 0 : media + 8))
  }
}
