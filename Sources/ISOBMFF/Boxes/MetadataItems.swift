import Bytes

/// Who gave an item of metadata its name, as a domain written backwards.
public struct MetadataMeanBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mean", "Meaning Box", in: ["----"], "iTunes Metadata Format")
  public var header = FullBoxHeader()
  /// Such as `com.apple.iTunes`.
  public var value = BoxString.none
  /// No one.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.text("value", &value) }
}

/// The name of an item of metadata that has no code of its own.
public struct MetadataNameBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("name", "Name Box", in: ["----"], "iTunes Metadata Format")
  public var header = FullBoxHeader()
  /// Such as `iTunSMPB`.
  public var value = BoxString.none
  /// No name.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.text("value", &value) }
}

/// Tags of ID3.
public struct ID3v2Box: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ID32", "ID3v2 Box", in: ["meta"], "Carriage of ID3 in MP4, 2.1")
  public var header = FullBoxHeader()
  /// Of ISO 639-2.
  public var language: LanguageCode = "und"
  /// A whole tag of ID3, version 2.
  public var id3v2Data: [UInt8] = []
  /// No tags.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.bytes("ID3v2_data", &id3v2Data)
  }
}
