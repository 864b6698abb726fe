/// The windows of a service of CEA-708, and the cues of their text: CTA-708-E, 8.
struct CEA708Service {
  /// A window with its text.
  private struct Window {
    var isVisible = false
    /// The place of the anchor point in the safe area: in percent if it is relative, otherwise in cells of a grid of 75
    /// rows and 210 columns (16:9).
    var isRelative = false
    var vertical = 0
    var horizontal = 0
    /// Which point of the window the anchor is: 0 to 8, from the top left to the bottom right.
    var anchorPoint = 0
    var justification = 0
    var grid: CaptionGrid
    var row = 0
    var column = 0
    var pen = CaptionCell(scalar: " ")

    var isBlank: Bool { grid.isBlank }
    /// The distance of its top from that of the picture in thousandths of a percent, if rows have the usual height of
    /// a fifteenth of the safe area.
    var top: Int {
      let anchor = 10_000 + (isRelative ? min(vertical, 100) * 800 : min(vertical, 74) * 80_000 / 75)
      let height = grid.rows.count * 80_000 / 15
      return max(0, anchor - [0, height / 2, height][min(anchorPoint / 3, 2)])
    }
    var settings: String {
      let rows = (grid.blocks.first?.lowerBound ?? 0)...(grid.blocks.last?.upperBound ?? 0)
      let bottom = top + (rows.upperBound + 1) * 80_000 / 15
      // At the bottom, WebVTT has cues without a setting.
      let line = bottom > 82_000 ? nil : "line:\((top + rows.lowerBound * 80_000 / 15 + 500) / 1000)%"
      let alignment = [0: "align:start", 1: "align:end"][justification]
      let isNarrow = grid.columnCount < 32
      // The horizontal place is only known for a window that is anchored at its left.
      guard justification == 0, anchorPoint % 3 == 0 else { return line ?? "" }
      let left = 10 + (isRelative ? min(horizontal, 99) * 80 / 100 : min(horizontal, 209) * 80 / 210)
      return [line, isNarrow || left > 12 ? "position:\(left)%" : nil, alignment].compactMap(\.self)
        .joined(separator: " ")
    }
  }

  private var windows: [Window?] = Array(repeating: nil, count: 8)
  private var current: Int?
  private var output = CaptionCues()
  /// The bytes of a code that continues in the next block.
  private var pending: [UInt8] = []
  /// Codes before this time have no effect before it.
  private var delayedUntil: Int64 = 0

  /// Forgets what was incomplete, because packets are missing. Windows stay: they are usually redefined.
  mutating func reset() { pending = [] }

  mutating func finish(at time: Int64) -> [Cue] {
    endCue(at: max(time, delayedUntil))
    return output.cues
  }

  /// Reads a block with its time in milliseconds.
  mutating func read(_ block: ArraySlice<UInt8>, at time: Int64) {
    var codes = CEA708Codes(pending.isEmpty ? block : (pending + block)[...])
    while let code = codes.next() {
      let own = max(time, delayedUntil)
      switch code {
      case .character(let scalar): put(scalar, at: own)
      case .control(let code, let parameters): control(code, Array(parameters), at: own, sent: time)
      }
    }
    pending = Array(codes.rest)
  }

  // MARK: Text

  /// Changes the current window; whether the text that is visible ends depends on `endsCue`.
  private mutating func change(at time: Int64, endsCue: Bool = true, _ body: (inout Window) -> Void) {
    guard let current, var window = windows[current] else { return }
    let isShown = window.isVisible && !window.isBlank
    if endsCue, isShown { endCue(at: time) }
    body(&window)
    windows[current] = window
    if window.isVisible { showAgain(at: time) }
  }

  private mutating func put(_ scalar: Unicode.Scalar, at time: Int64) {
    change(at: time, endsCue: false) { window in
      // What does not fit is not shown: word wrap is left to encoders.
      guard window.row < window.grid.rows.count, window.column < window.grid.columnCount else { return }
      window.pen.scalar = scalar
      window.grid[window.row, window.column] = window.pen
      window.column += 1
    }
  }

  /// If anything is visible, a cue is open.
  private mutating func showAgain(at time: Int64) {
    if windows.contains(where: { $0.map { $0.isVisible && !$0.isBlank } ?? false }) { output.grow(at: time) }
  }

  private mutating func endCue(at time: Int64) {
    // Windows are read from the top to the bottom.
    let visible = windows.compactMap(\.self).filter { $0.isVisible && !$0.isBlank }
      .enumerated().sorted { ($0.element.top, $0.offset) < ($1.element.top, $1.offset) }.map(\.element)
    output.end(at: time) {
      visible.map { window in
        let lines = window.grid.rows.indices.map(window.grid.text(ofRow:)).filter { !$0.isEmpty }
        return (lines.joined(separator: "\n"), window.settings)
      }
    }
  }

  // MARK: Control codes and commands

