import Bytes
import ISOBMFF

/// How mp4dump prints boxes of text and hint tracks.
extension DumpLabels {
  static let texts: [FourCC: DumpLabels] = [
    "stpp": plain(
      .field("data_reference_index"), .field("namespace"), .field("schema_location"),
      .field("auxiliary_mime_types", "image_mime_type")),
    "rtp ": packets, "srtp": packets, "rrtp": packets, "rsrp": packets, "prtp": packets,
  ]

  private static let packets = plain(
    .field("data_reference_index"), .field("hinttrackversion", "hint_track_version"),
    .field("highestcompatibleversion", "highest_compatible_version"), .field("maxpacketsize", "max_packet_size"))

  static let hints: [FourCC: DumpLabels] = [
    "tims": plain(.field("timescale", "time_scale")),
    "sdp ": plain(.field("sdptext", "sdp_text")),
    "rtp ": plain(.field("descriptionformat", "description_format"), .field("sdptext", "sdp_text")),
    "pdin": full(.table("entries", "", .repeated(Column("rate"), Column("initial_delay")), from: 0)),
    "ainf": full(.field("profile_version", .hex), .field("APID")),
    "cprt": full(.field("language"), .field("notice", "value")),
  ]
}
