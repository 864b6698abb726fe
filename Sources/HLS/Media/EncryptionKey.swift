/// The encryption of segments: EXT-X-KEY and EXT-X-SESSION-KEY (4.4.4.4, 4.4.6.5).
public struct EncryptionKey: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// METHOD; empty if missing.
    public let method = AttributeSyntax(
      "METHOD", .word([.none, .aes128, .sampleAES, .sampleAESCTR]), required: true, missing: Method(rawValue: ""))
    /// The URI of the key.
    public let uri = AttributeSyntax("URI", .uri)
    /// The initialization vector: 16 bytes.
    public let initializationVector = AttributeSyntax("IV", .hexadecimal)
    /// The key format; `nil` is `identity`.
    public let keyFormat = AttributeSyntax("KEYFORMAT", .string)
    /// The versions of the key format, separated by `/`; `nil` is `1`.
    public let keyFormatVersions = AttributeSyntax("KEYFORMATVERSIONS", .string)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A method and the URI of its key.
  public init(_ method: Method, uri: String? = nil) {
    self.method = method
    self.uri = uri
  }

  /// The encryption methods.
  public struct Method: RawRepresentable, Hashable, Sendable {
    /// The name of the method.
    public var rawValue: String
    /// The method with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not encrypted.
    public static let none = Method(rawValue: "NONE")
    /// Whole segments encrypted with AES-128 in CBC mode.
    public static let aes128 = Method(rawValue: "AES-128")
    /// Samples encrypted with AES-128 in CBC mode; `cbcs` in fragmented MP4.
    public static let sampleAES = Method(rawValue: "SAMPLE-AES")
    /// Samples encrypted with AES-128 in counter mode; `cenc` in fragmented MP4.
    public static let sampleAESCTR = Method(rawValue: "SAMPLE-AES-CTR")
  }
  /// Whether its URI is that of the key itself, not of a key system.
  package var isIdentity: Bool { self.keyFormat ?? "identity" == "identity" }
}
