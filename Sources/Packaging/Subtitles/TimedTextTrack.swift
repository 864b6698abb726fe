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

  init(_ track: Track, _ entry: TimedTextSampleEntry?) throws(MovieError) {
    style = entry?.style
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
  private func text(of sample: [UInt8]) -> String? {
    guard sample.count >= 2 else { return sample.isEmpty ? "" : nil }
    let end = 2 + (Int(sample[0]) << 8 | Int(sample[1]))
    guard end <= sample.count else { return nil }
    let text = Self.decoded(sample[2..<end])
    return Self.marked(text, Self.runs(sample[end...]), style?.style.faceStyleFlags ?? 0)
  }

  /// UTF-8, or UTF-16 with a byte order mark: 5.17.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let isBig = bytes.starts(with: [0xfe, 0xff])
    guard isBig || bytes.starts(with: [0xff, 0xfe]) else { return String(decoding: bytes, as: UTF8.self) }
    var (units, rest): ([UInt16], ArraySlice<UInt8>) = ([], bytes.dropFirst(2))
    while rest.count >= 2 {
      let (a, b) = (UInt16(rest.removeFirst()), UInt16(rest.removeFirst()))
      units.append(isBig ? a << 8 | b : b << 8 | a)
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// The styled parts of a text, in order, from the `styl` box after it.
  private static func runs(_ boxes: ArraySlice<UInt8>) -> [(letters: Range<Int>, flags: UInt8)] {
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    var (rest, result): (ArraySlice<UInt8>, [(letters: Range<Int>, flags: UInt8)]) = (boxes, [])
    while rest.count >= 8 {
      let size = number(rest.prefix(4))
      guard size >= 8, size <= rest.count else { break }
      let box = rest.prefix(size).dropFirst(4)
      rest = rest.dropFirst(size)
      guard box.starts(with: "styl".utf8) else { continue }
      var records = box.dropFirst(6)
      while records.count >= 12 {
        let record = Array(records.prefix(12))
        let (start, end) = (number(record[0..<2]), number(record[2..<4]))
        if start < end { result.append((start..<end, record[6])) }
        records = records.dropFirst(12)
      }
    }
    return result.sorted { $0.letters.lowerBound < $1.letters.lowerBound }
  }

  /// A text with WebVTT style tags and without blank lines, which would end the cue.
  private static func marked(_ text: String, _ runs: [(letters: Range<Int>, flags: UInt8)], _ otherwise: UInt8)
    -> String
  {
    var (result, open, next, isAtStart): (String, UInt8, Int, Bool) = ("", 0, 0, true)
    let letters = Array(text.unicodeScalars)
    let last = letters.lastIndex { !$0.properties.isWhitespace } ?? -1
    let first = letters.firstIndex { !$0.properties.isWhitespace } ?? 0
    guard first <= last else { return "" }
    for index in first...last {
      while next < runs.count, runs[next].letters.upperBound <= index { next += 1 }
      let flags = (next < runs.count && runs[next].letters.contains(index) ? runs[next].flags : otherwise) & 7
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
