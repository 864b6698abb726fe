import ISOBMFF
import MP4Bytes

/// How mp4dump prints the boxes of Dolby's codecs.
extension DumpLabels {
  static let dolby: [FourCC: DumpLabels] = [
    "dac3": plain(
      .derived("data_rate") { .number(Int64(AC3SpecificBox.kilobitsPerSecond($0.number("bit_rate_code")) ?? 0)) },
      .field("fscod"), .field("bsid"), .field("bsmod"), .field("acmod"), .field("lfeon")),
    "dec3": plain(
      .field("data_rate"), .derived("complexity_index_type_a") { .number($0.number("complexity_index_type_a")) },
      .table(
        "independent_substreams", "",
        .indexedLines(
          Column("fscod"), Column("bsid"), Column("bsmod"), Column("acmod"), Column("lfeon"), Column("num_dep_sub"),
          Column("chan_loc")), from: 0)),
    "dac4": plain(
      .field("ac4_dsi_version"), .field("bitstream_version"), .field("fs_index"),
      .derived("fs") { .number($0.number("fs_index") == 0 ? 44100 : 48000) }, .field("frame_rate_index"),
      .derived("short_program_id") { programNumber($0) }, .derived("program_uuid") { programUUID($0) },
      .field("bit_rate_mode"), .field("bit_rate"), .field("bit_rate_precision"),
      .table("presentations", "", .indexed(presentationColumns), from: 0)),
    // mp4dump prints the number together with the bit that follows it.
    "dmlp": plain(.field("format_info"), .field("peak_data_rate", .times(2))),
    "dvcC": dolbyVision, "dvvC": dolbyVision,
  ]

  private static let dolbyVision = plain(
    .field("dv_version_major"), .field("dv_version_minor"), .field("dv_profile"),
    .derived("dv_profile_name") { .text(DumpNames.dolbyVisionProfiles.name(of: $0.number("dv_profile")) ?? "unknown") },
    .field("dv_level"), .field("rpu_present_flag"), .field("el_present_flag"), .field("bl_present_flag"),
    .field("dv_bl_signal_compatibility_id"))

  private static func hasProgram(_ fields: borrowing Fields) -> Bool {
    fields.number("ac4_dsi_version") == 1 && fields.number("bitstream_version") > 1
  }
  private static func programNumber(_ fields: borrowing Fields) -> Derived? {
    hasProgram(fields) ? .number(fields.number("short_program_id")) : nil
  }
  private static func programUUID(_ fields: borrowing Fields) -> Derived? {
    guard hasProgram(fields) else { return nil }
    if case .bytes(let bytes)? = fields["program_uuid"] { return .bytes(bytes) }
    return .bytes(ArraySlice(repeating: 0, count: 16))
  }

  /// What mp4dump prints for a presentation, whether or not the file has the field.
  @Sendable private static func presentationColumns(_ version: Int64) -> [Column] {
    let first: [Column] = [Column("presentation_version")]
    switch version {
    case 0:
      return first + [
        Column("presentation_config"), Column("mdcompat"), Column("presentation_id"),
        Column("dsi_frame_rate_multiply_info"), Column("presentation_emdf_version"), Column("presentation_key_id"),
        Column("presentation_channel_mask"),
      ]
    case 1, 2:
      return first + [
        Column("presentation_config_v1"), Column("mdcompat"), Column("presentation_id"),
        Column("dsi_frame_rate_multiply_info"), Column("dsi_frame_rate_fraction_info"),
        Column("presentation_emdf_version"), Column("presentation_key_id"), Column("b_presentation_channel_coded"),
        Column("dsi_presentation_ch_mode"), Column("pres_b_4_back_channels_present"),
        Column("pres_top_channel_pairs"), Column("presentation_channel_mask_v1"),
      ]
    default: return first
    }
  }
}

/// How mp4dump prints the boxes of OMA DRM, ISMA and Marlin.
extension DumpLabels {
  static let rightsManagement: [FourCC: DumpLabels] = [
    "odrm": full(), "odkm": full(),
    "odhe": full(.field("ContentType", "content_type")),
    "ohdr": full(
      .field("EncryptionMethod", "encryption_method"), .field("PaddingScheme", "padding_scheme"),
      .field("PlaintextLength", "plaintext_length"), .field("ContentID", "content_id"),
      .field("RightsIssuerURL", "rights_issuer_url"), .field("TextualHeaders", "textual_headers", .lines)),
    "odda": full(.field("OMADRMDataLength", "encrypted_data_length")),
    "odaf": full(
      .field("SelectiveEncryption", "selective_encryption"), .field("KeyIndicatorLength", "key_indicator_length"),
      .field("IVLength", "IV_length")),
    "grpi": full(
      .field("GKEncryptionMethod", "key encryption method"), .field("GroupID", "group id"),
      .field("GroupKey", "group key")),
    "iKMS": full(.field("kms_ID", "kms_id"), .field("kms_version"), .field("kms_URI", "kms_uri")),
    "iSFM": full(.field("selective_encryption"), .field("key_indicator_length"), .field("IV_length")),
    "iSLT": plain(.field("salt")),
    "8id ": plain(.field("value", "string value")),
    "8bdl": plain(.field("encoding"), .field("encoding_version"), .field("bundle_data")),
    "bloc": full(
      .field("baseLocation", "base_location", .terminated), .field("purchaseLocation", "purchase_location", .terminated)
    ),
    "mkid": full(),
  ]
}
