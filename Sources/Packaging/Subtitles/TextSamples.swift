import ISOBMFF
import MP4Bytes
import TimedText

/// The samples of a text track.
struct TextSamples {
  /// The bytes of all samples.
  private(set) var bytes: [UInt8] = []
  private(set) var sizes: [UInt32] = []
  /// In milliseconds.
  private(set) var durations: [UInt32] = []
  /// Whether the samples exceed the limit.
  private(set) var isTooLarge = false
  /// The number of truncated texts.
  private(set) var cutTexts = 0
  private let timeline: CueTimeline
  private let firstID: Int
  /// For each cue, whether parts of it have their own start times.
  private let haveTimes: [Bool]

  /// The maximum size of all samples, each of which repeats all visible cues.
  static let limit = 1 << 26

  /// `firstID` is the number of the first cue among those of the track, by which the parts of a cue are recognized.
  init(_ timeline: CueTimeline, _ format: TextFormat, firstID: Int = 0) {
    (self.timeline, self.firstID) = (timeline, firstID)
    haveTimes = timeline.cues.map { format == .webVTT && Self.hasTimes($0.text) }
    timeline.forEachPart { part in
      append(part, format)
      return !isTooLarge
    }
  }

  private mutating func append(_ part: CueTimeline.Part, _ format: TextFormat) {
    let start = bytes.count
    switch format {
    case .webVTT: appendWebVTT(part)
    case .timedText: appendTimedText(part)
    }
    sizes.append(UInt32(clamping: bytes.count - start))
    durations.append(UInt32(clamping: part.end - part.start))
    isTooLarge = bytes.count > Self.limit
  }

  /// A sample without text.
  static func empty(_ format: TextFormat) -> [UInt8] { format == .webVTT ? box("vtte", []) : [0, 0] }

  // MARK: WebVTT, ISO/IEC 14496-30:2018, 7.4

  private mutating func appendWebVTT(_ part: CueTimeline.Part) {
    guard !part.cues.isEmpty else { return bytes += Self.empty(.webVTT) }
    for index in part.cues {
      let cue = timeline.cues[index]
      var content: [UInt8] = []
      if !timeline.isWhole(index, in: part) {
        content += Self.box("vsid", Self.bytes(UInt32(clamping: firstID + index)))
      }
      if !cue.identifier.isEmpty { content += Self.box("iden", Array(cue.identifier.utf8)) }
      if haveTimes[index] { content += Self.box("ctim", Array(CueTime.text(part.start).utf8)) }
      if !cue.settings.isEmpty { content += Self.box("sttg", Array(cue.settings.utf8)) }
      content += Self.box("payl", Array(cue.text.utf8))
      bytes += Self.box("vttc", content)
    }
  }

  /// Whether parts of a text have their own start times: `<00:01.500>`.
  private static func hasTimes(_ text: String) -> Bool {
    zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: "<") && $1 >= 0x30 && $1 <= 0x39 }
  }

  // MARK: 3GPP text, TS 26.245, 5.17

  private mutating func appendTimedText(_ part: CueTimeline.Part) {
    var text: [UInt8] = []
    var scalars = 0
    var runs: [StyleRecord] = []
    for (number, index) in part.cues.enumerated() {
      let cue = CueText(timeline.cues[index].text)
      let room = Int(UInt16.max) - text.count - 1
      guard cue.text.utf8.count <= room else {
        cutTexts += part.cues.count - number
        break
      }
      if number > 0, !text.isEmpty {
        text.append(0x0a)
        scalars += 1
      }
      text += Array(cue.text.utf8)
      for run in cue.runs {
        var record = TextEntry.letters
        record.startChar = UInt16(clamping: scalars + run.scalars.lowerBound)
        record.endChar = UInt16(clamping: scalars + run.scalars.upperBound)
        record.faceStyleFlags = run.style.rawValue
        runs.append(record)
      }
      scalars += cue.text.unicodeScalars.count
    }
    bytes += [UInt8(text.count >> 8), UInt8(text.count & 0xff)] + text
    guard !runs.isEmpty else { return }
    var styles = TextStyleBox()
    styles.styles = BoxTable(runs.prefix(Int(UInt16.max)))
    // Tables of numbers can always be encoded.
    if let encoded = try? styles.encoded() { bytes += Self.box("styl", encoded) }
  }

  // MARK: Boxes

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
  static func box(_ type: FourCC, _ content: [UInt8]) -> [UInt8] {
    bytes(UInt32(clamping: content.count + 8)) + bytes(type.rawValue) + content
  }
}
