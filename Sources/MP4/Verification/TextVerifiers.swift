import ISOBMFF
import MP4Bytes

/// Verifies 3GPP timed text: the length of the text, its encoding, and the boxes after it: 3GPP TS 26.245, 5.17.
struct TimedTextVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard let size = bytes.raw.bigEndian(at: 0, as: UInt16.self).map(Int.init), size <= bytes.count - 2 else {
      return problems.add(.text, "length", sample, at: sample.offset, "the text is longer than its sample")
    }
    let text = bytes.dropFirst(2).prefix(size)
    let isWide = text.starts(with: [0xfe, 0xff]) || text.starts(with: [0xff, 0xfe])
    if !isWide, !text.isUTF8 {
      problems.add(.text, "encoding", sample, at: sample.offset + 2, "the text is neither UTF-8 nor UTF-16")
    }
    if !Boxes.fill(bytes.dropFirst(2 + size)) {
      problems.add(
        .text, "boxes", sample, at: sample.offset + 2 + size, "the boxes after the text do not fill the sample")
    }
  }
}

/// Verifies WebVTT cues in boxes: ISO/IEC 14496-30, 6.6.
struct WebVTTVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard Boxes.fill(bytes, types: ["vttc", "vtte", "vtta"]) else {
      return problems.add(.text, "boxes", sample, at: sample.offset, "the sample does not consist of cues (vttc, vtte)")
    }
    var rest = bytes
    while let size = rest.raw.bigEndian(at: 0, as: UInt32.self).map(Int.init), size >= 8, size <= rest.count {
      let (cue, isCue) = (rest.prefix(size), rest.raw.bigEndian(at: 4, as: UInt32.self) == FourCC("vttc").rawValue)
      if isCue ? !Boxes.fill(cue.dropFirst(8)) || !cue.hasTexts : !cue.dropFirst(8).isUTF8 {
        problems.add(
          .text, "cue", sample, at: sample.offset + bytes.count - rest.count, "a cue has invalid boxes or text")
      }
      rest = rest.dropFirst(size)
    }
  }
}

/// Verifies TTML documents: their encoding, and that they are XML from their start to their end.
struct MarkupVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    // Images of subtitles can follow.
    let isWide = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe])
    guard !isWide, !bytes.contains(0x89) else { return }
    let spaces: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
    let document = (bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes).drop { spaces.contains($0) }
    if !bytes.isUTF8 || document.first != UInt8(ascii: "<")
      || document.last(where: { !spaces.contains($0) }) != UInt8(ascii: ">")
    {
      problems.add(.text, "document", sample, at: sample.offset, "the sample is not an XML document in UTF-8")
    }
  }
}

/// Verifies timecodes: one frame number below that of 24 hours.
struct TimecodeVerifier: SampleVerifier {
  let format: TimecodeFormat

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard let number = format.frameNumber(bytes) else {
      return problems.add(.text, "size", sample, at: sample.offset, "a timecode has \(bytes.count) bytes, not 4")
    }
    if !format.isCounter, number >= 86_400 * max(format.framesPerSecond, 1) {
      problems.add(.text, "number", sample, at: sample.offset, "the frame number \(number) is later than 24 hours")
    }
  }
}

/// Boxes in samples.
enum Boxes {
  /// Whether boxes of these types, or of any, fill the bytes.
  static func fill(_ bytes: ArraySlice<UInt8>, types: Set<FourCC>? = nil) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      guard let size = rest.raw.bigEndian(at: 0, as: UInt32.self).map(Int.init), 8...max(8, rest.count) ~= size,
        size <= rest.count, let type = rest.raw.bigEndian(at: 4, as: UInt32.self),
        types?.contains(FourCC(rawValue: type)) ?? true
      else { return false }
      rest = rest.dropFirst(size)
    }
    return true
  }
}

extension ArraySlice<UInt8> {
  /// Whether it is text in UTF-8.
  fileprivate var isUTF8: Bool { String(decoding: self, as: UTF8.self).utf8.elementsEqual(self) }

  /// Whether the texts in the boxes of a cue, after its own header, are in UTF-8.
  fileprivate var hasTexts: Bool {
    var rest = dropFirst(8)
    while let size = rest.raw.bigEndian(at: 0, as: UInt32.self).map(Int.init), size >= 8, size <= rest.count {
      // The identifier of a source is a number.
      let isNumber = rest.raw.bigEndian(at: 4, as: UInt32.self) == FourCC("vsid").rawValue
      if !isNumber, !rest.prefix(size).dropFirst(8).isUTF8 { return false }
      rest = rest.dropFirst(size)
    }
    return true
  }
}
