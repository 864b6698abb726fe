import ISOBMFF
import MP4Bytes

/// What a dump shows for a sample entry besides its fields.
extension DecoderConfiguration {
  /// A value that is not in a field but follows from the boxes in the entry.
  typealias DerivedValue = (name: StaticText, value: FieldValue)

  /// `codecs` first, then what playlists say about video or audio, as far as the entry declares it.
  var derivedValues: [DerivedValue] {
    var values: [DerivedValue] = [("codecs", Self.text(codecs))]
    if let more = supplementalCodecs { values.append(("supplemental_codecs", Self.text(more))) }
    if let pictures {
      if pictures.width > 0, pictures.height > 0 {
        values.append(("picture_width", .unsigned(UInt64(pictures.width))))
        values.append(("picture_height", .unsigned(UInt64(pictures.height))))
      }
      if let videoRange { values.append(("video_range", Self.text(videoRange.rawValue))) }
    }
    if let config = audioSpecificConfig {
      values.append(("audio_object_type", .named(UInt64(config.signalledObjectType), Self.audioObjectTypes)))
    }
    if let sound = configuredSound {
      if let channels = sound.channels { values.append(("channels", Self.text(channels))) }
      if sound.sampleRate > 0 { values.append(("sample_rate", .unsigned(UInt64(sound.sampleRate)))) }
    }
    return values
  }

  private static func text(_ text: String) -> FieldValue { .text(BoxString(Array(text.utf8))) }

  /// ISO/IEC 14496-3, table 1.17.
  private static let audioObjectTypes: ValueNames = """
    1 AAC Main; 2 AAC LC; 3 AAC SSR; 4 AAC LTP; 5 HE-AAC; 6 AAC Scalable; 7 TwinVQ; 8 CELP; 9 HVXC; 12 TTSI; \
    17 ER AAC LC; 19 ER AAC LTP; 20 ER AAC Scalable; 22 ER BSAC; 23 ER AAC LD; 29 HE-AAC v2; 32 MPEG-1 layer 1; \
    33 MPEG-1 layer 2; 34 MPEG-1 layer 3; 35 DST; 36 ALS; 37 SLS; 38 SLS non-core; 39 ER AAC ELD; 42 USAC
    """
}

extension BoxParser {
  /// What follows from the boxes in a sample entry. The entry is read from its header on, so that a pipe does not have
  /// to seek back later.
  mutating func derivedValues(of node: BoxNode) throws(IOError) -> [DecoderConfiguration.DerivedValue] {
    let size = min(node.header.size, DecoderConfiguration.sizeLimit)
    let bytes = try bytes(in: node.header.offset..<node.header.offset + size)
    let payload = bytes.dropFirst(node.header.headerSize)
    return DecoderConfiguration(type: node.type, payload: payload, handler: node.context.handler).derivedValues
  }
}
