import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging

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

/// The charts over the time of the presentation.
extension PresentationPage {
  private func x(_ time: MediaTime) -> Double { axis.position(of: time.seconds) * 1000 }
  private func x(_ time: Duration) -> Double { x(MediaTime(time)) }

  private func chart(
    _ kind: String, _ index: Int, _ label: String, _ caption: String, legend: [(String, String)] = [],
    vertical: [(place: Double, text: String)] = [], height: String = "tall", _ drawing: String
  ) -> ReportChart {
    var chart = ReportChart(kind: kind, track: index, label: label.escapedForHTML, drawing: drawing)
    chart.caption = caption
    chart.legend = legend.map { (style: $0.0, name: $0.1) }
    (chart.vertical, chart.height, chart.horizontal) = (vertical, height, axis.ticks)
    return chart
  }

  // MARK: Timeline

  /// The tracks of all playlists on one timeline, with the segments.
  var timeline: Section? {
    guard axis.binCount > 0 else { return nil }
    var charts: [ReportChart] = []
    for (index, playlist) in report.playlists.enumerated() {
      var (segments, breaks) = (ReportPath(), ReportPath())
      for position in playlist.segmentPositions { segments.tick(position * 1000, from: 78, to: 96) }
      for position in playlist.discontinuities { breaks.tick(position * 1000, from: 4, to: 100) }
      let marks = segments.element("line fragment") + breaks.element("line segment") + findings(of: playlist)
      // If no track is known, only segments are drawn.
      let lanes = playlist.lanes.map { ($0.words, $0.use.style, $0.spans) }
      for (words, style, spans) in lanes.isEmpty ? [("segments only", "", [])] : lanes {
        let drawing = spans.prefix(Self.spanLimit).map { span -> String in
          var path = ReportPath()
          path.bar(x(span.lowerBound), x(span.upperBound) - x(span.lowerBound), from: 22, to: 72)
          let title = "presented from \(span.lowerBound.clock) to \(span.upperBound.clock)"
          return path.element("bar span \(style)", title: title)
        }
        let name = Self.html(playlist.label)
        var row = chart(
          "segments", index, "Presentation times of \(playlist.label.printable)",
          "<b>\(name)</b> \(Self.html(words))", height: "row", drawing.joined() + holes(in: playlist) + marks)
        row.horizontal = []
        charts.append(row)
      }
    }
    if let events = ReportPage.row(of: Array(shownEvents), axis) { charts.append(events) }
    guard !charts.isEmpty else { return nil }
    charts[charts.count - 1].horizontal = axis.ticks
    var keys = [("tick fragment", "segment")]
    if report.playlists.contains(where: { !$0.unusable.isEmpty }) { keys.append(("empty", "cannot be played")) }
    if report.playlists.contains(where: { !$0.discontinuities.isEmpty }) {
      keys.append(("tick segment", "discontinuity or another init segment"))
    }
    let shown = Set(report.playlists.flatMap(\.findings).map { report.findings[$0].severity }).subtracting([.note])
    for severity in shown.sorted() { keys.append(("finding \(severity)", severity.rawValue)) }
    let items = keys.map { "<li><span class=\"swatch \($0.0)\"></span>\($0.1)</li>" }.joined()
    let left = summary.playlists.count - report.playlists.count
    let more = left > 0 ? hint("There are no charts for \(counted(left, "more playlist")).") : ""
    return Section(
      id: "timeline", title: "Timeline",
      body: "<ul class=\"legend\">\(items)</ul>\n" + charts.map(\.html).joined(separator: "\n") + more,
      before: ReportPage.tools)
  }

  private static let spanLimit = 200

  /// The segments that cannot be played.
  private func holes(in playlist: PlaylistReport) -> String {
    playlist.unusable.map { segment in
      var path = ReportPath()
      path.bar(
        x(segment.time.lowerBound), x(segment.time.upperBound) - x(segment.time.lowerBound), from: 22, to: 72)
      return path.element("bar empty", title: Self.html("cannot be played: \(segment.reason)"))
    }.joined()
  }

  private func findings(of playlist: PlaylistReport) -> String {
    playlist.findings.lazy.map { report.findings[$0] }.filter { $0.severity != .note }.prefix(Self.spanLimit).reversed()
      .map { finding in
        var path = ReportPath()
        for place in finding.places {
          path.bar(x(place.lowerBound), max(x(place.upperBound) - x(place.lowerBound), 1.5), from: 4, to: 96)
        }
        return path.element("finding \(finding.severity)", title: Self.html(finding.message))
      }.joined()
  }

  // MARK: Bit rates

