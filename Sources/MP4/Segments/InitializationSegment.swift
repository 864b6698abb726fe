import ISOBMFF
import MP4Bytes

/// The boxes before the fragments: `ftyp`, `moov` without samples, and other boxes of the sources.
struct InitializationSegment {
  private let movie: Movie
  private let placements: [TrackTimeMapping]
  /// The CMAF brands whose rules the tracks and their fragments follow.
  let cmafBrands: [FourCC]
  /// A note with the reason why there is no such brand, if the profile asks for one.
  let diagnostics: [Diagnostic]

  /// An init segment for the fragments that `writer` creates.
  init(
    _ movie: Movie, _ placements: [TrackTimeMapping], _ profile: FragmentProfile, _ writer: MovieFragmentWriter
  ) throws(MovieError) {
    self.movie = movie
    self.placements = placements
    var obstacle: String?
    switch profile {
    case .apple: cmafBrands = []
    case .source, .cmaf, .cmf2:
      obstacle =
        try movie.input.fileType().majorBrand == "qt  "
        ? "it is a QuickTime movie" : Self.obstacle(movie, placements) ?? Self.obstacle(writer)
      let isShifted = movie.tracks.first?.handler == "vide" && placements.first?.edits.isEmpty == false
      cmafBrands = obstacle != nil ? [] : profile == .cmf2 && !isShifted ? ["cmfc", "cmf2"] : ["cmfc"]
    }
    diagnostics =
      obstacle.flatMap { profile == .source ? nil : "the output does not follow the CMAF rules: \($0)" }.map {
        [Diagnostic(.note, movie.name, $0 + "; its file type lists no CMAF brand")]
      } ?? []
  }

  /// Why tracks do not follow the CMAF rules: there has to be one track that starts with its media. ISO/IEC
  /// 23000-19:2020, 7.2 and 7.7.
  private static func obstacle(_ movie: Movie, _ placements: [TrackTimeMapping]) -> String? {
    guard let track = movie.tracks.first, movie.tracks.count == 1, let placement = placements.first else {
      return "it has \(movie.tracks.count) tracks"
    }
    guard ["vide", "soun", "text", "subt"].contains(track.handler) else {
      return "CMAF has no tracks of type \(track.handler)"
    }
    // The edit list may only declare where the media starts.
    guard let edit = placement.edits.first else { return nil }
    guard placement.edits.count == 1, edit.segmentDuration == 0, edit.mediaTime >= 0, edit.mediaRateInteger == 1,
      edit.mediaRateFraction == 0
    else { return "its edit list does not only declare where the media starts" }
    return nil
  }

  /// Why fragments do not follow the CMAF rules.
  private static func obstacle(_ writer: MovieFragmentWriter) -> String? {
    // A player cannot switch to segments with other kinds of access points.
    let isClosed = writer.cuts.segments.indices.allSatisfy {
      let accessPoint = writer.accessPoint(of: $0)
      return accessPoint == .closed || accessPoint == .closedWithLeading
    }
    guard isClosed else { return "a segment does not start with a keyframe of a closed GOP" }
    // A CMAF fragment is either encrypted or clear.
    let isMixed = writer.cuts.segments.contains { $0.contains { writer.mixesProtection(in: $0) } }
    return isMixed ? "a fragment has clear and encrypted samples" : nil
  }

  /// The parts of the segment.
  func plan() throws(MovieError) -> OutputPlan {
    try movie.input.checked(
      { (input) throws(MovieError) in
        let plan = try plan(input)
        let ids = TrackNumbering(input.groups).ids
        try ReadBack.check(plan, trackIDs: ids, of: input.sources[0].name)
        return plan
      }, diagnostics: \.diagnostics)
  }

  private func plan(_ input: MovieInput) throws(MovieError) -> OutputPlan {
    let fileType = try input.serializer([
      Box(Brands.fragmented(try movie.input.fileType(), cmaf: cmafBrands))
    ])
    var (moov, diagnostics) = try rewritten(input).box()
    // Some readers look for `mvex` only in the first bytes, and boxes after the tracks, such as cover art, can be
    // large.
    moov.boxes.insert(extends, at: (moov.boxes.lastIndex { $0.type == "trak" } ?? moov.boxes.count - 1) + 1)
    let items = try ItemLayout(input)
    let keptSize = input.contents.reduce(0) { $0 + $1.kept.reduce(0) { $0 + $1.size } }
    let keptStart = fileType.size + (try input.serializer([moov]).size)
    let mediaHeader = items.copies.byteCount > 0 ? FileLayout.mediaHeader(items.copies.byteCount) : []
    let relocations = items.relocations(keptStart: keptStart, itemsStart: keptStart + keptSize + mediaHeader.count)
    diagnostics += items.diagnostics
    try input.correctItems(in: &moov, relocations, &diagnostics)
    var plan = OutputPlan(sources: input.sources, diagnostics: [])
    plan.parts = [.boxes(fileType), .boxes(try input.serializer([moov]))]
    plan.parts += try input.keptBoxes(relocations, &diagnostics)
    plan.parts += [.bytes(mediaHeader), .copies(items.copies)]
    plan.diagnostics = diagnostics
    return plan
  }

  /// The movie box, with durations of 0 and empty sample tables.
  private func rewritten(_ input: MovieInput) -> RewrittenMovie {
    let contents = zip(movie.tracks, placements).map { track, placement in
      RewrittenMovie.TrackContent(
        timescale: track.timescale, edits: placement.edits, samples: Self.sampleTable(track.list, track.details))
    }
    return RewrittenMovie(input, contents, timescale: movie.timescale)
  }

  private static func sampleTable(_ list: SampleList, _ details: SampleAuxiliaryInfo) -> [Box] {
    var boxes = [Box(TimeToSampleBox())]
    // Without `stss`, all samples would be sync samples.
    if !list.isAllSync { boxes.append(Box(SyncSampleBox())) }
    return boxes + [Box(SampleToChunkBox()), Box(SampleSizeBox()), Box(ChunkOffsetBox())] + details.descriptions
  }

  /// The defaults of the fragments. They are empty, so that fragments can be read without the movie box.
  private var extends: Box {
    var header = MovieExtendsHeaderBox()
    header.fragmentDuration = duration
    header.header.version = header.fragmentDuration > UInt32.max ? 1 : 0
    let tracks = TrackNumbering(movie.input.groups).ids.map { id in
      var trex = TrackExtendsBox()
      trex.trackID = id
      return Box(trex)
    }
    return Box("mvex", boxes: [Box(header)] + tracks)
  }

  /// The duration of the presentation, in the movie timescale.
  private var duration: UInt64 {
    var longest: Int64 = 0
    for (track, placement) in zip(movie.tracks, placements) where track.list.count > 0 {
      let end = track.list.compositionEnd &+ placement.presentedShift &- placement.hiddenAtEnd
      longest = max(longest, MediaTime(end, track.timescale).converted(to: movie.timescale).value)
    }
    // If all edits have a duration, they determine what is presented.
    for placement in placements where placement.edits.allSatisfy({ $0.segmentDuration > 0 }) {
      let total = placement.edits.reduce(0) { min($0 + min($1.segmentDuration, 1 << 61), 1 << 61) }
      longest = max(longest, Int64(total))
    }
    return UInt64(longest)
  }
}
