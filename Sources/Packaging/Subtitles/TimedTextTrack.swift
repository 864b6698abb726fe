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
  private let style: TimedTextStyle?
  private let isQuickTime: Bool

  init(_ track: Track, _ entry: TimedTextSampleEntry?) throws(MovieError) {
    style = entry?.style
    isQuickTime = entry == nil
    isForced = entry.map { $0.style.displayFlags & 0x8000_0000 != 0 } ?? false
    var (cues, damaged, byteCount): ([Cue], Int, Int) = ([], 0, 0)
    let skipped = try track.forEachTimedSample { sample in
      let (start, end) = (Self.milliseconds(sample.start), Self.milliseconds(sample.end))
      guard let text = text(of: sample.bytes) else {
        damaged += 1
        return true
      }
      guard !text.isEmpty, start < end else { return true }
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
  }

  private static func milliseconds(_ time: MediaTime) -> Int64 { time.converted(to: 1000).value }

  /// The text of a sample with WebVTT tags; `nil` if it is damaged.
  private func text(of bytes: [UInt8]) -> String? {
    guard let sample = TextSample(bytes, isQuickTime: isQuickTime) else { return nil }
    let styles = sample.styles.filter { $0.startChar < $0.endChar }.sorted { $0.startChar < $1.startChar }
    return Self.marked(sample.text, styles, style?.style.faceStyleFlags ?? 0)
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
