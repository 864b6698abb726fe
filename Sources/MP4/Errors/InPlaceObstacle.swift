public import Bytes

/// Why a file cannot be changed in place.
public enum InPlaceObstacle: Error, Equatable, Sendable {
  /// The size of the file is unknown.
  case unknownSize
  /// The data of all samples is missing.
  case noSamples
  /// A track cannot be read and would be lost, for this reason.
  case lostTrack(MovieError)
  /// The movie box is cut off or extends to the end of the file.
  case openMovie
  /// There are bytes before the movie box that are not a box.
  case notABox
  /// A box of fragments is before the movie box, where readers would find it.
  case visible(FourCC)
  /// Samples are in bytes that would have to be replaced.
  case samples(in: Part)
  /// Bytes that would have to be replaced are not within one sector.
  case crossesSector(Part)
  /// An edit changes several boxes at file level; their types.
  case severalChanges([String])
  /// An edit changes several sectors of a box that cannot be moved.
  case severalSectors(FourCC)
  /// There is no free space for an edited box, and it cannot be moved to the end of the file.
  case noRoom(FourCC)
  /// The last box extends to the end of the file, or there are bytes after it, so nothing can be appended.
  case openEnd

  /// A part of the file.
  public enum Part: Hashable, Sendable {
    /// A header at an offset.
    case header(offset: Int)
    /// The header of the movie box.
    case movieHeader(offset: Int)
    /// The header of a damaged box.
    case damagedHeader(FourCC, offset: Int)
    /// Bytes at the end that are not a box.
    case end(offset: Int)
  }
}

extension InPlaceObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .unknownSize: "its size is unknown"
    case .noSamples: "the data of all its samples is missing; not changed"
    case .lostTrack(let error): "\(error.reason); a track would be lost; not changed"
    case .openMovie: "moov is cut off or has no size; it cannot be changed in place"
    case .notABox: "bytes before moov are not a box; it cannot be changed in place"
    case .visible(let type):
      "\(type) is before moov and would stay visible; it cannot be changed in place"
    case .samples(.end): sentence("the bytes at its end that are not a box")
    case .samples(.header(let offset)), .samples(.movieHeader(let offset)), .samples(.damagedHeader(_, let offset)):
      sentence("the header at byte \(offset)")
    case .severalChanges(let types):
      "the edits change \(types.joined(separator: " and ")), which cannot be written in one step"
    case .severalSectors(let type):
      "the edits change more than one disk sector of \(type), so a change in place would not be safe"
    case .noRoom(let type): "there is no free space for the edited \(type), and it cannot be at the end of the file"
    case .openEnd: "the end of its last box is undefined, so nothing can be appended"
    case .crossesSector(let part):
      "\(text(part)) cannot be replaced within one disk sector, so a change in place would not be safe"
    }
  }

  private func sentence(_ part: String) -> String {
    "\(part) contains samples but would have to be replaced; it cannot be changed in place"
  }
  private func text(_ part: Part) -> String {
    switch part {
    case .header(let offset): "the header at byte \(offset)"
    case .movieHeader(let offset): "the header of moov at byte \(offset)"
    case .damagedHeader(let type, let offset): "the header of the damaged \(type) at byte \(offset)"
    case .end(let offset): "the bytes at byte \(offset) that are not a box"
    }
  }
}
