/// The syntax of the attributes of tags, used by the parser, which rejects invalid numbers, and by the rules.
struct AttributeSyntax: Sendable {
  /// The forms of values (draft-pantos-hls-rfc8216bis, 4.2).
  enum Form: Sendable {
    case integer, decimal, signedDecimal, hexadecimal, resolution
    case string, byteRange, date
    case word([String])
    /// A quoted string, or one particular unquoted word.
    case stringOr(String)
  }
  var name: String
  var form: Form
  var isRequired: Bool

  init(_ name: String, _ form: Form, required: Bool = false) {
    self.name = name
    self.form = form
    isRequired = required
  }

  /// The attributes defined for a tag.
  static func of(_ tag: TagName) -> [AttributeSyntax] { table[tag] ?? [] }

  static let yes = Form.word(["YES"])
  static let yesOrNo = Form.word(["YES", "NO"])

  private static let key = [
    AttributeSyntax("METHOD", .word(["NONE", "AES-128", "SAMPLE-AES", "SAMPLE-AES-CTR"]), required: true),
    AttributeSyntax("URI", .string), AttributeSyntax("IV", .hexadecimal), AttributeSyntax("KEYFORMAT", .string),
    AttributeSyntax("KEYFORMATVERSIONS", .string),
  ]
  private static let stream = [
    AttributeSyntax("BANDWIDTH", .integer, required: true), AttributeSyntax("AVERAGE-BANDWIDTH", .integer),
    AttributeSyntax("SCORE", .decimal), AttributeSyntax("CODECS", .string),
    AttributeSyntax("SUPPLEMENTAL-CODECS", .string), AttributeSyntax("RESOLUTION", .resolution),
    AttributeSyntax("HDCP-LEVEL", .word(["NONE", "TYPE-0", "TYPE-1"])), AttributeSyntax("ALLOWED-CPC", .string),
    AttributeSyntax("VIDEO-RANGE", .word(["SDR", "HLG", "PQ"])), AttributeSyntax("REQ-VIDEO-LAYOUT", .string),
    AttributeSyntax("STABLE-VARIANT-ID", .string), AttributeSyntax("VIDEO", .string),
    AttributeSyntax("PATHWAY-ID", .string), AttributeSyntax("PROGRAM-ID", .integer),
  ]
  private static let table: [TagName: [AttributeSyntax]] = [
    .define: [
      AttributeSyntax("NAME", .string), AttributeSyntax("VALUE", .string), AttributeSyntax("IMPORT", .string),
      AttributeSyntax("QUERYPARAM", .string),
    ],
    .start: [
      AttributeSyntax("TIME-OFFSET", .signedDecimal, required: true), AttributeSyntax("PRECISE", yesOrNo),
    ],
    .partInformation: [AttributeSyntax("PART-TARGET", .decimal, required: true)],
    .serverControl: [
      AttributeSyntax("CAN-SKIP-UNTIL", .decimal), AttributeSyntax("CAN-SKIP-DATERANGES", yes),
      AttributeSyntax("HOLD-BACK", .decimal), AttributeSyntax("PART-HOLD-BACK", .decimal),
      AttributeSyntax("CAN-BLOCK-RELOAD", yes),
    ],
    .skip: [
      AttributeSyntax("SKIPPED-SEGMENTS", .integer, required: true),
      AttributeSyntax("RECENTLY-REMOVED-DATERANGES", .string),
    ],
    .key: key,
    .sessionKey: key,
    .map: [AttributeSyntax("URI", .string, required: true), AttributeSyntax("BYTERANGE", .byteRange)],
    .part: [
      AttributeSyntax("URI", .string, required: true), AttributeSyntax("DURATION", .decimal, required: true),
      AttributeSyntax("INDEPENDENT", yes), AttributeSyntax("BYTERANGE", .byteRange), AttributeSyntax("GAP", yes),
    ],
    .dateRange: [
      AttributeSyntax("ID", .string, required: true), AttributeSyntax("CLASS", .string),
      AttributeSyntax("START-DATE", .date), AttributeSyntax("CUE", .string), AttributeSyntax("END-DATE", .date),
      AttributeSyntax("DURATION", .decimal), AttributeSyntax("PLANNED-DURATION", .decimal),
      AttributeSyntax("SCTE35-CMD", .hexadecimal), AttributeSyntax("SCTE35-OUT", .hexadecimal),
      AttributeSyntax("SCTE35-IN", .hexadecimal), AttributeSyntax("END-ON-NEXT", yes),
    ],
    .preloadHint: [
      AttributeSyntax("TYPE", .word(["PART", "MAP"]), required: true), AttributeSyntax("URI", .string, required: true),
      AttributeSyntax("BYTERANGE-START", .integer), AttributeSyntax("BYTERANGE-LENGTH", .integer),
    ],
    .renditionReport: [
      AttributeSyntax("URI", .string, required: true), AttributeSyntax("LAST-MSN", .integer),
      AttributeSyntax("LAST-PART", .integer),
    ],
    .rendition: [
      AttributeSyntax("TYPE", .word(["AUDIO", "VIDEO", "SUBTITLES", "CLOSED-CAPTIONS"]), required: true),
      AttributeSyntax("URI", .string), AttributeSyntax("GROUP-ID", .string, required: true),
      AttributeSyntax("LANGUAGE", .string), AttributeSyntax("ASSOC-LANGUAGE", .string),
      AttributeSyntax("NAME", .string, required: true), AttributeSyntax("STABLE-RENDITION-ID", .string),
      AttributeSyntax("DEFAULT", yesOrNo), AttributeSyntax("AUTOSELECT", yesOrNo), AttributeSyntax("FORCED", yesOrNo),
      AttributeSyntax("INSTREAM-ID", .string), AttributeSyntax("BIT-DEPTH", .integer),
      AttributeSyntax("SAMPLE-RATE", .integer), AttributeSyntax("CHARACTERISTICS", .string),
      AttributeSyntax("CHANNELS", .string),
    ],
    .variant: stream + [
      AttributeSyntax("FRAME-RATE", .decimal), AttributeSyntax("AUDIO", .string), AttributeSyntax("SUBTITLES", .string),
      AttributeSyntax("CLOSED-CAPTIONS", .stringOr("NONE")),
    ],
    .iFrameVariant: stream + [AttributeSyntax("URI", .string, required: true)],
    .sessionData: [
      AttributeSyntax("DATA-ID", .string, required: true), AttributeSyntax("VALUE", .string),
      AttributeSyntax("URI", .string), AttributeSyntax("FORMAT", .word(["JSON", "RAW"])),
      AttributeSyntax("LANGUAGE", .string),
    ],
    .contentSteering: [
      AttributeSyntax("SERVER-URI", .string, required: true), AttributeSyntax("PATHWAY-ID", .string),
    ],
  ]
}

