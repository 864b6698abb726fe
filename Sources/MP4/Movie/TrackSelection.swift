import ISOBMFF
public import MP4Bytes

/// A selection of tracks.
public struct TrackSelection: Sendable, Hashable {
  /// A criterion for tracks.
  public enum Item: Sendable, Hashable {
    /// The track with this ID.
    case id(UInt32)
    /// All tracks with one of these handler types, such as `vide` or `soun`.
    case handlers([FourCC])
  }
  /// The criteria; all tracks match if this is empty.
  public var items: [Item]

  /// Selects the tracks that match any of `items`, or all.
  public init(_ items: [Item] = []) { self.items = items }

  /// Whether a track matches.
  public func contains(_ track: TrackDescription) -> Bool {
    items.isEmpty || items.contains { Self.matches(track, $0) }
  }

  /// Whether a track matches.
  package func contains(_ track: Track) -> Bool { contains(track.description) }

  private static func matches(_ track: TrackDescription, _ item: Item) -> Bool {
    switch item {
    case .id(let id): track.id == id
    case .handlers(let handlers): handlers.contains(track.handler)
    }
  }

  /// Throws if a requested track does not exist.
  func check(_ tracks: [TrackDescription], dropped: [TrackDescription], file: String) throws(MovieError) {
    for item in items where !tracks.contains(where: { Self.matches($0, item) }) {
      throw .impossible(file: file, .noTrack(item, known: (tracks + dropped).map { ($0.id, $0.handler) }))
    }
  }
}

extension Obstacle {
  static func noTrack(_ item: TrackSelection.Item, known: [(id: UInt32, handler: FourCC)]) -> Obstacle {
    let wanted =
      switch item {
      case .id(let id): "track \(id)"
      case .handlers(let handlers): "a track of type \(handlers.map(\.description).joined(separator: " or "))"
      }
    let only = known.count == 1 ? "only " : ""
    let tracks = known.isEmpty ? "no tracks" : only + names(known)
    return Obstacle(
      .noTrack, "\(wanted) does not exist; it has \(tracks)", ["tracks": .list(known.map { .integer(Int($0.id)) })])
  }
  /// Such as `track 1 (vide), track 2 (soun)`.
  static func names(_ tracks: [(id: UInt32, handler: FourCC)]) -> String {
    tracks.map { "track \($0.id) (\($0.handler))" }.joined(separator: ", ")
  }
}

extension TrackSelection {
  /// Whether a track is selected by its ID.
  public var selectsByID: Bool {
    items.contains { item in
      if case .id = item { true } else { false }
    }
  }
}

extension MovieDescription {
  /// Drops all tracks that are not selected.
  mutating func keep(_ selection: TrackSelection) { keep(tracks.map(selection.contains)) }

  /// Removes all tracks except those for which `isKept` returns true.
  mutating func keep(_ isKept: [Bool]) {
    droppedTracks += zip(tracks, isKept).filter { !$0.1 }.map(\.0)
    guard !droppedTracks.isEmpty else { return }
    tracks = zip(tracks, isKept).filter(\.1).map(\.0)
    var trak = 0
    box.boxes.removeAll { box in
      guard box.type == "trak" else { return false }
      trak += 1
      if isKept[trak - 1] { return false }
      if let references = box.first("tref") { droppedReferences.append(references) }
      return true
    }
  }
}

extension MoviePayloads {
  /// Enables all tracks of a movie if none is: players would present nothing. Used where the enabled ones were dropped.
  func enableTracks(of moov: inout Box) throws(MovieError) {
    let traks = moov.boxes.indices.filter { moov.boxes[$0].type == "trak" }
    var headers: [TrackHeaderBox] = []
    for index in traks {
      headers.append(try payload(of: moov.boxes[index].first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self))
    }
    guard headers.allSatisfy({ $0.header.flags & 1 == 0 }) else { return }
    for (index, header) in zip(traks, headers) {
      let rest = try rest(of: moov.boxes[index].first("tkhd"), after: header)
      var header = header
      header.header.flags |= 1
      moov.boxes[index].edit("tkhd") { $0.fields = .edited(header, rest: rest) }
    }
  }
}
