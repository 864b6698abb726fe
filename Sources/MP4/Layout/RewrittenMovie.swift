import ISOBMFF
import MP4Bytes

/// The movie box of an output: that of the first movie with new sample tables, edits and durations, and the tracks of
/// the other movies.
struct RewrittenMovie {
  /// The contents of one track.
  struct TrackContent {
    var mediaDuration: Int64 = 0
    /// The media timescale; `nil` for that of the input.
    var timescale: UInt32?
    /// In the movie timescale.
    var presentationDuration: UInt64 = 0
    var edits: [EditListBox.Entry]
    /// The boxes of the sample table that describe single samples.
    var samples: [Box]
  }
  private let input: MovieInput
  private let tracks: [TrackContent]
  private let timescale: UInt32
  private let numbering: TrackNumbering
  /// The changes of track IDs in each movie.
  private let changes: [TrackIDChanges]

  /// The boxes of a sample table that describe single samples; the others describe the track.
  private static let perSample: Set<FourCC> = [
    "stts", "ctts", "cslg", "stss", "stsh", "stsc", "stsz", "stz2", "stco", "co64", "sdtp", "stdp", "padb", "sgpd",
    "sbgp", "csgp", "subs", "saiz", "saio", "senc",
  ]

  /// A movie with these contents for the tracks of the presentation, in this timescale.
  init(_ input: MovieInput, _ tracks: [TrackContent], timescale: UInt32) {
    self.input = input
    self.tracks = tracks
    self.timescale = timescale
    let numbering = TrackNumbering(input.groups)
    self.numbering = numbering
    changes = input.groups.map { group in
      TrackIDChanges(
        dropped: group.movie.droppedTracks.map(\.id), from: group.movie.tracks.map(\.id),
        to: numbering.ids[group.tracks])
    }
  }

  /// The movie of a progressive file.
  init(_ input: MovieInput, layout: MediaLayout, edits: EditPlan) {
    let tracks = input.tracks.enumerated().map { index, track in
      let table = layout.tables[index]
      return TrackContent(
        mediaDuration: table.samples.duration,
        presentationDuration: edits.presentationDuration(
          of: index, mediaDuration: table.samples.duration, timescale: track.timescale),
        edits: edits.edits[index], samples: table.boxes())
    }
    self.init(input, tracks, timescale: edits.timescale)
  }

