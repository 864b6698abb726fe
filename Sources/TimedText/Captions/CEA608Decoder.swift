/// Decodes one caption channel of CEA-608 (line 21): ANSI/CTA-608-E.
///
/// Text mode (T1 to T4) and XDS are skipped.
struct CEA608Decoder {
  static let (rowCount, columnCount) = (15, 32)

  private enum Mode: Equatable { case none, popOn, paintOn, rollUp(Int), text }
  private struct Pen {
    var isItalic = false
    var isUnderlined = false
    var color = CaptionCell.Color.white
  }

  /// The kind of its pairs, and whether it is the second channel of its field.
  private let field: CaptionPair.Kind
  private let isSecond: Bool
  /// Whether the last control code of the field was for this channel, and started captions and not text.
  private var isSelected = false
  private var isInXDS = false
  /// The previous control code of the field and its time, if its repetition is to be ignored.
  private var previous: (UInt8, UInt8, Int64)?
  private var mode = Mode.none
  private var displayed = CaptionGrid(rows: rowCount, columns: columnCount)
  private var hidden = CaptionGrid(rows: rowCount, columns: columnCount)
  private var (row, column) = (14, 0)
  private var pen = Pen()
  private var output = CaptionCues()
  /// Whether there were characters, shown or not.
  private(set) var hasText = false

  /// A decoder for the channel CC1 to CC4.
  init(channel: Int) {
    field = channel <= 2 ? .field1 : .field2
    isSecond = channel % 2 == 0
  }

  /// Ends the last cue, and returns all cues.
  mutating func finish(at time: Int64) -> [Cue] {
    endCue(at: time)
    return output.cues
  }

  /// Decodes a pair with its time in milliseconds; pairs of other kinds are ignored.
  mutating func add(_ pair: CaptionPair, at time: Int64) {
    guard pair.kind == field, !pair.isPadding, pair.second.hasOddParity else { return }
    let (first, second) = (pair.first & 0x7f, pair.second & 0x7f)
    guard pair.first.hasOddParity else {
      // A control code that cannot be read is ignored, a character becomes a block.
      if first >= 0x20 { write([0x7f, second], at: time) }
      return
    }
    if first < 0x10 {
      // XDS has control codes from 1 to 15, only in the second field; the last one ends a packet.
      if field == .field2, first > 0 { isInXDS = first != 0x0f }
      if first == 0 { write([second], at: time) }
      return
    }
    guard first < 0x20 else { return write([first, second], at: time) }
    isInXDS = false
    if let (a, b, last) = previous, a == first, b == second, time - last <= 100 {
      previous = nil
      return
    }
    previous = (first, second, time)
    control(first, second, at: time)
  }

  // MARK: Characters

  private mutating func write(_ codes: [UInt8], at time: Int64) {
    previous = nil
    guard isSelected, !isInXDS else { return }
    for code in codes where code >= 0x20 { put(CEA608Characters.standard(code), at: time) }
  }

  private mutating func put(_ scalar: Unicode.Scalar, at time: Int64) {
    guard mode != .none, mode != .text else { return }
    let cell = CaptionCell(
      scalar: scalar, isItalic: pen.isItalic, isUnderlined: pen.isUnderlined, color: pen.color)
    hasText = hasText || !cell.isBlank
    if mode == .popOn {
      hidden[row, column] = cell
    } else {
      displayed[row, column] = cell
      if !cell.isBlank { output.grow(at: time) }
    }
    // Further characters replace the one in the last column.
    column = min(column + 1, Self.columnCount - 1)
  }

  private mutating func backspace() {
    guard column > 0 else { return }
    column -= 1
    if mode == .popOn { hidden[row, column] = nil } else { displayed[row, column] = nil }
  }

  // MARK: Control codes

  private mutating func control(_ first: UInt8, _ second: UInt8, at time: Int64) {
    guard second >= 0x20 else { return }
    guard (first & 8 != 0) == isSecond else {
      isSelected = false
      return
    }
    // The codes of the first channel; those of the second field have 0x15 for 0x14.
    let code = first & 0x17
    if second >= 0x40 {
      isSelected = mode != .none && mode != .text
      return preamble(code, second)
    }
    switch (code, second) {
    case (0x14, 0x20...0x2f), (0x15, 0x20...0x2f): command(second, at: time)
    case (0x17, 0x21...0x23):
      select()
      column = min(column + Int(second & 3), Self.columnCount - 1)
    case (0x11, 0x20...0x2f):
      select()
      guard isSelected else { return }
      pen.isUnderlined = second & 1 != 0
      let color = second >> 1 & 7
      // Codes of colors end italics; that of italics keeps the color.
      pen.isItalic = color == 7
      if color < 7 { pen.color = CaptionCell.Color(rawValue: color) ?? .white }
      put(" ", at: time)
    case (0x11, 0x30...0x3f):
      select()
      if isSelected { put(CEA608Characters.special[Int(second & 15)], at: time) }
    case (0x12, 0x20...0x3f), (0x13, 0x20...0x3f):
      select()
      guard isSelected else { return }
      // It replaces the character before it, which is for decoders that do not know it.
      let isFull = column == Self.columnCount - 1 && grid[row, column] != nil
      if !isFull, column > 0 { column -= 1 }
      let table = code == 0x12 ? CEA608Characters.extended12 : CEA608Characters.extended13
      put(table[Int(second & 31)], at: time)
    default: select()
    }
  }

  private var grid: CaptionGrid { mode == .popOn ? hidden : displayed }

  /// Codes without a mode continue the captions of the channel.
  private mutating func select() { isSelected = mode != .none && mode != .text }

