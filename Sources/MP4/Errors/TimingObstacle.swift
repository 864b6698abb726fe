import Bytes

/// Why the times of a movie cannot be edited as requested.
public enum TimingObstacle: Error, Equatable, Sendable {
  /// A timescale cannot express a time exactly, or the result is out of range; the meaning of the time.
  case inexact(MediaTime, of: String, timescale: UInt32)
  /// The timescale of a header is 0.
  case noTimescale(path: String)
  /// Times in movie fragments are not edited.
  case fragments
  /// A frame rate was requested for a track that is not video.
  case notVideo(track: UInt32)
  /// The sample table of a track has no samples.
  case noSamples(track: UInt32)
  /// A track has more samples than this limit.
  case tooManySamples(track: UInt32, limit: Int)
  /// The table of composition offsets has a different number of samples.
  case otherOffsets(track: UInt32, samples: Int, offsets: Int)
  /// Two pictures are presented at the same time, so their order is unknown.
  case sameTime(track: UInt32, MediaTime)
  /// An edit plays its media at another speed.
  case editSpeed(track: UInt32)
  /// The times at this frame rate do not fit into their fields.
  case frameRate(FrameRate)
}

extension TimingObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .inexact(let time, let what, let timescale):
      "a timescale of \(timescale) cannot express \(time.value)/\(time.timescale) s: \(what)"
    case .noTimescale(let path): "\(path): the timescale is 0"
    case .fragments: "it has movie fragments, whose times cannot be edited; run `mp4tool defrag` first"
    case .notVideo(let track): "track \(track) is not video, so it has no frame rate"
    case .noSamples(let track): "track \(track) has no samples"
    case .tooManySamples(let track, let limit): "track \(track) has more than \(limit) samples, the maximum"
    case .otherOffsets(let track, let samples, let offsets):
      "track \(track) has \(counted(samples, "sample")), but composition offsets for \(offsets)"
    case .sameTime(let track, let time): "track \(track) presents two pictures at \(time), so their order is unknown"
    case .editSpeed(let track): "track \(track) has an edit with a speed other than 1"
    case .frameRate(let rate):
      "times at \(rate.numerator)/\(rate.denominator) frames per second exceed their fields"
    }
  }
}
