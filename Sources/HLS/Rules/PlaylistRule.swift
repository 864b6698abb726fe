/// The rules of RFC 8216 and draft-pantos-hls-rfc8216bis that can be checked in playlists alone.
public enum PlaylistRule: String, CaseIterable, Hashable, Sendable {
  // Rules for all playlists.
  case firstLine, encoding, uri, tagOnce, tagKind, version
  case empty, tagName, tagValue, attributeName, attributeForm, attributeTwice, attributeMissing
  case definition, variableUndefined, startOffset

  // Rules for media playlists.
  case targetDurationMissing, segmentTooLong, mediaSequencePlace, discontinuitySequencePlace
  case playlistType, endMissing, iFrameRange, partInformationMissing, serverControl
  case durationMissing, durationComma, segmentTagTwice, strayTag, byteRangeStart, key
  case partTooLong, partTooShort
  case dateRange, dateRangeSyntax, dateRangeNext, dateRangeSame, dateMissing
  case preloadHintTwice, renditionReport

  // Rules for multivariant playlists.
  case variantURI, groupMissing, closedCaptions, frameRate, averageBandwidth, videoLayout, supplementalCodecs, stableID
  case nameTwice, defaultTwice, autoselect, forced, inStreamID, renditionURI, audioAttribute, channels, groupsAlike
  case sessionData, sessionDataTwice, sessionKey, sessionKeyTwice, pathway

  // Rules for a multivariant playlist together with its media playlists.
  case targetDurations, playlistTypes, lengths, discontinuities, dates, iFramesOnly, sessionKeyMatch

  /// Whether playlists that violate it may be valid: clients ignore unknown names.
  package var isAdvice: Bool { self == .tagName || self == .attributeName }

  /// The section of draft-pantos-hls-rfc8216bis.
  public var section: String { statement.section }
  /// The rule as a statement about playlists that follow it.
  package var meaning: String { statement.meaning }

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

