/// How samples contradict their sample entry.
public enum SampleMismatch: Hashable, Sendable {
  /// They are not NAL units with lengths of this many bytes.
  case notNALUnits(lengthSize: Int)
  /// They are not open bitstream units of AV1 with their sizes.
  case notOpenBitstreamUnits
  /// Their pictures have a different size than the entry declares.
  case pictureSize(width: Int, height: Int, declaredWidth: Int, declaredHeight: Int)
  /// Their pictures are larger than the entry declares.
  case largerPictures
  /// Their pictures use a picture parameter set that the entry does not have.
  case pictureParameterSet(Int)
  /// Their audio has a different number of channels than the entry declares.
  case channels(Int, declared: Int)
}

extension SampleMismatch: CustomStringConvertible {
  /// A sentence about the track.
  public var description: String {
    switch self {
    case .notNALUnits(let size): "its samples are not NAL units after lengths of \(size) byte\(size == 1 ? "" : "s")"
    case .notOpenBitstreamUnits: "its samples are not AV1 units (OBUs) with their sizes"
    case .pictureSize(let width, let height, let declaredWidth, let declaredHeight):
      "its pictures are \(width)x\(height), not \(declaredWidth)x\(declaredHeight)"
    case .largerPictures: "its pictures are larger"
    case .pictureParameterSet(let set): "its pictures use the picture parameter set \(set), which is missing"
    case .channels(let count, let declared):
      "its audio has \(count) channel\(count == 1 ? "" : "s"), not \(declared)"
    }
  }
}
