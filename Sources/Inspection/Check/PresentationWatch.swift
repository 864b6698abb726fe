import MP4
public import MP4Bytes
import MP4HLS
public import MP4Presentations

/// Checks a live presentation whenever its playlists have been reloaded: new contents, and changes of the playlists.
public struct PresentationWatch: Sendable {
  private let check: Check
  private var known: Set<String> = []
  private var last: [String: Reload] = [:]

  /// The previous version of a media playlist, and the time of its last change.
  package struct Reload: Sendable {
    let playlist: MediaPlaylist
    /// When it last changed.
    let changed: Duration
  }

  /// A watch with the rules of a check.
  public init(_ check: Check) { self.check = check }

  /// Checks the presentation as read at `time`, which is relative to any fixed time. Returns only new findings.
  public mutating func result(
    of presentation: OpenedPresentation, at time: Duration, isStopped: () -> Bool = { false }
  ) throws(IOError) -> CheckResult {
    var result = CheckResult()
    _ = try check.examine(presentation, onProgress: { _, _ in }, isStopped: isStopped, &result)
    var list = FindingList()
    // These rules are about playlists.
    let rules = presentation.isManifest ? [] : check.rules([.hls])
    for playlist in presentation.playlists {
      guard let media = playlist.playlist else { continue }
      let before = last[playlist.name]
      let isSame = before?.playlist == media
      let new = Reload(playlist: media, changed: isSame ? before?.changed ?? time : time)
      if let before {
        for rule in rules {
          guard case .reloads(let test) = rule.test else { continue }
          var report = RuleReport(rule, on: playlist.name)
          test(before, media, time, &report)
          list.add(report)
        }
      }
      last[playlist.name] = new
    }
    result.add(list, rules, files: [])
    let known = known
    self.known.formUnion(result.findings.map(\.withoutLine))
    return result.keeping { !known.contains($0.withoutLine) }.merged
  }
}

extension Finding {
  /// A description of the finding without the line, which changes between versions of a playlist.
  fileprivate var withoutLine: String { "\(file)\(path ?? "")\(rule.id)\(message)" }
}

extension Rule {
  /// Rules for changes of playlists.
  static let reloads: [Rule] = [
    .reload("hls-live-sequence", .hls("6.2.2"), .error, "The media sequence number of a playlist never decreases.") {
      before, new, _, report in
      if new.mediaSequence < before.playlist.mediaSequence {
        report.add("EXT-X-MEDIA-SEQUENCE is \(new.mediaSequence), but was \(before.playlist.mediaSequence)")
      }
    },
    .reload("hls-live-changed", .hls("6.2.2"), .error, "A segment keeps its media sequence number.") {
      before, new, _, report in
      let old = before.playlist
      for (index, segment) in new.segments.enumerated() {
        let number = new.mediaSequence + index - old.mediaSequence
        guard old.segments.indices.contains(number), old.segments[number].uri != segment.uri else { continue }
        return report.add(
          "the segment \(number + old.mediaSequence) is \(segment.uri), but was \(old.segments[number].uri)")
      }
    },
    .reload(
      "hls-live-stale", .hls("6.2.2"), .warning,
      "A live playlist gets a new segment within 1.5 target durations."
    ) {
      before, new, time, report in
      guard !new.isEnded, new == before.playlist else { return }
      let limit = Duration.seconds(new.targetSeconds) * 3 / 2
      if time - before.changed > limit {
        report.add("the playlist has not changed for more than 1.5 target durations (\(limit.components.seconds) s)")
      }
    },
    .reload(
      "hls-live-short", .hls("6.2.2"), .error,
      "After segments are removed, a live playlist lasts at least three "
        + "target durations."
    ) {
      before, new, _, report in
      guard !new.isEnded, new.mediaSequence > before.playlist.mediaSequence else { return }
      let duration = new.segments.reduce(Duration.zero) { $0 + $1.duration }
      if duration < Duration.seconds(new.targetSeconds) * 3 {
        report.add("segments were removed, and the remaining ones last less than 3 target durations")
      }
    },
    .reload("hls-live-ended", .hls("4.4.3.4"), .error, "A playlist with EXT-X-ENDLIST does not change.") {
      before, new, _, report in
      if before.playlist.isEnded, new != before.playlist { report.add("the playlist changed after EXT-X-ENDLIST") }
    },
    .reload("hls-live-target", .hls("4.4.3.1"), .error, "The target duration does not change.") {
      before, new, _, report in
      if new.targetSeconds != before.playlist.targetSeconds {
        report.add("EXT-X-TARGETDURATION is \(new.targetSeconds), but was \(before.playlist.targetSeconds)")
      }
    },
  ]

  private static func reload(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (PresentationWatch.Reload, MediaPlaylist, Duration, inout RuleReport) -> Void
  ) -> Rule {
    Rule(id, source, severity, meaning, mendedBy: nil, .reloads(test))
  }
}
