package import MP4Bytes

/// The protection systems of `pssh` boxes, with their names.
package enum ProtectionSystem {
  /// The name of the system with these 16 bytes, as the DASH Industry Forum lists it; `nil` for an unknown one.
  package static func name(of systemID: some Collection<UInt8>) -> StaticText? {
    guard systemID.count == 16 else { return nil }
    let high = systemID.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = systemID.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return names.first { $0.high == high && $0.low == low }?.name
  }

  private static let names: [(high: UInt64, low: UInt64, name: StaticText)] = [
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
    (0x279f_e473_512c_48fe, 0xade8_d176_fee6_b40f, "Arris Titanium"),
    (0x644f_e7b5_260f_4fad, 0x949a_0762_ffb0_54b4, "CMLA (OMA DRM)"),
    (0x37c3_3258_7b99_4c7e, 0xb15d_19af_7448_2154, "Commscope Titanium V3"),
    (0x45d4_81cb_8fe0_49c0, 0xada9_ab2d_2455_b2f2, "CoreCrypt"),
    (0xdcf4_e3e3_62f1_5818, 0x7ba6_0a6f_e33f_f3dd, "DigiCAP SmartXess"),
    (0x6a99_532d_869f_5922, 0x9a91_113a_b7b1_e2f3, "MobiTV DRM"),
    (0x1f83_e1e8_6ee9_4f0d, 0xba2f_5ec4_e3ed_1a66, "SecureMedia"),
    (0x992c_46e6_c437_4899, 0xb6a0_50fa_91ad_0e39, "SecureMedia SteelKnot"),
    (0xa681_29d3_575b_4f1a, 0x9cba_3223_846c_f7c3, "Synamedia VideoGuard DRM"),
    (0xaa11_967f_cc01_4a4a, 0x8e99_c5d3_dddf_ea2d, "Unitend DRM"),
    (0xb441_3586_c58c_ffb0, 0x94a5_d489_6c1a_f6c3, "Viaccess-Orca DRM"),
    (0x793b_7956_9f94_4946, 0xa942_23e7_ef7e_44b4, "VisionCrypt"),
  ]
}