  /// The box without movie fragments and chunk offsets, and diagnostics about what it omits.
  func box() throws(MovieError) -> (moov: Box, diagnostics: [Diagnostic]) {
    var diagnostics = input.groups.flatMap { group in
      group.movie.damage.map { Diagnostic($0, input.sources[group.source].name) }
    }
    for group in input.groups {
      let misplaced = group.movie.box.boxes.map(\.type).filter(Self.isOfFile)
      diagnostics += Set(misplaced).sorted { $0.rawValue < $1.rawValue }.map { type in
        Diagnostic(.omitted(type, count: misplaced.count { $0 == type }), input.sources[group.source].name)
      }
    }
    var moov = input.groups[0].movie.box
    moov.boxes.removeAll { $0.type == "mvex" || Self.isOfFile($0.type) }
    try addOthers(to: &moov, &diagnostics)
    var longest: UInt64 = 0
    var track = 0
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      longest = max(longest, try rewrite(&moov.boxes[index], track))
      track += 1
    }
    let payloads = MoviePayloads(source: input.sources[moov.source])
    if input.groups.contains(where: { !$0.movie.droppedTracks.isEmpty }) { try payloads.enableTracks(of: &moov) }
    var header = try payloads.payload(of: moov.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self)
    let rest = try payloads.rest(of: moov.first("mvhd"), after: header)
    header.timescale = timescale
    header.duration = longest
    header.header.version = max(header.version, Self.version(longest))
    header.nextTrackID = max(header.nextTrackID, (numbering.ids.max() ?? 0) &+ 1)
    moov.edit("mvhd") { $0.fields = .edited(header, rest: rest) }
    return (moov, diagnostics)
  }

  /// Adds the tracks of the other movies, and other boxes of these movies and of the fragments that the movie box does
  /// not contain.
  private func addOthers(to moov: inout Box, _ diagnostics: inout [Diagnostic]) throws(MovieError) {
    let places = input.fragments.protectionHeaders.places
    guard input.groups.count > 1 || !places.isEmpty else { return }
    var known = BoxDeduplicator()
    for box in moov.boxes where !Self.once.contains(box.type) {
      if let header = box.header { try known.insert(header, of: input.sources[moov.source]) }
    }
    for group in input.groups.dropFirst() { try add(group, to: &moov, &known, &diagnostics) }
    for (source, header) in places where try !known.contains(header, of: input.sources[source]) {
      moov.boxes += try ItemLayout.boxes(header, of: input.sources[source], source)
    }
  }

  private func add(
    _ group: MovieGroup, to moov: inout Box, _ known: inout BoxDeduplicator, _ diagnostics: inout [Diagnostic]
  )
    throws(MovieError)
  {
    let traks = group.movie.box.boxes.filter { $0.type == "trak" }
    let position = (moov.boxes.lastIndex { $0.type == "trak" } ?? moov.boxes.count - 1) + 1
    moov.boxes.insert(contentsOf: traks, at: position)
    let source = input.sources[group.source]
    for box in group.movie.box.boxes where !Self.once.contains(box.type) && !Self.isOfFile(box.type) {
      guard let header = box.header, try !known.contains(header, of: source) else { continue }
      if box.type == "pssh" || !known.contains(box.type) {
        moov.boxes.append(box)
        try known.insert(header, of: source)
      } else {
        let kind = Diagnostic.Kind.otherMovieBox(box.type, of: input.sources[0].name)
        diagnostics.append(Diagnostic(kind, source.name))
      }
    }
  }
  /// Whether boxes of this type are only at file level. A movie box that contains one is damaged: a reader could take
  /// it for the end of the movie.
  private static func isOfFile(_ type: FourCC) -> Bool {
    switch FileBox(type) {
    case nil, .space: false
    default: true
    }
  }
  /// The boxes that are not taken from other movies.
  private static let once: Set<FourCC> = ["mvhd", "trak", "mvex", "iods", "free", "skip"]

  /// Rewrites a track, and returns its duration in the timescale of the movie.
  private func rewrite(_ trak: inout Box, _ track: Int) throws(MovieError) -> UInt64 {
    let number = track - (input.group(of: track)?.tracks.lowerBound ?? 0)
    let path = number == 0 ? "moov/trak" : "moov/trak[\(number + 1)]"
    let payloads = MoviePayloads(source: input.sources[trak.source])
    let content = tracks[track]
    let duration = content.presentationDuration
    var tkhd = try payloads.payload(of: trak.first("tkhd"), in: path + "/tkhd", TrackHeaderBox.self)
    let rest = try payloads.rest(of: trak.first("tkhd"), after: tkhd)
    tkhd.trackID = numbering.ids[track]
    tkhd.alternateGroup = numbering.alternateGroups[track]
    tkhd.duration = duration
    tkhd.header.version = max(tkhd.version, Self.version(duration))
    trak.edit("tkhd") { $0.fields = .edited(tkhd, rest: rest) }
    if let movie = input.groups.firstIndex(where: { $0.tracks.contains(track) }) {
      try payloads.rewriteReferences(of: &trak, changes[movie])
    }
    try rewriteEdits(&trak, content.edits, payloads, path)
    var mdhd = try payloads.payload(of: trak.first("mdia", "mdhd"), in: path + "/mdia/mdhd", MediaHeaderBox.self)
    let mediaRest = try payloads.rest(of: trak.first("mdia", "mdhd"), after: mdhd)
    mdhd.duration = UInt64(max(0, content.mediaDuration))
    mdhd.timescale = content.timescale ?? mdhd.timescale
    mdhd.header.version = max(mdhd.version, Self.version(mdhd.duration))
    let hdlr = trak.first("mdia", "hdlr")
    if try payloads.ifReadable({ () throws(MovieError) in try payloads.payload(of: hdlr, in: "hdlr", HandlerBox.self) })
      == nil
    {
      var handler = HandlerBox()
      handler.handlerType = input.tracks[track].handler
      trak.edit("mdia") { mdia in
        mdia.boxes.removeAll { $0.type == "hdlr" }
        mdia.boxes.insert(Box(handler), at: mdia.boxes.firstIndex { $0.type == "minf" } ?? mdia.boxes.count)
      }
    }
    trak.edit("mdia") { mdia in
      mdia.edit("mdhd") { $0.fields = .edited(mdhd, rest: mediaRest) }
      mdia.edit("minf") { minf in
        minf.edit("stbl") { stbl in
          stbl.boxes.removeAll { Self.perSample.contains($0.type) }
          let front = stbl.boxes.firstIndex { $0.type == "stsd" }.map { $0 + 1 } ?? 0
          stbl.boxes.insert(contentsOf: content.samples, at: front)
        }
      }
    }
    return duration
  }

  private func rewriteEdits(
    _ trak: inout Box, _ edits: [EditListBox.Entry], _ payloads: MoviePayloads, _ path: String
  ) throws(MovieError) {
    guard !edits.isEmpty else { return trak.boxes.removeAll { $0.type == "edts" } }
    var elst = EditListBox()
    var rest: [UInt8] = []
    if let old = trak.first("edts", "elst") {
      elst = try payloads.payload(of: old, in: path + "/edts/elst", EditListBox.self)
      rest = try payloads.rest(of: old, after: elst)
    }
    let isWide = edits.contains { $0.segmentDuration > UInt32.max || Int32(exactly: $0.mediaTime) == nil }
    elst.header.version = isWide ? 1 : 0
    elst.entries = BoxTable(edits)
    var box = Box(elst)
    box.fields = .edited(elst, rest: rest)
    let edts = Box("edts", boxes: [box])
    if let at = trak.boxes.firstIndex(where: { $0.type == "edts" }) {
      trak.boxes[at] = edts
    } else {
      let front = trak.boxes.firstIndex { $0.type == "tkhd" }.map { $0 + 1 } ?? 0
      trak.boxes.insert(edts, at: front)
    }
  }

  private static func version(_ duration: UInt64) -> UInt8 { duration > UInt32.max ? 1 : 0 }
}

