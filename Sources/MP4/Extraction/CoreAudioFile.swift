import ISOBMFF
import MP4Bytes

/// Apple Lossless in a Core Audio Format file: Apple Core Audio Format Specification 1.0.
struct CoreAudioFile: Sendable, Equatable {
  /// The configuration of the decoder (ALACSpecificConfig), with a channel layout if the entry has one.
  private let cookie: [UInt8]
  private let framesPerPacket: UInt32
  private let bitDepth: UInt8
  private let channelCount: UInt8
  private let sampleRate: UInt32

  /// The file for samples of Apple Lossless; `nil` for other codecs and damaged configurations.
  init?(_ configuration: DecoderConfiguration) {
    guard configuration.codedFormat == "alac", let box = configuration.bytes(of: "alac"), box.count >= 28 else {
      return nil
    }
    cookie = Array(box.dropFirst(4))
    func number(_ offset: Int) -> UInt32 { cookie[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    (bitDepth, channelCount) = (cookie[5], cookie[9])
    let cookie = cookie
    (framesPerPacket, sampleRate) = (number(0), cookie[20..<24].reduce(0) { $0 << 8 | UInt32($1) })
    guard framesPerPacket > 0, sampleRate > 0, channelCount > 0 else { return nil }
  }

  /// The bytes before the packets: the description, and the table with the size of each packet.
  func header(_ samples: some Collection<Sample>) -> [UInt8] {
    var (table, duration): ([UInt8], Int64) = ([], 0)
    for sample in samples {
      // Groups of 7 bits, the last one without the high bit.
      var (size, groups) = (sample.size, [UInt8]())
      repeat {
        groups.append(UInt8(size & 127) | (groups.isEmpty ? 0 : 128))
        size >>= 7
      } while size > 0
      table += groups.reversed()
      duration &+= sample.duration.converted(to: sampleRate).value
    }
    let capacity = Int64(framesPerPacket) * Int64(samples.count)
    // The last packet can be longer than the played audio.
    let frames = max(0, min(duration, capacity))
    var bytes = Array("caff".utf8) + Self.big(UInt16(1)) + Self.big(UInt16(0))
    let depth: UInt32 = [16: 1, 20: 2, 24: 3, 32: 4][bitDepth] ?? 0
    bytes += Self.chunk(
      "desc",
      Self.big(Double(sampleRate).bitPattern) + Array("alac".utf8) + Self.big(depth) + Self.big(UInt32(0))
        + Self.big(framesPerPacket) + Self.big(UInt32(channelCount)) + Self.big(UInt32(0)))
    bytes += Self.chunk("kuki", cookie)
    // The channel layout tags of mono and stereo.
    if channelCount <= 2 {
      let tag: UInt32 = channelCount == 1 ? 100 << 16 | 1 : 101 << 16 | 2
      bytes += Self.chunk("chan", Self.big(tag) + Self.big(UInt64(0)))
    }
    bytes += Self.chunk(
      "pakt",
      Self.big(Int64(samples.count)) + Self.big(frames) + Self.big(UInt32(0))
        + Self.big(UInt32(clamping: capacity - frames)) + table)
    // An edit count before the packets.
    let byteCount = samples.reduce(Int64(4)) { $0 + Int64($1.size) }
    return bytes + Array("data".utf8) + Self.big(byteCount) + Self.big(UInt32(0))
  }

  private static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    Array(type.utf8) + big(Int64(payload.count)) + payload
  }

  private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
