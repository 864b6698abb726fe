public import Bytes
public import ISOBMFF

/// Why a file cannot be edited as it should be.
public enum EditObstacle: Error, Equatable, Sendable {
  /// A field of the box at a path cannot be set.
  case field(String, FieldError)
  /// A language that is not a tag, and the tag that may be meant.
  case language(String, String?)
  /// The value of a tag is not what it has to be.
  case tag(String, String)
  /// Bytes that should be boxes are something else from an offset on.
  case notBoxes(offset: Int)
  /// A box that has another size than its header says.
  case wrongSize(FourCC, offset: Int)
  /// An angle that is not a multiple of 90 degrees.
  case angle(Int)
  /// A track has a sample description that MP4 files do not have: its type and name.
  case quickTimeOnly(track: UInt32, FourCC, name: String)
  /// The audio description of a track has no decoder configuration that MP4 files need.
  case noConfiguration(track: UInt32, FourCC)
  /// A track without pictures that should be rotated.
  case noPictures(track: UInt32)
}

extension EditObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .field(let path, let error): "\(path): \(error)"
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
