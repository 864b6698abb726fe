import Bytes

/// A file of OMA DRM, or what protects a track in its way: boxes after a version and flags.
public struct OMADRMContainerBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("odrm", "OMA DRM Container Box", in: [.file], "OMA DRM Content Format 2.1, 6.3")
  /// What is needed for the keys of a track.
  static let keyManagement = BoxInfo(
    "odkm", "OMA DRM Key Management System Box", in: ["schi"], "OMA DRM Content Format 2.1, 7.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// Version 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// What kind of content a container of OMA DRM holds.
public struct OMADRMHeadersBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("odhe", "Discrete Headers Box", in: ["odrm"], "OMA DRM Content Format 2.1, 6.3.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The media type, such as `audio/mp4`.
  public var contentType: [UInt8] = []
  /// No type.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var length = UInt8(clamping: contentType.count)
    try c.uint8("ContentTypeLength", &length)
    try c.text("ContentType", &contentType, count: Int(length))
    c.boxes()
  }
}

/// How content is encrypted and where the rights to it come from.
public struct OMADRMCommonHeadersBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "ohdr", "Common Headers Box", in: ["odhe", "odkm"], "OMA DRM Content Format 2.1, 5.2.1")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// 0: not at all; 1: AES with 128 bits, cipher block chaining; 2: the same in counter mode.
  public var encryptionMethod: UInt8 = 0
  /// 0: none; 1: that of RFC 2630.
  public var paddingScheme: UInt8 = 0
  /// The number of bytes before encryption.
  public var plaintextLength: UInt64 = 0
  /// What names the content.
  public var contentID: [UInt8] = []
  /// Where rights are to be had.
  public var rightsIssuerURL: [UInt8] = []
  /// Lines of name and value, each ended by a zero byte.
  public var textualHeaders: [UInt8] = []
  /// Content in the clear.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("EncryptionMethod", &encryptionMethod, as: .named("0 none; 1 AES-128 CBC; 2 AES-128 CTR"))
    try c.uint8("PaddingScheme", &paddingScheme, as: .named("0 none; 1 RFC 2630"))
    try c.uint64("PlaintextLength", &plaintextLength)
    var idLength = UInt16(clamping: contentID.count)
    var urlLength = UInt16(clamping: rightsIssuerURL.count)
    var headersLength = UInt16(clamping: textualHeaders.count)
    try c.uint16("ContentIDLength", &idLength)
    try c.uint16("RightsIssuerURLLength", &urlLength)
    try c.uint16("TextualHeadersLength", &headersLength)
    try c.text("ContentID", &contentID, count: Int(idLength))
    try c.text("RightsIssuerURL", &rightsIssuerURL, count: Int(urlLength))
    try c.text("TextualHeaders", &textualHeaders, count: Int(headersLength))
    c.boxes()
  }
}

/// The content itself; its bytes follow the field and are not read.
public struct OMADRMContentObjectBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("odda", "Content Object Box", in: ["odrm"], "OMA DRM Content Format 2.1, 6.3.3")
  public var header = FullBoxHeader()
  /// The number of bytes after this field.
  public var dataLength: UInt64 = 0
  /// No content.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("OMADRMDataLength", &dataLength)
  }
}

/// How the samples of a track are encrypted in the way of OMA DRM.
public struct OMADRMAUFormatBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("odaf", "Access Unit Format Box", in: ["odkm"], "OMA DRM Content Format 2.1, 7.3")
  public var header = FullBoxHeader()
  /// Whether each sample says that it is encrypted.
  public var selectiveEncryption: Bool = false
  /// 0.
  public var keyIndicatorLength: UInt8 = 0
  /// The size of the initialization vector of each sample.
  public var ivLength: UInt8 = 16
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// All samples are encrypted.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.flag("SelectiveEncryption", &selectiveEncryption)
    try c.reserved(&reserved, bits: 7)
    try c.uint8("KeyIndicatorLength", &keyIndicatorLength)
    try c.uint8("IVLength", &ivLength)
  }
}

/// The group whose rights open the content too.
public struct OMADRMGroupIDBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("grpi", "Group ID Box", in: ["ohdr"], "OMA DRM Content Format 2.1, 5.2.2")
  public var header = FullBoxHeader()
  /// How the key is encrypted with that of the group: as `EncryptionMethod`.
  public var gkEncryptionMethod: UInt8 = 0
  /// What names the group.
  public var groupID: [UInt8] = []
  /// The encrypted key.
  public var groupKey: [UInt8] = []
  /// No group.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var idLength = UInt16(clamping: groupID.count)
    var keyLength = UInt16(clamping: groupKey.count)
    try c.uint16("GroupIDLength", &idLength)
    try c.uint8("GKEncryptionMethod", &gkEncryptionMethod, as: .named("0 none; 1 AES-128 CBC; 2 AES-128 CTR"))
    try c.uint16("GKLength", &keyLength)
    try c.text("GroupID", &groupID, count: Int(idLength))
    try c.bytes("GroupKey", &groupKey, count: Int(keyLength))
  }
}

/// A number that rights issuers follow transactions by; it changes with every copy.
public struct OMADRMTransactionTrackingBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "odtt", "Transaction Tracking Box", in: ["mdri"], "OMA DRM Content Format 2.1, 5.3.2")
  public var header = FullBoxHeader()
  /// 16 bytes.
  public var transactionID = [UInt8](repeating: 0, count: 16)
  /// No transaction.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("TransactionID", &transactionID, count: 16)
  }
}

/// Rights that came with the content.
public struct OMADRMRightsObjectBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("odrb", "Rights Object Box", in: ["mdri"], "OMA DRM Content Format 2.1, 5.3.3")
  public var header = FullBoxHeader()
  /// XML or its binary form.
  public var data: [UInt8] = []
  /// No rights.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("OMADRMRightsObject", &data)
  }
}

/// Where there is more about the content: a picture, a page, a cover or words of a song.
public struct OMADRMURIBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("icnu", "Icon URI Box", in: ["udta"], "OMA DRM Content Format 2.1, 5.4")
  /// The same fields for other things.
  static let others = [
    BoxInfo("infu", "Info URL Box", in: info.containers, info.clause),
    BoxInfo("cvru", "Cover URI Box", in: info.containers, info.clause),
    BoxInfo("lrcu", "Lyrics URI Box", in: info.containers, info.clause),
  ]
  public var header = FullBoxHeader()
  /// The URI; it goes to the end of the box.
  public var uri: BoxString = BoxString([], form: .unterminated)
  /// Nowhere.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.string("uri", &uri) }
}
