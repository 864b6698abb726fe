/// Why a movie cannot be cut as requested.
public enum CutObstacle: Error, Equatable, Sendable {
  /// No media is presented in the ranges.
  case nothing
  /// The ranges start after the presentation, which ends at this time.
  case afterEnd(MediaTime)
  /// A range starts before the previous one ends.
  case unordered
  /// A frame number was given, but there is no video.
  case noVideo
  /// There is no such frame; the video has this number of frames.
  case noFrame(Int, count: Int)
  /// A timecode was given, but there is no timecode track.
  case noTimecode
  /// The timecode track does not have this timecode.
  case otherTimecode
  /// The timecode is not valid for the track: the number of frames is too large, or drop-frame timecode skips it.
  case invalidTimecode
  /// A part starts at this time with an open GOP of H.264, after which its pictures would be presented in the wrong
  /// order; the times of the nearest IDR pictures, at which a part can start.
  case openGOP(MediaTime, nearest: [MediaTime])
}

extension CutObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .nothing: "nothing is presented at these times"
    case .afterEnd(let end): "the presentation ends at \(end)"
    case .unordered: "ranges must be in order and cannot overlap"
    case .noVideo: "there is no video track, so frames cannot be counted"
    case .noFrame(let number, let count):
      "frame \(number) does not exist; the video has \(count), numbered from 0"
    case .noTimecode: "there is no timecode track"
    case .otherTimecode: "the timecode track does not contain this timecode"
    case .invalidTimecode:
      "this timecode is invalid for the timecode track: its frame number is too large or is "
        + "skipped by drop-frame counting"
    case .openGOP(let time, let nearest):
      "the part that starts with the open GOP at \(time) cannot follow another: H.264 decoders cannot start again "
        + "there, and would present its pictures in the wrong order"
        + (nearest.isEmpty
          ? ""
          : "; the nearest IDR \(nearest.count == 1 ? "picture is" : "pictures are") at "
            + nearest.map(\.description).joined(separator: " and "))
    }
  }
}
