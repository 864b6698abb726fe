/// How segments are encrypted: EXT-X-KEY and EXT-X-SESSION-KEY (4.4.4.4, 4.4.6.5).
public struct EncryptionKey: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A method and where its key is.
  public init(_ method: Method, uri: String? = nil) {
    attributes = AttributeList()
    self.method = method
    self.uri = uri
  }

  /// The ways of encryption.
  public struct Method: RawRepresentable, Hashable, Sendable {
    /// The word for it.
    public var rawValue: String
    /// The method of a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not encrypted.
    public static let none = Method(rawValue: "NONE")
    /// Segments encrypted whole, by AES-128 in CBC mode.
    public static let aes128 = Method(rawValue: "AES-128")
    /// Samples encrypted, by AES-128 in CBC mode; `cbcs` in fragmented MP4.
    public static let sampleAES = Method(rawValue: "SAMPLE-AES")
    /// Samples encrypted, by AES-128 in counter mode; `cenc` in fragmented MP4.
    public static let sampleAESCTR = Method(rawValue: "SAMPLE-AES-CTR")
  }
  /// METHOD; empty when it is missing.
  public var method: Method {
    get { Method(rawValue: attributes[word: "METHOD"] ?? "") }
    set { attributes[word: "METHOD"] = newValue.rawValue }
  }
  /// Where the key is.
  public var uri: String? {
    get { attributes[string: "URI"] }
    set { attributes[string: "URI"] = newValue }
  }
  /// The initialization vector: 16 bytes.
  public var initializationVector: [UInt8]? {
    get { attributes[bytes: "IV"] }
    set { attributes[bytes: "IV"] = newValue }
  }
  /// How the key is represented; nil is `identity`.
  public var keyFormat: String? {
    get { attributes[string: "KEYFORMAT"] }
    set { attributes[string: "KEYFORMAT"] = newValue }
  }
  /// The versions of the key format, divided by `/`; nil is `1`.
  public var keyFormatVersions: String? {
    get { attributes[string: "KEYFORMATVERSIONS"] }
    set { attributes[string: "KEYFORMATVERSIONS"] = newValue }
  }
}
