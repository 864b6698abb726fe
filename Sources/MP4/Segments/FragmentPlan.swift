import ISOBMFF
public import MP4Bytes

/// A planned fragmented movie, which can be written as one file, or as an init segment and media segments.
public struct FragmentPlan: Sendable {
  /// The segments, in order.
  public private(set) var segments: [MediaSegment] = []
  /// Diagnostics, including decisions, repairs and data loss.
  public internal(set) var diagnostics: [Diagnostic]
  /// The tracks, with their IDs in the sources.
  public var tracks: [Track] { movie.tracks }
  /// The track IDs in the output.
  public var trackIDs: [UInt32] { source == nil ? writer.tracks.map(\.trackID) : tracks.map(\.id) }
  /// The track whose sync samples determine where segments start.
  public var reference: Int { writer.cuts.reference }
  /// The structural CMAF brands of the output: none, `cmfc`, or `cmfc` and `cmf2`.
  public let cmafBrands: [FourCC]

  /// How the movie fragments of the sources are used: copied, referenced, kept, or remuxed.
  public let sourceFragments: FragmentReuse

  /// The name of the source that starts with the init segment, if nothing is written.
  public var initializationSource: String? { sourceFragments == .referenced ? movie.name : nil }

  let movie: Movie
  /// The events before the fragments of each segment.
  private(set) var events: [BoxSerializer] = []
  /// The movie fragments of each segment; empty if those of the sources are used.
  private(set) var fragments: [[MovieFragmentWriter.MovieFragment]] = []
  /// The segments of the sources, if these are used.
  let source: SourceSegments?
  let writer: MovieFragmentWriter
  let initialization: OutputPlan
  let options: Fragmenter.Options
  /// Whether a file has an index, and a table of random access points: if requested, or as the file whose fragments are
  /// kept.
  private(set) var hasIndex: Bool
  var hasRandomAccess: Bool { options.hasRandomAccess || options.reuse == .kept && movie.hasRandomAccess }

  init(
    _ movie: Movie, _ writer: MovieFragmentWriter, _ initialization: InitializationSegment,
    _ options: Fragmenter.Options
  )
    throws(MovieError)
  {
    self.init(movie, writer, try initialization.plan(), initialization.cmafBrands, nil, options)
    try setSegments()
  }

  /// A plan of segments that exist in the sources.
  init(
    _ movie: Movie, _ writer: MovieFragmentWriter, _ source: SourceSegments, _ options: Fragmenter.Options
  ) throws(MovieError) {
    let initialization =
      options.reuse == .referenced ? try movie.sourceInitialization() : try movie.copiedInitialization()
    let brands = try Array(movie.input.fileType().compatibleBrands).filter { ["cmfc", "cmf2"].contains($0) }
    self.init(movie, writer, initialization, brands, source, options)
    try setSegments()
  }

  private init(
    _ movie: Movie, _ writer: MovieFragmentWriter, _ initialization: OutputPlan, _ brands: [FourCC],
    _ source: SourceSegments?, _ options: Fragmenter.Options
  ) {
    (self.movie, self.writer, self.initialization, self.source) = (movie, writer, initialization, source)
    self.options = options
    hasIndex = options.hasIndex || options.reuse == .kept && movie.hasIndex
    sourceFragments = source != nil ? options.reuse : writer.cuts.keepsFragments ? .kept : .remuxed
    cmafBrands = brands
    diagnostics =
      movie.diagnostics.map { diagnostic in
        guard case .rebased(let start, _) = diagnostic.kind else { return diagnostic }
        return Diagnostic(.rebased(start, to: movie.rest), diagnostic.file)
      } + initialization.diagnostics
  }

  private mutating func setSegments() throws(MovieError) {
    try checkIndexCount()
    if let source {
      for index in writer.cuts.segments.indices { segments.append(measure(index, source)) }
    } else {
      let readBack = try FragmentReadBack(initialization, writer.tracks, of: movie.name)
      var count = 0
      for index in writer.cuts.segments.indices {
        let own = try fragments(of: index, after: count)
        for fragment in own { try readBack.check(fragment) }
        segments.append(measure(index, own))
        fragments.append(own)
        count += own.count
      }
    }
    setTimes()
    try addEvents()
    try checkIndex()
    // The size of the index does not depend on the offsets.
    var offset = self.initialization.byteCount + (hasIndex ? indexSize : 0)
    for index in segments.indices where sourceFragments != .referenced {
      segments[index].offset = offset
      offset += segments[index].byteCount
    }
  }