extension AttributeSyntax.Form {
  /// The allowed values, in words.
  var description: String {
    switch self {
    case .integer: "a whole number without a sign, such as 6"
    case .decimal: "a number without a sign, such as 6.006"
    case .signedDecimal: "a number such as -6.006"
    case .hexadecimal: "0x and hexadecimal digits"
    case .resolution: "WIDTHxHEIGHT"
    case .string: "a string in quotation marks"
    case .byteRange: "\"LENGTH@OFFSET\" or \"LENGTH\""
    case .date: "a date in quotation marks, such as \"2024-05-01T09:30:00.000Z\""
    case .word(let words): words.joined(separator: ", ")
    case .stringOr(let word): "a string in quotation marks or \(word)"
    }
  }
  /// Whether a numeric value can be parsed. Other values always can; the rules check them.
  func isReadable(_ attribute: Attribute) -> Bool {
    switch self {
    case .integer: decimalInteger(attribute.text) != nil
    case .decimal: Duration(decimal: attribute.text) != nil
    case .signedDecimal: Duration(decimal: attribute.text, signed: true) != nil
    case .resolution: Resolution(attribute.text) != nil
    case .byteRange: ByteRange(attribute.string) != nil || attribute.hasVariable
    case .string, .date, .hexadecimal, .word, .stringOr: true
    }
  }
  /// Whether the value is valid.
  func holds(_ attribute: Attribute) -> Bool {
    switch self {
    case .integer, .decimal, .signedDecimal, .resolution: isReadable(attribute)
    case .byteRange: attribute.isQuoted && isReadable(attribute)
    case .hexadecimal: attribute.bytes != nil || attribute.hasVariable
    case .string: attribute.isQuoted
    case .date: attribute.isQuoted && (DateTime(attribute.string) != nil || attribute.hasVariable)
    case .word(let words): words.contains(attribute.text)
    case .stringOr(let word): attribute.isQuoted || attribute.text == word
    }
  }
}
