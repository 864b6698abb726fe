/// Sample entries, as whole boxes.
public enum EntryBytes {
  /// AVC video of 160 by 90; different `level`s give different entries.
  public static func avc1(level: UInt8 = 11, boxes: [UInt8] = []) -> [UInt8] {
    let sequenceParameterSet: [UInt8] = [
      0x67, 0x64, 0x00, level, 0xac, 0xd9, 0x42, 0x8d, 0xf9, 0x3f, 0xf0, 0x00, 0xa0, 0x00, 0x91, 0x00,
      0x00, 0x03, 0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x32, 0x0f, 0x14, 0x29, 0x96,
    ]
    let pictureParameterSet: [UInt8] = [0x68, 0xeb, 0xec, 0xb2, 0x2c]
    let configuration = box(
      "avcC", [1, 0x64, 0, level, 0xff, 0xe1], big(UInt16(sequenceParameterSet.count)), sequenceParameterSet,
      [1], big(UInt16(pictureParameterSet.count)), pictureParameterSet, [0xfd, 0xf8, 0xf8, 0])
    return visual("avc1", width: 160, height: 90, configuration + boxes)
  }

  /// Any visual sample entry with these boxes.
  public static func visual(_ type: String, width: UInt16, height: UInt16, _ boxes: [UInt8]) -> [UInt8] {
    let resolution = big(UInt32(0x48_0000))
    return box(
      type, zeros(6), big(UInt16(1)), zeros(16), big(width), big(height), resolution, resolution, zeros(4),
      big(UInt16(1)), zeros(32), big(UInt16(0x18)), big(Int16(-1)), boxes)
  }

  /// AAC audio; different `rate`s give different entries.
  public static func mp4a(rate: UInt32 = 48_000, boxes: [UInt8] = []) -> [UInt8] {
    let rates: [UInt32] = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000]
    let index = UInt16(rates.firstIndex(of: rate) ?? 3)
    // AudioSpecificConfig: AAC LC, the rate, one channel.
    let specific = descriptor(5, big(UInt16(2) << 11 | index << 7 | 1 << 3))
    let decoder = descriptor(4, [0x40, 0x15, 0, 0, 0], big(UInt32(16_000)), big(UInt32(16_000)), specific)
    let stream = descriptor(3, big(UInt16(0)), [0], decoder, descriptor(6, [2]))
    return audio("mp4a", channels: 1, rate: rate, fullBox("esds", stream) + boxes)
  }

  /// Any audio sample entry of version 0 with these boxes.
  public static func audio(_ type: String, channels: UInt16, rate: UInt32, _ boxes: [UInt8]) -> [UInt8] {
    box(
      type, zeros(6), big(UInt16(1)), zeros(8), big(channels), big(UInt16(16)), zeros(4), big(rate << 16), boxes)
  }

  /// WebVTT.
  public static func wvtt() -> [UInt8] {
    box("wvtt", zeros(6), big(UInt16(1)), box("vttC", ascii("WEBVTT")))
  }

  /// A descriptor with a length of one byte.
  private static func descriptor(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let payload = parts.flatMap { $0 }
    return [tag, UInt8(payload.count)] + payload
  }
}