  var sources: [any ByteSource] { movie.input.sources }

  /// The schemes of the events (`emsg`) in segments, and their values, without duplicates.
  package var eventStreams: [(scheme: String, value: String)] {
    var result: [(scheme: String, value: String)] = []
    func text(_ string: BoxString) -> String { String(decoding: string.bytes, as: UTF8.self) }
    for (_, message) in movie.events.all {
      let own = (text(message.schemeIDURI), text(message.value))
      if !result.contains(where: { $0 == own }) { result.append(own) }
    }
    return result
  }

  /// The `pssh` boxes of the init segment.
  package func protectionHeaders() throws(MovieError) -> [[UInt8]] {
    let bytes = try initializationBytes()
    var (parser, result) = (BoxParser(MemorySource(bytes, name: movie.name)), [[UInt8]]())
    while let node = try io(parser.next()) {
      if node.depth > 0 || node.type != "moov" { parser.skipBoxes() }
      guard node.depth == 1, node.type == "pssh", node.problem == nil, node.header.size >= 28 else { continue }
      result.append(Array(bytes[node.header.offset..<node.header.end]))
    }
    return result
  }

  /// The keys with which samples of a segment are encrypted; empty if all are clear.
  public func keyIDs(ofSegment segment: Int) -> Set<[UInt8]> {
    var result: Set<[UInt8]> = []
    let parts = writer.cuts.segments[segment]
    for (index, track) in writer.tracks.enumerated() {
      let positions = writer.cuts.positions[index]
      let samples = positions[parts.lowerBound].sample..<positions[parts.upperBound].sample
      let encryption = tracks[index].description.encryption
      guard !samples.isEmpty, encryption.contains(where: { $0 != nil }) else { continue }
      let descriptions = track.list.descriptions
      for number in descriptions.indices[track.list.descriptionIndex(at: samples.lowerBound)...] {
        guard descriptions[number].firstSample < samples.upperBound else { break }
        let end = number + 1 < descriptions.count ? descriptions[number + 1].firstSample : track.list.count
        let own = samples.clamped(to: descriptions[number].firstSample..<end)
        let entry = Int(descriptions[number].index) - 1
        let keyIDs = track.details.keyIDs(of: own, encryption.indices.contains(entry) ? encryption[entry] : nil)
        result.formUnion(keyIDs.compactMap(\.self))
      }
    }
    return result
  }

  /// The index of the first sample of a track in each segment.
  package func firstSamples(ofTrack index: Int) -> [Int] {
    writer.cuts.segments.map { writer.cuts.positions[index][$0.lowerBound].sample }
  }

  /// Creates the movie fragments of a segment, given the number of previous fragments.
  private func fragments(of segment: Int, after count: Int) throws(MovieError) -> [MovieFragmentWriter.MovieFragment] {
    var result: [MovieFragmentWriter.MovieFragment] = []
    for part in writer.cuts.segments[segment] {
      do throws(MovieFragmentWriter.Failure) {
        result += try writer.fragments(of: part, sequenceNumber: count + result.count + 1)
      } catch {
        switch error {
        case .box(let error): throw .damaged(file: movie.name, path: "moof", error)
        case .tooLarge:
          let text =
            "segment \(segment + 1) has a fragment of more than 2 GB, which offsets cannot express; use shorter "
            + "fragments or only one track"
          throw .impossible(file: movie.name, Obstacle("large_fragment", text))
        case .io(let error): throw .io(error)
        }
      }
    }
    return result
  }

