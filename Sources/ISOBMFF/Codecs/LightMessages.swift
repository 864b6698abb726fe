import Bytes

/// SEI messages about brightness: ISO/IEC 23008-2, D.2.28 and D.2.35; the same in AVC.
package struct LightMessages: Sendable {
  /// The mastering display: x and y of green, blue, red and white in units of 0.00002, then the maximum and minimum
  /// luminance in units of 0.0001 cd/m²; `nil` if undeclared.
  package private(set) var masteringDisplay: [UInt64]?
  /// The maximum content light level and the maximum picture-average light level; `nil` if undeclared.
  package private(set) var lightLevel: (content: UInt64, average: UInt64)?

  /// Reads the SEI messages in the decoder configuration and at the start of a sample.
  package init(_ configuration: DecoderConfiguration, sample: ArraySlice<UInt8>) {
    guard let (codec, lengthSize) = configuration.nalUnits else { return }
    let arrays = configuration.box(HEVCConfigurationBox.self)?.arrays ?? []
    for array in arrays where array.nalUnitType == 39 {
      for unit in array.nalUnits { read(unit.bytes[...], codec) }
    }
    for unit in NALUnits(sample, codec, lengthSize: lengthSize) where unit.isWhole && codec.isMessage(unit.type) {
      read(unit.bytes, codec)
    }
  }

  /// Reads the messages of a NAL unit. Type and size of a message are sums of bytes up to the first one below 255.
  private mutating func read(_ unit: ArraySlice<UInt8>, _ codec: NALUnits.Codec) {
    var reader = BitReader(nalUnit: unit, headerSize: codec == .avc ? 1 : 2)
    while reader.bitsLeft >= 24 {
      guard let type = reader.extended(), let size = reader.extended(), size * 8 <= reader.bitsLeft else { return }
      let end = reader.bitsLeft - size * 8
      if type == 137, size == 24 {
        let places = (0..<8).map { _ in UInt64(reader.bits(16)) }
        masteringDisplay = places + [UInt64(reader.bits(32)), UInt64(reader.bits(32))]
      } else if type == 144, size == 4 {
        lightLevel = (UInt64(reader.bits(16)), UInt64(reader.bits(16)))
      }
      reader.skip(reader.bitsLeft - end)
    }
  }
}

extension BitReader {
  /// The sum of bytes up to the first one below 255; `nil` at the end.
  fileprivate mutating func extended() -> Int? {
    var sum = 0
    while bitsLeft >= 8 {
      let byte = bits(8)
      sum += byte
      if byte < 255 { return sum }
    }
    return nil
  }
}
