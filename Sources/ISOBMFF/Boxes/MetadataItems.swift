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
