import MP4Bytes

/// The coding of Canon raw images, or of the JPEG images that accompany them.
public struct CanonRawSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("CRAW", "Canon Raw Sample Entry", in: ["stsd"], "Canon CR3")
  public static let holdsBoxes = true
  /// The fields of every visual sample entry.
  public var picture = VisualSampleEntry()
  /// 1 for a raw image, 3 for a JPEG.
  public var pictureType: UInt16 = 1
  /// Probably 0 for a JPEG and 1 for a raw image.
  public var flags: UInt16 = 1
  /// A raw image without a size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try picture.pictureFields(&c)
    try c.uint16("picture_type", &pictureType)
    try c.uint16("flags", &flags, as: .hexadecimal)
    c.boxes()
  }
}
