public import Bytes
public import ISOBMFF

/// Why a file cannot be edited as requested.
public enum EditObstacle: Error, Equatable, Sendable {
  /// A field of the box at a path cannot be set.
  case field(String, FieldError)
  /// The box at a path cannot contain other boxes.
  case noContainer(String)
  /// A language that is not a tag, and the tag that was probably meant.
  case language(String, String?)
  /// The value is not valid for the tag.
  case tag(String, String)
  /// Bytes that should be boxes are not, from an offset on.
  case notBoxes(offset: Int)
  /// The size of a box differs from that in its header.
  case wrongSize(FourCC, offset: Int)
  /// An angle that is not a multiple of 90 degrees.
  case angle(Int)
  /// A track has a sample description that MP4 does not support: its type and name.
  case quickTimeOnly(track: UInt32, FourCC, name: String)
  /// The audio description of a track lacks the decoder configuration that MP4 requires.
  case noConfiguration(track: UInt32, FourCC)
  /// A track to rotate has no pictures.
  case noPictures(track: UInt32)
}

extension EditObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .field(let path, let error): "\(path): \(error)"
    case .noContainer(let path): "\(path) is not a box that contains other boxes"
    case .language(let tag, let proposal):
      "'\(tag)' is not a language tag such as en or pt-BR" + (proposal.map { "; did you mean '\($0)'?" } ?? "")
    case .tag(let name, let expectation): "\(name) must be \(expectation)"
    case .notBoxes(let offset): "there is no complete box at byte \(offset)"
    case .wrongSize(let type, let offset):
      "the header of \(type) at byte \(offset) has a wrong size, so boxes around it cannot be edited safely"
    case .angle(let degrees): "a rotation can be 0, 90, 180 or 270 degrees, not \(degrees)"
    case .quickTimeOnly(let track, let type, let name):
      "track \(track): \(type) (\(name)) is defined only for QuickTime; transcode it, or keep the .mov"
    case .noConfiguration(let track, let type):
      "track \(track): the description of \(type) lacks the decoder configuration that MP4 files need; transcode it, "
        + "or keep the .mov"
    case .noPictures(let track): "track \(track) is not video, so it cannot be rotated"
    }
  }
}
