import ISOBMFF
import MP4
import MP4Bytes

/// The overview and the findings.
extension ReportPage {
  /// The numbers of the summary and the tracks.
  var overview: Section? {
    var tiles: [(name: String, value: String, more: String?)] = []
    if summary.layout != .initSegment { tiles.append(("Duration", summary.duration.clock, nil)) }
    if let count = summary.byteCount {
      tiles.append(("Size", Quantity.text(count, "B"), "\(Self.grouped(count)) bytes"))
    }
    if let rate = summary.bitRate { tiles.append(("Bit rate", Quantity.text(rate, "b/s"), nil)) }
    let order = summary.isMovieFirst.map { $0 ? "moov first" : "moov last" }
    tiles.append(("Layout", summary.layout.rawValue, summary.layout == .progressive ? order : nil))
    if summary.fragmentCount > 0 {
      let durations = summary.fragmentDurations.map { range in
        "\(range.lowerBound)" == "\(range.upperBound)"
          ? "\(range.upperBound) each" : "\("\(range.lowerBound)".dropLast(2)) to \(range.upperBound)"
      }
      tiles.append(("Fragments", Self.grouped(summary.fragmentCount), durations))
    }
    if summary.inputCount > 1 { tiles.append(("Inputs", Self.grouped(summary.inputCount), nil)) }
    if let brand = summary.majorBrand { tiles.append(("Brand", "\(brand)".printable.escapedForHTML, nil)) }
    tiles.append(("Tracks", Self.grouped(summary.tracks.count), nil))
    let name = summary.metadata.title?.printable.escapedForHTML
    let title = name.map { "<p class=\"title\"><bdi>\($0)</bdi></p>\n" } ?? ""
    return Section(
      id: "summary", title: "Summary",
      body: title + Self.tiles(tiles) + Self.lines(details)
        + "<h3>Tracks</h3>\n" + trackTable + "\n" + trackDetails + chapters
        + (summary.images.map(Self.items) ?? ""))
  }

  /// Tiles with names, values, and optional additions.
  static func tiles(_ tiles: [(name: String, value: String, more: String?)]) -> String {
    let list = tiles.map { tile in
      let more = tile.more.map { "<small>\($0)</small>" } ?? ""
      return "<div><dt>\(tile.name)</dt><dd>\(tile.value)\(more)</dd></div>"
    }
    return "<dl class=\"tiles\">\n\(list.joined(separator: "\n"))\n</dl>\n"
  }

  /// Details; problems are at the top of the page.
  private var details: [String] { summary.details.filter { !$0.hasPrefix("problems: ") } }

  static func lines(_ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let items = lines.map { "<li><bdi>\($0.printable.escapedForHTML)</bdi></li>" }
    return "<ul class=\"details\">\n\(items.joined(separator: "\n"))\n</ul>\n"
  }

  private var trackTable: String {
    let rows = summary.tracks.prefix(Self.rowLimit).map { track -> [String] in
      let rates = [track.samples.bitRate, track.samples.peakBitRate].map { rate in
        rate.map { Quantity.text($0, "b/s") } ?? "–"
      }
      let times = track.presented.map { "\($0.lowerBound.clock) – \($0.upperBound.clock)" } ?? "never"
      return [
        "<span class=\"swatch \(ByteMap.Use(kind: track.kind).style)\"></span>\(track.id)",
        track.kind.printable.escapedForHTML,
        "\(track.codecName.printable.escapedForHTML) <small>\(track.codec.printable.escapedForHTML)</small>",
        track.format.escapedForHTML, (track.role.language ?? "–").printable.escapedForHTML,
        Self.grouped(track.samples.count), Self.grouped(track.samples.keyframeCount),
        Quantity.text(track.samples.byteCount, "B"), rates[0], rates[1], times,
      ]
    }
    let columns = [
      "ID", "Kind", "Codec", "Format", "Language", "Samples", "Keyframes", "Bytes", "Bit rate", "Highest in 1 s",
      "Presented",
    ]
    return Self.table("Tracks", columns, numbers: [5, 6, 7, 8, 9], rows) + more
  }

  private static let rowLimit = 200
  private var more: String { Self.more(than: Self.rowLimit, of: summary.tracks.count, "track") }

  /// A sentence about the items after the first `limit`.
  static func more(than limit: Int, of count: Int, _ noun: String) -> String {
    guard count > limit else { return "" }
    return "<p class=\"hint\">\(counted(count - limit, "more \(noun) is", "more \(noun)s are")) not shown.</p>"
  }

