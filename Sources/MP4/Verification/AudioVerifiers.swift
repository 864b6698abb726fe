import ISOBMFF

/// Verifies AAC LC: the whole syntax of each raw data block, up to its end.
struct AACVerifier: SampleVerifier {
  private let syntax: AACSyntax

  init(_ syntax: AACSyntax) { self.syntax = syntax }

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    // Coupling channels are valid, but their syntax is not parsed.
    if let first = bytes.first, first >> 5 == 2 { return }
    guard let size = syntax.byteCount(bytes), size <= bytes.count else {
      guard let size = syntax.withAnyChannels.byteCount(bytes), size <= bytes.count else {
        return problems.add(
          .frames, "syntax", sample, at: sample.offset, "a frame of AAC has impossible values or ends early")
      }
      return problems.add(
        .frames, "channels", sample, at: sample.offset,
        "a frame of AAC does not have the number of channels of the track")
    }
    // Encoders pad frames with few bytes.
    if bytes.count - size > 8, bytes.dropFirst(size).contains(where: { $0 != 0 }) {
      problems.add(
        .frames, "rest", sample, at: sample.offset + size,
        "\(bytes.count - size) bytes follow the end of a frame of AAC")
    }
  }
}

/// Verifies AC-3 and E-AC-3: sync words, sizes and checksums: ETSI TS 102 366, 4.4.1, 6.10 and E.1.2.
struct DolbyVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var rest = bytes
    while !rest.isEmpty {
      let offset = sample.offset + bytes.count - rest.count
      if rest.count < bytes.count, rest.allSatisfy({ $0 == 0 }) { return }
      let syntax = rest.count > 5 && rest[rest.startIndex + 5] >> 3 > 10 ? FrameSyntax.eac3 : .ac3
      guard let size = syntax.byteCount(rest), size <= rest.count, size > 8 else {
        return problems.add(
          .frames, "header", sample, at: offset, "there is no valid header of a frame of AC-3 or E-AC-3")
      }
      let frame = rest.prefix(size)
      // The first checksum of AC-3 is that of five eighths of the frame.
      let words = size / 2
      let isFirstValid =
        if case .ac3 = syntax {
          Checksums.crc16(frame.dropFirst(2).prefix(((words >> 1) + (words >> 3)) * 2 - 2)) == 0
        } else { true }
      if !isFirstValid || Checksums.crc16(frame.dropFirst(2)) != 0 {
        problems.add(
          .checksums, "crc", sample, at: offset, "the checksum of a frame of AC-3 or E-AC-3 differs from its data")
      }
      rest = rest.dropFirst(size)
    }
  }
}

/// Verifies the frames of FLAC with their checksums: RFC 9639, 9.
struct FLACVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard let headerSize = Self.headerSize(bytes), bytes.count > headerSize + 2 else {
      return problems.add(.frames, "header", sample, at: sample.offset, "there is no valid header of a frame of FLAC")
    }
    if Checksums.crc8(bytes.prefix(headerSize)) != 0 {
      problems.add(
        .checksums, "header", sample, at: sample.offset, "the checksum of a header of FLAC differs from its data")
    } else if Checksums.crc16(bytes) != 0 {
      problems.add(
        .checksums, "frame", sample, at: sample.offset, "the checksum of a frame of FLAC differs from its data")
    }
  }

  /// The size of the header with its checksum.
  private static func headerSize(_ bytes: ArraySlice<UInt8>) -> Int? {
    let b = Array(bytes.prefix(16))
    guard b.count > 6, b[0] == 0xff, b[1] & 0xfe == 0xf8, b[2] >> 4 > 0, b[2] & 15 < 15, b[3] >> 4 < 11, b[3] & 1 == 0
    else { return nil }
    // The number of the frame or sample is coded like a character of UTF-8 with up to 7 bytes.
    let ones = (~b[4]).leadingZeroBitCount
    guard ones != 1, ones < 8 else { return nil }
    var size = 4 + max(ones, 1)
    switch b[2] >> 4 {
    case 6: size += 1
    case 7: size += 2
    default: break
    }
    switch b[2] & 15 {
    case 12: size += 1
    case 13, 14: size += 2
    default: break
    }
    return size + 1
  }
}

