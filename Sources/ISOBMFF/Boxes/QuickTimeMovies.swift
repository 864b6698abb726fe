public import MP4Bytes

/// The names of metadata items; the type of an item in `ilst` is the index of its key.
public struct MetadataItemKeysBox: FullBoxPayload, Equatable {
  /// One name.
  public struct Key: BoxTableRow {
    /// The namespace of the name, such as `mdta`.
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
  /// The names; the first one has index 1.
  public var keys: [Key] = []
  /// No keys.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("keys", &keys, counted: "entry_count")
  }
}
