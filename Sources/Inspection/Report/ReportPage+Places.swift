import MP4
import MP4Bytes

/// The byte map, and the timeline of the tracks.
extension ReportPage {
  /// Offsets that divide the inputs into equal parts.
  static func byteTicks(_ parts: Int, of map: ByteMap) -> [(place: Double, text: String)] {
    let (part, rest) = map.byteCount.quotientAndRemainder(dividingBy: parts)
    return (0...parts).map { index in
      (Double(index) / Double(parts), Quantity.text(part * index + rest * index / parts, "B"))
    }
  }

  /// The bytes of the inputs by use, with findings at offsets.
  static func section(_ map: ByteMap, _ findings: [ReportFinding]) -> Section? {
    guard map.byteCount > 0 else { return nil }
    let uses = ByteMap.Use.allCases.filter { map.byteCount(of: $0) > 0 }
    let count = map.columns[0].count
    let width = 1000 / Double(count)
    var heights = Array(repeating: 0.0, count: count)
    let sums = (0..<count).map { column in Double(max(1, uses.reduce(0) { $0 + map.columns[$1.rawValue][column] })) }
    let drawing = uses.map { use -> String in
      var (path, column) = (ReportPath(), 0)
      let bytes = map.columns[use.rawValue]
      // Equal adjacent columns are drawn as one bar.
      while column < count {
        let (low, high) = (heights[column], heights[column] + Double(bytes[column]) / sums[column] * 100)
        var end = column + 1
        while end < count, heights[end] == low, low + Double(bytes[end]) / sums[end] * 100 == high { end += 1 }
        if high > low { path.bar(Double(column) * width, Double(end - column) * width, from: low, to: high) }
        for index in column..<end { heights[index] = high }
        column = end
      }
      return path.element("bar \(use.style)", title: "\(use.words): \(grouped(map.byteCount(of: use))) bytes")
    }
    var inputs = ReportPath()
    if map.starts.count <= count {
      for start in map.starts.dropFirst() {
        inputs.tick(Double(start) / Double(map.byteCount) * 1000, from: 0, to: 100)
      }
    }
    let ticks = byteTicks(4, of: map)
    // The most severe finding is last, so that nothing covers it.
    let marks = findings.prefix(200).reversed().map { finding -> String in
      guard let position = finding.position, finding.severity != .note else { return "" }
      var path = ReportPath()
      path.bar(Double(position) / Double(map.byteCount) * 1000 - 1, 2, to: 100)
      return path.element("finding \(finding.severity)", title: finding.message.printable.escapedForHTML)
    }
    var chart = ReportChart(
      kind: "map", label: "Byte map, from start to end",
      drawing: drawing.joined() + inputs.element("line input") + marks.joined())
    chart.legend = uses.map { use in
      (style: use.style, name: "\(use.words) \(share(map.byteCount(of: use), of: map.byteCount))")
    }
    (chart.horizontal, chart.height) = (ticks, "strip")
    let rows = map.types.map { type in
      [
        "\(type.type)".printable.escapedForHTML, (type.name ?? "unknown").escapedForHTML, grouped(type.count),
        grouped(type.byteCount), share(type.byteCount, of: map.byteCount), grouped(type.firstOffset),
      ]
    }
    return Section(
      id: "bytes", title: "Bytes",
      body: chart.html + "\n"
        + table(
          "Boxes at the top level", ["Type", "Name", "Count", "Bytes", "Share", "First at"], numbers: [2, 3, 4, 5],
          rows))
  }

