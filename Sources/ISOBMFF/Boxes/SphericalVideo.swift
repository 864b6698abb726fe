public import Bytes

/// How the views of two eyes share a picture.
public struct Stereoscopic3DVideoBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("st3d", "Stereoscopic 3D Video Box", in: SampleEntries.visualTypes, spherical)
  public var header = FullBoxHeader()
  /// 0: one view; 1: one above the other; 2: side by side; 3: as a mesh says; 4: side by side, right eye first.
  public var stereoMode: UInt8 = 0
  /// One view.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8(
      "stereo_mode", &stereoMode,
      as: .named("0 mono; 1 top and bottom; 2 left and right; 3 stereo mesh; 4 right and left"))
  }
}

/// Which tool described a spherical video.
public struct SphericalVideoHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("svhd", "Spherical Video Header Box", in: ["sv3d"], spherical)
  public var header = FullBoxHeader()
  /// A name.
  public var metadataSource: BoxString = ""
  /// No tool.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("metadata_source", &metadataSource)
  }
}

/// How a spherical video is turned.
public struct ProjectionHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("prhd", "Projection Header Box", in: ["proj"], spherical)
  public var header = FullBoxHeader()
  /// In degrees, with 16 bits after the point.
  public var poseYawDegrees: Int32 = 0
  /// In degrees, with 16 bits after the point.
  public var posePitchDegrees: Int32 = 0
  /// In degrees, with 16 bits after the point.
  public var poseRollDegrees: Int32 = 0
  /// Not at all.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int32("pose_yaw_degrees", &poseYawDegrees, as: .fixed(16))
    try c.int32("pose_pitch_degrees", &posePitchDegrees, as: .fixed(16))
    try c.int32("pose_roll_degrees", &poseRollDegrees, as: .fixed(16))
  }
}

/// Which part of the sphere a picture shows, as fractions of it with 32 bits after the point.
public struct EquirectangularProjectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("equi", "Equirectangular Projection Box", in: ["proj"], spherical)
  public var header = FullBoxHeader()
  /// What is missing at the top.
  public var projectionBoundsTop: UInt32 = 0
  /// What is missing at the bottom.
  public var projectionBoundsBottom: UInt32 = 0
  /// What is missing at the left.
  public var projectionBoundsLeft: UInt32 = 0
  /// What is missing at the right.
  public var projectionBoundsRight: UInt32 = 0
  /// All of it.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("projection_bounds_top", &projectionBoundsTop, as: .fixed(32))
    try c.uint32("projection_bounds_bottom", &projectionBoundsBottom, as: .fixed(32))
    try c.uint32("projection_bounds_left", &projectionBoundsLeft, as: .fixed(32))
    try c.uint32("projection_bounds_right", &projectionBoundsRight, as: .fixed(32))
  }
}

/// How the sides of a cube are laid out on a picture.
public struct CubemapProjectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("cbmp", "Cubemap Projection Box", in: ["proj"], spherical)
  public var header = FullBoxHeader()
  /// 0: three by two.
  public var layout: UInt32 = 0
  /// The number of pixels around each side.
  public var padding: UInt32 = 0
  /// Three by two without pixels around.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("layout", &layout)
    try c.uint32("padding", &padding)
  }
}

/// A body on whose surface a picture lies.
public struct MeshProjectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mshp", "Mesh Projection Box", in: ["proj"], spherical)
  public var header = FullBoxHeader()
  /// A checksum of what follows it.
  public var crc: UInt32 = 0
  /// `raw `, or `dfl8` when the meshes are deflated.
  public var encodingFourCC: FourCC = "raw "
  /// The boxes with the meshes, perhaps deflated.
  public var meshes: [UInt8] = []
  /// No body.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("crc", &crc, as: .hexadecimal)
    try c.fourCC("encoding_four_cc", &encodingFourCC)
    try c.bytes("meshes", &meshes)
  }
}

/// How the channels of sound make a sphere.
public struct SpatialAudioBox: BoxPayload, Equatable {
  public static let info = BoxInfo("SA3D", "Spatial Audio Box", in: SampleEntries.audioTypes, "Spatial Audio RFC")
  /// 0.
  public var version: UInt8 = 0
  /// Whether sound that does not turn with the head is there too.
  public var headLockedStereo = false
  /// 0: periphonic.
  public var ambisonicType: UInt8 = 0
  /// The order of the sound field.
  public var ambisonicOrder: UInt32 = 0
  /// 0: ACN.
  public var ambisonicChannelOrdering: UInt8 = 0
  /// 0: SN3D.
  public var ambisonicNormalization: UInt8 = 0
  /// Which channel holds each component.
  public var channelMap = BoxTable<UInt32>()
  /// No channels.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("version", &version)
    try c.flag("head_locked_stereo", &headLockedStereo)
    try c.bits("ambisonic_type", &ambisonicType, 7, as: .named("0 periphonic"))
    try c.uint32("ambisonic_order", &ambisonicOrder)
    try c.uint8("ambisonic_channel_ordering", &ambisonicChannelOrdering, as: .named("0 ACN"))
    try c.uint8("ambisonic_normalization", &ambisonicNormalization, as: .named("0 SN3D"))
    try c.table("channel_map", &channelMap, counted: "num_channels")
  }
}

/// The document that defines these boxes.
private let spherical: StaticText = "Spherical Video V2 RFC"