  private var chapters: String {
    guard !summary.chapters.isEmpty else { return "" }
    let rows = summary.chapters.prefix(Self.rowLimit).map { chapter in
      [chapter.time.clock, "<bdi>\(chapter.title.printable.escapedForHTML)</bdi>"]
    }
    return "<h3>Chapters</h3>\n" + Self.table("Chapters", ["Time", "Title"], numbers: [], rows)
      + Self.more(than: Self.rowLimit, of: summary.chapters.count, "chapter")
  }

  private var trackDetails: String {
    let details = summary.tracks.prefix(Self.rowLimit).compactMap { track -> String? in
      let lines = track.details
      guard !lines.isEmpty else { return nil }
      return "<div class=\"track\"><h4>Track \(track.id)</h4>\n\(Self.lines(lines))</div>\n"
    }
    return details.isEmpty ? "" : "<div class=\"tracks\">\n\(details.joined())</div>\n"
  }

  /// The findings, the most severe first.
  var findings: Section? {
    var section = Self.findings(report.findings, besides: summary.inputCount > 1 ? summary.name : nil)
    let limits = "Not looked for: \(report.limits.joined(separator: ", "))."
    if !report.limits.isEmpty { section?.body += "<p class=\"hint\">\(limits.escapedForHTML)</p>" }
    return section
  }

  /// The findings, the most severe first, with the names of files other than the one at the top of the page.
  static func findings(_ findings: [ReportFinding], besides name: String?) -> Section? {
    guard !findings.isEmpty else { return nil }
    let rows = findings.prefix(Self.findingLimit).map { finding -> [String] in
      let severity = finding.severity
      let file = (finding.movie ?? name.map { Diagnostic.shortened(finding.file, beside: $0) }).map { $0 + ": " } ?? ""
      let rule = finding.rule.map { " <small>\("\($0.id), \($0.source)".escapedForHTML)</small>" } ?? ""
      let place = finding.offset.map { "<span class=\"place\">byte \(grouped($0))</span>" } ?? "–"
      return [
        "<span class=\"mark \(severity)\">\(sign(severity))\(severity)</span>",
        finding.time.map(\.clock) ?? "–", finding.track.map(String.init) ?? "–", place,
        "<bdi>\((file + finding.message).printable.escapedForHTML)</bdi>\(rule)",
      ]
    }
    return Section(
      id: "findings", title: "Findings",
      body: table("Findings", ["Severity", "Time", "Track", "Place", "What"], numbers: [], rows)
        + more(than: Self.findingLimit, of: findings.count, "finding"))
  }

  static let findingLimit = 500

  /// Whether the file meets the specification; `nil` without one.
  var specification: Section? {
    guard let result = report.specified else { return nil }
    func mark(_ severity: ReportFinding.Severity?, _ words: String) -> String {
      "<span class=\"mark \(severity?.rawValue ?? "fine")\">\(Self.icon(severity?.rawValue ?? "fine"))\(words)</span>"
    }
    let rows = result.outcomes.map { outcome -> [String] in
      let requirement = outcome.requirement
      let severity: ReportFinding.Severity? =
        outcome.problems.isEmpty ? nil : requirement.isAdvice ? .warning : .error
      return [
        mark(severity, severity == nil ? "met" : "not met"), "<code>\(requirement.text.escapedForHTML)</code>",
        "<bdi>\(outcome.problems.joined(separator: "; ").printable.escapedForHTML)</bdi>",
      ]
    }
    let words = result.text.drop { $0 != ":" }.dropFirst(2)
    return Section(
      id: "specification", title: "Specification",
      body: "<p>\(mark(result.passes ? nil : .error, "This file \(words)".escapedForHTML))</p>\n"
        + Self.table("Requirements", ["Result", "Requirement", "Problem"], numbers: [], rows))
  }
}

extension TrackSummary {
  /// The size and rate of video, or the channels and sample rate of audio.
  var format: String {
    var words: [String] = []
    if let video {
      words.append("\(video.codedSize.width) × \(video.codedSize.height)")
      if let rate = video.frameRate { words.append("\(rate.text) fps") }
      if let range = video.dynamicRangeWords { words.append(range) }
    }
    if let audio {
      if let layout = audio.layout { words.append(layout) }
      if let rate = audio.sampleRate { words.append("\(Quantity.decimal(UInt64(rate), 3)) kHz") }
    }
    return words.isEmpty ? "–" : words.joined(separator: ", ")
  }
}

extension ByteMap.Use {
  /// The use of the samples of tracks of this kind.
  init(kind: String) {
    switch kind {
    case "video", "picture": self = .video
    case "audio": self = .audio
    case "text": self = .text
    default: self = .otherTracks
    }
  }

  /// The class for its color.
  var style: String { "use-\(self)" }
}
