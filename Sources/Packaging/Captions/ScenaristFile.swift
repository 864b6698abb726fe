import ISOBMFF
import MP4
import MP4Bytes
import TimedText

/// A Scenarist closed caption file (SCC): the byte pairs of a field of CEA-608 with timecodes of 29.97 frames per
/// second.
struct ScenaristFile {
  /// The pairs and their frames, in order.
  private(set) var frames: [CaptionFrame] = []
  /// The number of lines that cannot be read, and the number of the first one.
  private(set) var damagedLines = (count: 0, first: 0)

  private static let signature = "Scenarist_SCC V1.0"

  /// Whether a file begins like one; a byte order mark may precede.
  static func isStart(_ bytes: some Collection<UInt8>) -> Bool {
    let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3).prefix(16)) : Array(bytes.prefix(16))
    return start.starts(with: signature.utf8.prefix(13))
  }

  /// Pairs to be written.
  init(_ frames: [CaptionFrame]) { self.frames = frames }

  /// The number of lines that are later than their timecodes, because the lines before them are too long, and the
  /// largest delay in frames.
  private(set) var late = (count: 0, frames: Int64(0))

  /// Reads a file, in the order of its timecodes. Pairs of a line that reach beyond the start of the next one delay
  /// that line.
  init(_ bytes: [UInt8], field: CaptionPair.Kind) {
    var (number, rest, lines): (Int, ArraySlice<UInt8>, [(start: Int64, pairs: [CaptionPair])]) = (0, bytes[...], [])
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0a }
      rest = rest.dropFirst(line.count + 1)
      number += 1
      let words = line.split { $0 == 0x09 || $0 == 0x20 || $0 == 0x0d }
      guard number > 1, let first = words.first else { continue }
      var isValid = false
      if let start = Self.frame(first) {
        let pairs = Self.pairs(words.dropFirst(), field)
        lines.append((start, pairs))
        isValid = pairs.count == words.count - 1
      }
      if !isValid { damagedLines = (damagedLines.count + 1, damagedLines.count == 0 ? number : damagedLines.first) }
    }
    var next: Int64 = 0
    let order = lines.indices.sorted { (lines[$0].start, $0) < (lines[$1].start, $1) }
    for line in order.lazy.map({ lines[$0] }) {
      if next > line.start { late = (late.count + 1, max(late.frames, next - line.start)) }
      next = max(next, line.start)
      for pair in line.pairs {
        if !pair.isPadding { frames.append(CaptionFrame(next, pair)) }
        next += 1
      }
    }
  }

  /// The pairs of a line; words that are none are omitted.
  private static func pairs(_ words: ArraySlice<ArraySlice<UInt8>>, _ field: CaptionPair.Kind) -> [CaptionPair] {
    words.compactMap { word in
      guard word.count == 4, let value = UInt16(String(decoding: word, as: UTF8.self), radix: 16) else { return nil }
      return CaptionPair(field, UInt8(value >> 8), UInt8(value & 0xff))
    }
  }

  /// The frame of a timecode, of which the last separator shows whether frames are dropped; `nil` for other text.
  private static func frame(_ word: ArraySlice<UInt8>) -> Int64? {
    let parts = word.split { !(0x30...0x39 ~= $0) }.map { Int(String(decoding: $0, as: UTF8.self)) ?? 1000 }
    let marks = word.filter { !(0x30...0x39 ~= $0) }
    guard parts.count == 4, marks.count == 3, let last = marks.last, ":;.,".utf8.contains(last) else { return nil }
    let format = last == UInt8(ascii: ":") ? TimecodeFormat.captions(30, drops: false) : .captions(30, drops: true)
    return format?.number(parts[0], parts[1], parts[2], parts[3])
  }

  /// The file, with drop-frame timecodes, which are those of a clock.
  var bytes: [UInt8] {
    guard let format = TimecodeFormat.captions(30, drops: true) else { return [] }
    var text = Self.signature + "\n"
    var next: Int64?
    for frame in frames {
      let gap = next.map { frame.index - $0 } ?? .max
      if gap > Self.mostPadding {
        text += "\(next == nil ? "" : "\n")\n\(format.text(frame.index))\t"
      } else {
        for _ in 0..<gap { text += " 8080" }
        text += " "
      }
      text += hexadecimal([frame.pair.first, frame.pair.second], isLower: true)
      next = frame.index + 1
    }
    return Array((text + "\n").utf8)
  }
  /// Captions of other frame rates are not in all frames; a longer gap begins a line.
  private static let mostPadding: Int64 = 2
}

extension TimecodeFormat {
  /// The timecodes of caption files; those of drop-frame rates are at 1000/1001 of the frame rate.
  static func captions(_ framesPerSecond: UInt8, drops: Bool) -> TimecodeFormat? {
    var entry = TimecodeSampleEntry()
    (entry.flags, entry.numberOfFrames) = (drops ? 1 : 0, framesPerSecond)
    (entry.timeScale, entry.frameDuration) = (UInt32(framesPerSecond) * 1000, drops ? 1001 : 1000)
    return TimecodeFormat(entry)
  }
}

/// Bytes as hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>, isLower: Bool) -> String {
  let digits = Array((isLower ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
