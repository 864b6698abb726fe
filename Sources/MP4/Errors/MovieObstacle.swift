public import Bytes

/// Why an operation on a movie is impossible.
public enum MovieObstacle: Error, Equatable, Sendable {
  /// A required box is missing.
  case missingBox(path: String)
  /// A required table has no entries.
  case noEntries(path: String)
  /// There are no samples.
  case noSamples
  /// An init segment without media segments; whether it is the only input.
  case noSegments(isAlone: Bool)
  /// There are no usable samples, because of these losses.
  case nothingLeft([Diagnostic])
  /// A movie box within a series of segments contains samples itself.
  case samplesInSeries
  /// The samples declare more bytes than all inputs have.
  case claims(bytes: Int, available: Int)
  /// Samples are in another file.
  case externalSamples(track: UInt32)
  /// There are too many samples for a sample table.
  case tooManySamples(track: UInt32, count: Int)
  /// Fragments declare this number of different samples for the same times, and the policy does not allow it.
  case overlap(track: UInt32, samples: Int, time: MediaTime)
  /// There is no such track; the existing tracks.
  case noTrack(TrackSelection.Item, known: [Track])
  /// One of these tracks must be selected.
  case severalTracks([Track])
  /// A segment does not match the init segment.
  case otherInitialization(of: String, SegmentMisfit)
  /// Events cannot be kept across a discontinuity.
  case discontinuity

  /// The name of a track in messages.
  public struct Track: Hashable, Sendable, CustomStringConvertible {
    /// Its ID.
    public var id: UInt32
    /// Its kind of media.
    public var handler: FourCC

    init(_ track: TrackDescription) { (id, handler) = (track.id, track.handler) }
    init(id: UInt32, handler: FourCC) { (self.id, self.handler) = (id, handler) }

    /// Such as `track 1 (vide)`.
    public var description: String { "track \(id) (\(handler))" }
  }
}

extension MovieObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .missingBox(let path): "\(path): the box is missing"
    case .noEntries(let path): "\(path): it has no entries"
    case .noSamples: "it has no samples"
    case .noSegments(true): "it has no samples; add the segments of this init segment"
    case .noSegments(false):
      "it has no samples, and no other input is one of its segments; add its segments or omit it"
    case .nothingLeft(let losses): Self.text(losses)
    case .samplesInSeries: "only fragments can continue previous ones, but its moov has samples"
    case .claims(let bytes, let available):
      "its samples declare \(counted(bytes, "byte")) of media data, but it has only \(counted(available, "byte"))"
    case .externalSamples(let track):
      "track \(track): its samples are in another file (see dref); use only the other tracks"
    case .tooManySamples(let track, let count):
      "track \(track) has \(count) samples, too many for a sample table"
    case .overlap(let track, let samples, let time):
      "track \(track): different fragments declare \(samples == 1 ? "a sample" : "\(samples) samples") for the same "
        + "times, from \(time) on"
    case .noTrack(let item, let known): "\(item) does not exist; \(Self.text(known))"
    case .severalTracks(let tracks): "only one track can be written; select one of \(Self.list(tracks))"
    case .otherInitialization(let movie, let misfit):
      "it does not match the init segment \(movie): \(misfit); use the matching one"
    case .discontinuity:
      "events cannot be kept across the discontinuity before it; process the parts separately"
    }
  }

  /// The tracks whose data is missing, or the first losses.
  private static func text(_ losses: [Diagnostic]) -> String {
    var missing: [(track: UInt32, samples: Int)] = []
    for loss in losses {
      guard case .missingData(let spans) = loss.kind, let track = loss.track?.id else { continue }
      let count = spans.reduce(0) { $0 + $1.samples }
      if let index = missing.firstIndex(where: { $0.track == track }) {
        missing[index].samples += count
      } else {
        missing.append((track, count))
      }
    }
    let count = missing.reduce(0) { $0 + $1.samples }
    guard count > 0 else {
      let limit = 4
      let rest = losses.count > limit ? ["and \(counted(losses.count - limit, "other problem"))"] : []
      return "it has no usable samples: " + (losses.prefix(limit).map(\.text) + rest).joined(separator: "; ")
    }
    let tracks = missing.map { missing.count == 1 ? "track \($0.track)" : "track \($0.track): \($0.samples)" }
    return "the data of \(count == 1 ? "its only sample" : "all its \(count) samples") is missing "
      + "(\(tracks.joined(separator: ", "))); copy or download it again"
  }

  private static func text(_ tracks: [Track]) -> String {
    tracks.isEmpty ? "it has no tracks" : "it has \(tracks.count == 1 ? "only " : "")\(list(tracks))"
  }
  private static func list(_ tracks: [Track]) -> String { tracks.map(\.description).joined(separator: ", ") }
}

extension TrackSelection.Item: CustomStringConvertible {
  /// Such as `track 2` or `a track of type vide`.
  public var description: String {
    switch self {
    case .id(let id): "track \(id)"
    case .handlers(let handlers): "a track of type \(handlers.map(\.description).joined(separator: " or "))"
    }
  }
}