/// The IDs of the tracks of a movie that are different in the output, or not in it.
struct TrackIDChanges {
  private let dropped: Set<UInt32>
  private let ids: [UInt32: UInt32]

  init(dropped: [UInt32], from old: [UInt32] = [], to new: ArraySlice<UInt32> = []) {
    self.dropped = Set(dropped)
    ids = Dictionary(zip(old, new)) { first, _ in first }.filter { $0.key != $0.value }
  }

  var isEmpty: Bool { dropped.isEmpty && ids.isEmpty }

  /// The ID of a track in the output; `nil` if it is not there.
  func id(of track: UInt32) -> UInt32? { dropped.contains(track) ? nil : ids[track] ?? track }
}

extension MoviePayloads {
  /// Updates the references of a track to the new IDs of others, and removes those to dropped tracks.
  func rewriteReferences(of trak: inout Box, _ changes: TrackIDChanges) throws(MovieError) {
    guard !changes.isEmpty, var tref = trak.first("tref") else { return }
    for index in tref.boxes.indices {
      let path = "moov/trak/tref/\(tref.boxes[index].type)"
      var reference = try payload(of: tref.boxes[index], in: path, TrackReferenceTypeBox.self)
      reference.trackIDs = BoxTable(integers: reference.trackIDs.compactMap(changes.id))
      tref.boxes[index].fields = .edited(reference)
    }
    tref.boxes.removeAll { box in
      if case .edited(let payload as TrackReferenceTypeBox, _) = box.fields { payload.trackIDs.isEmpty } else { false }
    }
    if tref.boxes.isEmpty { trak.boxes.removeAll { $0.type == "tref" } } else { trak.edit("tref") { $0 = tref } }
  }
}