  private mutating func control(_ code: UInt8, _ parameters: [UInt8], at time: Int64, sent: Int64) {
    switch code {
    case 0x08:
      change(at: time, endsCue: false) { window in
        guard window.column > 0, window.row < window.grid.rows.count else { return }
        window.column -= 1
        if window.column < window.grid.columnCount { window.grid[window.row, window.column] = nil }
      }
    case 0x0c:
      change(at: time) { window in
        window.grid.clear()
        (window.row, window.column) = (0, 0)
      }
    case 0x0d:
      // Rows move up only if the last one is written.
      let isLast = current.flatMap { windows[$0] }.map { $0.row >= $0.grid.rows.count - 1 } ?? false
      change(at: time, endsCue: isLast) { window in
        window.column = 0
        if isLast { window.grid.scroll(0...window.grid.rows.count - 1) } else { window.row += 1 }
      }
    case 0x0e:
      change(at: time) { window in
        if window.row < window.grid.rows.count { window.grid.clear(row: window.row) }
        window.column = 0
      }
    case 0x80...0x87: if windows[Int(code & 7)] != nil { current = Int(code & 7) }
    case 0x88: forWindows(parameters[0], at: time) { window in window?.grid.clear() }
    case 0x89: forWindows(parameters[0], at: time) { window in window?.isVisible = true }
    case 0x8a: forWindows(parameters[0], at: time) { window in window?.isVisible = false }
    case 0x8b: forWindows(parameters[0], at: time) { window in window?.isVisible.toggle() }
    case 0x8c:
      forWindows(parameters[0], at: time) { window in window = nil }
      if let own = current, windows[own] == nil { current = nil }
    case 0x8d: delayedUntil = time + Int64(parameters[0]) * 100
    case 0x8e: delayedUntil = sent
    case 0x8f:
      endCue(at: time)
      windows = Array(repeating: nil, count: 8)
      (current, delayedUntil) = (nil, sent)
    case 0x90:
      setPen { pen in
        (pen.isItalic, pen.isUnderlined) = (parameters[1] & 0x80 != 0, parameters[1] & 0x40 != 0)
      }
    case 0x91: setPen { pen in pen.color = Self.color(parameters[0]) }
    case 0x92:
      change(at: time, endsCue: false) { window in
        window.row = min(Int(parameters[0] & 15), window.grid.rows.count - 1)
        window.column = min(Int(parameters[1] & 63), window.grid.columnCount - 1)
      }
    case 0x97: change(at: time, endsCue: false) { window in window.justification = Int(parameters[2] & 3) }
    case 0x98...0x9f: define(Int(code & 7), parameters, at: time)
    default: break
    }
  }

  private mutating func setPen(_ body: (inout CaptionCell) -> Void) {
    guard let current, var window = windows[current] else { return }
    body(&window.pen)
    windows[current] = window
  }

  /// A color for which WebVTT has a name, from two bits for each of red, green and blue: opaque or flashing.
  private static func color(_ code: UInt8) -> CaptionCell.Color {
    switch (code >> 5 & 1, code >> 3 & 1, code >> 1 & 1, code & 0x3f) {
    case (_, _, _, 0): .black
    case (1, 0, 0, _): .red
    case (0, 1, 0, _): .lime
    case (0, 0, 1, _): .blue
    case (1, 1, 0, _): .yellow
    case (1, 0, 1, _): .magenta
    case (0, 1, 1, _): .cyan
    default: .white
    }
  }

  /// Changes the windows of a bitmap. The cue ends if the visible text changes.
  private mutating func forWindows(_ bitmap: UInt8, at time: Int64, _ body: (inout Window?) -> Void) {
    var changed = windows
    for index in windows.indices where bitmap >> UInt8(index) & 1 == 1 { body(&changed[index]) }
    func isShown(_ window: Window?) -> Bool { window.map { $0.isVisible && !$0.isBlank } ?? false }
    if zip(windows, changed).contains(where: { isShown($0) != isShown($1) }) { endCue(at: time) }
    windows = changed
    showAgain(at: time)
  }

  /// Defines a window, or changes the place of an existing one, which keeps its text: 8.4.7.
  private mutating func define(_ index: Int, _ parameters: [UInt8], at time: Int64) {
    current = index
    let (rows, columns) = (Int(parameters[3] & 15) + 1, Int(parameters[4] & 63) + 1)
    let isVisible = parameters[0] & 0x20 != 0
    let old = windows[index]
    if let old, old.isVisible, !old.isBlank,
      !isVisible || old.grid.rows.count != rows || old.grid.columnCount != columns
    {
      endCue(at: time)
    }
    var window = old ?? Window(grid: CaptionGrid(rows: rows, columns: columns))
    if window.grid.rows.count != rows || window.grid.columnCount != columns {
      window.grid = CaptionGrid(rows: rows, columns: columns)
      (window.row, window.column) = (0, 0)
    }
    // An existing window keeps its pen and its attributes unless styles are given.
    if old == nil || parameters[5] & 7 != 0 { window.pen = CaptionCell(scalar: " ") }
    if old == nil || parameters[5] >> 3 & 7 != 0 {
      // Of the predefined styles, 3 and 6 are centered.
      window.justification = [3: 2, 6: 2][Int(parameters[5] >> 3 & 7)] ?? 0
    }
    window.isVisible = isVisible
    (window.isRelative, window.vertical) = (parameters[1] & 0x80 != 0, Int(parameters[1] & 0x7f))
    window.horizontal = Int(parameters[2])
    window.anchorPoint = Int(parameters[3] >> 4)
    windows[index] = window
    showAgain(at: time)
  }
}