  /// A segment of these fragments, without its times.
  private func measure(_ segment: Int, _ fragments: [MovieFragmentWriter.MovieFragment]) -> MediaSegment {
    var result = MediaSegment(start: writer.cuts.starts[segment], duration: MediaTime(0, 1))
    result.partSizes = writer.cuts.segments[segment].map { _ in 0 }
    for fragment in fragments {
      if result.byteCount == 0 {
        result.referenceTrackFragment = fragment.samples.firstIndex { $0.track == reference } ?? 0
      }
      for (track, range, offset) in fragment.samples {
        let list = writer.tracks[track].list
        let byteCount = list.columns.byteCount(of: range)
        if let at = result.tracks.firstIndex(where: { $0.index == track }) {
          result.tracks[at].byteCount += byteCount
        } else {
          let offset = result.byteCount + offset
          result.tracks.append(self.track(track, segment, byteCount: byteCount, offset: offset))
        }
      }
      result.byteCount += fragment.byteCount
      result.fragmentSizes.append(fragment.byteCount)
      result.partSizes[fragment.part - writer.cuts.segments[segment].lowerBound] += fragment.byteCount
    }
    result.accessPoint = writer.accessPoint(of: segment)
    return result
  }

  /// A segment of the sources, without its times.
  private func measure(_ segment: Int, _ source: SourceSegments) -> MediaSegment {
    var result = MediaSegment(start: writer.cuts.starts[segment], duration: MediaTime(0, 1))
    let copies = source.copies[segment]
    (result.byteCount, result.partSizes) = (copies.byteCount, [copies.byteCount])
    result.fragmentSizes = source.fragmentSizes[segment]
    if sourceFragments == .referenced, let piece = copies.pieces.first {
      (result.source, result.offset) = (sources[piece.source].name, piece.range.lowerBound)
    }
    for (index, track) in writer.tracks.enumerated() {
      let start = writer.cuts.positions[index][segment]
      let samples = start.sample..<writer.cuts.positions[index][segment + 1].sample
      guard !samples.isEmpty else { continue }
      result.tracks.append(
        self.track(
          index, segment, byteCount: track.list.columns.byteCount(of: samples),
          offset: source.offset(of: start.sample, of: track.list, in: segment)))
    }
    result.accessPoint = writer.accessPoint(of: segment)
    return result
  }

  /// The samples of a track in a segment; the data of the first one is at `offset`.
  private func track(_ index: Int, _ segment: Int, byteCount: Int, offset: Int) -> MediaSegment.Track {
    let (track, parts) = (writer.tracks[index], writer.cuts.segments[segment])
    let start = writer.cuts.positions[index][parts.lowerBound]
    let end = writer.cuts.positions[index][parts.upperBound]
    let shift = track.placement.presentedShift
    let first = start.time &+ track.list.compositionOffset(start.sample) &+ shift
    var (earliest, walk) = (first, SampleWalk(track.list, from: start))
    while walk.sample < end.sample {
      earliest = min(earliest, walk.compositionTime &+ shift)
      walk.advance()
    }
    return MediaSegment.Track(
      index: index, sampleCount: end.sample - start.sample,
      decodeTime: start.time &+ (source == nil ? track.placement.start : movie.tracks[index].samples.storage.start),
      earliestPresentationTime: earliest, duration: end.time &- start.time, byteCount: byteCount,
      firstSample: MediaSegment.FirstSample(
        presentationTime: first, offset: offset, length: track.list.size(start.sample),
        isSync: track.list.isSync(start.sample)))
  }

  /// Sets the times: each segment lasts until the next one starts, and the last one until the end of all tracks.
  private mutating func setTimes() {
    let timescale = tracks.isEmpty ? 1 : tracks[reference].timescale
    var starts = segments.map { $0.start.converted(to: timescale).value }
    // In segments of the sources, players that ignore edit lists also present what these hide.
    var hidden: Int64 = 0
    for index in segments.indices {
      guard let track = segments[index].tracks.first(where: { $0.index == reference }) else { continue }
      let placement = writer.tracks[reference].placement
      let offset = placement.presentedShift &- placement.presentationShift
      // Media before the start of the presentation is not part of it.
      let start = track.earliestPresentationTime &- offset
      starts[index] = max(start, 0)
      // A fifth of a second can be audio priming.
      if index == 0, source != nil, 0 &- start > Int64(timescale) / 5 { hidden = 0 &- start }
    }
    var end = starts.last ?? 0
    for (index, writer) in writer.tracks.enumerated() where writer.list.count > 0 {
      let last =
        source == nil ? writer.presentationEnd : writer.list.compositionEnd &+ writer.placement.presentationShift
      let own = MediaTime(last, tracks[index].timescale).converted(to: timescale).value
      end = max(end, own)
    }
    for index in segments.indices {
      let next = index + 1 < starts.count ? starts[index + 1] : end
      segments[index].start = MediaTime(starts[index], timescale)
      let length = next &- starts[index] &+ (index == 0 ? hidden : 0)
      segments[index].duration = MediaTime(max(0, length), timescale)
    }
  }

