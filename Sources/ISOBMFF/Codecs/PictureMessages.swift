import MP4Bytes

/// What messages beside pictures declare: SEI messages of AVC and HEVC, and metadata OBUs of AV1.
package struct PictureMessages: Sendable {
  /// The mastering display: x and y of green, blue, red and white in units of 0.00002, then the maximum and minimum
  /// luminance in units of 0.0001 cd/m²; `nil` if undeclared. ISO/IEC 23008-2, D.2.28; the same in AVC.
  package private(set) var masteringDisplay: [UInt64]?
  /// The maximum content light level and the maximum picture-average light level; `nil` if undeclared. ISO/IEC 23008-2,
  /// D.2.35.
  package private(set) var lightLevel: (content: UInt64, average: UInt64)?
  /// Whether there is dynamic metadata of SMPTE ST 2094-40 (HDR10+).
  package private(set) var hasHDR10Plus = false
  /// Whether there is dynamic metadata of Dolby Vision in a metadata OBU. In AVC and HEVC, it is a NAL unit.
  package private(set) var hasDolbyVision = false
  /// The text that an encoder such as x264 or x265 leaves about itself; `nil` if there is none.
  package private(set) var encoder: String?

  /// Reads the messages in the decoder configuration and at the start of a sample.
  package init(_ configuration: DecoderConfiguration, sample: ArraySlice<UInt8>) {
    if configuration.box(AV1CodecConfigurationBox.self) != nil { readAV1(configuration, sample) }
    guard let (codec, lengthSize) = configuration.nalUnits else { return }
    let arrays = configuration.box(HEVCConfigurationBox.self)?.arrays ?? []
    for array in arrays where array.nalUnitType == 39 {
      for unit in array.nalUnits { read(unit.bytes[...], codec) }
    }
    for unit in NALUnits(sample, codec, lengthSize: lengthSize) where unit.isWhole && codec.isMessage(unit.type) {
      read(unit.bytes, codec)
    }
  }

  private mutating func read(_ unit: ArraySlice<UInt8>, _ codec: NALUnits.Codec) {
    for message in SEIMessages(unit, codec) {
      var reader = BitReader(message.payload)
      switch (message.type, message.payload.count) {
      case (137, 24):
        let places = (0..<8).map { _ in UInt64(reader.bits(16)) }
        masteringDisplay = places + [UInt64(reader.bits(32)), UInt64(reader.bits(32))]
      case (144, 4): lightLevel = (UInt64(reader.bits(16)), UInt64(reader.bits(16)))
      case (4, _): readRegistered(message.payload)
      case (5, _): encoder = encoder ?? Self.encoder(in: message.payload)
      default: break
      }
    }
  }

  /// Metadata OBUs: AV1, 5.8.
  private mutating func readAV1(_ configuration: DecoderConfiguration, _ sample: ArraySlice<UInt8>) {
    let header = configuration.box(AV1CodecConfigurationBox.self)?.configOBUs ?? []
    for units in [header[...], sample] {
      for unit in OpenBitstreamUnit.all(in: units, hasTrimming: false) where unit.type == 5 {
        var reader = BitReader(unit.payload)
        switch reader.leb128() {
        case 1: lightLevel = (UInt64(reader.bits(16)), UInt64(reader.bits(16)))
        case 4: readRegistered(reader.rest)
        default: break
        }
      }
    }
  }

  /// User data registered by Rec. ITU-T T.35: the codes of the country and the provider, then the provider's own.
  private mutating func readRegistered(_ data: ArraySlice<UInt8>) {
    if data.starts(with: [0xb5, 0x00, 0x3c, 0x00, 0x01, 0x04]) { hasHDR10Plus = true }
    if data.starts(with: [0xb5, 0x00, 0x3b, 0x00, 0x00, 0x08, 0x00]) { hasDolbyVision = true }
  }

  /// The text after the identifier in user data, usually with a zero at its end; `nil` if there is other data.
  static func encoder(in bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.dropFirst(16).prefix { $0 != 0 }
    guard text.count >= 4, text.allSatisfy({ 0x20...0x7e ~= $0 }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}
