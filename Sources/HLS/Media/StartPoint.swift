/// Where playback starts: EXT-X-START (4.4.2.2).
public struct StartPoint: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// An offset from the start, or, if negative, from the end.
  public init(offset: Duration) {
    attributes = AttributeList()
    self.offset = offset
  }
  /// The offset from the start, or, if negative, from the end.
  public var offset: Duration {
    get { attributes[seconds: "TIME-OFFSET"] ?? .zero }
    set { attributes[seconds: "TIME-OFFSET"] = newValue }
  }
  /// Whether samples before it are not presented.
  public var isPrecise: Bool {
    get { attributes[flag: "PRECISE"] }
    set { attributes[flag: "PRECISE"] = newValue }
  }
}

/// A variable for `{$NAME}` in URIs and quoted strings: EXT-X-DEFINE (4.4.2.3).
public struct VariableDefinition: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A variable with a value.
  public init(name: String, value: String) {
    attributes = AttributeList()
    self.name = name
    self.value = value
  }
  /// The name of a variable that has a ``value``.
  public var name: String? {
    get { attributes[string: "NAME"] }
    set { attributes[string: "NAME"] = newValue }
  }
  /// The value.
  public var value: String? {
    get { attributes[string: "VALUE"] }
    set { attributes[string: "VALUE"] = newValue }
  }
  /// The name of a variable imported from the multivariant playlist.
  public var imported: String? {
    get { attributes[string: "IMPORT"] }
    set { attributes[string: "IMPORT"] = newValue }
  }
  /// The name of a query parameter in the URI of the playlist.
  public var queryParameter: String? {
    get { attributes[string: "QUERYPARAM"] }
    set { attributes[string: "QUERYPARAM"] = newValue }
  }
}
