import Bytes
import HLS
import MP4
import Packaging

/// The report page of a presentation: like that of a file, with different sections.
struct PresentationPage {
  typealias Section = ReportPage.Section

  let report: PresentationReport
  var summary: PresentationSummary { report.summary }
  var axis: TimeAxis { report.axis }

  init(_ report: PresentationReport) { self.report = report }

  var text: String {
    ReportPage.page(
      summary.name, report.findings.map(\.severity), report.scope,
      [
        overview, timeline, rates, buffers,
        ReportPage.list(of: Array(shownEvents), count: report.events.count), findings,
      ].compactMap(\.self), report)
  }

  /// The events that are shown.
  var shownEvents: ArraySlice<TimelineEvent> { report.events.prefix(FileReport.eventLimit) }

  func hint(_ text: String) -> String { "<p class=\"hint\">\(text)</p>\n" }
  static func html(_ text: String) -> String { text.printable.escapedForHTML }

  // MARK: Summary

  private var overview: Section? {
    var tiles: [(name: String, value: String, more: String?)] = [
      ("Kind", summary.kind.rawValue, summary.version.map { "version \($0)" }),
      ("Duration", summary.duration.clock, summary.isLive ? "live" : "VOD"),
    ]
    let counts = [
      ("Variants", summary.variants.count), ("Renditions", summary.renditions.count),
      ("I-frame playlists", summary.iFrameVariants.count), ("Media playlists", summary.playlists.count),
      ("Segments", summary.playlists.reduce(0) { $0 + $1.segmentCount }),
    ]
    for (name, count) in counts where count > 0 { tiles.append((name, ReportPage.grouped(count), nil)) }
    let unusable = report.unusable.count
    if unusable > 0 { tiles[tiles.count - 1].more = "\(ReportPage.grouped(unusable)) cannot be played" }
    return Section(
      id: "summary", title: "Summary",
      body: ReportPage.tiles(tiles) + ReportPage.lines(Array(report.problems.prefix(Self.rowLimit))) + variants + claims
        + renditions + playlists)
  }

  private static let rowLimit = 200

  private var variants: String {
    let streams = summary.variants.map { ("variant", $0) } + summary.iFrameVariants.map { ("I-frames", $0) }
    guard !streams.isEmpty else { return "" }
    func rate(_ rate: Int?) -> String { rate.map { Quantity.text($0, "b/s") } ?? "–" }
    let rows = streams.prefix(Self.rowLimit).enumerated().map { index, stream -> [String] in
      let (kind, stream) = stream
      let number = kind == "variant" ? index + 1 : index + 1 - summary.variants.count
      let groups = [stream.groups.audio, stream.groups.video, stream.groups.subtitles].compactMap(\.self)
      return [
        "\(kind) \(number) <small>\(Self.html(stream.uri))</small>", rate(stream.bandwidth),
        rate(stream.measured?.peak), rate(stream.averageBandwidth), rate(stream.measured?.average),
        Self.html(stream.codecs ?? "–"), stream.resolution.map { "\($0)" } ?? "–",
        stream.frameRate.map(StreamSummary.decimal) ?? "–", Self.html(stream.videoRange ?? "–"),
        groups.isEmpty ? "–" : Self.html(groups.joined(separator: ", ")),
      ]
    }
    let columns = [
      "Stream", "BANDWIDTH", "Measured", "AVERAGE-BANDWIDTH", "Measured", "Codecs", "Resolution", "Frame rate",
      "Range", "Groups",
    ]
    return "<h3>Variants</h3>\n" + ReportPage.table("Variants", columns, numbers: [1, 2, 3, 4, 7], rows)
      + ReportPage.more(than: Self.rowLimit, of: streams.count, "variant")
  }

  /// The wrong claims of the playlist.
  private var claims: String {
    let lists =
      summary.variants.enumerated().map { ("variant \($0 + 1)", $1.differences) }
      + summary.renditions.enumerated().map { ("rendition \($0 + 1)", $1.differences) }
      + summary.iFrameVariants.enumerated().map { ("I-frames \($0 + 1)", $1.differences) }
    let rows = lists.flatMap { name, claims in
      claims.map { [name, $0.subject, Self.html($0.claimed), Self.html($0.actual)] }
    }
    guard !rows.isEmpty else { return "" }
    return "<h3>Wrong declarations</h3>\n"
      + ReportPage.table(
        "Wrong declarations", ["Stream", "What", "In the playlist", "In the media"], numbers: [],
        Array(rows.prefix(Self.rowLimit)))
      + ReportPage.more(than: Self.rowLimit, of: rows.count, "claim")
  }