  private mutating func command(_ second: UInt8, at time: Int64) {
    isSelected = true
    switch second {
    case 0x20: mode = .popOn
    case 0x21: if mode != .text, mode != .none { backspace() }
    case 0x24:
      if mode == .popOn { hidden.clear(row: row, from: column) }
      if mode == .paintOn || isRollUp { displayed.clear(row: row, from: column) }
    case 0x25...0x27: rollUp(Int(second) - 0x23, at: time)
    case 0x29:
      // A text that was written before ends here.
      if mode == .paintOn { endCue(at: time) }
      mode = .paintOn
      if !displayed.isBlank { output.grow(at: time) }
    case 0x2a, 0x2b: (mode, isSelected) = (.text, false)
    case 0x2c:
      endCue(at: time)
      displayed.clear()
    case 0x2d:
      guard case .rollUp(let count) = mode else { return }
      endCue(at: time)
      displayed.scroll(max(0, row - count + 1)...row)
      column = 0
      if !displayed.isBlank { output.grow(at: time) }
    case 0x2e: hidden.clear()
    case 0x2f:
      endCue(at: time)
      swap(&displayed, &hidden)
      mode = .popOn
      (row, column, pen) = (14, 0, Pen())
      if !displayed.isBlank { output.grow(at: time) }
    default: break
    }
  }

  private var isRollUp: Bool { if case .rollUp = mode { true } else { false } }

  private mutating func rollUp(_ count: Int, at time: Int64) {
    if !isRollUp {
      endCue(at: time)
      displayed.clear()
      hidden.clear()
      (row, column, pen) = (14, 0, Pen())
    } else if case .rollUp(let old) = mode, count < old {
      // Rows above the new window disappear.
      endCue(at: time)
      for above in max(0, row - old + 1)..<max(0, row - count + 1) { displayed.clear(row: above) }
      if !displayed.isBlank { output.grow(at: time) }
    }
    mode = .rollUp(count)
  }

  /// A preamble address code: the row, and the indent or the color.
  private mutating func preamble(_ code: UInt8, _ second: UInt8) {
    guard isSelected else { return }
    let rows: [Int] = [11, 11, 1, 2, 3, 4, 12, 13, 14, 15, 5, 6, 7, 8, 9, 10]
    let new = rows[Int(code & 7) << 1 | Int(second >> 5 & 1)] - 1
    if case .rollUp(let count) = mode, new != row {
      // The base row moves with its window.
      displayed.move(max(0, row - count + 1)...row, toEndAt: new)
    }
    row = new
    pen = Pen(isUnderlined: second & 1 != 0)
    if second & 0x10 != 0 {
      column = Int(second >> 1 & 7) * 4
    } else {
      column = 0
      let color = second >> 1 & 7
      if color == 7 { pen.isItalic = true } else { pen.color = CaptionCell.Color(rawValue: color) ?? .white }
    }
  }

  // MARK: Cues

  private mutating func endCue(at time: Int64) {
    let grid = displayed
    output.end(at: time) {
      grid.blocks.map { rows in
        (rows.map(grid.text(ofRow:)).joined(separator: "\n"), CaptionPlace(grid, rows).settings)
      }
    }
  }
}

/// The place of adjacent rows of CEA-608 on the screen, as WebVTT settings. The rows fill the middle 80 % of the
/// height, and their characters that of the width.
struct CaptionPlace: Equatable {
  /// The first row, from 0; `nil` at the bottom, where WebVTT has cues without a setting.
  var row: Int?
  /// The first column of lines that are not centered.
  var column: Int?

  init(_ grid: CaptionGrid, _ rows: ClosedRange<Int>) {
    row = rows.upperBound >= grid.rows.count - 2 ? nil : rows.lowerBound
    let spans = rows.compactMap(grid.span(ofRow:))
    // The middle of a line can be half a character or, with indents in steps of four, more off the middle of the row.
    let isCentered = spans.allSatisfy { abs($0.lowerBound + $0.upperBound + 1 - grid.columnCount) <= 4 }
    column = isCentered ? nil : spans.map(\.lowerBound).min()
  }

  /// The place that settings of a cue ask for.
  init(_ settings: CueSettings, lineCount: Int) {
    let lastRow = CEA608Decoder.rowCount - 1
    if let line = settings.line {
      if line.isPercentage {
        // Rounded to the nearest row.
        row = max(0, min(((line.thousandths - 10_000) * 15 + 40_000) / 80_000, lastRow))
      } else if line.thousandths >= 0 {
        row = min(line.thousandths / 1000, lastRow)
      } else if line.thousandths < -1000 {
        row = max(0, lastRow + 1 + line.thousandths / 1000 - (lineCount - 1))
      }
    }
    if let own = row, own + lineCount >= lastRow { row = nil }
    if settings.alignment == .start || settings.alignment == .left {
      column = max(0, min(((settings.position?.thousandths ?? 10_000) - 10_000 + 1_250) / 2_500, 31))
    }
  }

  /// The settings of a cue.
  var settings: String {
    var words: [String] = []
    if let row { words.append("line:\(Self.percentage(10_000 + (row * 80_000 + 7) / 15))") }
    if let column {
      words.append("position:\(Self.percentage(10_000 + column * 2_500))")
      words.append("align:start")
    }
    return words.joined(separator: " ")
  }

  /// Thousandths of a percent, with two decimals at most.
  private static func percentage(_ thousandths: Int) -> String {
    let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
    let hundredths = (rest + 5) / 10
    if hundredths == 0 { return "\(whole)%" }
    return hundredths % 10 == 0
      ? "\(whole).\(hundredths / 10)%" : "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)%"
  }
}
