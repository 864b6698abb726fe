import Bytes

/// The methods by which the priorities of NAL units were assigned.
public struct PriorityAssignmentBox: BoxPayload, Equatable {
  /// A method.
  public struct Method: BoxTableRow {
    /// The URI that names it.
    public var uri: BoxString = ""
    /// A method without a URI.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      // Without this check, an unterminated text would hide that there are fewer texts than declared.
      if c.isReading, c.remaining == 0 {
        throw c.missing("the end of the text before it", for: "PriorityAssignmentURI")
      }
      try c.string("PriorityAssignmentURI", &uri)
    }
  }
  public static let info = BoxInfo(
    "svcP", "SVC Priority Assignment Box", in: SampleEntries.avc + SampleEntries.svc + ["svcM"],
    "ISO/IEC 14496-15:2022, 6")
  /// The same fields for MVC, in another box.
  static let mvc = BoxInfo(
    "mvcP", "MVC View Priority Assignment Box", in: SampleEntries.avc + SampleEntries.mvc,
    "ISO/IEC 14496-15:2022, 7")
  /// The URIs of the methods.
  public var methods: [Method] = []
  /// No method.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: methods.count)
    try c.uint8("method_count", &count)
    try c.rows("PriorityAssignmentURI", &methods, count: count)
  }
}
