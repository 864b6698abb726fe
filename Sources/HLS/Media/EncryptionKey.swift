/// The encryption of segments: EXT-X-KEY and EXT-X-SESSION-KEY (4.4.4.4, 4.4.6.5).
public struct EncryptionKey: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A method and the URI of its key.
  public init(_ method: Method, uri: String? = nil) {
    attributes = AttributeList()
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
  /// METHOD; empty if missing.
  public var method: Method {
    get { Method(rawValue: attributes[word: "METHOD"] ?? "") }
    set { attributes[word: "METHOD"] = newValue.rawValue }
  }
  /// The URI of the key.
  public var uri: String? {
    get { attributes[string: "URI"] }
    set { attributes[string: "URI"] = newValue }
  }
  /// The initialization vector: 16 bytes.
  public var initializationVector: [UInt8]? {
    get { attributes[bytes: "IV"] }
    set { attributes[bytes: "IV"] = newValue }
  }
  /// The key format; `nil` is `identity`.
  public var keyFormat: String? {
    get { attributes[string: "KEYFORMAT"] }
    set { attributes[string: "KEYFORMAT"] = newValue }
  }
  /// The versions of the key format, separated by `/`; `nil` is `1`.
  public var keyFormatVersions: String? {
    get { attributes[string: "KEYFORMATVERSIONS"] }
    set { attributes[string: "KEYFORMATVERSIONS"] = newValue }
  }
  /// Whether its URI is that of the key itself, not of a key system.
  package var isIdentity: Bool { keyFormat ?? "identity" == "identity" }
}
