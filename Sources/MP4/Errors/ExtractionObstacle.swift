public import Bytes

/// Why the samples of a track cannot be written as an elementary stream.
public struct ExtractionObstacle: Error, Equatable, Sendable {
  /// The ID of the track.
  public var track: UInt32
  /// The reason.
  public var reason: Reason

  /// The kinds of reasons.
  public enum Reason: Error, Hashable, Sendable {
    /// Samples are encrypted, by this scheme.
    case encrypted(FourCC)
    /// Samples of this codec have no format of their own here.
    case codec(String)
    /// ADTS cannot express the configuration.
    case adts(String)
    /// The header of FLAC is missing or damaged.
    case flac
    /// Sample descriptions demand different formats, or one file cannot express that they differ.
    case differentDescriptions
    /// No sample is presented at this time.
    case nothingPresented(MediaTime)
  }
}

extension ExtractionObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String { "track \(track): \(text)" }

  private var text: String {
    switch reason {
    case .encrypted(let scheme): "its samples are encrypted (\(scheme)), so players could not decode them"
    case .codec(let codec): "there is no elementary stream format for its codec \(codec)"
    case .adts(let reason): "a header of ADTS cannot express its configuration: \(reason)"
    case .flac: "dfLa has no complete STREAMINFO, which a FLAC file starts with"
    case .differentDescriptions: "one stream cannot have all of its sample descriptions"
    case .nothingPresented(let time): "no sample is presented at \(time)"
    }
  }
}
