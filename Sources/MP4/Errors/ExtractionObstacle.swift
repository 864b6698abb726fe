public import Bytes

/// Why the samples of a track cannot be written as an elementary stream.
public struct ExtractionObstacle: Error, Equatable, Sendable {
  /// The ID of the track.
  public var track: UInt32
  /// The reason.
  public var reason: Reason

  /// A reason for the track with this ID.
  package init(track: UInt32, reason: Reason) { (self.track, self.reason) = (track, reason) }

  /// The possible reasons.
  public enum Reason: Error, Hashable, Sendable {
    /// Samples are encrypted with this scheme.
    case encrypted(FourCC)
    /// The track has no samples.
    case noSamples
    /// There is no elementary stream format for this codec.
    case codec(String)
    /// Samples of this codec cannot be written in the format of this name.
    case format(String, codec: String)
    /// The track does not have exactly one document, but this number.
    case documents(Int)
    /// The samples are too large for this format, with this number of bytes.
    case tooLarge(ElementaryStreamFormat, byteCount: Int)
    /// ADTS cannot express the configuration.
    case adts(String)
    /// The header of FLAC is missing or damaged.
    case flac
    /// The header of Opus is missing or damaged.
    case opus
    /// The configuration of Apple Lossless is missing or damaged.
    case alac
    /// Sample descriptions require different formats, or differ in a way that one file cannot express.
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
    case .encrypted(let scheme): "its samples are encrypted (\(scheme)), so players cannot decode them"
    case .noSamples: "it has no samples"
    case .codec(let codec): "there is no elementary stream format for its codec \(codec)"
    case .format(let format, let codec): "its codec \(codec) cannot be written as \(format)"
    case .tooLarge(let format, let count): "its size of \(counted(count, "byte")) is too large for \(format)"
    case .documents(0): "it has no document"
    case .documents(let count): "its \(count) documents differ in more than their text, so they cannot be merged"
    case .adts(let reason): "an ADTS header cannot express its configuration: \(reason)"
    case .flac: "dfLa has no complete STREAMINFO, which a FLAC file needs"
    case .opus: "it has no valid dOps"
    case .alac: "its sample entry has no valid alac box"
    case .differentDescriptions: "its sample descriptions cannot be written to one stream"
    case .nothingPresented(let time): "no sample is presented at \(time)"
    }
  }
}
