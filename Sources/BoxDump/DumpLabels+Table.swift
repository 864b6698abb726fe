import ISOBMFF
import MP4Bytes

/// How mp4dump (Bento4 1.6.0) prints the boxes that it decodes.
extension DumpLabels {
  /// How mp4dump prints a box, or `nil` if it knows only the header.
  static func of(_ node: BoxNode) -> DumpLabels? {
    // mp4dump may use this type for a different box.
    if node.isAdded { return nil }
    switch node.content {
    case .payload(let payload), .boxes(let payload?):
      let isShared = node.context.parent == "stsd" || node.context.parent == "tref"
      if node.type == "uuid" { return node.header.userType.flatMap { byUserType[$0] } }
      if node.context.parent == "----", let labels = namedItems[node.type] { return labels }
      guard isShared else { return byType(node.type) }
      let type = payload.type?.info.type ?? node.type
      return bySharedPayload[type] ?? texts[type]
    case .boxes(nil), .opaque, .remainder: return nil
    }
  }

  /// Sample entries and track references are printed the same way for every type.
  private static let bySharedPayload: [FourCC: DumpLabels] = [
    VisualSampleEntry.info.type: pictureEntry, CanonRawSampleEntry.info.type: pictureEntry,
    AudioSampleEntry.info.type: soundEntry, MLPSampleEntry.info.type: soundEntry,
    TrackReferenceTypeBox.info.type: plain(
      .table("track_IDs", "", .repeated(Column("", "track id "), counter: "track_id_count"), from: 0)),
  ]

  private static let pictureEntry = plain(
    .field("data_reference_index"), .field("width"), .field("height"), .field("compressorname", "compressor"))

  private static let soundEntry = plain(
    .field("data_reference_index"), .field("channelcount", "channel_count"), .field("samplesize", "sample_size"),
    .field("samplerate", "sample_rate", .whole),
    .derived("qt_version") { $0.number("entry_version") == 0 ? nil : .number($0.number("entry_version")) })

  static func byType(_ type: FourCC) -> DumpLabels? { index.first(type).map { entries[$0].labels } }
  /// If a type has several labels, the first ones are used.
  private static let entries = [
    structure, sampleTables, fragments, protection, codecs, metadata, hints, enhancements, dolby, rightsManagement,
  ].flatMap { $0.map { (type: $0.key, labels: $0.value) } }
  private static let index = FourCCIndex(entries.map(\.type))

  /// The configurations of Dolby Vision enhancement layers, which have the layout of other codecs.
  private static var enhancements: [FourCC: DumpLabels] {
    var labels: [FourCC: DumpLabels] = [:]
    labels["avcE"] = codecs["avcC"]
    labels["hvcE"] = codecs["hvcC"]
    return labels
  }

  private static let structure: [FourCC: DumpLabels] = [
    "ftyp": plain(
      .field("major_brand"), .field("minor_version", .hex),
      .table("compatible_brands", "", .repeated(Column("", "compatible_brand")), from: 0)),
    "mvhd": full(.field("timescale"), .field("duration"), .derived("duration(ms)", roundedMilliseconds)),
    "tkhd": full(
      .derived("enabled") { .number($0.flags & 1) }, .field("track_ID", "id"), .field("duration"),
      .field("volume", .raw, from: 1), .field("layer", from: 1), .field("alternate_group", from: 1),
      .field("matrix_a", "matrix_0", .sixDigits, from: 1), .field("matrix_b", "matrix_1", .sixDigits, from: 1),
      .field("matrix_u", "matrix_2", .sixDigits, from: 1), .field("matrix_c", "matrix_3", .sixDigits, from: 1),
      .field("matrix_d", "matrix_4", .sixDigits, from: 1), .field("matrix_v", "matrix_5", .sixDigits, from: 1),
      .field("matrix_x", "matrix_6", .sixDigits, from: 1), .field("matrix_y", "matrix_7", .sixDigits, from: 1),
      .field("matrix_w", "matrix_8", .sixDigits, from: 1), .field("width", .sixDigits), .field("height", .sixDigits)),
    "mdhd": full(
      .field("timescale"), .field("duration"), .derived("duration(ms)", wholeMilliseconds), .field("language")),
    "hdlr": full(.field("handler_type"), .field("name", "handler_name")),
    "vmhd": full(.field("graphicsmode", "graphics_mode"), .table("opcolor", "op_color", .joined, from: 0)),
    "smhd": full(.field("balance", .raw)),
    "hmhd": full(
      .field("maxPDUsize", "max_pdu_size"), .field("avgPDUsize", "avg_pdu_size"), .field("maxbitrate", "max_bitrate"),
      .field("avgbitrate", "avg_bitrate")),
    "nmhd": full(), "sthd": full(), "dref": full(), "meta": full(),
    "url ": full(
      .derived("location") { $0.flags & 1 == 1 ? .text("[local to file]") : nil }, .field("location")),
    "elst": full(
      .field("entry_count"),
      .table(
        "entries", "",
        .repeated(
          Column("edit_duration", "entry/segment duration"), Column("media_time", "entry/media time"),
          Column("media_rate_integer", "entry/media rate")), from: 0)),
  ]

