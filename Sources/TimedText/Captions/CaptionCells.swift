/// A character with its style, in a grid of a caption decoder.
struct CaptionCell: Hashable {
  /// The colors for which WebVTT has names, in the order of CEA-608.
  enum Color: UInt8 { case white, lime, blue, cyan, red, yellow, magenta, black }

  var scalar: Unicode.Scalar
  var isItalic = false
  var isUnderlined = false
  var color = Color.white
  /// Whether nothing was written here.
  var isBlank: Bool { scalar == " " || scalar == "\u{a0}" }
}

/// Rows of cells, of which some are empty. `nil` is transparent.
struct CaptionGrid: Hashable {
  private(set) var rows: [[CaptionCell?]]
  let columnCount: Int
  /// The number of visible characters.
  private var count = 0

  init(rows: Int, columns: Int) {
    columnCount = columns
    self.rows = Array(repeating: Array(repeating: nil, count: columns), count: rows)
  }

  /// Whether nothing is visible.
  var isBlank: Bool { count == 0 }

  subscript(row: Int, column: Int) -> CaptionCell? {
    get { rows[row][column] }
    set {
      count += Self.weight(newValue) - Self.weight(rows[row][column])
      rows[row][column] = newValue
    }
  }
  private static func weight(_ cell: CaptionCell?) -> Int { cell.map { $0.isBlank ? 0 : 1 } ?? 0 }

  mutating func clear() { for row in rows.indices { clear(row: row) } }
  mutating func clear(row: Int, from column: Int = 0) {
    for column in min(column, columnCount)..<columnCount where rows[row][column] != nil { self[row, column] = nil }
  }

  /// Moves rows up by one; the last one becomes empty.
  mutating func scroll(_ range: ClosedRange<Int>) {
    clear(row: range.lowerBound)
    for row in range where row < range.upperBound { rows.swapAt(row, row + 1) }
  }

  /// Moves rows to another place; all others become empty.
  mutating func move(_ range: ClosedRange<Int>, toEndAt row: Int) {
    let moved = rows[range]
    clear()
    for (index, content) in moved.reversed().enumerated() where row - index >= 0 {
      rows[row - index] = content
      count += content.reduce(0) { $0 + Self.weight($1) }
    }
  }

  /// The columns of a row from the first to the last visible character; `nil` if it has none.
  func span(ofRow row: Int) -> ClosedRange<Int>? {
    guard let first = rows[row].firstIndex(where: { !($0?.isBlank ?? true) }),
      let last = rows[row].lastIndex(where: { !($0?.isBlank ?? true) })
    else { return nil }
    return first...last
  }

  /// Adjacent rows that have text.
  var blocks: [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    for row in rows.indices where span(ofRow: row) != nil {
      if let last = result.last, last.upperBound == row - 1 {
        result[result.count - 1] = last.lowerBound...row
      } else {
        result.append(row...row)
      }
    }
    return result
  }

  /// The text of a row with WebVTT tags, without blanks at its ends.
  func text(ofRow row: Int) -> String {
    guard let span = span(ofRow: row) else { return "" }
    var result = ""
    var open: [String] = []
    for column in span {
      let cell = rows[row][column] ?? CaptionCell(scalar: " ")
      var wanted: [String] = []
      if cell.isBlank {
        // A blank does not show whether it is italic.
        wanted = open
      } else {
        if cell.color != .white { wanted.append("c.\(cell.color)") }
        if cell.isItalic { wanted.append("i") }
        if cell.isUnderlined { wanted.append("u") }
      }
      if wanted != open {
        // Blanks before a change are outside of tags.
        var blanks = 0
        while result.unicodeScalars.last == " " {
          result.unicodeScalars.removeLast()
          blanks += 1
        }
        result += Self.ends(open)
        result += String(repeating: " ", count: blanks)
        for tag in wanted { result += "<\(tag)>" }
        open = wanted
      }
      switch cell.scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.unicodeScalars.append(cell.scalar)
      }
    }
    return result + Self.ends(open)
  }
  private static func ends(_ tags: [String]) -> String {
    tags.reversed().map { "</\($0.utf8.first == UInt8(ascii: "c") ? "c" : $0)>" }.joined()
  }
}

/// Cues of what a caption decoder shows.
///
/// Letters that are added do not end a cue. All other changes do, and the next cue starts with what is then visible.
struct CaptionCues {
  private(set) var cues: [Cue] = []
  /// When the visible text appeared; `nil` if none is visible.
  private var start: Int64?
  /// The number of bytes of all texts. A damaged file could show the same large text again and again.
  private var byteCount = 0
  private static let limit = 1 << 26

  /// A text appears, or grows.
  mutating func grow(at time: Int64) { if start == nil { start = time } }

  /// Ends the cue with the text that was visible, before it changes.
  mutating func end(at time: Int64, _ texts: () -> [(text: String, settings: String)]) {
    guard let own = start else { return }
    start = nil
    guard own < time, byteCount < Self.limit else { return }
    for (text, settings) in texts() where !text.isEmpty {
      var cue = Cue(start: own, end: time, text: text)
      cue.settings = settings
      byteCount += text.utf8.count + settings.utf8.count
      cues.append(cue)
    }
  }
}
