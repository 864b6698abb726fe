import MP4
import MP4Bytes
import MP4Records

/// The page of a report. It contains its numbers as text and drawings; its script adds hovering, keys and zooming, and
/// reads the numbers from one block of JSON. It loads no other resources.
struct ReportPage {
  let report: FileReport
  var summary: MovieSummary { report.summary }

  init(_ report: FileReport) { self.report = report }

  /// Allows nothing outside of the page.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    + "form-action 'none'"

  /// The HTML of the page.
  var text: String {
    Self.page(
      summary.name, report.findings.map(\.severity), report.scope,
      [
        overview, specification, Self.section(report.map, report.findings), timeline, rates, frames, composition,
        interleaving,
        Self.list(of: report.events, count: report.eventCount), findings,
      ].compactMap(\.self), report)
  }

  /// A page with these sections about an input.
  static func page(
    _ path: String, _ findings: [ReportFinding.Severity], _ scope: String?, _ sections: [Section], _ data: some Record
  ) -> String {
    let path = path.printable
    let own = path.split(separator: "/").last.map(String.init) ?? path
    let name = own.escapedForHTML
    let folder = own == path ? "" : "<p class=\"path-name\"><bdi>\(path.escapedForHTML)</bdi></p>\n"
    let links = sections.map { "<a href=\"#\($0.id)\">\($0.title)</a>" }.joined(separator: "\n")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="mp4tool report">
      <meta name="referrer" content="no-referrer">
      <title>\(name)</title>
      <link rel="icon" href="data:,">
      <style>\(style)</style>
      </head>
      <body>
      <header>
      <h1><bdi>\(name)</bdi></h1>
      \(folder)\
      \(verdict(findings, scope))
      <nav aria-label="Sections">
      \(links)
      </nav>
      </header>
      <main>
      \(sections.map(\.text).joined(separator: "\n"))
      </main>
      <div id="tip" hidden></div>
      <script type="application/json" id="data">\(json(data))</script>
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  /// A part of the page with a heading.
  struct Section {
    let id: String
    let title: String
    var body: String
    /// An element that remains visible during this section and the following ones.
    var before = ""

    var text: String {
      before + "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n"
        + "<h2 id=\"\(id)-title\">\(title)</h2>\n\(body)\n</section>"
    }
  }

  /// The values as JSON, escaped so that nothing ends the enclosing element.
  private static func json(_ data: some Record) -> String {
    let sink = MemorySink()
    var json = JSONWriter(sink)
    data.write(to: &json)
    json.finish()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sink.bytes.count)
    for byte in sink.bytes {
      if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The overall verdict.
  private static func verdict(_ findings: [ReportFinding.Severity], _ scope: String?) -> String {
    let counts = [
      (ReportFinding.Severity.error, "error", "errors"), (.warning, "warning", "warnings"),
      (.stall, "place where playback may stall", "places where playback may stall"),
    ]
    let parts = counts.compactMap { severity, one, many -> String? in
      let count = findings.count { $0 == severity }
      guard count > 0 else { return nil }
      return "<a class=\"mark \(severity)\" href=\"#findings\">\(sign(severity))\(counted(count, one, many))</a>"
    }
    let checked = scope.map { "<span class=\"scope\">Checked \($0)</span>" } ?? ""
    return "<p class=\"verdict\">"
      + (parts.isEmpty ? "<span class=\"mark fine\">\(icon("fine"))No problems found</span>" : parts.joined())
      + checked + "</p>"
  }

  /// A sign with a distinct shape, so that it can be recognized without its color.
  static func sign(_ severity: ReportFinding.Severity) -> String { icon(severity.rawValue) }

  static func icon(_ name: String) -> String {
    let path = [
      "fine": "M3 8.5l3.2 3.2L13 5", "error": "M4 4l8 8M12 4l-8 8", "warning": "M8 2.5L14.5 13.5H1.5zM8 7v3M8 11.6v.6",
      "stall": "M5.5 3v10M10.5 3v10", "note": "M8 7v5M8 4v.6",
    ]
    return
      "<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"\(path[name] ?? "")\"/></svg>"
  }

  /// A table that scrolls if it is too wide. The first column has headings, and the columns `numbers` are aligned to
  /// the right. Cells are HTML.
  static func table(_ caption: String, _ columns: [String], numbers: Set<Int>, _ rows: [[String]]) -> String {
    func attribute(_ column: Int) -> String { numbers.contains(column) ? " class=\"number\"" : "" }
    var html = "<div class=\"wide\" role=\"region\" aria-label=\"\(caption)\" tabindex=\"0\"><table>\n"
    html += "<caption>\(caption)</caption>\n<thead><tr>"
    for (column, title) in columns.enumerated() { html += "<th scope=\"col\"\(attribute(column))>\(title)</th>" }
    html += "</tr></thead>\n<tbody>\n"
    for row in rows {
      html += "<tr>"
      for (column, cell) in row.enumerated() {
        let attribute = attribute(column)
        html += column == 0 ? "<th scope=\"row\"\(attribute)>\(cell)</th>" : "<td\(attribute)>\(cell)</td>"
      }
      html += "</tr>\n"
    }
    return html + "</tbody></table></div>"
  }

  /// A number with thousands separators.
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202f}" }
      text.append(digit)
    }
    return text
  }
}

