import ISOBMFF
import MP4
import TimedText

/// The cues of a 3GPP timed text track (`tx3g`, 3GPP TS 26.245), which HLS supports only as WebVTT, or of a QuickTime
/// text track, whose samples have the same format.
struct TimedTextTrack {
  private(set) var cues: [Cue] = []
  /// The number of samples that cannot be read.
  private(set) var skipped = 0
  /// Whether all samples are shown even if the user has disabled subtitles.
  let isForced: Bool
  /// Whether text has another color than white, or a background that is not black.
  private(set) var hasColors = false
  /// Whether text is at a place that WebVTT cues without a setting do not have, and that is not converted.
  private(set) var hasPositions = false
  private let style: TimedTextStyle?
  private let isQuickTime: Bool

  init(_ track: Track, _ entry: TimedTextSampleEntry?) throws(MovieError) {
    style = entry?.style
    isQuickTime = entry == nil
    isForced = entry.map { $0.style.displayFlags & 0x8000_0000 != 0 } ?? false
    var (cues, damaged, byteCount): ([Cue], Int, Int) = ([], 0, 0)
    var (hasColors, hasPositions) = (false, false)
    let skipped = try track.forEachTimedSample { sample in
      let (start, end) = (Self.milliseconds(sample.start), Self.milliseconds(sample.end))
      guard let (text, styles, isPlaced) = text(of: sample.bytes) else {
        damaged += 1
        return true
      }
      guard !text.isEmpty, start < end else { return true }
      hasColors = hasColors || styles.contains(where: \.hasColor)
      hasPositions = hasPositions || isPlaced
      if let last = cues.last, last.endMilliseconds == start, last.text == text {
        cues[cues.count - 1].endMilliseconds = end
      } else {
        byteCount += text.utf8.count
        // Several samples can refer to the same data.
        guard byteCount <= TextSamples.limit else {
          damaged += 1
          return true
        }
        cues.append(Cue(start: start, end: end, text: text))
        // The text is at the top. Without a setting, WebVTT places it at the bottom.
        if style?.verticalJustification == 0 { cues[cues.count - 1].settings = "line:0" }
      }
      return true
    }
    (self.cues, self.skipped) = (cues, skipped + damaged)
    guard let style, !cues.isEmpty else { return }
    self.hasColors = hasColors || style.hasBackground
    self.hasPositions = hasPositions || style.hasPosition
  }

  /// What is lost when the text becomes WebVTT, such as `text colors`; `nil` if nothing is.
  var losses: String? {
    switch (hasColors, hasPositions) {
    case (true, true): "text colors and positions"
    case (true, false): "text colors"
    case (false, true): "text positions"
    case (false, false): nil
    }
  }

  private static func milliseconds(_ time: MediaTime) -> Int64 { time.converted(to: 1000).value }

  /// The text of a sample with WebVTT tags, the styles that it has, and whether it has a text box of its own (`tbox`);
  /// `nil` if it is damaged.
  private func text(of bytes: [UInt8]) -> (text: String, styles: [StyleRecord], isPlaced: Bool)? {
    guard let sample = TextSample(bytes, isQuickTime: isQuickTime) else { return nil }
    let styles = sample.styles.filter { $0.startChar < $0.endChar }.sorted { $0.startChar < $1.startChar }
    let text = Self.marked(sample.text, styles, style?.style.faceStyleFlags ?? 0)
    // The style of the sample entry applies to the other characters.
    var (used, styled) = (styles, 0)
    for own in styles where Int(own.startChar) <= styled { styled = max(styled, Int(own.endChar)) }
    if let style, styled < sample.text.unicodeScalars.count { used.append(style.style) }
    return (text, used, sample.hasBox("tbox"))
  }

  /// A text with tags for its styles, as in WebVTT: without blank lines, which would end it.
  private static func marked(_ text: String, _ styles: [StyleRecord], _ otherwise: UInt8) -> String {
    var (result, open, next, isAtStart): (String, UInt8, Int, Bool) = ("", 0, 0, true)
    let letters = Array(text.unicodeScalars)
    let last = letters.lastIndex { !$0.properties.isWhitespace } ?? -1
    let first = letters.firstIndex { !$0.properties.isWhitespace } ?? 0
    guard first <= last else { return "" }
    for index in first...last {
      while next < styles.count, styles[next].endChar <= index { next += 1 }
      let isStyled = next < styles.count && styles[next].startChar <= index
      let flags = (isStyled ? styles[next].faceStyleFlags : otherwise) & 7
      if flags != open {
        result += tags(open, isEnd: true) + tags(flags, isEnd: false)
        open = flags
      }
      let letter = letters[index]
      switch letter {
      case "\n", "\r", "\u{2028}", "\u{2029}":
        if letter == "\r", letters[index + 1] == "\n" { continue }
        result += isAtStart ? "\u{a0}\n" : "\n"
        isAtStart = true
        continue
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\0": result += "\u{fffd}"
      default: result.unicodeScalars.append(letter)
      }
      if letter == "\u{a0}" || !letter.properties.isWhitespace { isAtStart = false }
    }
    return result + tags(open, isEnd: true)
  }

  private static func tags(_ flags: UInt8, isEnd: Bool) -> String {
    let names = [(UInt8(1), "b"), (2, "i"), (4, "u")].filter { flags & $0.0 != 0 }.map(\.1)
    return (isEnd ? names.reversed() : names).map { isEnd ? "</\($0)>" : "<\($0)>" }.joined()
  }
}

extension StyleRecord {
  /// Whether the characters are visible and not white, the color of subtitles without one.
  fileprivate var hasColor: Bool { textColor & 0xff != 0 && textColor >> 8 != 0xff_ffff }
}

extension TimedTextStyle {
  /// Whether the text has a visible background that is not black.
  fileprivate var hasBackground: Bool { backgroundColor & 0xff != 0 && backgroundColor >> 8 != 0 }

  /// Whether the text is vertical, or neither at the top nor centered at the bottom. The text box is not considered,
  /// because most writers use the whole picture or its lower part.
  fileprivate var hasPosition: Bool {
    displayFlags & 0x2_0000 != 0 || horizontalJustification != 1 || verticalJustification == 1
  }
}
