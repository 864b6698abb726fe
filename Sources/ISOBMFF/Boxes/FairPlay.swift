import Bytes

/// The name of who bought a track from iTunes.
public struct FairPlayNameBox: BoxPayload, Equatable {
  public static let info = BoxInfo("name", "FairPlay User Name", in: ["schi"], "FairPlay in iTunes files")
  /// Filled up with zeros.
  public var name: [UInt8] = []
  /// No one.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.text("name", &name) }
}
