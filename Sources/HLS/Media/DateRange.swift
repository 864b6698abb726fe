/// A date range with attributes: EXT-X-DATERANGE (4.4.5.1). Custom attributes, and those of interstitials
/// (`X-ASSET-URI` …), are in ``attributes``.
public struct DateRange: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// Its ID; empty if missing.
    public let id = AttributeSyntax("ID", .string, required: true, missing: "")
    /// Its class, which defines the rules for its attributes.
    public let classIdentifier = AttributeSyntax("CLASS", .string)
    /// Its start.
    public let start = AttributeSyntax("START-DATE", .date)
    /// When its action is triggered: `PRE`, `POST`, `ONCE`, separated by commas.
    public let cue = AttributeSyntax("CUE", .string)
    /// Its end.
    public let end = AttributeSyntax("END-DATE", .date)
    /// Its duration.
    public let duration = AttributeSyntax("DURATION", .seconds)
    /// Its planned duration.
    public let plannedDuration = AttributeSyntax("PLANNED-DURATION", .seconds)
    /// An SCTE 35 message other than the next two.
    public let scte35Command = AttributeSyntax("SCTE35-CMD", .hexadecimal)
    /// The SCTE 35 message of its start.
    public let scte35Out = AttributeSyntax("SCTE35-OUT", .hexadecimal)
    /// The SCTE 35 message of its end.
    public let scte35In = AttributeSyntax("SCTE35-IN", .hexadecimal)
    /// Whether it ends when the next one of its class starts.
    public let endsOnNext = AttributeSyntax("END-ON-NEXT", .yes, missing: false)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A range that starts at `start`.
  public init(id: String, start: DateTime) {
    self.id = id
    self.start = start
  }
}