  /// The tracks on one timeline.
  var timeline: Section? {
    let axis = report.axis
    guard axis.binCount > 0 else { return nil }
    func x(_ time: MediaTime) -> Double { axis.position(of: time.seconds) * 1000 }
    let eventRow = Self.row(of: report.events, axis)
    var charts = report.tracks.enumerated().map { index, track -> String in
      var drawing = ""
      for span in track.spans {
        var path = ReportPath()
        let (start, end) = (x(span.time.lowerBound), x(span.time.upperBound))
        path.bar(start, end - start, from: 22, to: 78)
        let times = "\(span.time.lowerBound.clock) to \(span.time.upperBound.clock)"
        drawing += path.element(
          span.isEmpty ? "bar empty" : "bar span \(track.use.style)",
          title: span.isEmpty ? "the edit list presents nothing from \(times)" : "presented from \(times)")
      }
      var (segments, fragments, keys) = (ReportPath(), ReportPath(), ReportPath())
      for position in track.fragmentPositions { fragments.tick(position * 1000, from: 78, to: 96) }
      for position in track.keyPositions { keys.tick(position * 1000, from: 22, to: 40) }
      for position in track.inputPositions { segments.tick(position * 1000, from: 4, to: 100) }
      drawing += segments.element("line segment") + fragments.element("line fragment") + keys.element("line keyframe")
      let own = report.findings.filter {
        $0.track == track.summary.id && $0.movie == track.file && $0.severity != .note
      }
      for finding in own.prefix(200).reversed() {
        var path = ReportPath()
        for place in finding.places {
          let (start, end) = (x(place.lowerBound), x(place.upperBound))
          path.bar(start, max(end - start, 1.5), from: 4, to: 96)
        }
        drawing += path.element("finding \(finding.severity)", title: finding.message.printable.escapedForHTML)
      }
      var chart = ReportChart(
        kind: "timeline", track: index, label: "Presentation times of \(track.label)".escapedForHTML, drawing: drawing)
      chart.vertical = []
      chart.caption = "<b>\(track.heading)</b> \(track.presentedWords)"
      chart.height = "row"
      if index + 1 == report.tracks.count, eventRow == nil { chart.horizontal = axis.ticks }
      return chart.html
    }
    if var eventRow {
      eventRow.horizontal = axis.ticks
      charts.append(eventRow.html)
    }
    guard !charts.isEmpty else { return nil }
    let left = summary.tracks.count - FileReport.trackLimit
    let more = left > 0 ? "<p class=\"hint\">There are no charts for \(left) more tracks.</p>" : ""
    return Section(
      id: "timeline", title: "Timeline", body: timelineLegend + charts.joined(separator: "\n") + more,
      before: Self.tools)
  }

  /// The zoom controls for all time charts; the script shows them.
  static var tools: String {
    """
    <div class="tools" id="tools" hidden role="group" aria-label="Times that the charts show">
    <output id="shown"></output>
    <button type="button" data-zoom="2" aria-label="Zoom in">+</button>
    <button type="button" data-zoom="0.5" aria-label="Zoom out">−</button>
    <button type="button" data-zoom="0">All</button>
    <small>In a chart: arrow keys, + and −; drag to zoom</small>
    </div>

    """
  }

  private var timelineLegend: String {
    var keys: [(String, String)] = []
    if report.tracks.contains(where: { !$0.fragmentPositions.isEmpty }) { keys.append(("tick fragment", "fragment")) }
    if report.tracks.contains(where: { !$0.inputPositions.isEmpty }) { keys.append(("tick segment", "next input")) }
    if report.tracks.contains(where: { !$0.keyPositions.isEmpty }) { keys.append(("keyframe", "keyframe")) }
    if report.tracks.contains(where: { $0.spans.contains(where: \.isEmpty) }) { keys.append(("empty", "empty edit")) }
    let shown = report.findings.filter { !$0.places.isEmpty && $0.track != nil && $0.severity != .note }
    for severity in Set(shown.map(\.severity)).sorted() { keys.append(("finding \(severity)", severity.rawValue)) }
    let items = keys.map { "<li><span class=\"swatch \($0.0)\"></span>\($0.1)</li>" }.joined()
    return items.isEmpty ? "" : "<ul class=\"legend\">\(items)</ul>\n"
  }
}

extension TrackReport {
  /// The time span in which it is presented, and its edits.
  fileprivate var presentedWords: String {
    var words = summary.presented.map { "\($0.lowerBound.clock) to \($0.upperBound.clock)" } ?? "never presented"
    if !summary.edits.isEmpty, summary.edits.count < 5 {
      words += "; edit list: \(summary.edits.map(\.words).joined(separator: ", then "))"
    }
    return words.escapedForHTML
  }
}
