public import Bytes

/// A text about the whole file or track in one language, such as its title. The box type determines the meaning.
public struct AssetTextBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("titl", "Title", in: ["udta"], "3GPP TS 26.244, 8.2")
  public var header = FullBoxHeader()
  /// The language code of ISO 639-2.
  public var language: LanguageCode = "und"
  /// The text: UTF-8, or UTF-16 after a byte order mark.
  public var value: BoxString = ""
  /// No text.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.markedString("value", &value)
  }
}

/// The album that a recording belongs to.
public struct AlbumBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("albm", "Album Title", in: ["udta"], "3GPP TS 26.244, 8.9")
  public var header = FullBoxHeader()
  /// The language code of ISO 639-2.
  public var language: LanguageCode = "und"
  /// Its title.
  public var albumTitle: BoxString = ""
  /// The number of the recording's track on the album.
  public var trackNumber: UInt8?
  /// No album.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.string("AlbumTitle", &albumTitle)
    guard c.hasMore(or: trackNumber != nil) else { return }
    var number = trackNumber ?? 0
    try c.uint8("TrackNumber", &number)
    trackNumber = number
  }
}

/// A content rating.
public struct RatingBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rtng", "Rating", in: ["udta"], "3GPP TS 26.244, 8.5")
  public var header = FullBoxHeader()
  /// The entity that defines the value.
  public var ratingEntity = FourCC()
  /// The rating criteria.
  public var ratingCriteria = FourCC()
  /// The language code of ISO 639-2.
  public var language: LanguageCode = "und"
  /// The rating.
  public var ratingInfo: BoxString = ""
  /// Not rated.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("RatingEntity", &ratingEntity)
    try c.fourCC("RatingCriteria", &ratingCriteria)
    try c.language("language", &language)
    try c.markedString("RatingInfo", &ratingInfo)
  }
}

/// The classification of a recording.
public struct ClassificationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("clsf", "Classification", in: ["udta"], "3GPP TS 26.244, 8.6")
  public var header = FullBoxHeader()
  /// The entity that defines the value.
  public var classificationEntity = FourCC()
  /// The table of the classification.
  public var classificationTable: UInt16 = 0
  /// The language code of ISO 639-2.
  public var language: LanguageCode = "und"
  /// The class.
  public var classificationInfo: BoxString = ""
  /// Not classified.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("ClassificationEntity", &classificationEntity)
    try c.uint16("ClassificationTable", &classificationTable)
    try c.language("language", &language)
    try c.markedString("ClassificationInfo", &classificationInfo)
  }
}

/// The location of a recording.
public struct LocationInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("loci", "Location Information", in: ["udta"], "3GPP TS 26.244, 8.8")
  public var header = FullBoxHeader()
  /// The language code of ISO 639-2.
  public var language: LanguageCode = "und"
  /// The name of the place.
  public var name: BoxString = ""
  /// 0: shooting location; 1: real location of the story; 2: fictional location.
  public var role: UInt8 = 0
  /// In degrees, with 16 bits after the point; east is positive.
  public var longitude: Int32 = 0
  /// In degrees, with 16 bits after the point; north is positive.
  public var latitude: Int32 = 0
  /// In meters above the sea, with 16 bits after the point.
  public var altitude: Int32 = 0
  /// The astronomical body; `earth` if it is empty.
  public var astronomicalBody: BoxString = ""
  /// Additional notes.
  public var additionalNotes: BoxString = ""
  /// The place with zero coordinates.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.markedString("Name", &name)
    try c.uint8("Role", &role, as: .named("0 shooting; 1 real; 2 fictional"))
    try c.int32("Longitude", &longitude, as: .fixed(16))
    try c.int32("Latitude", &latitude, as: .fixed(16))
    try c.int32("Altitude", &altitude, as: .fixed(16))
    try c.string("Astronomical_body", &astronomicalBody)
    try c.string("Additional_notes", &additionalNotes)
  }
}