  /// Inserts each event before the fragments of the segment during which it starts.
  private mutating func addEvents() throws(MovieError) {
    // Segments of the sources already contain their events.
    guard source == nil, !movie.events.all.isEmpty else { return }
    for boxes in movie.events.boxes(ofSegments: segments.map(\.start), offset: presentationOffset) {
      events.append(try movie.input.serializer(boxes))
    }
    for (index, boxes) in events.enumerated() where boxes.size > 0 {
      segments[index].eventByteCount = boxes.size
      segments[index].byteCount += boxes.size
      segments[index].partSizes[0] += boxes.size
      for track in segments[index].tracks.indices { segments[index].tracks[track].firstSample.offset += boxes.size }
    }
  }

  /// The delay of the output's presentation times relative to the input.
  private var presentationOffset: MediaTime {
    if let start = options.commonStart { return start }
    return switch options.profile {
    case .source: movie.start
    case .cmaf, .cmf2: MediaTime(0, 1)
    case .apple(let timeOffset): timeOffset
    }
  }
}

extension TrackFragmentWriter {
  /// The end of the presentation of the track, in its timescale.
  var presentationEnd: Int64 {
    let end = list.compositionEnd &+ placement.presentationShift
    return end &- placement.hiddenAtEnd
  }
}

/// Indexes for finding segments and fragments.
extension FragmentPlan {
  /// The `sidx` of all segments; the first one follows it. ISO/IEC 14496-12:2022, 8.16.3.
  var index: [Box] {
    index(zip(writer.cuts.segments, segments).map { ($0, $1.byteCount) }, end: presentedEnd)
  }
  var indexSize: Int { size(index) }

  /// The `sidx` of the fragments of a segment; the first one follows it.
  func index(ofSegment index: Int) -> [Box] {
    let parts = zip(writer.cuts.segments[index], segments[index].partSizes).map { (part, size) in
      (part..<part + 1, size)
    }
    let next = writer.cuts.segments.indices.contains(index + 1) ? writer.cuts.segments[index + 1].lowerBound : nil
    return self.index(parts, end: next.map { presentedStart(writer.subsegment($0..<$0 + 1), $0) } ?? presentedEnd)
  }

  private func index(_ parts: [(parts: Range<Int>, byteCount: Int)], end: Int64) -> [Box] {
    let subsegments = parts.map { writer.subsegment($0.parts) }
    let starts = zip(subsegments, parts).map { presentedStart($0, $1.parts.lowerBound) }
    var sidx = SegmentIndexBox()
    sidx.header.version = 1
    sidx.referenceID = trackIDs[reference]
    sidx.timescale = tracks[reference].timescale
    sidx.earliestPresentationTime = UInt64(clamping: starts.first ?? 0)
    var references: [SegmentIndexBox.Reference] = []
    for (number, subsegment) in subsegments.enumerated() {
      var reference = SegmentIndexBox.Reference()
      reference.referencedSize = UInt32(clamping: parts[number].byteCount)
      let next = number + 1 < starts.count ? starts[number + 1] : end
      reference.subsegmentDuration = UInt32(clamping: next &- starts[number])
      let access = subsegment.access
      reference.startsWithSAP = access.isFirst
      if access.kind != .none {
        reference.sapType = access.kind == .unknown ? 0 : access.kind.rawValue
        let delta = access.time &+ writer.tracks[self.reference].placement.presentedShift &- starts[number]
        // The field has 28 bits.
        reference.sapDeltaTime = UInt32(clamping: min(max(delta, 0), 0xfff_ffff))
      }
      references.append(reference)
    }
    sidx.references = BoxTable(references)
    return [Box(sidx)]
  }