  private static let sampleTables: [FourCC: DumpLabels] = [
    "stsd": full(.field("entry_count")),
    "stts": full(
      .field("entry_count"),
      .table("entries", .numbered(Column("sample_count"), Column("sample_delta", "sample_duration")), from: 1)),
    "ctts": full(
      .field("entry_count"),
      .table("entries", .numbered(Column("sample_count", "count"), Column("sample_offset", "offset")), from: 2)),
    "stss": full(.field("entry_count"), .table("sample_number", .numbered(), from: 2)),
    "stsc": full(.field("entry_count"), .table("entries", .sampleToChunk, from: 1)),
    "stsz": full(
      .field("sample_size"), .field("sample_count"), .table("entry_size", .numbered(), from: 2, always: true)),
    "stz2": full(.field("field_size"), .field("sample_count"), .table("entry_size", .numbered(), from: 2)),
    "stco": full(.field("entry_count"), .table("chunk_offset", .numbered(), from: 1)),
    "co64": full(.field("entry_count"), .table("chunk_offset", .numbered(), from: 1)),
    "sbgp": full(
      .field("grouping_type"), .field("grouping_type_parameter"), .field("entry_count"),
      .table("entries", .numbered(Column("sample_count"), Column("group_description_index")), from: 2)),
    "sgpd": full(
      .field("grouping_type"), .field("default_length"), .field("entry_count"),
      .table("entries", .numbered(Column("description", "")), from: 0)),
    "saiz": full(
      .field("aux_info_type", "aux info type", .hex),
      .field("aux_info_type_parameter", "aux info type parameter", .hex),
      .field("default_sample_info_size", "default sample info size"), .field("sample_count", "sample count"),
      .table("sample_info_size", .numbered(), from: 2, always: true)),
    "saio": full(
      .field("aux_info_type", "aux info type", .hex),
      .field("aux_info_type_parameter", "aux info type parameter", .hex), .field("entry_count"),
      .table("offset", .numbered(), from: 2)),
  ]

  private static let fragments: [FourCC: DumpLabels] = [
    "mehd": full(.field("fragment_duration", "duration")),
    "trex": full(
      .field("track_ID", "track id"), .field("default_sample_description_index", "default sample description index"),
      .field("default_sample_duration", "default sample duration"),
      .field("default_sample_size", "default sample size"),
      .field("default_sample_flags", "default sample flags", .hex)),
    "mfhd": full(.field("sequence_number", "sequence number")),
    "tfhd": full(
      .field("track_ID", "track ID"), .field("base_data_offset", "base data offset"),
      .field("sample_description_index", "sample description index"),
      .field("default_sample_duration", "default sample duration"),
      .field("default_sample_size", "default sample size"),
      .field("default_sample_flags", "default sample flags", .hex)),
    "tfdt": full(.field("baseMediaDecodeTime", "base media decode time")),
    "trun": full(
      .field("sample_count", "sample count"), .field("data_offset", "data offset"),
      .field("first_sample_flags", "first sample flags", .hex),
      .table(
        "samples",
        .numbered(
          Column("sample_duration", short: "d"), Column("sample_size", short: "s"), Column("sample_flags", short: "f"),
          Column("sample_composition_time_offset", short: "c")), from: 1)),
    "tfra": full(
      .field("track_ID"), .field("length_size_of_traf_num"), .field("length_size_of_trun_num"),
      .field("length_size_of_sample_num"),
      .table(
        "entries",
        .numbered(
          Column("time"), Column("moof_offset"), Column("traf_number"), Column("trun_number"),
          Column("sample_delta", "sample_number")), from: 1)),
    "mfro": full(.field("parent_size", "mfra_size")),
    "sidx": full(
      .field("reference_ID"), .field("timescale"), .field("earliest_presentation_time"), .field("first_offset"),
      .table("references", .numbered(), from: 1)),
  ]

  private static let protection: [FourCC: DumpLabels] = [
    "senc": sampleEncryption,
    "tenc": full(
      .field("default_isProtected"), .field("default_Per_Sample_IV_Size"), .field("default_KID"),
      .field("default_crypt_byte_block"), .field("default_skip_byte_block"), .field("default_constant_IV_size"),
      .field("default_constant_IV")),
    "pssh": full(
      .field("SystemID", "system_id"), .field("DataSize", "data_size"),
      .table("KIDs", "kid", .numberedLabel, from: 0),
      .field("Data", "data", from: 1)),
    "frma": plain(.field("data_format", "original_format")),
    "schm": full(.field("scheme_type"), .field("scheme_version"), .field("scheme_uri")),
  ]

