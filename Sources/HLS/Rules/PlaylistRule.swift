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
  public var section: String {
    switch self {
    case .firstLine: "4.4.1.1"
    case .encoding, .uri: "4.1"
    case .empty, .tagOnce, .tagKind, .tagName, .tagValue: "4.4"
    case .version: "8"
    case .attributeName, .attributeForm, .attributeTwice, .attributeMissing: "4.2"
    case .definition: "4.4.2.3"
    case .variableUndefined: "4.3"
    case .startOffset: "4.4.2.2"
    case .targetDurationMissing, .segmentTooLong: "4.4.3.1"
    case .mediaSequencePlace: "4.4.3.2"
    case .discontinuitySequencePlace: "4.4.3.3"
    case .playlistType, .endMissing: "4.4.3.5"
    case .iFrameRange: "4.4.3.6"
    case .partInformationMissing: "4.4.3.7"
    case .serverControl: "4.4.3.8"
    case .durationMissing, .durationComma: "4.4.4.1"
    case .segmentTagTwice, .strayTag: "4.4.4"
    case .byteRangeStart: "4.4.4.2"
    case .key: "4.4.4.4"
    case .partTooLong, .partTooShort: "4.4.4.9"
    case .dateRange, .dateRangeSyntax, .dateRangeNext, .dateRangeSame, .dateMissing: "4.4.5.1"
    case .preloadHintTwice: "4.4.5.3"
    case .renditionReport: "4.4.5.4"
    case .variantURI, .groupMissing, .closedCaptions, .frameRate, .averageBandwidth, .videoLayout,
      .supplementalCodecs, .stableID:
      "4.4.6.2"
    case .autoselect, .forced, .inStreamID, .audioAttribute, .channels: "4.4.6.1"
    case .nameTwice, .defaultTwice, .groupsAlike: "4.4.6.1.1"
    case .renditionURI: "4.4.6.2.1"
    case .sessionData, .sessionDataTwice: "4.4.6.4"
    case .sessionKey, .sessionKeyTwice, .sessionKeyMatch: "4.4.6.5"
    case .pathway: "4.4.6.6"
    case .iFramesOnly: "4.4.6.3"
    case .targetDurations, .playlistTypes, .lengths, .discontinuities, .dates: "6.2.4"
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
