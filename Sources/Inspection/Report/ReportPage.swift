import Bytes
import MP4

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
        overview, Self.section(report.map, report.findings), timeline, rates, frames, composition, interleaving,
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
    let body: String
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

  private static func icon(_ name: String) -> String {
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
