extension MediaPlaylist {
  /// The rules that the playlist violates, by line; empty if it is valid.
  public var findings: [PlaylistFinding] {
    var checker = RuleChecker(lines)
    checker.checkCommon(isMedia: true, hasByteOrderMark: hasByteOrderMark)
    checker.checkPlaces()
    checker.checkSegments(self)
    checker.checkPlaylist(self)
    checker.checkKeys()
    checker.checkDateRanges()
    checker.checkParts(self)
    checker.checkServerControl(self)
    checker.checkHints()
    return checker.sortedFindings
  }
}

extension RuleChecker {
  /// Checks tags that must precede others.
  fileprivate mutating func checkPlaces() {
    var hasSegment = false
    var hasDiscontinuity = false
    for (index, line) in lines.enumerated() {
      switch line.tag {
      case .mediaSequence where hasSegment:
        report(.mediaSequencePlace, at: index, "EXT-X-MEDIA-SEQUENCE must be before the first segment")
      case .discontinuitySequence where hasSegment || hasDiscontinuity:
        let reason = "EXT-X-DISCONTINUITY-SEQUENCE must be before the first segment and EXT-X-DISCONTINUITY"
        report(.discontinuitySequencePlace, at: index, reason)
      case .discontinuity: hasDiscontinuity = true
      default: hasSegment = hasSegment || line.content == .uri
      }
    }
  }

  fileprivate mutating func checkSegments(_ playlist: MediaPlaylist) {
    let target = playlist.targetSeconds
    let isKnown = lines.contains { $0.tag == .targetDuration }
    var state = SegmentRules(isIFramesOnly: playlist.isIFramesOnly)
    for (index, line) in lines.enumerated() {
      switch line.content {
      case .tag(.segment, .segment(let duration, _)):
        if isKnown, duration.roundedSeconds > target {
          report(
            .segmentTooLong, at: index,
            "this segment lasts \(duration.decimalText(decimals: 0)) s but EXT-X-TARGETDURATION is \(target); "
              + "it must be at least \(duration.roundedSeconds)")
        }
        if !line.text.utf8.contains(UInt8(ascii: ",")) {
          report(.durationComma, at: index, "the duration of EXTINF must have a comma after it")
        }
        report(twice: state.duration, .segment, at: index)
        state.duration = index
      case .tag(.byteRange, .byteRange(let range)):
        report(twice: state.rangeLine, .byteRange, at: index)
        (state.rangeLine, state.range) = (index, range)
      case .tag(.gap, _): state.gap = index
      case .unknownTag where line.isUnreadable(.segment) || misspelled[index] == .segment: state.duration = index
      case .uri: state.end(line.uri ?? "", at: index, &self)
      default: break
      }
    }
    for index in [state.duration, state.rangeLine, state.gap] {
      guard let index, let tag = lines[index].tag else { continue }
      report(.strayTag, at: index, "\(tag) must have the URI of a segment below it")
    }
  }
  private mutating func report(twice index: Int?, _ tag: TagName, at line: Int) {
    if index != nil { report(.segmentTagTwice, at: line, "\(tag) appears twice for one segment") }
  }

  fileprivate mutating func checkPlaylist(_ playlist: MediaPlaylist) {
    let isEmpty = playlist.segments.isEmpty && !lines.contains { [.media, .segment].contains($0.tag?.place) }
    if isEmpty, !lines.contains(where: { $0.content == .unknownTag }) {
      report(.empty, at: nil, "it has neither variants nor segments")
    } else if !has(.targetDuration) {
      let lowest = playlist.lowestTargetSeconds
      report(.targetDurationMissing, at: nil, "EXT-X-TARGETDURATION is missing; it must be at least \(lowest)")
    }
    if let index = lines.firstIndex(where: { $0.tag == .playlistType }) {
      switch playlist.playlistType {
      case nil: report(.playlistType, at: index, "EXT-X-PLAYLIST-TYPE can only be EVENT or VOD")
      case .vod where !playlist.isEnded && !has(.end):
        report(.endMissing, at: index, "a VOD playlist must have EXT-X-ENDLIST, because it cannot change")
      default: break
      }
    }
    guard let start = lines.indexed(.start, as: StartPoint.self).first, !playlist.segments.isEmpty else { return }
    let total = playlist.segments.reduce(Duration.zero) { $0 + $1.duration }
    let offset = start.view.offset
    if offset > total || offset < .zero - total {
      let seconds = total.decimalText(decimals: 0)
      report(
        .startOffset, at: start.index,
        "the TIME-OFFSET of EXT-X-START is more than the duration of the playlist, which is \(seconds) s")
    }
  }

  fileprivate mutating func checkKeys() {
    for (index, key) in lines.indexed(.key, as: EncryptionKey.self) { checkKey(key, .key, .key, at: index) }
  }
  /// The common rules for EXT-X-KEY and EXT-X-SESSION-KEY.
  mutating func checkKey(_ key: EncryptionKey, _ tag: TagName, _ rule: PlaylistRule, at index: Int) {
    if key.method == .none {
      let other = ["URI", "IV", "KEYFORMAT", "KEYFORMATVERSIONS"].first { key.attributes[$0] != nil }
      if let other { report(rule, at: index, "\(tag) with METHOD NONE cannot have \(other)") }
    } else if key.attributes["METHOD"] != nil, key.uri == nil {
      report(rule, at: index, "\(tag) with METHOD \(quoted(key.method.rawValue)) must have URI")
    }
    if let vector = key.initializationVector, vector.count > 16 {
      report(rule, at: index, "the IV of \(tag) has \(vector.count) bytes but can have at most 16")
    }
  }
}

/// The tags of the current segment.
private struct SegmentRules {
  let isIFramesOnly: Bool
  var duration: Int?
  var rangeLine: Int?
  var range: ByteRange?
  var gap: Int?
  var previous: (uri: String, hasRange: Bool) = ("", false)
  var whole: Set<String> = []

  init(isIFramesOnly: Bool) { self.isIFramesOnly = isIFramesOnly }

  mutating func end(_ uri: String, at index: Int, _ checker: inout RuleChecker) {
    if duration == nil { checker.report(.durationMissing, at: index, "a segment must have EXTINF above its URI") }
    if let range, range.offset == nil, previous != (uri, true) {
      checker.report(
        .byteRangeStart, at: rangeLine,
        "EXT-X-BYTERANGE without an offset must follow a segment that is a range of the same resource")
    }
    if isIFramesOnly, range == nil, !whole.insert(uri).inserted {
      checker.report(.iFrameRange, at: index, "I-frames of one resource must have EXT-X-BYTERANGE")
    }
    previous = (uri, range != nil)
    (duration, rangeLine, range, gap) = (nil, nil, nil, nil)
  }
}
