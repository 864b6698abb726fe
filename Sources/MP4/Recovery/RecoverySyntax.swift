import ISOBMFF
import MP4Bytes

/// How to find the samples of a track in media data.
enum RecoverySyntax {
  /// By parsing NAL units.
  case pictures(PictureSyntax)
  /// By parsing AAC.
  case aac(AACSyntax)
  /// By sync words.
  case frames(FrameSyntax)
  /// By JPEG markers; `limit` is the maximum plausible size.
  case jpeg(limit: Int)
  /// By the sizes that precede the data.
  case sized(SizedSyntax)
  /// Each sample has this number of bytes, with arbitrary contents.
  case fixed(Int)
  /// By the first bytes of samples, between pictures.
  case packets(PacketSyntax)
  /// Only the sizes in the pattern are known.
  case unknown

  /// Whether a sample can be recognized by its bytes.
  var isRecognizable: Bool {
    switch self {
    case .fixed, .packets, .unknown: false
    case .sized(let syntax): syntax.isRecognizable
    default: true
    }
  }
  var isPictures: Bool { if case .pictures = self { true } else { false } }

  /// Whether the samples of another track look the same.
  func isAlike(_ other: RecoverySyntax) -> Bool {
    switch (self, other) {
    case (.aac, .aac), (.jpeg, .jpeg), (.sized(.text), .sized(.text)), (.sized(.boxes), .sized(.boxes)),
      (.frames(.mpeg), .frames(.mpeg)), (.frames(.ac3), .frames(.ac3)), (.frames(.eac3), .frames(.eac3)),
      (.frames(.amr), .frames(.amr)), (.frames(.proRes), .frames(.proRes)), (.packets, .packets):
      true
    case (.pictures(let own), .pictures(let other)): own.codec == other.codec
    default: false
    }
  }
}

/// Frames that start with a sync word and declare their size.
enum FrameSyntax {
  /// MPEG audio, layers I to III.
  case mpeg
  /// AC-3.
  case ac3
  /// Enhanced AC-3.
  case eac3
  /// AMR, with a mode byte before each frame, and the number of frames in a sample.
  case amr(isWide: Bool, framesPerSample: Int)
  /// ProRes.
  case proRes

  /// The size of the sample at the start of `bytes`, which must have at least 16 bytes unless the file ends.
  func byteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    let b = Array(bytes.prefix(12))
    guard b.count >= 8 else { return nil }
    switch self {
    case .mpeg: return Self.mpeg(b)
    case .ac3:
      guard b[0] == 0x0b, b[1] == 0x77, b[4] >> 6 < 3, b[4] & 63 < 38, b[5] >> 3 <= 10 else { return nil }
      let rate = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640][
        Int(b[4] & 63) / 2]
      switch b[4] >> 6 {
      case 0: return rate * 4
      case 1: return (rate * 96000 / 44100 + Int(b[4] & 1)) * 2
      default: return rate * 6
      }
    case .eac3:
      guard b[0] == 0x0b, b[1] == 0x77, b[5] >> 3 > 10, b[5] >> 3 <= 16 else { return nil }
      return (Int(b[2] & 7) << 8 | Int(b[3])) * 2 + 2
    case .amr(let isWide, let count):
      var (at, total) = (bytes.startIndex, 0)
      for _ in 0..<count {
        guard at < bytes.endIndex, bytes[at] & 0x83 == 0 else { break }
        let sizes =
          isWide
          ? [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
          : [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
        let size = sizes[Int(bytes[at] >> 3)]
        guard size > 0 else { break }
        total += size
        at += size
      }
      return total > 0 ? total : nil
    case .proRes:
      let size = b[..<4].reduce(0) { $0 << 8 | Int($1) }
      return b[4..<8].elementsEqual("icpf".utf8) && size > 8 ? size : nil
    }
  }

