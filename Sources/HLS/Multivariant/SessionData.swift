/// Data about the presentation, such as a title: EXT-X-SESSION-DATA (4.4.6.4).
public struct SessionData: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// Data with a value.
  public init(id: String, value: String, language: String? = nil) {
    attributes = AttributeList()
    self.id = id
    self.value = value
    self.language = language
  }
  /// The ID of the data, in reverse DNS notation; empty if missing.
  public var id: String {
    get { attributes[string: "DATA-ID"] ?? "" }
    set { attributes[string: "DATA-ID"] = newValue }
  }
  /// The value.
  public var value: String? {
    get { attributes[string: "VALUE"] }
    set { attributes[string: "VALUE"] = newValue }
  }
  /// The URI of the data.
  public var uri: String? {
    get { attributes[string: "URI"] }
    set { attributes[string: "URI"] = newValue }
  }
  /// The format of the data at the URI: `JSON` or `RAW`; `nil` is `JSON`.
  public var format: String? {
    get { attributes[word: "FORMAT"] }
    set { attributes[word: "FORMAT"] = newValue }
  }
  /// The language of the value.
  public var language: String? {
    get { attributes[string: "LANGUAGE"] }
    set { attributes[string: "LANGUAGE"] = newValue }
  }
}

/// Content steering, which selects pathways: EXT-X-CONTENT-STEERING (4.4.6.6).
public struct ContentSteering: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// The manifest at `serverURI`.
  public init(serverURI: String, pathway: String? = nil) {
    attributes = AttributeList()
    self.serverURI = serverURI
    self.pathway = pathway
  }
  /// The URI of the steering manifest; empty if missing.
  public var serverURI: String {
    get { attributes[string: "SERVER-URI"] ?? "" }
    set { attributes[string: "SERVER-URI"] = newValue }
  }
  /// The initial pathway.
  public var pathway: String? {
    get { attributes[string: "PATHWAY-ID"] }
    set { attributes[string: "PATHWAY-ID"] = newValue }
  }
}
