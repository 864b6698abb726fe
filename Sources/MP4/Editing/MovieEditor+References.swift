import ISOBMFF
import MP4Bytes

/// Tracks that belong to others, which refer to them: chapters and timecodes.
extension MovieEditor {
  /// The place of a new track: its ID, the timescale of the movie, the offset of its samples, and whether the movie is
  /// a QuickTime movie, which has a data handler in each track.
  struct NewTrack {
    var id: UInt32
    var movieTimescale: UInt32
    var offset: Int
    var isQuickTime: Bool
    var dataHandler: Box?
  }

  /// Adds a track after the other ones, with references to it from the tracks with these handlers. `removed` is the
  /// largest ID of removed tracks, which is not used again. Returns whether the movie can have one.
  func addTrack(
    to moov: inout Box, as reference: FourCC, for handlers: Set<FourCC>, after removed: UInt32,
    _ box: (NewTrack) -> Box
  ) throws -> Bool {
    guard moov.first("mvex") == nil, !items.contains(where: { $0.type == "moof" }),
      let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source), mvhd.timescale > 0
    else { return false }
    let ids = try moov.boxes.filter { $0.type == "trak" }.compactMap {
      try $0.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID
    }
    guard let last = (ids + [removed]).max(), last < UInt32.max - 1 else { return false }
    let id = last < mvhd.nextTrackID && mvhd.nextTrackID < UInt32.max ? mvhd.nextTrackID : last + 1
    var isReferenced = false
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      let handler = try moov.boxes[index].payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
      guard let handler, handlers.contains(handler) else { continue }
      isReferenced = true
      var ids = TrackReferenceTypeBox()
      ids.trackIDs = [id]
      if moov.boxes[index].first("tref") == nil { moov.boxes[index].append(Box("tref", boxes: [])) }
      moov.boxes[index].edit("tref") { $0.append(Box(ids, type: reference)) }
    }
    guard isReferenced else { return false }
    let hdlr = try moov.payload(["trak", "mdia", "hdlr"], HandlerBox.self, of: source)
    let trak = box(
      NewTrack(
        id: id, movieTimescale: mvhd.timescale, offset: mediaEnd + 8, isQuickTime: hdlr?.preDefined == "mhlr",
        dataHandler: moov.first("trak", "mdia", "minf", "hdlr")))
    let at = moov.boxes.lastIndex { $0.type == "trak" }.map { $0 + 1 } ?? 0
    moov.boxes.insert(trak, at: at)
    try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { $0.nextTrackID = max($0.nextTrackID, id + 1) }
    return true
  }

  /// Removes the references of a type, and the tracks to which no other references lead; returns the largest ID of
  /// these, or 0. `what` begins the sentence of the error for fragmented files.
  func removeTracks(referredToAs type: FourCC, from moov: inout Box, _ what: String) throws -> UInt32 {
    var (own, others): (Set<UInt32>, Set<UInt32>) = ([], [])
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      for reference in moov.boxes[index].first("tref")?.boxes ?? [] {
        guard let tracks = try? reference.payload(as: TrackReferenceTypeBox.self, from: source).get().trackIDs else {
          continue
        }
        if reference.type == type { own.formUnion(tracks) } else { others.formUnion(tracks) }
      }
      moov.boxes[index].edit("tref") { tref in tref.boxes.removeAll { $0.type == type } }
      moov.boxes[index].boxes.removeAll { $0.type == "tref" && $0.boxes.isEmpty }
    }
    let removed = own.subtracting(others)
    if !removed.isEmpty, moov.first("mvex") != nil {
      let text = "\(what) a track of a fragmented file"
      throw MovieError.impossible(file: source.name, Obstacle("fragmented", text, remedy: .defragment))
    }
    try moov.boxes.removeAll { trak in
      guard trak.type == "trak" else { return false }
      return try trak.payload(["tkhd"], TrackHeaderBox.self, of: source).map { removed.contains($0.trackID) } ?? false
    }
    return removed.max() ?? 0
  }
}
