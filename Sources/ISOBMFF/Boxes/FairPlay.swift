public import Bytes

/// Who may play a track that was bought from iTunes, or with which key.
public struct FairPlayNumberBox: BoxPayload, Equatable {
  public static let info = BoxInfo("user", "FairPlay User ID", in: ["schi"], "FairPlay in iTunes files")
  /// The key of the user.
  static let key = BoxInfo("key ", "FairPlay Key ID", in: ["schi"], info.clause)
  /// The number.
  public var number: UInt32 = 0
  /// Number 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("number", &number, as: .hexadecimal)
  }
}

/// The initialization vector of the key that encrypts a track from iTunes.
public struct FairPlayIVBox: BoxPayload, Equatable {
  public static let info = BoxInfo("iviv", "FairPlay Initialization Vector", in: ["schi"], "FairPlay in iTunes files")
  /// Encrypted keys.
  static let privateKeys = BoxInfo("priv", "FairPlay Private Keys", in: ["schi"], info.clause)
  /// What proves that the file is from iTunes.
  static let signature = BoxInfo("sign", "FairPlay Signature", in: ["schi", "sinf"], info.clause)
  /// The certificate of the keys.
  static let certificate = BoxInfo("cert", "FairPlay Certificate", in: ["schi", "sinf"], info.clause)
  /// The bytes.
  public var data: [UInt8] = []
  /// No bytes.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("data", &data) }
}

/// What may be done with a track from iTunes.
public struct FairPlayRightsBox: BoxPayload, Equatable {
  /// A name and a number.
  public struct Right: BoxTableRow {
    /// Such as `plat` for the platform, or `song` for the number of the song.
    public var name: FourCC = "plat"
    /// The number.
    public var value: UInt32 = 0
    /// Platform 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.fourCC("name", &name)
      try c.uint32("value", &value)
    }
  }
  public static let info = BoxInfo("righ", "FairPlay Rights", in: ["schi"], "FairPlay in iTunes files")
  /// Up to the end of the box, the last ones often empty.
  public var rights = BoxTable<Right>()
  /// No rights.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.tableToEnd("rights", &rights) }
}

/// The name of who bought a track from iTunes.
public struct FairPlayNameBox: BoxPayload, Equatable {
  public static let info = BoxInfo("name", "FairPlay User Name", in: ["schi"], "FairPlay in iTunes files")
  /// Filled up with zeros.
  public var name: [UInt8] = []
  /// No one.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.text("name", &name) }
}
