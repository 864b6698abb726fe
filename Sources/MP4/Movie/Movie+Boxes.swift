package import Bytes
package import ISOBMFF

/// Access to the boxes that describe a movie, without its samples.
extension Movie {
  /// The inputs, in the order of their samples.
  package var sources: [any ByteSource] { input.sources }

  /// A movie box and its position.
  package struct MovieBox {
    /// Its tree.
    package let box: Box
    /// The input that contains it.
    package let source: any ByteSource
    /// Its offset in the input.
    package let offset: Int

    /// The fields of the box at a path of first boxes of each type; `nil` if it is missing or damaged.
    package func payload<Payload: BoxPayload>(_ path: [FourCC], as _: Payload.Type = Payload.self) -> Payload? {
      box.payload(path, from: source)
    }
  }
  /// The movie boxes.
  package var movieBoxes: [MovieBox] {
    input.groups.map { MovieBox(box: $0.movie.box, source: sources[$0.source], offset: $0.header.offset) }
  }
  /// The file type; `nil` if it is missing or damaged.
  package var fileType: FileTypeBox? {
    guard let group = input.groups.first, let header = group.fileType else { return nil }
    var box = Box(FileTypeBox())
    box.fields = .unchanged(header.payload)
    return box.payload([], from: sources[group.source])
  }
  /// Whether the tables of a movie box declare samples, even if none of them is in the input.
  package var hasTables: Bool { input.groups.contains { $0.movie.tracks.contains(where: \.hasSamples) } }
  /// The number of movie fragments.
  package var fragmentCount: Int { input.contents.reduce(0) { $0 + $1.fragmentCount } }
  /// Whether it is one file with a segment index (`sidx`), and whether it is one with random access points (`mfra`).
  package var hasIndex: Bool { input.contents.count == 1 && input.contents[0].hasIndex }
  package var hasRandomAccess: Bool { input.contents.count == 1 && !input.contents[0].randomAccess.isEmpty }
  /// The index of the first sample that a track has in each movie fragment.
  package func fragmentStarts(ofTrack index: Int) -> [Int] { fragments.tracks[index].starts.map(\.sample) }
}

extension Track {
  /// Its box.
  package var box: Box { properties.box }
  /// The input with its box.
  package var boxSource: any ByteSource { samples.storage.sources[properties.box.source] }

  /// The fields of the box at a path of first boxes of each type; `nil` if it is missing or damaged.
  package func payload<Payload: BoxPayload>(_ path: [FourCC], as _: Payload.Type = Payload.self) -> Payload? {
    box.payload(path, from: boxSource)
  }
}

extension Box {
  /// The box at a path of first boxes of each type.
  package func first(in path: [FourCC]) -> Box? { path.reduce(Optional(self)) { $0?.first($1) } }

  fileprivate func payload<Payload: BoxPayload>(_ path: [FourCC], from source: any ByteSource) -> Payload? {
    guard let box = first(in: path) else { return nil }
    // An unreadable box counts as unknown.
    return try? box.payload(as: Payload.self, from: source).get()
  }
}