/// The events of the input.
extension ReportPage {
  private static let eventRowLimit = 200

  /// Events on a row of the timeline; `nil` if none has a time.
  static func row(of events: [TimelineEvent], _ axis: TimeAxis) -> ReportChart? {
    func x(_ time: MediaTime) -> Double { axis.position(of: time.seconds) * 1000 }
    let marks = events.compactMap { event -> String? in
      guard let time = event.time else { return nil }
      var path = ReportPath()
      let end = event.duration.map { x(time + $0) } ?? x(time)
      path.bar(x(time), max(end - x(time), 2), from: 22, to: 78)
      let words = "\(time.clock) \(event.kind.rawValue): \(event.summary)"
      return path.element("bar event use-otherTracks", title: words.printable.escapedForHTML)
    }
    guard !marks.isEmpty, axis.binCount > 0 else { return nil }
    var chart = ReportChart(kind: "events", label: "Events by time", drawing: marks.joined())
    (chart.caption, chart.height) = ("<b>Events</b> \(counted(marks.count, "event"))", "row")
    return chart
  }

  /// The list of the first of `count` events.
  static func list(of events: [TimelineEvent], count: Int) -> Section? {
    guard !events.isEmpty else { return nil }
    let rows = events.prefix(eventRowLimit).map { event in
      [
        event.time?.clock ?? "–", event.kind.rawValue, event.track.map(String.init) ?? "–",
        event.duration.map { "\($0)" } ?? "–", "<bdi>\(event.summary.printable.escapedForHTML)</bdi>",
      ]
    }
    return Section(
      id: "events", title: "Events",
      body: table("Events", ["Time", "Kind", "Track", "Lasts", "What"], numbers: [], rows)
        + more(than: eventRowLimit, of: count, "event"))
  }
}

/// An event on the page, with the values of `mp4tool events`.
struct ReportEvent: Record {
  static let summary = "An event at a time of the presentation."
  let event: TimelineEvent
  static let members: [RecordMember<Self>] = [
    RecordMember("track", "the ID of its track; missing if it is not in a track") { $0.event.track.map(Int.init) },
    RecordMember("kind", "its kind") { $0.event.kind.rawValue },
    RecordMember("seconds", "its presentation time; missing if unknown") { $0.event.time },
    RecordMember("duration_seconds", "its duration; missing if unknown") { $0.event.duration },
    RecordMember("summary", "the event in one line of text") { $0.event.summary },
  ]
}

