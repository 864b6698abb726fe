/// A date range with attributes: EXT-X-DATERANGE (4.4.5.1). Custom attributes, and those of interstitials
/// (`X-ASSET-URI` …), are in ``attributes``.
public struct DateRange: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A range that starts at `start`.
  public init(id: String, start: DateTime) {
    attributes = AttributeList()
    self.id = id
    self.start = start
  }
  /// Its ID; empty if missing.
  public var id: String {
    get { attributes[string: "ID"] ?? "" }
    set { attributes[string: "ID"] = newValue }
  }
  /// Its class, which defines the rules for its attributes.
  public var classIdentifier: String? {
    get { attributes[string: "CLASS"] }
    set { attributes[string: "CLASS"] = newValue }
  }
  /// Its start.
  public var start: DateTime? {
    get { attributes[date: "START-DATE"] }
    set { attributes[date: "START-DATE"] = newValue }
  }
  /// Its end.
  public var end: DateTime? {
    get { attributes[date: "END-DATE"] }
    set { attributes[date: "END-DATE"] = newValue }
  }
  /// When its action is triggered: `PRE`, `POST`, `ONCE`, separated by commas.
  public var cue: String? {
    get { attributes[string: "CUE"] }
    set { attributes[string: "CUE"] = newValue }
  }
  /// Its duration.
  public var duration: Duration? {
    get { attributes[seconds: "DURATION"] }
    set { attributes[seconds: "DURATION"] = newValue }
  }
  /// Its planned duration.
  public var plannedDuration: Duration? {
    get { attributes[seconds: "PLANNED-DURATION"] }
    set { attributes[seconds: "PLANNED-DURATION"] = newValue }
  }
  /// An SCTE 35 message other than the next two.
  public var scte35Command: [UInt8]? {
    get { attributes[bytes: "SCTE35-CMD"] }
    set { attributes[bytes: "SCTE35-CMD"] = newValue }
  }
  /// The SCTE 35 message of its start.
  public var scte35Out: [UInt8]? {
    get { attributes[bytes: "SCTE35-OUT"] }
    set { attributes[bytes: "SCTE35-OUT"] = newValue }
  }
  /// The SCTE 35 message of its end.
  public var scte35In: [UInt8]? {
    get { attributes[bytes: "SCTE35-IN"] }
    set { attributes[bytes: "SCTE35-IN"] = newValue }
  }
  /// Whether it ends when the next one of its class starts.
  public var endsOnNext: Bool {
    get { attributes[flag: "END-ON-NEXT"] }
    set { attributes[flag: "END-ON-NEXT"] = newValue }
  }
}