  private var renditions: String {
    guard !summary.renditions.isEmpty else { return "" }
    let rows = summary.renditions.prefix(Self.rowLimit).enumerated().map { index, rendition in
      [
        "rendition \(index + 1) <small>\(Self.html(rendition.uri ?? "in the variants"))</small>",
        Self.html(rendition.kind.lowercased()), Self.html(rendition.group), "<bdi>\(Self.html(rendition.name))</bdi>",
        Self.html(rendition.language ?? "–"), Self.html(rendition.channels ?? "–"),
        rendition.codecs.isEmpty ? "–" : Self.html(rendition.codecs),
        rendition.measured.map { Quantity.text($0.average, "b/s") } ?? "–",
        rendition.isDefault ? "default" : rendition.isAutoselected ? "autoselect" : "–",
      ]
    }
    let columns = ["Rendition", "Type", "Group", "Name", "Language", "Channels", "Codecs", "Bit rate", "Choice"]
    return "<h3>Renditions</h3>\n" + ReportPage.table("Renditions", columns, numbers: [5, 7], rows)
      + ReportPage.more(than: Self.rowLimit, of: summary.renditions.count, "rendition")
  }

  private var playlists: String {
    let rows = summary.playlists.prefix(Self.rowLimit).map { playlist -> [String] in
      let media =
        playlist.movie.map { movie in
          movie.tracks.map { "\($0.codecName) <small>\(Self.html($0.codec))</small> \($0.format)" }
            .joined(separator: "<br>")
        } ?? playlist.otherFormat.map(Self.html) ?? "–"
      let lengths = playlist.segmentDurations.map { range in
        "\(range.lowerBound)" == "\(range.upperBound)"
          ? "\(range.upperBound)" : "\("\(range.lowerBound)".dropLast(2)) to \(range.upperBound)"
      }
      return [
        Self.html(playlist.uri), playlist.duration.clock, ReportPage.grouped(playlist.segmentCount), lengths ?? "–",
        "\(playlist.targetDuration)", playlist.bandwidth.map { Quantity.text($0.average, "b/s") } ?? "–",
        playlist.encryption.isEmpty ? "–" : Self.html(playlist.encryption.joined(separator: ", ")), media,
      ]
    }
    let columns = ["URI", "Duration", "Segments", "Each", "Target duration", "Bit rate", "Encryption", "Media"]
    return "<h3>Media playlists</h3>\n" + ReportPage.table("Media playlists", columns, numbers: [1, 2, 5], rows)
      + ReportPage.more(than: Self.rowLimit, of: summary.playlists.count, "playlist")
  }

  // MARK: Findings

  private var findings: Section? {
    guard !report.findings.isEmpty else { return nil }
    let rows = report.findings.prefix(PresentationReport.findingLimit).map { finding -> [String] in
      let severity = finding.severity
      let rule = finding.rule.map { " <small>\("\($0.id), \($0.source)".escapedForHTML)</small>" } ?? ""
      let place = finding.line.map { "line \($0)" } ?? finding.offset.map { "byte \(ReportPage.grouped($0))" }
      return [
        "<span class=\"mark \(severity)\">\(ReportPage.sign(severity))\(severity)</span>",
        finding.time.map(\.clock) ?? "–",
        place.map { "<span class=\"place\">\($0)</span>" } ?? "–",
        "<bdi>\(Self.html(Diagnostic.shortened(finding.file, beside: summary.name) + ": " + finding.message))</bdi>"
          + rule,
      ]
    }
    return Section(
      id: "findings", title: "Findings",
      body: ReportPage.table("Findings", ["Severity", "Time", "Place", "What"], numbers: [], rows)
        + ReportPage.more(than: PresentationReport.findingLimit, of: report.findings.count, "finding"))
  }
}
