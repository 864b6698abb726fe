/// A pair of CEA-608, of which each frame has one, and the number of its frame at 30000/1001 frames per second.
package struct CaptionFrame: Hashable, Sendable {
  /// The number of the frame.
  package var index: Int64
  /// The pair.
  package var pair: CaptionPair

  /// A pair of a frame.
  package init(_ index: Int64, _ pair: CaptionPair) { (self.index, self.pair) = (index, pair) }
}

/// Encodes cues as pop-on captions of CEA-608, for one channel: a pair for each frame at 30000/1001 frames per second.
///
/// Each text is sent before it is shown. Positions, italics and underlines are kept.
package struct CEA608Encoder {
  /// The pairs, in the order of their frames.
  package private(set) var frames: [CaptionFrame] = []
  /// The number of texts that are shown late, because they need time to be sent.
  package private(set) var lateCount = 0
  /// The largest delay, in milliseconds.
  package private(set) var longestDelay: Int64 = 0
  /// The number of texts that are not shown, because there is no time to send them.
  package private(set) var omittedCount = 0
  /// The number of characters that CEA-608 does not have; shown as question marks.
  package private(set) var replacedCount = 0
  /// The number of lines that are cut off, or omitted because there is no row for them.
  package private(set) var cutCount = 0
  private let channel: Int
  private let kind: CaptionPair.Kind
  /// The first frame in which nothing was sent.
  private var next: Int64 = 0
  /// When the text that is shown disappears, in frames.
  private var shownUntil: Int64?

  /// Encodes for the channel CC1 to CC4.
  package init(channel: Int) {
    precondition((1...4).contains(channel), "CEA-608 has no channel \(channel)")
    self.channel = channel
    kind = channel <= 2 ? .field1 : .field2
  }

  /// Cues after this frame, six days from the start, are omitted.
  private static let latest: Int64 = 1 << 24
  /// The frame that is shown at a time in milliseconds.
  private static func frame(_ milliseconds: Int64) -> Int64 { (milliseconds * 30 + 500) / 1001 }

  /// Adds the cues that are shown together from `start` to `end`, in milliseconds. Calls are in the order of time, and
  /// do not overlap.
  package mutating func add(_ cues: [Cue], from start: Int64, to end: Int64) {
    guard !cues.isEmpty, start >= 0, start < end else { return }
    guard Self.frame(start) < Self.latest else {
      omittedCount += 1
      return
    }
    let (first, last) = (Self.frame(start), max(Self.frame(start) + 1, Self.frame(min(end, start + 86_400_000))))
    let load = load(cues)
    guard !load.isEmpty else { return }
    var pairs = load
    var due: (pairs: [CaptionPair], frame: Int64)?
    var begin = max(next, first - Int64(load.count))
    if let until = shownUntil, until < first {
      // The old text disappears before or while the new one is sent, unless the new one replaces it at once.
      let end = max(until, next)
      let erasure = Array(repeating: command(0x2c), count: first - end == 1 ? 1 : 2)
      if end <= first - Int64(load.count + erasure.count) {
        append(erasure, at: end)
      } else {
        begin = max(next, first - Int64(load.count + erasure.count))
        due = (erasure, end)
        pairs.insert(contentsOf: erasure, at: Self.gap(in: load, at: Int(clamping: end - begin)))
      }
      shownUntil = nil
    }
    let shown = begin + Int64(pairs.count)
    guard shown < last else {
      omittedCount += 1
      // The old text disappears nevertheless.
      if let due { append(due.pairs, at: due.frame) }
      return
    }
    if shown > first {
      lateCount += 1
      longestDelay = max(longestDelay, (shown - first) * 1001 / 30)
    }
    append(pairs + [command(0x2f), command(0x2f)], at: begin)
    shownUntil = last
  }

  /// The position at or after another one where pairs can be inserted: not between a code and its repetition.
  private static func gap(in pairs: [CaptionPair], at position: Int) -> Int {
    guard position < pairs.count else { return pairs.count }
    let equal = pairs[..<position].reversed().prefix { $0 == pairs[position] }.count
    return pairs[position].first & 0x7f < 0x20 && equal % 2 == 1 ? position + 1 : position
  }

  /// Ends the last text.
  package mutating func finish() {
    if let until = shownUntil { append([command(0x2c), command(0x2c)], at: max(until, next)) }
    shownUntil = nil
  }

  /// Appends pairs for the frames from `start` on.
  private mutating func append(_ pairs: [CaptionPair], at start: Int64) {
    for (number, pair) in pairs.enumerated() { frames.append(CaptionFrame(start + Int64(number), pair)) }
    next = start + Int64(pairs.count)
  }

  // MARK: Codes

  private func pair(_ first: UInt8, _ second: UInt8) -> CaptionPair {
    CaptionPair(kind, first.withOddParity, second.withOddParity)
  }
  /// A code of the channel, given as that of CC1.
  private func code(_ first: UInt8, _ second: UInt8) -> CaptionPair { pair(first | (channel % 2 == 0 ? 8 : 0), second) }
  private func command(_ second: UInt8) -> CaptionPair { code(kind == .field1 ? 0x14 : 0x15, second) }

  /// The pairs that load a text into memory: resume caption loading, erase non-displayed memory, and its rows.
  private mutating func load(_ cues: [Cue]) -> [CaptionPair] {
    var rows: [(row: Int, column: Int?, line: Line)] = []
    var bottom = CEA608Decoder.rowCount - 1
    // Texts at the bottom are above each other, the first one at the top.
    for cue in cues.reversed() {
      let lines = Line.lines(of: CueText(cue.text))
      guard !lines.isEmpty else { continue }
      let place = CaptionPlace(CueSettings(cue.settings), lineCount: lines.count)
      var row = place.row ?? bottom + 1 - lines.count
      if place.row == nil { bottom = row - 1 }
      for line in lines {
        if (0..<CEA608Decoder.rowCount).contains(row), !rows.contains(where: { $0.row == row }) {
          rows.append((row, place.column, line))
        } else {
          cutCount += 1
        }
        row += 1
      }
    }
    guard !rows.isEmpty else { return [] }
    var pairs = [command(0x20), command(0x20), command(0x2e), command(0x2e)]
    for (row, column, line) in rows.sorted(by: { $0.row < $1.row }) { append(line, row, column, to: &pairs) }
    return pairs
  }

  /// Codes of rows; the low bit of the second number is the bit 0x20 of the second byte.
  private static let rowCodes: [(first: UInt8, second: UInt8)] = [
    (0x11, 0), (0x11, 1), (0x12, 0), (0x12, 1), (0x15, 0), (0x15, 1), (0x16, 0), (0x16, 1), (0x17, 0), (0x17, 1),
    (0x10, 0), (0x13, 0), (0x13, 1), (0x14, 0), (0x14, 1),
  ]

  private mutating func append(_ line: Line, _ row: Int, _ column: Int?, to pairs: inout [CaptionPair]) {
    var letters = line.letters[...]
    if letters.count > CEA608Decoder.columnCount {
      letters = letters.prefix(CEA608Decoder.columnCount)
      cutCount += 1
    }
    var indent = min(
      column ?? (CEA608Decoder.columnCount - letters.count) / 2, CEA608Decoder.columnCount - letters.count)
    var style = letters.first?.style ?? []
    // A preamble has either an indent or italics. A mid-row code takes the column before the text.
    var startsWithCode = style.contains(.italic) && indent > 0
    if startsWithCode { indent -= 1 }
    let isUnderlined: UInt8 = style.contains(.underlined) ? 1 : 0
    let (first, second) = Self.rowCodes[row]
    let attributes: UInt8 = style.contains(.italic) && !startsWithCode ? 0x0e : 0x10 | UInt8(indent / 4) << 1
    let preamble = code(first, 0x40 | second << 5 | attributes | isUnderlined)
    pairs += [preamble, preamble]
    if indent % 4 > 0 { pairs += repeatElement(code(0x17, 0x20 | UInt8(indent % 4)), count: 2) }
    var half: UInt8?
    func flush() {
      if let byte = half { pairs.append(pair(byte, 0)) }
      half = nil
    }
    func midRow(_ style: CueText.Style) {
      flush()
      let own = code(0x11, 0x20 | (style.contains(.italic) ? 0x0e : 0) | (style.contains(.underlined) ? 1 : 0))
      pairs += [own, own]
    }
    func send(_ byte: UInt8) {
      if let first = half {
        pairs.append(pair(first, byte))
        half = nil
      } else {
        half = byte
      }
    }
    if startsWithCode {
      midRow(style)
      startsWithCode = false
    }
    for (index, letter) in letters.enumerated() {
      // A change of style takes the place of a blank, of which the style does not matter.
      if letter.scalar == " ", let following = letters.dropFirst(index + 1).first(where: { $0.scalar != " " }),
        following.style != style
      {
        midRow(following.style)
        style = following.style
        continue
      }
      switch CEA608Characters.code(letter.scalar) {
      case .standard(let byte): send(byte)
      case .special(let second):
        flush()
        pairs += repeatElement(code(0x11, second), count: 2)
      case .extended(let first, let second, let instead):
        send(instead)
        flush()
        pairs += repeatElement(code(first, second), count: 2)
      case nil:
        send(UInt8(ascii: "?"))
        replacedCount += 1
      }
    }
    flush()
  }

  /// A line of at most 32 characters.
  private struct Line {
    var letters: [(scalar: Unicode.Scalar, style: CueText.Style)] = []

    /// The lines of a text; long ones are divided at blanks.
    static func lines(of text: CueText) -> [Line] {
      var (result, current, runs): ([Line], Line, _) = ([], Line(), text.runs[...])
      func endLine() {
        while current.letters.last?.scalar == " " { current.letters.removeLast() }
        if !current.letters.isEmpty { result.append(current) }
        current = Line()
      }
      for (index, scalar) in text.text.unicodeScalars.enumerated() {
        while let run = runs.first, run.scalars.upperBound <= index { runs.removeFirst() }
        let style = runs.first.map { $0.scalars.contains(index) ? $0.style.intersection([.italic, .underlined]) : [] }
        if scalar == "\n" || scalar == "\r" {
          endLine()
        } else if scalar == "\u{a0}" || scalar.properties.isWhitespace {
          if !current.letters.isEmpty { current.letters.append((" ", style ?? [])) }
        } else if scalar.value >= 0x20 {
          current.letters.append((scalar, style ?? []))
        }
        if current.letters.count > CEA608Decoder.columnCount,
          let blank = current.letters.lastIndex(where: { $0.scalar == " " }), blank > 0
        {
          let rest = Array(current.letters[(blank + 1)...])
          current.letters.removeSubrange(blank...)
          endLine()
          current.letters = rest
        }
      }
      endLine()
      return result
    }
  }
}
