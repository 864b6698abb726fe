/// Where playback starts: EXT-X-START (4.4.2.2).
public struct StartPoint: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The offset from the start, or, if negative, from the end.
    public let offset = AttributeSyntax("TIME-OFFSET", .signedSeconds, required: true, missing: .zero)
    /// Whether samples before it are not presented.
    public let isPrecise = AttributeSyntax("PRECISE", .yesOrNo, missing: false)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// An offset from the start, or, if negative, from the end.
  public init(offset: Duration) {
    self.offset = offset
  }
}

/// A variable for `{$NAME}` in URIs and quoted strings: EXT-X-DEFINE (4.4.2.3).
public struct VariableDefinition: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The name of a variable that has a ``value``.
    public let name = AttributeSyntax("NAME", .string)
    /// The value.
    public let value = AttributeSyntax("VALUE", .string)
    /// The name of a variable imported from the multivariant playlist.
    public let imported = AttributeSyntax("IMPORT", .string)
    /// The name of a query parameter in the URI of the playlist.
    public let queryParameter = AttributeSyntax("QUERYPARAM", .string)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A variable with a value.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