  /// The bit rates of the segments of each playlist.
  var rates: Section? {
    let charts = report.playlists.enumerated().compactMap { index, playlist -> String? in
      let segments = playlist.segments
      guard axis.binCount > 0, let most = segments.peaks.max(), most > 0 else { return nil }
      let scale = ReportChart.scale(most) { Quantity.text($0, "b/s") }
      var (path, peaks) = (ReportPath(), ReportPath())
      let gap = segments.starts.count < 200 ? 2.0 : 0
      for (bin, start) in segments.starts.enumerated() where segments.rates[bin] > 0 {
        let (left, right) = (x(start), x(start + segments.durations[bin]))
        path.bar(
          left, right - left - min(gap, (right - left) * 0.08), to: Double(segments.rates[bin]) / scale.top * 100)
        guard segments.segmentsPerBin > 1 else { continue }
        let height = Double(segments.peaks[bin]) / scale.top * 100
        if peaks.text.isEmpty { peaks.move(left, height) } else { peaks.line(left, height) }
        peaks.line(right, height)
      }
      let each = segments.segmentsPerBin
      let legend =
        each == 1 ? [] : [(playlist.use.style, "average of \(each) segments"), ("peak", "highest segment")]
      let words = each == 1 ? "one bar per segment" : "one bar for \(each) segments"
      return chart(
        "segments", index, "Bit rates of the segments of \(playlist.label.printable)",
        "<b>\(Self.html(playlist.label))</b> \(words)", legend: legend, vertical: scale.places, height: "low",
        path.element("bar \(playlist.use.style)") + peaks.element("line peak")
      ).html
    }
    guard !charts.isEmpty else { return nil }
    return Section(
      id: "rates", title: "Bit rate",
      body: hint(
        "The bit rate of each segment: its size divided by its declared duration, without init segments.")
        + charts.joined(separator: "\n"))
  }

  // MARK: Buffers

  /// The buffer levels of players at the declared bit rates.
  var buffers: Section? {
    let charts = report.buffers.enumerated().compactMap { index, buffer -> String? in
      let most = buffer.levels.map(\.upperBound).max().map { MediaTime($0).converted(to: 1000).value } ?? 0
      guard axis.binCount > 0, most > 0 || buffer.simulation.obstacle != nil else { return nil }
      let scale = ReportChart.scale(Int(clamping: most)) { "\(Quantity.decimal(UInt64($0), 3)) s" }
      let top = scale.top / 1000
      var (band, back) = (ReportPath(), [(Double, Double)]())
      let width = 1000 * axis.bin.seconds / max(axis.length, 0.001)
      for (bin, level) in buffer.levels.enumerated() {
        let place = (Double(bin) + 0.5) * width
        let low = MediaTime(level.lowerBound).seconds / top * 100
        if bin == 0 { band.move(place, low) } else { band.line(place, low) }
        back.append((place, MediaTime(level.upperBound).seconds / top * 100))
      }
      for (place, height) in back.reversed() { band.line(place, height) }
      if !back.isEmpty { band.close() }
      let stalls = buffer.stalls.map { stall in
        var path = ReportPath()
        path.bar(x(stall.position) - 1, 2, to: 100)
        return path.element(
          "finding stall",
          title: "empty at \(MediaTime(stall.position).clock) for \(MediaTime(stall.duration))")
      }
      let simulation = buffer.simulation
      let words = Self.words(simulation)
      let end = simulation.obstacle.map { obstacle in
        var path = ReportPath()
        path.bar(x(simulation.length), 1000 - x(simulation.length), to: 100)
        return path.element("finding error", title: Self.html("not played: \(obstacle.reason)"))
      }
      var legend = stalls.isEmpty ? [] : [("finding stall", "empty")]
      if end != nil { legend.append(("finding error", "not played")) }
      let claim = "\(buffer.claim) \(Quantity.text(simulation.bitRate, "b/s"))"
      return chart(
        "buffer", index, "Buffer of \(buffer.label) at \(claim): \(words)",
        "<b>\(buffer.label)</b> \(claim): \(Self.html(words))", legend: legend, vertical: scale.places,
        height: "low", band.element("line path band use-video") + stalls.joined() + (end ?? "")
      ).html
    }
    guard !charts.isEmpty else { return nil }
    return Section(
      id: "buffers", title: "Buffers",
      body: hint(
        "The buffer level of a player, in seconds, at each time of playback. The player downloads the variant with its "
          + "largest renditions, one segment after another, at exactly the declared bit rate. Its buffer is unlimited, "
          + "and playback starts when the first segment is complete. Playback stops at a segment that cannot be "
          + "played.")
        + charts.joined(separator: "\n"))
  }

  /// The events of a simulation in words.
  private static func words(_ simulation: BufferSimulation) -> String {
    let end = simulation.obstacle.map { segment in
      "at \(MediaTime(simulation.length).clock) a player waits or fails, because segment \(segment.number) of "
        + "\(segment.playlist) cannot be played"
    }
    guard simulation.length > .zero else { return end ?? "nothing is played" }
    let start = "starts after \(MediaTime(simulation.start))"
    guard !simulation.stalls.isEmpty else { return start + (end.map { "; \($0)" } ?? " and never runs empty") }
    let stalls =
      ", runs empty \(counted(simulation.stalls.count, "time")) for \(MediaTime(simulation.stalled)) in total; it "
      + "would not run empty if playback started after \(MediaTime(simulation.leastStart))"
    return start + stalls + (end.map { "; \($0)" } ?? "")
  }
}
