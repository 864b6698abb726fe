public import Bytes

/// Why samples cannot be encrypted.
public enum EncryptionObstacle: Error, Equatable, Sendable {
  /// The keys select no track.
  case noTracks
  /// All samples are in the clear lead.
  case clearLead
  /// No sync sample of a track follows the clear lead.
  case clearGroup(track: UInt32)
  /// The samples are encrypted already.
  case encrypted(track: UInt32)
  /// Video of this codec is not supported.
  case codec(track: UInt32, String)
  /// Samples of this kind are not audio or video.
  case handler(track: UInt32, FourCC)
  /// The sample entries of a track are missing or damaged.
  case entries(track: UInt32)
  /// A sample has too many NAL units, or does not consist of NAL units.
  case subsamples(track: UInt32, sample: Int)
}

extension EncryptionObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noTracks: "none of the keys applies to its tracks"
    case .clearLead: "the clear lead covers the whole file, so nothing would be encrypted"
    case .clearGroup(let track):
      "track \(track): the clear lead ends in its last GOP, so none of its samples would be encrypted"
    case .encrypted(let track): "track \(track): its samples are already encrypted"
    case .codec(let track, let codec): "track \(track): encryption of \(codec) video is not supported"
    case .handler(let track, let handler):
      "track \(track): only audio and video can be encrypted, not \(handler) tracks"
    case .entries(let track): "track \(track): its sample entries are missing or damaged"
    case .subsamples(let track, let sample):
      "track \(track): sample \(sample + 1) has too many NAL units for senc, or is damaged"
    }
  }
}
