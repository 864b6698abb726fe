public import ISOBMFF

/// Why a segment does not match an init segment.
public enum SegmentMisfit: Hashable, Sendable {
  /// It has fragments of these tracks, which the init segment does not declare.
  case tracks([UInt32])
  /// It has a different timescale from the init segment.
  case timescale(UInt32, declared: UInt32)
  /// With the default sizes of the init segment, its samples do not fill its media data.
  case size(Int, available: Int)
  /// The samples of a track contradict the sample entry of the init segment.
  case samples(track: UInt32, SampleMismatch)
}

extension SegmentMisfit: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .tracks(let tracks):
      "it has fragments of track\(tracks.count == 1 ? "" : "s") \(tracks.map(String.init).joined(separator: ", "))"
    case .timescale(let timescale, let declared): "its timescale is \(timescale), not \(declared)"
    case .size(let count, let available):
      "the default sample size implies \(count) bytes of media data, but there are \(available)"
    case .samples(let track, let mismatch): "track \(track): \(mismatch)"
    }
  }
}
