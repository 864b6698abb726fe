import Bytes
import ISOBMFF

/// How mp4dump prints descriptors of ISO/IEC 14496-1.
extension DumpLabels {
  /// The descriptors inside `esds` and `iods`: their names and labels. Without a name, a descriptor is named by its
  /// tag. With an empty name, its fields are printed among those of its parent.
  static func ofDescriptor(_ tag: UInt8) -> (name: StaticText?, labels: DumpLabels) {
    switch tag {
    case 0x02, 0x10: ("InitialObjectDescriptor", initialObject)
    case 0x03: ("ESDescriptor", elementaryStream)
    case 0x04: ("DecoderConfig", decoderConfig)
    case 0x05: ("", decoderSpecificInfo)
    case 0x0e: ("ES_ID_Inc", trackReference)
    default: (nil, otherDescriptor)
    }
  }
  private static let elementaryStream = plain(
    .field("ES_ID", "es_id"), .field("streamPriority", "stream_priority"))
  private static let decoderConfig = plain(
    .field("streamType", "stream_type"), .field("objectTypeIndication", "object_type"),
    .field("upStream", "up_stream"), .field("bufferSizeDB", "buffer_size"), .field("maxBitrate", "max_bitrate"),
    .field("avgBitrate", "avg_bitrate"))
  private static let decoderSpecificInfo = plain(.field("specific_info", "DecoderSpecificInfo", .spacedBytes))
  private static let trackReference = plain(.field("Track_ID", "track_id"))
  private static let otherDescriptor = plain()
  private static let initialObject = plain(
    .field("ObjectDescriptorID", "id"),
    .field("includeInlineProfileLevelFlag", "include inline profile level flag"),
    .field("ODProfileLevelIndication", "OD profile level", .hex),
    .field("sceneProfileLevelIndication", "scene profile level", .hex),
    .field("audioProfileLevelIndication", "audio profile level", .hex),
    .field("visualProfileLevelIndication", "visual profile level", .hex),
    .field("graphicsProfileLevelIndication", "graphics profile level", .hex))
}
