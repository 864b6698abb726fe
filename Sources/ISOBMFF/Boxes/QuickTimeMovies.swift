public import Bytes

/// Where another movie is.
public struct DataReferenceAtom: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "rdrf", "Data Reference Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// `url ` or `alis`.
  public var dataReferenceType: FourCC = "url "
  /// A URL with a zero byte after it, or an alias record.
  public var dataReference: [UInt8] = []
  /// Nowhere.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("data_reference_type", &dataReferenceType)
    var size = UInt32(clamping: dataReference.count)
    try c.uint32("data_reference_size", &size)
    try c.bytes("data_reference", &dataReference, count: Int(size))
  }
}

/// The speed of a connection that a movie needs.
public struct DataRateBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rmdr", "Data Rate Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// The lowest rate, in bits a second.
  public var dataRate: UInt32 = 0
  /// Any speed.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("data_rate", &dataRate)
  }
}

/// The speed of a computer that a movie needs.
public struct CPUSpeedBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rmcs", "CPU Speed Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// A number in hundreds that QuickTime measures.
  public var cpuSpeed: UInt32 = 0
  /// Any speed.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("cpu_speed", &cpuSpeed)
  }
}

/// The software that a movie needs.
public struct VersionCheckBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "rmvc", "Version Check Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// A code of Gestalt, such as `qtim`.
  public var softwarePackage: FourCC = FourCC()
  /// The lowest version, or the value that the masked one has to be.
  public var softwareVersion: UInt32 = 0
  /// Which bits to look at.
  public var mask: UInt32 = 0
  /// 0: a lowest version; 1: a masked value.
  public var checkType: UInt16 = 0
  /// None.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("software_package", &softwarePackage)
    try c.uint32("Version", &softwareVersion, as: .hexadecimal)
    try c.uint32("mask", &mask, as: .hexadecimal)
    try c.uint16("check_type", &checkType)
  }
}

/// The component that a movie needs.
public struct ComponentDetectBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "rmcd", "Component Detect Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// Its kind, such as `imdc`.
  public var componentType: FourCC = FourCC()
  /// What it is for, such as a codec.
  public var componentSubtype: FourCC = FourCC()
  /// Who made it; 0 is anyone.
  public var componentManufacturer: FourCC = FourCC()
  /// Flags that it has to have.
  public var componentFlags: UInt32 = 0
  /// Which of the flags to look at.
  public var componentFlagsMask: UInt32 = 0
  /// The lowest version.
  public var minimumVersion: UInt32 = 0
  /// None.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("component_type", &componentType)
    try c.fourCC("component_subtype", &componentSubtype)
    try c.fourCC("component_manufacturer", &componentManufacturer)
    try c.uint32("component_flags", &componentFlags, as: .hexadecimal)
    try c.uint32("component_flags_mask", &componentFlagsMask, as: .hexadecimal)
    try c.uint32("minimum_version", &minimumVersion, as: .hexadecimal)
  }
}

/// How good a movie is among those to choose from.
public struct QualityBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rmqu", "Quality Atom", in: ["rmda"], "QuickTime File Format, Reference movies")
  public var header = FullBoxHeader()
  /// The higher, the better.
  public var quality: UInt32 = 0
  /// The worst.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("quality", &quality) }
}

/// How the movie box is compressed.
public struct DataCompressionBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dcom", "Data Compression Atom", in: ["cmov"], "QuickTime File Format, Compressed movie resources")
  /// `zlib`, usually.
  public var compressionAlgorithm: FourCC = "zlib"
  /// By zlib.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("compression_algorithm", &compressionAlgorithm)
  }
}

/// The movie box, compressed.
public struct CompressedMovieDataBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "cmvd", "Compressed Movie Data Atom", in: ["cmov"], "QuickTime File Format, Compressed movie resources")
  /// The bytes that decompression gives.
  public var uncompressedSize: UInt32 = 0
  /// The compressed bytes.
  public var compressedData: [UInt8] = []
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("uncompressed_size", &uncompressedSize)
    try c.bytes("compressed_data", &compressedData)
  }
}

/// A file of a Macintosh in which samples lie; with flag 1 this one.
public struct AliasDataReferenceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "alis", "Alias Data Reference", in: ["dref"], "QuickTime File Format, Data reference atoms")
  public var header = FullBoxHeader(flags: 1)
  /// The same for the resources of a file.
  static let resource = BoxInfo("rsrc", "Resource Data Reference", in: ["dref"], info.clause)
  /// An alias record; a resource type and its number after it in `rsrc`.
  public var data: [UInt8] = []
  /// This file.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("data", &data) }
}

/// What to show of a file before it is opened.
public struct PreviewBox: BoxPayload, Equatable {
  public static let info = BoxInfo("pnot", "Preview Atom", in: [.file], "QuickTime File Format, Preview atoms")
  /// When the preview was made, in seconds since 1904-01-01.
  public var modificationDate: UInt32 = 0
  /// 0.
  public var versionNumber: UInt16 = 0
  /// The type of the box with the preview.
  public var atomType: FourCC = "PICT"
  /// Which box of that type, counted from 1.
  public var atomIndex: UInt16 = 1
  /// No preview.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("modification_date", &modificationDate)
    try c.uint16("version_number", &versionNumber)
    try c.fourCC("atom_type", &atomType)
    try c.uint16("atom_index", &atomIndex)
  }
}

/// The names of metadata items; the type of an item in `ilst` is the number of its key.
public struct MetadataItemKeysBox: FullBoxPayload, Equatable {
  /// One name.
  public struct Key: BoxTableRow {
    /// Who says what the name means, such as `mdta`.
    public var keyNamespace: FourCC = "mdta"
    /// The name, such as `com.apple.quicktime.make`.
    public var keyValue = BoxString([], form: .unterminated)
    /// No name.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var size = UInt32(clamping: 8 + keyValue.bytes.count)
      try c.uint32("key_size", &size)
      try c.check(size >= 8, "key_size", size, "8 or more")
      try c.fourCC("key_namespace", &keyNamespace)
      try c.text("key_value", &keyValue, count: Int(size) - 8)
    }
  }
  public static let info = BoxInfo(
    "keys", "Metadata Item Keys Atom", in: ["meta"], "QuickTime File Format, Metadata item keys atom")
  public var header = FullBoxHeader()
  /// The names, the first one of number 1.
  public var keys: [Key] = []
  /// No keys.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("keys", &keys, counted: "entry_count")
  }
}
