import ISOBMFF
import MP4Bytes

/// Tracks for audio of which each frame declares the format.
extension MovieWriter.Track {
  /// AC-3, from the start of a frame.
  package static func ac3(frame: [UInt8]) throws(MovieWriterError) -> Self {
    guard let box = AC3SpecificBox(frame: frame) else { throw .unreadableHeader("the header of AC-3") }
    return try audio("ac-3", Box(box), channels: box.channelCount, rate: box.sampleRate)
  }

  /// E-AC-3, from the starts of the frames of a sample, which has a size and a duration in samples.
  package static func eac3(
    substreams: [[UInt8]], byteCount: Int, duration: Int64
  ) throws(MovieWriterError) -> Self {
    guard let rate = substreams.first.flatMap({ EnhancedAC3Frame($0) })?.sampleRate, duration > 0,
      let box = EC3SpecificBox(substreams: substreams, bitRate: byteCount * 8 * rate / Int(duration))
    else { throw .unreadableHeader("the header of E-AC-3") }
    return try audio("ec-3", Box(box), channels: box.channelCount, rate: rate)
  }

  /// MPEG audio of layer II or III, from the header of a frame: ISO/IEC 11172-3, 2.4.2.3.
  package static func mpegAudio(header b: [UInt8]) throws(MovieWriterError) -> Self {
    guard b.count >= 4, b[2] >> 2 & 3 < 3 else { throw .unreadableHeader("the header of MPEG audio") }
    let version = b[1] >> 3 & 3
    let rate = [44_100, 48_000, 32_000][Int(b[2] >> 2 & 3)] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
    return try mpeg4(objectType: version == 3 ? 0x6b : 0x69, channels: b[3] >> 6 == 3 ? 1 : 2, rate: rate)
  }

  /// Apple Lossless, from its magic cookie, which old files put into boxes.
  package static func alac(cookie: [UInt8]) throws(MovieWriterError) -> Self {
    let isOld = cookie.dropFirst(4).starts(with: "frma".utf8)
    guard let box = try? ALACSpecificBox(decoding: ([0, 0, 0, 0] + cookie.dropFirst(isOld ? 24 : 0).prefix(24))[...]),
      box.sampleRate > 0
    else { throw .unreadableHeader("the magic cookie of Apple Lossless") }
    return try audio(
      "alac", Box(box), channels: Int(box.numChannels), rate: Int(box.sampleRate), bits: UInt16(box.bitDepth))
  }

  /// VP9, from the start of a keyframe, and the duration of pictures: VP9 bitstream specification, 6.2.
  package static func vp9(
    keyframe: [UInt8], timescale: UInt32, pictureDuration: Int64
  ) throws(MovieWriterError) -> Self {
    guard let header = VP9Header(keyframe[...]), header.isKey, let format = header.format,
      let (width, height) = header.size
    else { throw .unreadableHeader("the first frame of VP9, which is no keyframe") }
    guard !header.isDamaged else { throw .unreadableHeader("the first frame of VP9") }
    var box = VPCodecConfigurationBox()
    box.profile = UInt8(header.profile)
    box.bitDepth = UInt8(format.bitDepth)
    box.videoFullRangeFlag = format.isFullRange
    // 4:2:0 with the chroma position of MPEG-2, unless the header declares another format.
    box.chromaSubsampling = format.isHalved.width ? format.isHalved.height ? 1 : 2 : 3
    // Table 7: unknown, BT.601, BT.709, SMPTE 170M and 240M, BT.2020, reserved, sRGB.
    let codes: [(UInt8, UInt8, UInt8)] = [
      (2, 2, 2), (6, 6, 6), (1, 1, 1), (6, 6, 6), (7, 7, 7), (9, 14, 9), (2, 2, 2), (1, 13, 0),
    ]
    (box.colourPrimaries, box.transferCharacteristics, box.matrixCoefficients) = codes[format.space]
    box.level = level(width * height, Double(width * height) * Double(timescale) / Double(max(1, pictureDuration)))
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (UInt16(clamping: width), UInt16(clamping: height))
    return try Self(Box(entry, type: "vp09", boxes: [Box(box)]), timescale: timescale, handler: "vide")
  }

  /// The lowest level of VP9 for pictures of a size, of which each second has this number of samples: VP9 bitstream
  /// specification, annex A.
  private static func level(_ size: Int, _ rate: Double) -> UInt8 {
    let limits: [(level: UInt8, size: Int, rate: Double)] = [
      (10, 36_864, 829_440), (11, 73_728, 2_764_800), (20, 122_880, 4_608_000), (21, 245_760, 9_216_000),
      (30, 552_960, 20_736_000), (31, 983_040, 36_864_000), (40, 2_228_224, 83_558_400), (41, 2_228_224, 160_432_128),
      (50, 8_912_896, 311_951_360), (51, 8_912_896, 588_251_136), (52, 8_912_896, 1_176_502_272),
      (60, 35_651_584, 1_176_502_272), (61, 35_651_584, 2_353_004_544),
    ]
    return limits.first { size <= $0.size && rate <= $0.rate }?.level ?? 62
  }
}
