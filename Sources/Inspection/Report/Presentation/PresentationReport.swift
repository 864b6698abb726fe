public import MP4
public import MP4Bytes
import MP4HLS
import MP4Packaging
public import MP4Presentations
package import MP4Records

/// A report on a presentation, with charts of its segments, bit rates and buffers, as one self-contained page.
public struct PresentationReport: Sendable {
  /// The summary, including wrong claims.
  public let summary: PresentationSummary
  /// Violated rules, the most severe first.
  public let findings: [ReportFinding]
  /// What was checked, such as `the structure, and 412 of 31,000 samples`.
  public let scope: String
  /// The time axis of the charts.
  package let axis: TimeAxis
  /// The media playlists; only the first ``playlistLimit`` have charts.
  package let playlists: [PlaylistReport]
  /// The buffers of players.
  package let buffers: [BufferReport]
  /// The events of the first variant and its renditions.
  public let events: [TimelineEvent]
  /// The segments that cannot be played, or only in part.
  package let unusable: [UnusableSegment]
  /// Further diagnostics of the media.
  public let diagnostics: [Diagnostic]
  private let failures: [String]

  /// The number of media playlists with charts.
  package static let playlistLimit = 40
  /// The maximum number of findings that are listed.
  package static let findingLimit = 250
  /// The maximum number of bins, and of places where buffers run empty, of all charts of one kind.
  private static let (binLimit, stallLimit) = (2400, 400)
  /// The minimum bin width in seconds, because the buffer changes with every segment.
  private static let finestBin = 0.05

  /// Examines a presentation. The boxes of its segments are read once, and those around segments that cannot be played
  /// twice.
  public init(
    _ presentation: OpenedPresentation, _ check: Check = Check(),
    onProgress: OpenedPresentation.Progress = { _, _ in }
  ) throws(IOError) {
    var result = CheckResult()
    let checked = try check.examine(presentation, onProgress: onProgress, &result)
    summary = checked.summary
    scope = result.scope
    let media = checked.playlists.map(PlayableMedia.init)
    unusable = media.flatMap(\.unusable)
    diagnostics = media.flatMap(\.diagnostics)
    let found = try PresentationEvents(PresentationMovies(presentation, read: checked.playlists))
    (events, failures) = (found.events, found.failures)
    let charted = zip(checked.playlists, media).filter { !$0.0.playlist.segments.isEmpty }.prefix(Self.playlistLimit)
    let variants = Array(presentation.multivariant?.variants.prefix(Self.playlistLimit) ?? [])
    func limit(_ count: Int) -> Int { max(60, min(600, Self.binLimit / max(1, count))) }
    let axis = TimeAxis(MediaTime(0, 1), summary.duration, limit: limit(variants.count * 2), finest: Self.finestBin)
    self.axis = axis
    var timeline = PresentationClock()
    var playlists = charted.map { playlist, media in
      PlaylistReport(
        playlist, media, Self.label(playlist.playlist), axis, &timeline, limit: limit(charted.count))
    }
    findings = Self.findings(result, charted.map(\.0), found.stalls, &playlists)
    self.playlists = playlists
    let lines = Dictionary(grouping: unusable, by: \.playlist).mapValues { segments in
      Dictionary(segments.map { ($0.line, $0) }) { first, _ in first }
    }
    let stalls = max(20, Self.stallLimit / max(1, variants.count * 2))
    buffers = variants.enumerated().flatMap { index, variant -> [BufferReport] in
      guard let media = checked.media(of: index), let downloads = BufferSimulation.Download.list(of: media, lines)
      else { return [] }
      let claims = [("BANDWIDTH", variant.bandwidth), ("AVERAGE-BANDWIDTH", variant.averageBandwidth)]
      return claims.compactMap { claim, rate in
        rate.flatMap { BufferReport("variant \(index + 1)", claim, downloads, bitRate: $0, axis, limit: stalls) }
      }
    }
  }

  /// A label such as `variant 1, video/index.m3u8`.
  private static func label(_ playlist: OpenedPlaylist) -> String {
    let role: String? =
      switch playlist.roles.first {
      case .variant(let index)?: "variant \(index + 1)"
      case .rendition(let index)?: "rendition \(index + 1)"
      case .iFrames(let index)?: "I-frames \(index + 1)"
      case nil: nil
      }
    return (role.map { $0 + ", " } ?? "") + playlist.uri
  }