  private static let codecs: [FourCC: DumpLabels] = [
    "esds": full(),
    "avcC": plain(
      .field("configurationVersion", "Configuration Version"),
      .field("AVCProfileIndication", "Profile", .named(.avcProfiles)),
      .field("profile_compatibility", "Profile Compatibility", .hex), .field("AVCLevelIndication", "Level"),
      .field("lengthSizeMinusOne", "NALU Length Size", .plus(1)),
      .table(
        "sequenceParameterSets", "", .repeated(Column("sequenceParameterSetNALUnit", "Sequence Parameter")), from: 0),
      .table(
        "pictureParameterSets", "", .repeated(Column("pictureParameterSetNALUnit", "Picture Parameter")), from: 0)),
    "hvcC": plain(
      .field("configurationVersion", "Configuration Version"), .field("general_profile_space", "Profile Space"),
      .field("general_profile_idc", "Profile", .named(.hevcProfiles)), .field("general_tier_flag", "Tier"),
      .field("general_profile_compatibility_flags", "Profile Compatibility", .hex),
      .field("general_constraint_indicator_flags", "Constraint", .hex), .field("general_level_idc", "Level"),
      .field("min_spatial_segmentation_idc", "Min Spatial Segmentation"), .field("parallelismType", "Parallelism Type"),
      .field("chroma_format_idc", "Chroma Format"), .field("bit_depth_chroma_minus8", "Chroma Depth", .plus(8)),
      .field("bit_depth_luma_minus8", "Luma Depth", .plus(8)), .field("avgFrameRate", "Average Frame Rate"),
      .field("constantFrameRate", "Constant Frame Rate"), .field("numTemporalLayers", "Number Of Temporal Layers"),
      .field("temporalIdNested", "Temporal Id Nested"), .field("lengthSizeMinusOne", "NALU Length Size", .plus(1))),
    "av1C": plain(
      .field("version"), .field("seq_profile"), .field("seq_level_idx_0"), .field("seq_tier_0"),
      .field("high_bitdepth"), .field("twelve_bit"), .field("monochrome"), .field("chroma_subsampling_x"),
      .field("chroma_subsampling_y"), .field("chroma_sample_position"),
      .derived("initial_presentation_delay") { fields in
        let isPresent = fields.number("initial_presentation_delay_present") == 1
        return .number(isPresent ? fields.number("initial_presentation_delay_minus_one") + 1 : 0)
      }),
    "vpcC": full(
      .field("profile"), .field("level"), .field("bitDepth", "bit depth"),
      .field("chromaSubsampling", "chroma subsampling"), .field("videoFullRangeFlag", "video full range flag"),
      .field("colourPrimaries", "colour primaries"), .field("matrixCoefficients", "matrix coefficients"),
      .field("codecIntializationData", "codec initialization data")),
    // mp4dump misspells this label.
    "colr": plain(
      .field("colour_type", "Colour Parameter Type:", .raw), .field("colour_primaries", "Primaries Index:"),
      .field("transfer_characteristics", "Transfer Funcion Index:"), .field("matrix_coefficients", "Matrix Index:"),
      .field("full_range_flag", "Video Full Range Flag:")),
    "iods": full(),
  ]

  private static let byUserType: [UserType?: DumpLabels] = [
    PIFFTrackEncryptionBox.info.userType: full(
      .field("default_AlgorithmID"), .field("default_IV_size"), .field("default_KID")),
    PIFFSampleEncryptionBox.info.userType: DumpLabels(
      isFull: true, lines: [.field("AlgorithmID"), .field("IV_size"), .field("KID")] + sampleEncryption.lines),
  ]

  private static let sampleEncryption = full(
    .field("sample_count", "sample info count"), .field("Per_Sample_IV_Size", "IV Size (inferred)", from: 2),
    .table(
      "samples", "sample info entries", .expanded(Column("InitializationVector", "info")), from: 2, always: true),
    .table(
      "subsamples", "sub entries",
      .numbered(
        Column("BytesOfClearData", "bytes_of_clear_data"), Column("BytesOfProtectedData", "bytes_of_encrypted_data")),
      from: 2))

  static func plain(_ lines: Line...) -> DumpLabels { DumpLabels(isFull: false, lines: lines) }
  static func full(_ lines: Line...) -> DumpLabels { DumpLabels(isFull: true, lines: lines) }

  /// A duration of `mvhd` in milliseconds, rounded to the nearest.
  @Sendable private static func roundedMilliseconds(_ fields: borrowing Fields) -> Derived? {
    milliseconds(fields, plus: UInt64(bitPattern: fields.number("timescale")) / 2)
  }
  /// A duration of `mdhd` in milliseconds, rounded down.
  @Sendable private static func wholeMilliseconds(_ fields: borrowing Fields) -> Derived? {
    milliseconds(fields, plus: 0)
  }
  private static func milliseconds(_ fields: borrowing Fields, plus half: UInt64) -> Derived? {
    let timescale = UInt64(bitPattern: fields.number("timescale"))
    guard timescale > 0 else { return .number(0) }
    var product = UInt64(bitPattern: fields.number("duration")).multipliedFullWidth(by: 1000)
    let (low, carry) = product.low.addingReportingOverflow(half)
    product = (product.high + (carry ? 1 : 0), low)
    guard product.high < timescale else { return .number(.max) }
    return .number(Int64(clamping: timescale.dividingFullWidth(product).quotient))
  }
}