  private static func mpeg(_ b: [UInt8]) -> Int? {
    guard b[0] == 0xff, b[1] & 0xe0 == 0xe0 else { return nil }
    let (version, layer, rate, frequency) = (b[1] >> 3 & 3, b[1] >> 1 & 3, Int(b[2] >> 4), Int(b[2] >> 2 & 3))
    guard version != 1, layer == 1 || layer == 2, 1...14 ~= rate, frequency < 3, b[3] & 3 != 2 else { return nil }
    let isFull = version == 3
    let rates =
      layer == 1
      ? isFull
        ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
      : isFull
        ? [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
        : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let hertz = [44100, 48000, 32000][frequency] >> (isFull ? 0 : version == 2 ? 1 : 2)
    return (layer == 1 && !isFull ? 72 : 144) * rates[rate - 1] * 1000 / hertz + Int(b[2] >> 1 & 1)
  }
}

/// JPEG images: ISO/IEC 10918-1, B.1 and B.2.
package enum JPEGSyntax {
  /// Whether these bytes are the start of an image.
  package static func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0xff, 0xd8, 0xff]) }

  /// The size in pixels of the image that starts with these bytes.
  package static func size(_ bytes: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
    guard isStart(bytes) else { return nil }
    var rest = bytes.dropFirst(2)
    while rest.popFirst() == 0xff {
      while rest.first == 0xff { rest = rest.dropFirst() }
      guard let marker = rest.popFirst(), rest.count >= 7 else { return nil }
      let head = Array(rest.prefix(7)).map(Int.init)
      switch marker {
      case 0xc4, 0xc8, 0xcc, 0xda...0xef, 0xfe:
        // Entropy-coded data follows.
        if marker == 0xda { return nil }
      case 0xc0...0xcf:
        let (height, width) = (head[3] << 8 | head[4], head[5] << 8 | head[6])
        return width > 0 && height > 0 ? (width, height) : nil
      default: return nil
      }
      let size = head[0] << 8 | head[1]
      guard size >= 2 else { return nil }
      rest = rest.dropFirst(size)
    }
    return nil
  }

  /// The size of the image at the start of `bytes`; `nil` if there is none, 0 if it extends past them.
  static func byteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.starts(with: [0xff, 0xd8, 0xff]) else { return nil }
    var at = bytes.startIndex + 2
    var hasScan = false
    for _ in 0..<256 {
      while at + 1 < bytes.endIndex, bytes[at] == 0xff, bytes[at + 1] == 0xff { at += 1 }
      guard at + 1 < bytes.endIndex else { return 0 }
      guard bytes[at] == 0xff else { return nil }
      let marker = bytes[at + 1]
      at += 2
      switch marker {
      case 0xd9: return hasScan ? at - bytes.startIndex : nil
      case 0xc0...0xcf, 0xda...0xef, 0xfe: break
      default: return nil
      }
      guard at + 1 < bytes.endIndex else { return 0 }
      let size = Int(bytes[at]) << 8 | Int(bytes[at + 1])
      guard size >= 2 else { return nil }
      guard size <= bytes.endIndex - at else { return 0 }
      at += size
      guard marker == 0xda else { continue }
      hasScan = true
      // In entropy-coded data, 0xff is followed by 0 or a restart marker.
      while at + 1 < bytes.endIndex, bytes[at] != 0xff || bytes[at + 1] == 0 || 0xd0...0xd7 ~= bytes[at + 1] {
        at += bytes[at] == 0xff ? 2 : 1
      }
    }
    return nil
  }
}

/// Samples that start with the sizes of their parts.
enum SizedSyntax {
  /// Text with a length prefix, then boxes.
  case text
  /// Boxes, such as those of WebVTT and of timed metadata.
  case boxes(arePrintable: Bool)
  /// Key-length-value data, as in the telemetry of action cameras.
  case keys

  /// Whether a sample can be recognized without context.
  var isRecognizable: Bool { if case .keys = self { true } else { false } }

  /// The size of the sample at the start of `bytes`.
  func byteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    func number(_ at: Int, _ count: Int) -> Int? {
      guard at >= 0, at + count <= bytes.count else { return nil }
      return bytes[bytes.startIndex + at..<bytes.startIndex + at + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func isBox(_ at: Int, _ known: Set<FourCC>?) -> Int? {
      guard let size = number(at, 4), 8..<1 << 16 ~= size, let type = number(at + 4, 4) else { return nil }
      let code = FourCC(rawValue: UInt32(truncatingIfNeeded: type))
      return known.map { $0.contains(code) } ?? (1...4096 ~= type) ? size : nil
    }
    switch self {
    case .text:
      guard let size = number(0, 2), size < 4096, size <= bytes.count - 2 else { return nil }
      let text = bytes.dropFirst(2).prefix(size)
      let isWide = text.starts(with: [0xfe, 0xff]) || text.starts(with: [0xff, 0xfe])
      guard isWide || text.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }) else { return nil }
      var at = 2 + size
      while let box = isBox(at, ["styl", "hlit", "hclr", "krok", "dlay", "href", "tbox", "blnk", "twrp", "encd"]) {
        at += box
      }
      return at
    case .boxes(let arePrintable):
      var at = 0
      while let size = isBox(at, arePrintable ? ["vttc", "vtte", "vttx", "vtta", "emsg", "emeb", "embe"] : nil) {
        at += size
      }
      return at > 0 ? at : nil
    case .keys:
      guard number(0, 4) == 0x4445_5643, let size = number(5, 1), let count = number(6, 2) else { return nil }
      return 8 + (size * count + 3) / 4 * 4
    }
  }
}
