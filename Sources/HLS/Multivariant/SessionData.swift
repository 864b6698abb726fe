/// Data about the presentation, such as a title: EXT-X-SESSION-DATA (4.4.6.4).
public struct SessionData: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The ID of the data, in reverse DNS notation; empty if missing.
    public let id = AttributeSyntax("DATA-ID", .string, required: true, missing: "")
    /// The value.
    public let value = AttributeSyntax("VALUE", .string)
    /// The URI of the data.
    public let uri = AttributeSyntax("URI", .uri)
    /// The format of the data at the URI: `JSON` or `RAW`; `nil` is `JSON`.
    public let format = AttributeSyntax("FORMAT", .word(["JSON", "RAW"]))
    /// The language of the value.
    public let language = AttributeSyntax("LANGUAGE", .string)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// Data with a value.
  public init(id: String, value: String, language: String? = nil) {
    self.id = id
    self.value = value
    self.language = language
  }
}

/// Content steering, which selects pathways: EXT-X-CONTENT-STEERING (4.4.6.6).
public struct ContentSteering: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The URI of the steering manifest; empty if missing.
    public let serverURI = AttributeSyntax("SERVER-URI", .uri, required: true, missing: "")
    /// The initial pathway.
    public let pathway = AttributeSyntax("PATHWAY-ID", .string)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// The manifest at `serverURI`.
  public init(serverURI: String, pathway: String? = nil) {
    self.serverURI = serverURI
    self.pathway = pathway
  }
}