  /// The presentation times in the file of the first samples of the reference track in each segment, as in an index,
  /// followed by the end.
  package var presentationTimes: [Int64] {
    segments.enumerated().map { index, segment in
      if let track = segment.tracks.first(where: { $0.index == reference }) {
        return max(0, track.earliestPresentationTime)
      }
      return presentedStart(MovieFragmentWriter.Subsegment(), writer.cuts.segments[index].lowerBound)
    } + [presentedEnd]
  }

  /// The presentation time of the first sample of the reference track in some parts, the first of which is `part`, but
  /// not before the start of the presentation. Without samples, the start time of the part.
  private func presentedStart(_ subsegment: MovieFragmentWriter.Subsegment, _ part: Int) -> Int64 {
    let placement = writer.tracks[reference].placement
    if let times = subsegment.times { return max(0, times.lowerBound &+ placement.presentedShift) }
    let start = writer.cuts.times[part].converted(to: tracks[reference].timescale).value
    return start &+ placement.presentedShift &- placement.presentationShift
  }
  private var presentedEnd: Int64 {
    let placement = writer.tracks[reference].placement
    let offset = placement.presentedShift &- placement.presentationShift
    return (segments.last.map { $0.start.value &+ $0.duration.value } ?? 0) &+ offset
  }

  /// Rejects an index that has too many segments.
  private mutating func checkIndexCount() throws(MovieError) {
    let count = max(writer.cuts.segments.count, writer.cuts.segments.map(\.count).max() ?? 0)
    if count > UInt16.max {
      try refuseIndex("too_many_references", "there are \(count) segments or fragments in a segment")
    }
  }

  /// Rejects an index that cannot express the number or sizes of its segments.
  private mutating func checkIndex() throws(MovieError) {
    if segments.contains(where: { $0.duration.value > UInt32.max }) {
      try refuseIndex("long_reference", "a segment is too long")
    }
    if segments.contains(where: { $0.byteCount > Int32.max }) {
      try refuseIndex("large_reference", "a segment has more than 2 GB")
    }
  }

  /// Throws if an index was requested; that of a file whose fragments are kept is left out.
  private mutating func refuseIndex(_ code: Obstacle.Code, _ reason: String) throws(MovieError) {
    guard hasIndex else { return }
    let text = "\(reason), which an index (sidx) cannot express"
    if options.hasIndex {
      throw .impossible(file: movie.name, Obstacle(code, text + "; use other segments or no index"))
    }
    hasIndex = false
    diagnostics.append(Diagnostic(.note, movie.name, text + "; the file gets none"))
  }

  /// The `mfra`, with the position of every fragment of the reference track at which decoding can start.
  var randomAccess: Box {
    var tfra = TrackFragmentRandomAccessBox()
    tfra.header.version = 1
    tfra.trackID = trackIDs[reference]
    var entries: [TrackFragmentRandomAccessBox.Entry] = []
    for (index, segment) in segments.enumerated() where segment.accessPoint != .none {
      var entry = TrackFragmentRandomAccessBox.Entry()
      entry.time = UInt64(clamping: mediaTime(ofSegment: index))
      entry.moofOffset = UInt64(segment.offset + segment.eventByteCount)
      entry.trafNumber = UInt32(segment.referenceTrackFragment + 1)
      entries.append(entry)
    }
    tfra.entries = BoxTable(entries)
    var mfro = MovieFragmentRandomAccessOffsetBox()
    mfro.parentSize = UInt32(clamping: size([Box("mfra", boxes: [Box(tfra), Box(mfro)])]))
    return Box("mfra", boxes: [Box(tfra), Box(mfro)])
  }
  var randomAccessSize: Int { size([randomAccess]) }

  /// The composition time of the first sample of the reference track in a segment, as written in the file.
  private func mediaTime(ofSegment index: Int) -> Int64 {
    let track = writer.tracks[reference]
    let first = writer.cuts.positions[reference][writer.cuts.segments[index].lowerBound]
    return first.time &+ track.placement.start &+ track.list.compositionOffset(first.sample)
      &- track.placement.offsetShift
  }
}
