import MP4Bytes

/// Samples that are XML documents, such as TTML.
public struct XMLSubtitleSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("stpp", "XML Subtitle Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.6.3")
  public static let holdsBoxes = true
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// The namespaces of the documents, separated by spaces.
  public var namespace: BoxString = ""
  /// The locations of their schemas; some writers omit them.
  public var schemaLocation: BoxString?
  /// The types of images, fonts and other resources in the samples; some writers omit them.
  public var auxiliaryMIMETypes: BoxString?
  /// Documents without a namespace.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.string("namespace", &namespace)
    try c.stringBeforeBoxes("schema_location", &schemaLocation)
    try c.stringBeforeBoxes("auxiliary_mime_types", &auxiliaryMIMETypes)
    c.boxes()
  }
}

/// Text samples with a declared type.
public struct TextSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("stxt", "Simple Text Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.5.3")
  public static let holdsBoxes = true
  /// The same fields for subtitles and metadata.
  static let others = [
    BoxInfo("sbtt", "Text Subtitle Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.6.3"),
    BoxInfo("mett", "Text Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.3.3"),
  ]
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// The compression of the samples, such as `gzip`; empty if they are not compressed.
  public var contentEncoding: BoxString = ""
  /// The type of the samples, such as `text/plain`.
  public var mimeFormat: BoxString?
  /// Text without a type.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.string("content_encoding", &contentEncoding)
    try c.stringBeforeBoxes("mime_format", &mimeFormat)
    c.boxes()
  }
}

/// Timed metadata whose samples are XML documents.
public struct XMLMetadataSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("metx", "XML Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.3.3")
  public static let holdsBoxes = true
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// The compression of the samples, such as `gzip`; empty if they are not compressed.
  public var contentEncoding: BoxString = ""
  /// The namespaces of the documents, separated by spaces.
  public var namespace: BoxString?
  /// The locations of their schemas.
  public var schemaLocation: BoxString?
  /// Documents without a namespace.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.string("content_encoding", &contentEncoding)
    try c.stringBeforeBoxes("namespace", &namespace)
    try c.stringBeforeBoxes("schema_location", &schemaLocation)
    c.boxes()
  }
}

/// The type of the samples, with its parameters.
public struct MIMEBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "mime", "MIME Box", in: ["stpp", "sbtt", "stxt", "mett", "metx"], "ISO/IEC 14496-12:2022, 12.6.3")
  public var header = FullBoxHeader()
  /// Such as `application/ttml+xml;codecs=im1t`.
  public var contentType: BoxString = ""
  /// No type.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("content_type", &contentType)
  }
}

extension FieldCoder {
  /// A text that can be missing; boxes then follow immediately.
  mutating func stringBeforeBoxes(_ name: StaticText, _ value: inout BoxString?) throws(BoxError) {
    guard isReading ? hasMore(or: false) && !startsWithBox : value != nil || isDescribing else { return }
    var text = value ?? ""
    try string(name, &text)
    value = text
  }
}
