import MP4
import MP4Bytes

/// A drawing with axes. The plot is as wide as the page; labels are text of the page and keep their size.
struct ReportChart {
  /// Its identifier for the script.
  let kind: String
  /// The index of its track; `nil` if it is about all tracks.
  var track: Int?
  /// A description for screen readers.
  let label: String
  /// The caption.
  var caption = ""
  /// The legend: names, each with its class.
  var legend: [(style: String, name: String)] = []
  /// Ticks on the vertical axis, from 0 at the bottom to 1.
  var vertical: [(place: Double, text: String)] = []
  /// Ticks on the horizontal axis, from 0 to 1.
  var horizontal: [(place: Double, text: String)] = []
  /// The class that determines its height.
  var height = "tall"
  /// The contents: SVG with a width of 1000 and a height of 100.
  let drawing: String

  var html: String {
    let keys = legend.map { "<li><span class=\"swatch \($0.style)\"></span>\($0.name)</li>" }.joined()
    let title = caption.isEmpty ? "" : "<span class=\"name\">\(caption)</span>"
    let list = keys.isEmpty ? "" : "<ul class=\"legend\">\(keys)</ul>"
    let head = keys.isEmpty && title.isEmpty ? "" : "<figcaption>\(title)\(list)</figcaption>\n"
    let rows = vertical.map { "<span style=\"bottom:\(Self.percent($0.place))\">\($0.text)</span>" }.joined()
    let lines = vertical.map { "M0 \(Self.number(100 - 100 * $0.place))H1000" }.joined()
    let columns = horizontal.enumerated().map { index, tick in
      // A label at an end of the axis is aligned to that end.
      let end = tick.place < 0.03 ? " start" : tick.place > 0.96 ? " end" : ""
      let style = (index % 2 == 1 ? "odd" : "even") + end
      return "<span class=\"\(style)\" style=\"left:\(Self.percent(tick.place))\">\(tick.text)</span>"
    }
    let index = track.map { " data-track=\"\($0)\"" } ?? ""
    return """
      <figure class="chart">
      \(head)<div class="frame \(height)"><div class="y" aria-hidden="true">\(rows)</div>
      <div class="plot" tabindex="0" role="img" aria-label="\(label)" data-chart="\(kind)"\(index)>
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="\(lines)"/>\(drawing)</svg></div>
      <div class="x" aria-hidden="true">\(columns.joined())</div></div>
      </figure>
      """
  }

  /// A number with at most one decimal.
  static func number(_ value: Double) -> String {
    let tenths = Int(max(-1e9, min(1e9, (value * 10).rounded())))
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
  }

  private static func percent(_ place: Double) -> String { "\(number(place * 100))%" }

  /// A round number that is not less than `value`, and its half, as ticks on the vertical axis.
  static func scale(_ value: Int, _ text: (Int) -> String) -> (top: Double, places: [(place: Double, text: String)]) {
    var unit = 1
    while unit < value, unit < Int.max / 10 { unit *= 10 }
    // This number of twentieths is sufficient.
    let top = max(1, [2, 3, 4, 5, 6, 8, 10, 12, 16, 20].map { $0 * (unit / 20) }.first { $0 >= value } ?? unit)
    let half = top % 2 == 0 ? [(place: 0.5, text: text(top / 2))] : []
    return (Double(top), [(0, text(0))] + half + [(1, text(top))])
  }
}

/// The commands of an SVG path.
struct ReportPath {
  private(set) var text = ""

  /// A bar between two heights, at least high enough to be visible.
  mutating func bar(_ x: Double, _ width: Double, from low: Double = 0, to high: Double) {
    let (left, right) = (ReportChart.number(x), ReportChart.number(x + max(width, 0.5)))
    let (bottom, top) = (ReportChart.number(100 - low), ReportChart.number(100 - max(high, low + 0.5)))
    text += "M\(left) \(bottom)V\(top)H\(right)V\(bottom)z"
  }
  /// A vertical line.
  mutating func tick(_ x: Double, from low: Double, to high: Double) {
    text += "M\(ReportChart.number(x)) \(ReportChart.number(100 - low))V\(ReportChart.number(100 - high))"
  }
  mutating func move(_ x: Double, _ y: Double) {
    text += "M\(ReportChart.number(x)) \(ReportChart.number(100 - y))"
  }
  mutating func line(_ x: Double, _ y: Double) {
    text += "L\(ReportChart.number(x)) \(ReportChart.number(100 - y))"
  }
  mutating func close() { text += "z" }

  /// The SVG element.
  func element(_ style: String, title: String? = nil) -> String {
    guard !text.isEmpty else { return "" }
    let title = title.map { "<title>\($0)</title>" } ?? ""
    return "<path class=\"\(style)\" d=\"\(text)\">\(title)</path>"
  }
}
