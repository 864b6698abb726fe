import MP4
import MP4Bytes
import TimedText

/// A MacCaption file (MCC V1.0): the caption distribution packets (SMPTE ST 334-2) of frames, with CEA-608 and CEA-708.
struct MacCaptionFile {
  /// A frame rate of caption distribution packets.
  private struct Rate {
    /// Its code in packets.
    var code: UInt8
    var frameRate: FrameRate
    var framesPerSecond: UInt8
    /// The number of pairs in a packet.
    var pairCount: Int
    var drops = false
  }
  private static let rates: [Rate] = [
    Rate(code: 1, frameRate: FrameRate(24000, 1001), framesPerSecond: 24, pairCount: 25),
    Rate(code: 2, frameRate: FrameRate(24, 1), framesPerSecond: 24, pairCount: 25),
    Rate(code: 3, frameRate: FrameRate(25, 1), framesPerSecond: 25, pairCount: 24),
    Rate(code: 4, frameRate: FrameRate(30000, 1001), framesPerSecond: 30, pairCount: 20, drops: true),
    Rate(code: 5, frameRate: FrameRate(30, 1), framesPerSecond: 30, pairCount: 20),
    Rate(code: 6, frameRate: FrameRate(50, 1), framesPerSecond: 50, pairCount: 12),
    Rate(code: 7, frameRate: FrameRate(60000, 1001), framesPerSecond: 60, pairCount: 10, drops: true),
    Rate(code: 8, frameRate: FrameRate(60, 1), framesPerSecond: 60, pairCount: 10),
  ]

  /// The file.
  let bytes: [UInt8]

  /// Writes captions for pictures at a frame rate; other rates than those of caption distribution packets become 29.97.
  init(_ captions: CaptionData, _ frameRate: FrameRate?) {
    let rate = Self.rates.first { $0.frameRate.reduced == frameRate?.reduced } ?? Self.rates[3]
    guard let format = TimecodeFormat.captions(rate.framesPerSecond, drops: rate.drops) else {
      bytes = []
      return
    }
    var text = """
      File Format=MacCaption_MCC V1.0

      UUID=\(Self.identifier(of: captions))
      Creation Program=mp4tool
      Time Code Rate=\(rate.framesPerSecond)\(rate.drops ? "DF" : "")


      """
    var (frame, pairs, number): (Int64, [CaptionPair], UInt16) = (0, [], 0)
    func flush() {
      guard !pairs.isEmpty else { return }
      text += "\(format.text(frame))\t\(Self.line(Self.packet(pairs, rate, number)))\n"
      (frame, pairs, number) = (frame + 1, [], number &+ 1)
    }
    for picture in captions.pictures {
      let time = max(0, picture.time)
      // Both factors have at most 32 bits, and times of real files fewer than 64 with them.
      let units = UInt64(captions.timescale) * UInt64(rate.frameRate.denominator)
      let (high, low) = UInt64(time).multipliedFullWidth(by: UInt64(rate.frameRate.numerator))
      guard high < units else { break }
      let (quotient, remainder) = units.dividingFullWidth((high, low))
      let own = Int64(clamping: quotient) &+ (remainder * 2 >= units ? 1 : 0)
      guard own < 1 << 40 else { break }
      if own > frame {
        flush()
        frame = max(frame, own)
      }
      for pair in picture.pairs {
        if pairs.count == rate.pairCount { flush() }
        pairs.append(pair)
      }
    }
    flush()
    bytes = Array(text.utf8)
  }

  /// A caption distribution packet with a caption data section.
  private static func packet(_ pairs: [CaptionPair], _ rate: Rate, _ number: UInt16) -> [UInt8] {
    // The pairs of CEA-608 come first.
    let ordered = pairs.filter { $0.kind.rawValue < 2 } + pairs.filter { $0.kind.rawValue >= 2 }
    let sequence = [UInt8(number >> 8), UInt8(number & 0xff)]
    var body: [UInt8] = [rate.code << 4 | 0x0f, 0x43] + sequence + [0x72, 0xe0 | UInt8(rate.pairCount)]
    for pair in ordered { body += pair.triplet }
    for _ in ordered.count..<rate.pairCount { body += [0xfa, 0, 0] }
    body += [0x74] + sequence
    var packet: [UInt8] = [0x96, 0x69, UInt8(body.count + 4)] + body
    packet.append(0 &- packet.reduce(0, &+))
    return packet
  }

  /// The ancillary data packet of a caption distribution packet as text, with letters for frequent bytes.
  private static func line(_ packet: [UInt8]) -> String {
    let ancillary: [UInt8] = [0x61, 0x01, UInt8(packet.count)]
    var text = "T" + hexadecimal([UInt8(packet.count)], isLower: false)
    var rest = packet[...]
    while let byte = rest.first {
      let fill =
        rest.indices.prefix { index in
          let place = (index - rest.startIndex) % 3
          return rest[index] == (place == 0 ? 0xfa : 0)
        }.count / 3
      if rest.starts(with: [0x96, 0x69]) {
        text += "S"
        rest = rest.dropFirst(2)
      } else if fill > 0 {
        let count = min(fill, 9)
        text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "G") + UInt8(count - 1)))
        rest = rest.dropFirst(3 * count)
      } else {
        text += byte == 0 ? "Z" : hexadecimal([byte], isLower: false)
        rest = rest.dropFirst()
      }
    }
    return text + hexadecimal([(ancillary + packet).reduce(0, &+)], isLower: false)
  }

  /// A UUID (RFC 9562, version 8) that depends on the captions alone, so that the same captions make the same file.
  private static func identifier(of captions: CaptionData) -> String {
    var hashes: [UInt64] = [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4]
    for picture in captions.pictures {
      for pair in picture.pairs {
        for byte in pair.triplet {
          for index in hashes.indices { hashes[index] = (hashes[index] ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
      }
    }
    var bytes = hashes.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) } }
    (bytes[6], bytes[8]) = (bytes[6] & 0x0f | 0x80, bytes[8] & 0x3f | 0x80)
    let digits = Array(hexadecimal(bytes, isLower: false).utf8)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
      .joined(separator: "-")
  }
}