  private var statement: (section: String, meaning: String) {
    switch self {
    case .firstLine: ("4.4.1.1", "The first line of a playlist is #EXTM3U.")
    case .encoding: ("4.1", "A playlist is UTF-8 without a byte order mark and without control characters.")
    case .uri: ("4.1", "A URI is not empty, does not start with # and has no spaces.")
    case .tagOnce: ("4.4", "Tags that apply to the whole playlist appear once.")
    case .tagKind: ("4.4", "Multivariant playlists have no media playlist tags, and vice versa.")
    case .version: ("8", "EXT-X-VERSION is high enough for the features of the playlist.")
    case .empty: ("4.4", "A playlist has segments or variants.")
    case .tagName: ("4.4", "Tag names are not misspelled.")
    case .tagValue: ("4.4", "The value of a tag has the required form.")
    case .attributeName: ("4.2", "Attribute names are not misspelled.")
    case .attributeForm: ("4.2", "The value of an attribute has the required form.")
    case .attributeTwice: ("4.2", "No attribute is repeated in a tag.")
    case .attributeMissing: ("4.2", "A tag has all of its required attributes.")
    case .definition: ("4.4.2.3", "EXT-X-DEFINE defines each variable once, with NAME, IMPORT or QUERYPARAM.")
    case .variableUndefined: ("4.3", "Variables are defined before they are used.")
    case .startOffset: ("4.4.2.2", "The TIME-OFFSET of EXT-X-START is within the playlist.")
    case .targetDurationMissing: ("4.4.3.1", "A media playlist has EXT-X-TARGETDURATION.")
    case .segmentTooLong: ("4.4.3.1", "The duration of each segment, rounded, is at most the target duration.")
    case .mediaSequencePlace: ("4.4.3.2", "EXT-X-MEDIA-SEQUENCE precedes the first segment.")
    case .discontinuitySequencePlace:
      ("4.4.3.3", "EXT-X-DISCONTINUITY-SEQUENCE precedes the first segment and EXT-X-DISCONTINUITY.")
    case .playlistType: ("4.4.3.5", "EXT-X-PLAYLIST-TYPE is EVENT or VOD.")
    case .endMissing: ("4.4.3.5", "A VOD playlist has EXT-X-ENDLIST.")
    case .iFrameRange: ("4.4.3.6", "I-frames that share a resource have byte ranges.")
    case .partInformationMissing: ("4.4.3.7", "A playlist with EXT-X-PART has EXT-X-PART-INF.")
    case .serverControl:
      ("4.4.3.8", "EXT-X-SERVER-CONTROL has the attributes that parts need, with durations that are long enough.")
    case .durationMissing: ("4.4.4.1", "Each segment has EXTINF.")
    case .durationComma: ("4.4.4.1", "A comma follows the duration of EXTINF.")
    case .segmentTagTwice: ("4.4.4", "No tag of a segment is repeated.")
    case .strayTag: ("4.4.4", "The tags of a segment precede its URI.")
    case .byteRangeStart: ("4.4.4.2", "A byte range without an offset follows another range of the same resource.")
    case .key: ("4.4.4.4", "A key has a URI, or its method is NONE; an initialization vector has at most 16 bytes.")
    case .partTooLong: ("4.4.4.9", "A part lasts at most PART-TARGET.")
    case .partTooShort: ("4.4.4.9", "A part that is not the last of its segment lasts at least 85% of PART-TARGET.")
    case .dateRange: ("4.4.5.1", "The END-DATE of a date range is consistent with START-DATE and DURATION.")
    case .dateRangeSyntax: ("4.4.5.1", "EXT-X-DATERANGE can be read.")
    case .dateRangeNext:
      ("4.4.5.1", "END-ON-NEXT is used with CLASS, without DURATION or END-DATE, and without overlaps.")
    case .dateRangeSame: ("4.4.5.1", "EXT-X-DATERANGE tags with the same ID do not contradict each other.")
    case .dateMissing: ("4.4.5.1", "A playlist with EXT-X-DATERANGE has EXT-X-PROGRAM-DATE-TIME.")
    case .preloadHintTwice: ("4.4.5.3", "There is at most one EXT-X-PRELOAD-HINT per type.")
    case .renditionReport: ("4.4.5.4", "The URI of EXT-X-RENDITION-REPORT is relative.")
    case .variantURI: ("4.4.6.2", "The URI of a variant follows its EXT-X-STREAM-INF, and there are no other URIs.")
    case .groupMissing: ("4.4.6.2", "Variants refer to existing groups.")
    case .closedCaptions: ("4.4.6.2", "If CLOSED-CAPTIONS is NONE in one variant, it is NONE in all.")
    case .frameRate: ("4.4.6.2", "FRAME-RATE has at most three decimals.")
    case .averageBandwidth: ("4.4.6.2", "AVERAGE-BANDWIDTH is at most BANDWIDTH.")
    case .videoLayout: ("4.4.6.2", "REQ-VIDEO-LAYOUT has no empty entries.")
    case .supplementalCodecs: ("4.4.6.2", "SUPPLEMENTAL-CODECS appears only with CODECS.")
    case .stableID: ("4.4.6.2", "Stable IDs contain only letters, digits and the characters +, /, =, ., - and _.")
    case .nameTwice: ("4.4.6.1.1", "The renditions of a group have distinct names.")
    case .defaultTwice: ("4.4.6.1.1", "A group has at most one default rendition.")
    case .autoselect: ("4.4.6.1", "A rendition with DEFAULT=YES does not have AUTOSELECT=NO.")
    case .forced: ("4.4.6.1", "Only subtitle renditions have FORCED.")
    case .inStreamID: ("4.4.6.1", "The INSTREAM-ID of closed captions is CC1 to CC4 or SERVICE1 to SERVICE63.")
    case .renditionURI: ("4.4.6.2.1", "Subtitle renditions have a URI; closed captions have none.")
    case .audioAttribute: ("4.4.6.1", "Only audio renditions have CHANNELS, BIT-DEPTH and SAMPLE-RATE.")
    case .channels: ("4.4.6.1", "CHANNELS starts with the number of channels.")
    case .groupsAlike: ("4.4.6.1.1", "Groups of the same type have the same renditions with the same attributes.")
    case .sessionData: ("4.4.6.4", "EXT-X-SESSION-DATA has either VALUE or URI.")
    case .sessionDataTwice: ("4.4.6.4", "There is at most one EXT-X-SESSION-DATA per DATA-ID and language.")
    case .sessionKey: ("4.4.6.5", "The METHOD of EXT-X-SESSION-KEY is not NONE.")
    case .sessionKeyTwice: ("4.4.6.5", "No EXT-X-SESSION-KEY is repeated.")
    case .pathway: ("4.4.6.6", "The PATHWAY-ID of EXT-X-CONTENT-STEERING belongs to a variant.")
    case .targetDurations:
      (
        "6.2.4",
        "The media playlists of a presentation have the same target duration, except subtitle and I-frame "
          + "playlists of type VOD."
      )
    case .playlistTypes: ("6.2.4", "The media playlists of a presentation have the same type.")
    case .lengths:
      ("6.2.4", "The durations of the media playlists of a presentation differ by at most one target duration.")
    case .discontinuities:
      ("6.2.4", "The media playlists of a presentation end with the same discontinuity sequence number.")
    case .dates: ("6.2.4", "Either all media playlists of a presentation have EXT-X-PROGRAM-DATE-TIME, or none does.")
    case .iFramesOnly: ("4.4.6.3", "Playlists referenced by EXT-X-I-FRAME-STREAM-INF have EXT-X-I-FRAMES-ONLY.")
    case .sessionKeyMatch: ("4.4.6.5", "EXT-X-SESSION-KEY and EXT-X-KEY with the same URI have the same attributes.")
    }
  }
}

/// A violation of a rule: where it is, and what would be correct.
public struct PlaylistFinding: Hashable, Sendable {
  /// The rule.
  public var rule: PlaylistRule
  /// The line number, or 0 if it is about the playlist as a whole.
  public var line: Int
  /// The problem, and what would be correct.
  public var reason: String
  /// The media playlist of a ``Presentation`` in which it is, as named in the multivariant playlist.
  public var playlist: String?
}

extension PlaylistFinding: CustomStringConvertible {
  /// Such as `line 7: this segment lasts 6.6 s but EXT-X-TARGETDURATION is 6; it must be at least 7 (4.4.3.1)`.
  public var description: String {
    (playlist.map { $0 + ": " } ?? "") + (line > 0 ? "line \(line): " : "") + "\(reason) (\(rule.section))"
  }
}
