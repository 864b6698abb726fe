public import Bytes

/// What names content, in files that Octopus rights can be used with.
public struct OctopusIDBox: BoxPayload, Equatable {
  public static let info = BoxInfo("8id ", "Octopus ID Box", in: ["schi", "satr"], "Marlin File Formats")
  /// The type of a stream, in its attributes.
  static let streamType = BoxInfo("styp", "Stream Type Box", in: ["satr"], info.clause)
  /// A URN, or a word.
  public var value: BoxString = ""
  /// No name.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("value", &value) }
}

/// A bundle of rights for Octopus.
public struct OctopusBundleBox: BoxPayload, Equatable {
  public static let info = BoxInfo("8bdl", "Octopus Bundle Box", in: ["moov", "meta", .file], "Marlin File Formats")
  /// `xml ` for text.
  public var encoding: FourCC = "xml "
  /// The version of the encoding.
  public var encodingVersion: UInt32 = 1
  /// The rights.
  public var bundleData: [UInt8] = []
  /// No rights.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("encoding", &encoding)
    try c.uint32("encoding_version", &encodingVersion)
    if encoding == "xml " { try c.text("bundle_data", &bundleData) } else { try c.bytes("bundle_data", &bundleData) }
  }
}

/// The names of content by the keys that open it, in the data for Marlin of `pssh`.
public struct MarlinKeyIDBox: FullBoxPayload, Equatable {
  /// A key and what it opens.
  public struct Entry: BoxTableRow {
    /// 16 bytes that name the key.
    public var keyID = [UInt8](repeating: 0, count: 16)
    /// What names the content.
    public var contentID: [UInt8] = []
    /// No content.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var size = UInt32(clamping: 16 + contentID.count)
      try c.uint32("entry_size", &size)
      try c.check(size >= 16, "entry_size", size, "16 or more")
      try c.bytes("KID", &keyID, count: 16)
      try c.text("content_id", &contentID, count: Int(size) - 16)
    }
  }
  public static let info = BoxInfo("mkid", "Marlin Key ID Box", in: ["marl"], "Marlin Simple Secure Streaming 1.1")
  public var header = FullBoxHeader()
  /// The keys.
  public var entries: [Entry] = []
  /// No key.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("entries", &entries, counted: "entry_count")
  }
}

/// Where a file of the Common File Format was bought.
public struct BaseLocationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("bloc", "Base Location Box", in: [.file], "DECE Common File Format 2.2, 2.2.3")
  public var header = FullBoxHeader()
  /// Where things that belong to the file are, filled up with zeros.
  public var baseLocation = [UInt8](repeating: 0, count: 256)
  /// Where the file is sold, filled up with zeros.
  public var purchaseLocation = [UInt8](repeating: 0, count: 256)
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Nowhere.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.text("baseLocation", &baseLocation, count: 256)
    try c.text("purchaseLocation", &purchaseLocation, count: 256)
    try c.reserved(&reserved, bytes: 512)
  }
}