/// Verifies the frames of MPEG audio, and their checksums if they have any: ISO/IEC 11172-3, 2.4.
struct MPEGAudioVerifier: SampleVerifier {
  /// The version, layer and sampling frequency of the first frame.
  private var kind: UInt32?

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var rest = bytes
    while rest.count >= 4 {
      let offset = sample.offset + bytes.count - rest.count
      let start = rest.startIndex
      if let kind, kind & 1 == 0, rest[start + 2] >> 4 == 0 {
        return problems.add(
          .frames, "free", sample, at: offset, "a frame of MPEG audio has no bit rate, unlike the ones before")
      }
      guard let size = FrameSyntax.mpeg.byteCount(rest) else {
        // Layer I and free formats are rare.
        let isOther =
          rest[start] == 0xff && rest[start + 1] & 0xe0 == 0xe0
          && (rest[start + 1] & 0x1e == 0x1e || rest[start + 1] & 0x1e == 0x16 || rest[start + 2] >> 4 == 0)
        if !isOther {
          problems.add(.frames, "header", sample, at: offset, "there is no valid header of a frame of MPEG audio")
        }
        return
      }
      let own = UInt32(rest[start + 1] & 0xfe) << 8 | UInt32(rest[start + 2] & 0x0c)
      if let kind, kind != own {
        problems.add(
          .frames, "kind", sample, at: offset,
          "the version, layer or sampling frequency of a frame of MPEG audio differs from the previous one")
      }
      kind = own
      guard size <= rest.count else {
        return problems.add(
          .frames, "size", sample, at: offset,
          "a frame of MPEG audio has \(size) bytes, but \(rest.count) bytes of the sample are left")
      }
      if rest[start + 1] & 7 == 2 { verifyChecksum(rest.prefix(size), sample, offset, &problems) }
      rest = rest.dropFirst(size)
    }
    if rest.count < bytes.count, !rest.isEmpty, rest.contains(where: { $0 != 0 }) {
      problems.add(
        .frames, "rest", sample, at: sample.offset + bytes.count - rest.count,
        "\(rest.count) bytes follow the last frame of MPEG audio")
    }
  }

  /// Verifies the checksum of a frame of layer III, which includes its side information.
  private func verifyChecksum(
    _ frame: ArraySlice<UInt8>, _ sample: VerifiedSample, _ offset: Int, _ problems: inout MediaProblems
  ) {
    let start = frame.startIndex
    let (isFull, isMono) = (frame[start + 1] & 8 != 0, frame[start + 3] >> 6 == 3)
    let count = isFull ? isMono ? 17 : 32 : isMono ? 9 : 17
    guard frame.count >= 6 + count else { return }
    let ofHeader = Checksums.crc16(frame[start + 2..<start + 4], from: 0xffff)
    let crc = Checksums.crc16(frame[start + 6..<start + 6 + count], from: ofHeader)
    guard crc != UInt16(frame[start + 4]) << 8 | UInt16(frame[start + 5]) else { return }
    problems.add(
      .checksums, "crc", sample, at: offset, "the checksum of a frame of MPEG audio differs from its data")
  }
}

/// Verifies Opus packets: RFC 6716, 3.
struct OpusVerifier: SampleVerifier {
  /// The number of streams, all but the last of which have sizes.
  let streamCount: Int
  let timescale: UInt32

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var rest = bytes
    var duration: Int?
    for number in 1...max(streamCount, 1) {
      let offset = sample.offset + bytes.count - rest.count
      guard let packet = Self.packet(rest, hasSize: number < streamCount) else {
        return problems.add(.frames, "packet", sample, at: offset, "an Opus packet has impossible sizes of frames")
      }
      if let duration, duration != packet.duration {
        return problems.add(
          .frames, "duration", sample, at: offset, "the streams of an Opus packet have different durations")
      }
      duration = packet.duration
      rest = rest.dropFirst(packet.size)
    }
    // The last packet is often shortened.
    guard timescale == 48000, !sample.isLast, let duration, sample.duration > 0, Int64(duration) != sample.duration
    else { return }
    problems.add(
      .frames, "sample duration", sample, at: sample.offset,
      "an Opus packet lasts \(duration) samples, but its sample \(sample.duration)")
  }

  /// The size of a packet and its duration in samples at 48 kHz; `nil` if it is invalid.
  private static func packet(_ bytes: ArraySlice<UInt8>, hasSize: Bool) -> (size: Int, duration: Int)? {
    var at = bytes.startIndex
    func byte() -> Int? {
      guard at < bytes.endIndex else { return nil }
      at += 1
      return Int(bytes[at - 1])
    }
    func length() -> Int? {
      guard let first = byte() else { return nil }
      guard first >= 252 else { return first }
      return byte().map { 4 * $0 + first }
    }
    guard let toc = byte() else { return nil }
    let configuration = toc >> 3
    let unit =
      configuration < 12
      ? [480, 960, 1920, 2880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : [120, 240, 480, 960][configuration & 3]
    var (count, padding, total, isVariable) = (1, 0, 0, false)
    switch toc & 3 {
    case 0: break
    case 1: count = 2
    case 2: (count, isVariable) = (2, true)
    default:
      guard let header = byte() else { return nil }
      (count, isVariable) = (header & 63, header & 0x80 != 0)
      guard count > 0, count * unit <= 5760 else { return nil }
      if header & 0x40 != 0 {
        while true {
          guard let more = byte() else { return nil }
          padding += more == 255 ? 254 : more
          if more < 255 { break }
        }
      }
    }
    if isVariable { for _ in 1..<count { if let size = length() { total += size } else { return nil } } }
    if hasSize {
      guard let last = length() else { return nil }
      total += isVariable ? last : last * count
    } else {
      let left = bytes.endIndex - at - padding - total
      guard left >= 0, isVariable || left % count == 0 else { return nil }
      total += left
    }
    guard total + padding <= bytes.endIndex - at else { return nil }
    return (at - bytes.startIndex + total + padding, count * unit)
  }
}
