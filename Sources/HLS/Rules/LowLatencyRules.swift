extension RuleChecker {
  /// EXT-X-PART and EXT-X-PART-INF (4.4.4.9, 4.4.3.7).
  mutating func checkParts(_ playlist: MediaPlaylist) {
    let target = playlist.partInformation?.target
    var parts: [(index: Int, view: PartialSegment)] = []
    for (index, line) in lines.enumerated() {
      if case .tag(.part, .attributes(let list)) = line.content {
        parts.append((index, PartialSegment(attributes: list)))
      } else if line.content == .uri {
        checkParts(parts, target: target, isComplete: true)
        parts = []
      }
    }
    checkParts(parts, target: target, isComplete: false)
    if target == nil, let first = lines.firstIndex(where: { $0.tag == .part }) {
      report(.partInformationMissing, at: first, "EXT-X-PART needs EXT-X-PART-INF in the playlist")
    }
  }
  /// The parts of one segment.
  private mutating func checkParts(
    _ parts: [(index: Int, view: PartialSegment)], target: Duration?, isComplete: Bool
  ) {
    var previous: (uri: String, hasRange: Bool) = ("", false)
    for (number, (index, part)) in parts.enumerated() {
      if let range = part.byteRange, range.offset == nil, number > 0, previous != (part.uri, true) {
        report(
          .byteRangeStart, at: index,
          "a BYTERANGE without an offset in EXT-X-PART must follow a part that is a range of the same resource")
      }
      previous = (part.uri, part.byteRange != nil)
      guard let target else { continue }
      if part.duration > target {
        let most = target.decimalText(decimals: 0)
        report(.partTooLong, at: index, "a part can last at most \(most) s, the PART-TARGET")
      }
      // The last part of a segment can be short, including the last one so far.
      if number < parts.count - 1, !part.isGap, part.duration * 100 < target * 85 {
        let whole = target.decimalText(decimals: 0)
        report(
          .partTooShort, at: index,
          "a part that is not the last one must last at least 85 % of PART-TARGET, which is \(whole) s")
      }
    }
  }

  /// EXT-X-SERVER-CONTROL (4.4.3.8).
  mutating func checkServerControl(_ playlist: MediaPlaylist) {
    let index = lines.firstIndex { $0.tag == .serverControl }
    let control = playlist.serverControl
    let target = Duration.seconds(min(playlist.targetSeconds, Int(Duration.mostSeconds)))
    let holdBack = control?.partHoldBack
    if let parts = playlist.partInformation?.target {
      let least = (parts * 2).decimalText(decimals: 0)
      if (holdBack ?? .zero) < parts * 2 {
        let place = index ?? lines.firstIndex { $0.tag == .partInformation }
        let reason = "with EXT-X-PART-INF, PART-HOLD-BACK of EXT-X-SERVER-CONTROL must be \(least) s or more"
        report(.serverControl, at: place, reason)
      }
    }
    guard let control, let index else { return }
    if let least = control.holdBack, least < target * 3 {
      let seconds = (target * 3).decimalText(decimals: 0)
      report(.serverControl, at: index, "HOLD-BACK must be 3 target durations or more: \(seconds) s")
    }
    if let skip = control.canSkipUntil, skip < target * 6 {
      let seconds = (target * 6).decimalText(decimals: 0)
      report(.serverControl, at: index, "CAN-SKIP-UNTIL must be 6 target durations or more: \(seconds) s")
    }
    if control.canSkipDateRanges, control.canSkipUntil == nil {
      report(.serverControl, at: index, "CAN-SKIP-DATERANGES needs CAN-SKIP-UNTIL")
    }
  }

  /// EXT-X-PRELOAD-HINT and EXT-X-RENDITION-REPORT (4.4.5.3, 4.4.5.4).
  mutating func checkHints() {
    var kinds: Set<PreloadHint.Kind> = []
    for (index, hint) in lines.indexed(.preloadHint, as: PreloadHint.self) {
      if let kind = hint.kind, !kinds.insert(kind).inserted {
        report(.preloadHintTwice, at: index, "there can only be one EXT-X-PRELOAD-HINT with TYPE \(kind.rawValue)")
      }
    }
    for (index, view) in lines.indexed(.renditionReport, as: RenditionReport.self)
    where URIReference(view.uri).isAbsolute {
      report(.renditionReport, at: index, "the URI of EXT-X-RENDITION-REPORT must be relative to this playlist")
    }
  }
}