  /// The findings with the times of the segments that they are about.
  private static func findings(
    _ result: CheckResult, _ checked: [CheckedPlaylist], _ stalls: PresentationStalls,
    _ reports: inout [PlaylistReport]
  ) -> [ReportFinding] {
    var places: [String: (playlist: Int, segment: Int)] = [:]
    for (playlist, checked) in checked.enumerated() {
      for (segment, source) in checked.media.segments.enumerated() {
        if let source, places[source.name] == nil { places[source.name] = (playlist, segment) }
      }
    }
    let names = Dictionary(checked.enumerated().map { ($1.playlist.name, $0) }) { first, _ in first }
    func place(_ finding: Finding.Place) -> (playlist: Int, segment: Int)? {
      guard let line = finding.line, let playlist = names[finding.file] else { return places[finding.file] }
      let own = checked[playlist].playlist
      guard line > own.playlist?.header.count ?? .max else { return nil }
      return own.segments.firstIndex { $0.line >= line }.map { (playlist, $0) }
    }
    let found = result.merged.findings.map { finding -> (ReportFinding, playlists: Set<Int>) in
      let own = finding.allPlaces.compactMap(place)
      let times = own.map { playlist, segment in
        let declared = checked[playlist].playlist.segments[segment].declared
        let start = MediaTime(declared.start)
        return start..<(start + MediaTime(declared.duration))
      }
      return (ReportFinding(finding, at: times.sorted { $0.lowerBound < $1.lowerBound }), Set(own.map(\.playlist)))
    }
    let stalled = stalls.places.map { place in
      (ReportFinding(place), playlists: Set([names[place.part.playlist.name]].compactMap(\.self)))
    }
    let sorted = (found + stalled).enumerated().sorted { first, second in
      (first.element.0.severity, first.offset) < (second.element.0.severity, second.offset)
    }
    for (number, (_, (_, playlists))) in sorted.enumerated() {
      for playlist in playlists { reports[playlist].findings.append(number) }
    }
    return sorted.map(\.element.0)
  }

  /// A sentence for each playlist that cannot be read, and one for all segments that cannot be read for the same
  /// reason.
  public var problems: [String] {
    let reasons = Set(unusable.map(\.reason))
    let others = summary.allProblems.filter { !reasons.contains($0.reason.description) }
    var (order, groups) = ([UnusableSegment](), [String: Int]())
    for segment in unusable {
      let count = groups[segment.reason, default: 0]
      if count == 0 { order.append(segment) }
      groups[segment.reason] = count + 1
    }
    return others.map(\.description)
      + order.map { segment in
        let count = groups[segment.reason] ?? 1
        return segment.description + (count > 1 ? " (\(count) segments)" : "")
      } + failures
  }

  /// Writes the page: HTML with inline style and script.
  public func write(to sink: any ByteSink) throws(IOError) {
    try sink.write(Array(PresentationPage(self).text.utf8))
  }
}

extension CheckedPresentation {
  /// The media playlists that are played together with a variant, using the largest rendition of each group; `nil` if
  /// one is missing.
  fileprivate func media(of variant: Int) -> [PlaylistMedia]? {
    func playlist(_ role: MultivariantPlaylist.Role) -> CheckedPlaylist? {
      playlists.first { $0.playlist.roles.contains(role) }
    }
    guard let main = presentation.multivariant, main.variants.indices.contains(variant),
      let own = playlist(.variant(variant)), !own.playlist.segments.isEmpty
    else { return nil }
    var list = [own.media]
    let renditions = main.renditions
    for kind in [Rendition.Kind.audio, .video, .subtitles] {
      let wanted = main.renditions(kind, of: main.variants[variant])
      let members = renditions.indices.filter { wanted.contains(renditions[$0]) && renditions[$0].uri != nil }
        .compactMap { playlist(.rendition($0)) }
      // An audio-only variant can be one of its own renditions.
      guard !members.contains(where: { $0.playlist.name == own.playlist.name }) else { continue }
      if let largest = members.max(by: { $0.media.bandwidth?.peak ?? 0 < $1.media.bandwidth?.peak ?? 0 }) {
        list.append(largest.media)
      }
    }
    return list
  }
}

extension PresentationReport: Record {
  package static let summary = "The values of the page of a presentation."
  package static let members: [RecordMember<Self>] = [
    RecordMember("summary", "the summary, as written by `mp4tool info`") { $0.summary },
    RecordMember("axis", "the time axis of the charts") { $0.axis },
    RecordMember("playlists", "the values of the charts for each media playlist") { $0.playlists },
    RecordMember("buffers", "the buffers of players that download at a declared bit rate") { $0.buffers },
    RecordMember("events", "the first 500 events, as listed by `mp4tool events`") { report in
      report.events.prefix(FileReport.eventLimit).map(ReportEvent.init)
    },
    RecordMember("checked", "what was checked, as a phrase") { $0.scope },
    RecordMember("findings", "the first 250 findings") {
      Array($0.findings.prefix(findingLimit))
    },
  ]
}