/// The style of the page.
extension ReportPage {
  /// One color for each kind of track, from a palette for all types of color vision (Okabe and Ito).
  static let style = """

    :root { color-scheme: light dark; --bg: #fff; --panel: #f6f7f8; --text: #16191d; --dim: #5b636d; --rule: #d9dde2;
      --video: #0072b2; --audio: #d55e00; --words: #00875f; --data: #a8578a; --box: #4a525c; --frag: #8a939e;
      --loose: #c9a400; --space: #dfe3e8; --error: #b3261e; --warning: #96690a; --stall: #7a3fb0; --note: #5b636d;
      --fine: #1b7a45; }
    @media (prefers-color-scheme: dark) { :root { --bg: #14171a; --panel: #1c2024; --text: #e6e9ec; --dim: #9aa4af;
      --rule: #343a41; --video: #56b4e9; --audio: #f0883e; --words: #35c29a; --data: #d797bd; --box: #b4bcc6; --frag: #7b8591;
      --loose: #f0e442; --space: #353c44; --error: #ff8a80; --warning: #f0c04f; --stall: #c9a2f2; --note: #9aa4af;
      --fine: #6fd39a; } }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
    body { margin: 0 auto; max-width: 76rem; padding: 1.25rem clamp(.75rem, 3vw, 2rem) 4rem; background: var(--bg);
      color: var(--text); font: .9375rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
    h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
    .path-name { margin: -.25rem 0 .5rem; color: var(--dim); font-size: .8125rem; overflow-wrap: anywhere; }
    h2 { margin: 2rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); font-size: 1.125rem; font-weight: 650; }
    h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; font-weight: 650; }
    h4 { margin: 0; font-size: .875rem; font-weight: 650; }
    small { font-size: .8125rem; color: var(--dim); }
    a { color: inherit; }
    nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .75rem; font-size: .875rem; }
    nav a { color: var(--dim); text-decoration: none; padding: .125rem 0; }
    nav a:hover { color: var(--text); text-decoration: underline; }
    :focus-visible { outline: 2px solid var(--video); outline-offset: 2px; }
    .verdict { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; }
    .mark { display: inline-flex; align-items: center; gap: .375rem; color: var(--c, var(--note)); font-weight: 600;
      text-decoration: none; white-space: nowrap; }
    .verdict .mark { padding: .125rem .625rem .125rem .5rem; border: 1px solid; border-radius: 1rem; }
    .scope { padding: .125rem 0; color: var(--dim); }
    .icon { flex: none; width: 1em; height: 1em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round;
      stroke-linejoin: round; }
    .error { --c: var(--error); } .warning { --c: var(--warning); } .stall { --c: var(--stall); }
    .note { --c: var(--note); } .fine { --c: var(--fine); }
    .title { margin: 0 0 .75rem; font-size: 1.0625rem; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.25rem, 1fr)); gap: 1px; margin: 0;
      background: var(--rule); border: 1px solid var(--rule); border-radius: .5rem; overflow: hidden; }
    .tiles div { padding: .625rem .875rem; background: var(--bg); flex: 1; }
    dt { color: var(--dim); font-size: .8125rem; }
    dd { margin: 0; font-size: 1.0625rem; font-weight: 600; overflow-wrap: anywhere; }
    dd small { display: block; font-weight: 400; }
    .details { margin: .75rem 0 0; padding: 0; list-style: none; overflow-wrap: anywhere; color: var(--dim); font-size: .875rem; }
    .tracks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .75rem 1.5rem;
      margin-top: .75rem; }
    .track .details { margin-top: 0; }
    .wide { overflow-x: auto; margin: .5rem 0; }
    table { border-collapse: collapse; width: 100%; font-size: .875rem; }
    caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    th, td { padding: .3125rem .875rem .3125rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
    thead th { color: var(--dim); font-weight: 500; white-space: nowrap; }
    tbody th { font-weight: 600; white-space: nowrap; }
    .number { text-align: right; white-space: nowrap; }
    td:last-child, th:last-child { padding-right: 0; }
    .place { white-space: nowrap; }
    #findings td:last-child { min-width: 16rem; overflow-wrap: anywhere; }
    .hint { margin: 0 0 .5rem; color: var(--dim); font-size: .875rem; max-width: 44rem; }
    .legend { display: flex; flex-wrap: wrap; gap: .125rem 1rem; margin: 0; padding: 0; list-style: none; font-size: .8125rem;
      color: var(--dim); }
    .swatch { display: inline-block; width: .75em; height: .75em; margin-right: .375em; border-radius: 2px; background: var(--k, var(--c)); }
    .swatch.tick { width: 2px; border-radius: 0; background: var(--dim); }
    .swatch.segment { background: var(--text); }
    .swatch.peak { height: 2px; vertical-align: .25em; background: var(--text); }
    .swatch.empty { background: none; border: 1px dashed var(--dim); }
    .swatch.keyframe { width: .75em; border-radius: 2px;
      background: linear-gradient(90deg, var(--video) 42%, var(--bg) 42% 58%, var(--video) 58%); }
    .use-movie { --c: var(--box); } .use-fragments { --c: var(--frag); } .use-video { --c: var(--video); }
    .use-audio { --c: var(--audio); } .use-text { --c: var(--words); } .use-otherTracks { --c: var(--data); }
    .use-images { --c: color-mix(in srgb, var(--video) 60%, var(--bg)); } .use-imageMetadata { --c: var(--words); } .use-motionVideo { --c: var(--data); }
    .use-noSample { --c: var(--loose); } .use-otherBoxes { --c: color-mix(in srgb, var(--frag) 55%, var(--bg)); }
    .use-space { --c: var(--space); } .use-noBox { --c: var(--error); }
    .forward { --k: color-mix(in srgb, var(--c) 62%, var(--bg)); }
    .backward { --k: color-mix(in srgb, var(--c) 32%, var(--bg)); }
    .chart { margin: 1rem 0; break-inside: avoid; }
    figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .125rem 1rem; margin-bottom: .25rem;
      font-size: .875rem; color: var(--dim); }
    figcaption b { color: var(--text); font-weight: 600; margin-right: .375em; }
    .frame { display: grid; grid-template-columns: 4.75rem minmax(0, 1fr); }
    .frame.strip, .frame.row { grid-template-columns: minmax(0, 1fr); }
    .strip .y, .row .y { display: none; }
    .plot { position: relative; height: 10rem; border-radius: .25rem; background: var(--panel); touch-action: pan-y; cursor: crosshair; }
    .low .plot { height: 5.5rem; } .strip .plot { height: 3.5rem; } .row .plot { height: 2.5rem; }
    .still { cursor: default; }
    .plot svg { display: block; width: 100%; height: 100%; overflow: hidden; border-radius: .25rem; }
    .y { position: relative; font-size: .75rem; color: var(--dim); }
    .y span { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap; line-height: 1; }
    .y span:first-child { transform: none; } .y span:last-child:not(:first-child) { transform: translateY(100%); }
    .x { position: relative; grid-column: -2; height: 1.25rem; font-size: .75rem; color: var(--dim); overflow: hidden; }
    .x:empty { display: none; }
    .x span { position: absolute; top: .1875rem; transform: translateX(-50%); white-space: nowrap; }
    .x .start { transform: none; } .x .end { transform: translateX(-100%); }
    svg path { vector-effect: non-scaling-stroke; }
    .grid { fill: none; stroke: var(--rule); stroke-width: 1; }
    .bar { fill: var(--k, var(--c)); }
    .bar.span { opacity: .75; }
    .bar.event { opacity: .75; }
    .bar.empty { fill: none; stroke: var(--dim); stroke-dasharray: 4 3; }
    .line { fill: none; stroke: var(--c, var(--dim)); stroke-width: 1.5; }
    .line.peak { stroke: var(--text); stroke-width: 1; }
    .line.declared { stroke: var(--error); stroke-width: 1.5; stroke-dasharray: 6 4; }
    .swatch.declared { height: 2px; vertical-align: .25em; background: var(--error); }
    .line.path { stroke-width: 2; stroke-linejoin: round; }
    .line.band { fill: color-mix(in srgb, var(--c) 30%, transparent); }
    .line.order { stroke: var(--c); stroke-width: 1; }
    .line.order.backward { stroke-dasharray: 4 3; }
    .line.fragment { stroke: var(--dim); stroke-width: 1; }
    .line.segment { stroke: var(--text); stroke-width: 1.5; }
    .line.keyframe { stroke: var(--bg); stroke-width: 1; }
    .line.input { stroke: var(--bg); stroke-width: 1; }
    .finding { fill: color-mix(in srgb, var(--c) 35%, transparent); stroke: var(--c); stroke-width: 1.5; }
    .swatch.finding { background: color-mix(in srgb, var(--c) 35%, transparent); border: 1.5px solid var(--c); }
    .cursor { position: absolute; top: 0; bottom: 0; min-width: 1px; background: color-mix(in srgb, var(--text) 14%, transparent);
      border-left: 1px solid var(--text); pointer-events: none; }
    .chosen { position: absolute; top: 0; bottom: 0; background: color-mix(in srgb, var(--video) 25%, transparent); pointer-events: none; }
    #tip { position: absolute; z-index: 3; max-width: min(22rem, calc(100vw - 1rem)); padding: .4375rem .625rem; border-radius: .375rem;
      background: var(--text); color: var(--bg); font-size: .8125rem; line-height: 1.4; pointer-events: none; white-space: pre-line; }
    .tools { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: .375rem; padding: .5rem 0;
      margin-top: 1.5rem; background: var(--bg); font-size: .875rem; }
    .tools + section h2 { margin-top: .25rem; }
    .tools[hidden] { display: none; }
    .tools output { margin-right: auto; color: var(--dim); }
    .tools small { order: 1; margin-left: .5rem; }
    button { min-width: 2.25rem; min-height: 2.25rem; font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--rule);
      border-radius: .375rem; cursor: pointer; }
    @media (hover: none) { .tools small { display: none; } }
    @media (max-width: 40rem) { .x .odd { display: none; } .frame { grid-template-columns: 3.9rem minmax(0, 1fr); }
      .frame.strip, .frame.row { grid-template-columns: minmax(0, 1fr); } .tools small { display: none; } h1 { font-size: 1.25rem; }
      #summary td, #frames td { white-space: nowrap; } #findings thead { display: none; }
      #findings tr { display: flex; flex-wrap: wrap; gap: .125rem .875rem; padding: .5rem 0; border-bottom: 1px solid var(--rule); }
      #findings th, #findings td { padding: 0; border: 0; } #findings td:last-child { flex-basis: 100%; min-width: 0; }
      dd { font-size: 1rem; } .tiles { grid-template-columns: repeat(auto-fit, minmax(8.25rem, 1fr)); } }
    @media print { :root { color-scheme: light; --bg: #fff; --panel: #f6f7f8; --text: #000; --dim: #444; --rule: #ccc;
        --video: #0072b2; --audio: #d55e00; --words: #00875f; --data: #a8578a; --box: #4a525c; --frag: #8a939e; --loose: #c9a400;
        --space: #dfe3e8; --error: #b3261e; --warning: #96690a; --stall: #7a3fb0; --note: #444; --fine: #1b7a45; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      body { max-width: none; padding: 0; font-size: 9.5pt; } nav, .tools, #tip { display: none !important; }
      h2 { break-after: avoid; margin-top: 1.25rem; } h3 { break-after: avoid; } tr { break-inside: avoid; }
      .wide { overflow: visible; } table { font-size: 8pt; } small { font-size: .9em; } th, td { padding-right: .4rem; } }

    """
}
