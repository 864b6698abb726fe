/// The systems of `pssh` boxes by name.
public enum ProtectionSystem {
  /// The name of the system with these 16 bytes, as the DASH Industry Forum lists it; `nil` for an unknown one.
  public static func name(of systemID: some Collection<UInt8>) -> StaticString? {
    guard systemID.count == 16 else { return nil }
    let high = systemID.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = systemID.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return names.first { $0.high == high && $0.low == low }?.name
  }

  private static let names: [(high: UInt64, low: UInt64, name: StaticString)] = [
    (0x1077_efec_c0b2_4d02, 0xace3_3c1e_52e2_fb4b, "W3C Common PSSH box"),
    (0xedef_8ba9_79d6_4ace, 0xa3c8_27dc_d51d_21ed, "Widevine"),
    (0x9a04_f079_9840_4286, 0xab92_e65b_e088_5f95, "PlayReady"),
    (0x94ce_86fb_07ff_4f43, 0xadb8_93d2_fa96_8ca2, "FairPlay"),
    (0x5e62_9af5_38da_4063, 0x8977_97ff_bd99_02d4, "Marlin"),
    (0xf239_e769_efa3_4850, 0x9c16_a903_c693_2efb, "Adobe Primetime"),
    (0xe271_9d58_a985_b3c9, 0x781a_b030_af78_d30e, "Clear Key"),
    (0x3d5e_6d35_9b9a_41e8, 0xb843_dd3c_6e72_c42c, "ChinaDRM"),
    (0x3ea8_778f_7742_4bf9, 0xb18b_e834_b2ac_bd47, "Clear Key AES-128"),
    (0xbe58_615b_19c4_4684, 0x88b3_c8c5_7e99_e957, "Clear Key SAMPLE-AES"),
    (0xadb4_1c24_2dbf_4a6d, 0x958b_4457_c0d2_7b95, "Nagra MediaAccess PRM 3.0"),
    (0x9a27_dd82_fde2_4725, 0x8cbc_4234_aa06_ec09, "Verimatrix VCAS"),
    (0x80a6_be7e_1448_4c37, 0x9e70_d5ae_be04_c8d2, "Irdeto Content Protection"),
    (0x35bf_197b_530e_42d7, 0x8b65_1b4b_f415_070f, "DivX DRM Series 5"),
  ]
}
