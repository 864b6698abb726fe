import ISOBMFF

/// The movie box of a progressive file: that of the source with new sample tables, edits and durations.
struct ProgressiveMovie {
  let movie: Movie
  let source: any ByteSource
  let layout: MediaLayout
  let edits: EditPlan
  private let payloads: MoviePayloads

  /// The boxes of a sample table that describe single samples; the others hold for the track.
  private static let perSample: Set<FourCC> = [
    "stts", "ctts", "cslg", "stss", "stsh", "stsc", "stsz", "stz2", "stco", "co64", "sdtp", "stdp", "padb", "sgpd",
    "sbgp",
    "csgm",
    "subs", "saiz", "saio", "senc",
  ]

  init(_ movie: Movie, source: any ByteSource, layout: MediaLayout, edits: EditPlan) {
    self.movie = movie
    self.source = source
    self.layout = layout
    self.edits = edits
    payloads = MoviePayloads(source: source)
  }

  /// The box without chunk offsets; `setChunkOffsets` adds them.
  func box() throws(MovieError) -> Box {
    var moov = movie.box
    moov.boxes.removeAll { $0.type == "mvex" }
    var longest: UInt64 = 0
    var track = 0
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      longest = max(longest, try rewrite(&moov.boxes[index], track))
      track += 1
    }
    var header = try payloads.payload(of: moov.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self)
    header.timescale = edits.timescale
    header.duration = longest
    header.header.version = max(header.version, Self.version(longest))
    moov.edit("mvhd") { $0.fields = .edited(header) }
    return moov
  }

  /// Rewrites a track, and returns its duration in the timescale of the movie.
  private func rewrite(_ trak: inout Box, _ track: Int) throws(MovieError) -> UInt64 {
    let path = track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]"
    let builder = layout.builders[track]
    var duration = edits.inMovie(builder.duration, movie.tracks[track].timescale)
    if !edits.edits[track].isEmpty { duration = edits.edits[track].reduce(0) { $0 &+ $1.segmentDuration } }
    var tkhd = try payloads.payload(of: trak.first("tkhd"), in: path + "/tkhd", TrackHeaderBox.self)
    tkhd.duration = duration
    tkhd.header.version = max(tkhd.version, Self.version(duration))
    trak.edit("tkhd") { $0.fields = .edited(tkhd) }
    rewriteEdits(&trak, edits.edits[track])
    var mdhd = try payloads.payload(of: trak.first("mdia", "mdhd"), in: path + "/mdia/mdhd", MediaHeaderBox.self)
    mdhd.duration = UInt64(max(0, builder.duration))
    mdhd.header.version = max(mdhd.version, Self.version(mdhd.duration))
    trak.edit("mdia") { mdia in
      mdia.edit("mdhd") { $0.fields = .edited(mdhd) }
      mdia.edit("minf") { minf in
        minf.edit("stbl", orAdd: Box("stbl", boxes: [])) { stbl in
          stbl.boxes.removeAll { Self.perSample.contains($0.type) }
          let front = stbl.boxes.firstIndex { $0.type == "stsd" }.map { $0 + 1 } ?? 0
          stbl.boxes.insert(contentsOf: builder.boxes() + layout.information[track].boxes, at: front)
        }
      }
    }
    return duration
  }

  private func rewriteEdits(_ trak: inout Box, _ edits: [EditListBox.Entry]) {
    guard !edits.isEmpty else { return trak.boxes.removeAll { $0.type == "edts" } }
    var elst = EditListBox()
    let isWide = edits.contains { $0.segmentDuration > UInt32.max || Int32(exactly: $0.mediaTime) == nil }
    elst.header.version = isWide ? 1 : 0
    elst.entries = Table(edits, shape: UInt32(elst.version))
    let edts = Box("edts", boxes: [Box(elst)])
    if let at = trak.boxes.firstIndex(where: { $0.type == "edts" }) {
      trak.boxes[at] = edts
    } else {
      let front = trak.boxes.firstIndex { $0.type == "tkhd" }.map { $0 + 1 } ?? 0
      trak.boxes.insert(edts, at: front)
    }
  }

  private static func version(_ duration: UInt64) -> UInt8 { duration > UInt32.max ? 1 : 0 }

  /// Puts the offsets of every track into `moov`, for media data that starts at `mediaStart`; the auxiliary information
  /// of the tracks lies behind the samples.
  func setOffsets(_ moov: inout Box, mediaStart: Int, large: Bool) {
    var track = 0
    var auxiliaryStart = mediaStart + layout.copies.byteCount
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      var offsets = [layout.builders[track].chunkOffsets(mediaStart: mediaStart, large: large)]
      if let saio = layout.information[track].auxiliaryOffset(auxiliaryStart, large: large) { offsets.append(saio) }
      auxiliaryStart += layout.information[track].auxiliaryBytes.count
      track += 1
      moov.boxes[index].edit("mdia") { mdia in
        mdia.edit("minf") { minf in
          minf.edit("stbl") { stbl in
            stbl.boxes.removeAll { ["stco", "co64", "saio"].contains($0.type) }
            let front =
              stbl.boxes.firstIndex { $0.type == "stsz" || $0.type == "stz2" }.map { $0 + 1 } ?? stbl.boxes.count
            stbl.boxes.insert(contentsOf: offsets, at: front)
          }
        }
      }
    }
  }
}
