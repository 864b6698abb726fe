extension PlaylistRule {
  /// Its name in reports and for scripts, such as `target-duration-missing`.
  package var name: String {
    var name = ""
    var wasLower = false
    for character in rawValue {
      // Consecutive capital letters belong to one word.
      if character.isUppercase, wasLower { name += "-" }
      name += character.lowercased()
      wasLower = character.isLowercase
    }
    return name
  }

  /// The rule as a statement about playlists that follow it.
  package var meaning: String {
    switch self {
    case .firstLine: "The first line of a playlist is #EXTM3U."
    case .encoding: "A playlist is UTF-8 without a byte order mark and without control characters."
    case .uri: "A URI is not empty, does not start with # and has no spaces."
    case .tagOnce: "Tags that apply to the whole playlist appear once."
    case .tagKind: "Multivariant playlists have no media playlist tags, and vice versa."
    case .version: "EXT-X-VERSION is high enough for the features of the playlist."
    case .empty: "A playlist has segments or variants."
    case .tagName: "Tag names are not misspelled."
    case .tagValue: "The value of a tag has the required form."
    case .attributeName: "Attribute names are not misspelled."
    case .attributeForm: "The value of an attribute has the required form."
    case .attributeTwice: "No attribute is repeated in a tag."
    case .attributeMissing: "A tag has all of its required attributes."
    case .definition: "EXT-X-DEFINE defines each variable once, with NAME, IMPORT or QUERYPARAM."
    case .variableUndefined: "Variables are defined before they are used."
    case .startOffset: "The TIME-OFFSET of EXT-X-START is within the playlist."
    case .targetDurationMissing: "A media playlist has EXT-X-TARGETDURATION."
    case .segmentTooLong: "The duration of each segment, rounded, is at most the target duration."
    case .mediaSequencePlace: "EXT-X-MEDIA-SEQUENCE precedes the first segment."
    case .discontinuitySequencePlace:
      "EXT-X-DISCONTINUITY-SEQUENCE precedes the first segment and EXT-X-DISCONTINUITY."
    case .playlistType: "EXT-X-PLAYLIST-TYPE is EVENT or VOD."
    case .endMissing: "A VOD playlist has EXT-X-ENDLIST."
    case .iFrameRange: "I-frames that share a resource have byte ranges."
    case .partInformationMissing: "A playlist with EXT-X-PART has EXT-X-PART-INF."
    case .serverControl: "EXT-X-SERVER-CONTROL has the attributes that parts need, with durations that are long enough."
    case .durationMissing: "Each segment has EXTINF."
    case .durationComma: "A comma follows the duration of EXTINF."
    case .segmentTagTwice: "No tag of a segment is repeated."
    case .strayTag: "The tags of a segment precede its URI."
    case .byteRangeStart: "A byte range without an offset follows another range of the same resource."
    case .key: "A key has a URI, or its method is NONE; an initialization vector has at most 16 bytes."
    case .partTooLong: "A part lasts at most PART-TARGET."
    case .partTooShort: "A part that is not the last of its segment lasts at least 85% of PART-TARGET."
    case .dateRange: "The END-DATE of a date range is consistent with START-DATE and DURATION."
    case .dateRangeSyntax: "EXT-X-DATERANGE can be read."
    case .dateRangeNext: "END-ON-NEXT is used with CLASS, without DURATION or END-DATE, and without overlaps."
    case .dateRangeSame: "EXT-X-DATERANGE tags with the same ID do not contradict each other."
    case .dateMissing: "A playlist with EXT-X-DATERANGE has EXT-X-PROGRAM-DATE-TIME."
    case .preloadHintTwice: "There is at most one EXT-X-PRELOAD-HINT per type."
    case .renditionReport: "The URI of EXT-X-RENDITION-REPORT is relative."
    case .variantURI: "The URI of a variant follows its EXT-X-STREAM-INF, and there are no other URIs."
    case .groupMissing: "Variants refer to existing groups."
    case .closedCaptions: "If CLOSED-CAPTIONS is NONE in one variant, it is NONE in all."
    case .frameRate: "FRAME-RATE has at most three decimals."
    case .averageBandwidth: "AVERAGE-BANDWIDTH is at most BANDWIDTH."
    case .videoLayout: "REQ-VIDEO-LAYOUT has no empty entries."
    case .supplementalCodecs: "SUPPLEMENTAL-CODECS appears only with CODECS."
    case .stableID: "Stable IDs contain only letters, digits and the characters +, /, =, ., - and _."
    case .nameTwice: "The renditions of a group have distinct names."
    case .defaultTwice: "A group has at most one default rendition."
    case .autoselect: "A rendition with DEFAULT=YES does not have AUTOSELECT=NO."
    case .forced: "Only subtitle renditions have FORCED."
    case .inStreamID: "The INSTREAM-ID of closed captions is CC1 to CC4 or SERVICE1 to SERVICE63."
    case .renditionURI: "Subtitle renditions have a URI; closed captions have none."
    case .audioAttribute: "Only audio renditions have CHANNELS, BIT-DEPTH and SAMPLE-RATE."
    case .channels: "CHANNELS starts with the number of channels."
    case .groupsAlike: "Groups of the same type have the same renditions with the same attributes."
    case .sessionData: "EXT-X-SESSION-DATA has either VALUE or URI."
    case .sessionDataTwice: "There is at most one EXT-X-SESSION-DATA per DATA-ID and language."
    case .sessionKey: "The METHOD of EXT-X-SESSION-KEY is not NONE."
    case .sessionKeyTwice: "No EXT-X-SESSION-KEY is repeated."
    case .pathway: "The PATHWAY-ID of EXT-X-CONTENT-STEERING belongs to a variant."
    case .targetDurations:
      "The media playlists of a presentation have the same target duration, except subtitle and "
        + "I-frame playlists of type VOD."
    case .playlistTypes: "The media playlists of a presentation have the same type."
    case .lengths: "The durations of the media playlists of a presentation differ by at most one target duration."
    case .discontinuities: "The media playlists of a presentation end with the same discontinuity sequence number."
    case .dates: "Either all media playlists of a presentation have EXT-X-PROGRAM-DATE-TIME, or none does."
    case .iFramesOnly: "Playlists referenced by EXT-X-I-FRAME-STREAM-INF have EXT-X-I-FRAMES-ONLY."
    case .sessionKeyMatch: "EXT-X-SESSION-KEY and EXT-X-KEY with the same URI have the same attributes."
    }
  }
}
