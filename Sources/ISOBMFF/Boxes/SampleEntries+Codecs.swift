import Bytes

/// Less common sample entries of standards and the registration authority.
extension SampleEntries {
  /// The AVC types.
  static let avc: [FourCC] = ["avc1", "avc2", "avc3", "avc4"]
  /// The SVC types.
  static let svc: [FourCC] = ["svc1", "svc2"]
  /// The MVC types.
  static let mvc: [FourCC] = ["mvc1", "mvc2", "mvc3", "mvc4"]
  /// The types of MVC with depth.
  static let mvd: [FourCC] = ["mvd1", "mvd2", "mvd3", "mvd4"]
  /// The 3D-AVC types.
  static let avc3D: [FourCC] = ["a3d1", "a3d2", "a3d3", "a3d4"]

  static let otherVisual =
    pictures(
      """
      hvc2 HEVC Sample Entry, extractors | hev2 HEVC Sample Entry, extractors and parameter sets in band
      hvc3 HEVC Sample Entry, other tracks needed
      hev3 HEVC Sample Entry, other tracks needed and parameter sets in band | hvt1 HEVC Tile Sample Entry
      hvt2 HEVC Tile Sample Entry, slices | hvt3 HEVC Tile Sample Entry, extractors | lhv1 L-HEVC Sample Entry
      lhe1 L-HEVC Sample Entry, parameter sets in band | lht1 L-HEVC Tile Sample Entry | svc1 SVC Sample Entry
      svc2 SVC Sample Entry, extractors | mvc1 MVC Sample Entry | mvc2 MVC Sample Entry, extractors
      mvc3 MVC Sample Entry, depth | mvc4 MVC Sample Entry, depth and extractors | mvd1 MVC+D Sample Entry
      mvd2 MVC+D Sample Entry, extractors | mvd3 MVC+D Sample Entry, parameter sets in band
      mvd4 MVC+D Sample Entry, extractors and parameter sets in band | a3d1 3D-AVC Sample Entry
      a3d2 3D-AVC Sample Entry, extractors | a3d3 3D-AVC Sample Entry, parameter sets in band
      a3d4 3D-AVC Sample Entry, extractors and parameter sets in band | avcp AVC Parameter Set Sample Entry
      vvc1 VVC Sample Entry | vvi1 VVC Sample Entry, parameter sets in band | vvs1 VVC Subpicture Sample Entry
      vvcN VVC Non-VCL Sample Entry | evc1 EVC Sample Entry | evs1 EVC Slice Sample Entry
      evs2 EVC Slice Sample Entry, extractors | lvc1 LCEVC Sample Entry
      dvav Dolby Vision AVC Sample Entry, parameter sets in band; Dolby Vision in ISOBMFF 2.4
      dva1 Dolby Vision AVC Sample Entry; Dolby Vision in ISOBMFF 2.4
      dvhe Dolby Vision HEVC Sample Entry, parameter sets in band; Dolby Vision in ISOBMFF 2.4
      dvh1 Dolby Vision HEVC Sample Entry; Dolby Vision in ISOBMFF 2.4
      dav1 Dolby Vision AV1 Sample Entry; Dolby Vision in ISOBMFF 2.4
      vp08 VP8 Sample Entry; VP codecs in ISOBMFF 1.0 | vp10 VP10 Sample Entry; VP codecs in ISOBMFF 1.0
      avs3 AVS3 Video Sample Entry; AVS3 in ISOBMFF, T/AI 109.6
      avst AVS2 Video Sample Entry; AVS3 in ISOBMFF, T/AI 109.6
      resv Restricted Video Sample Entry; ISO/IEC 14496-12:2022, 8.15
      icpv Incomplete Video Sample Entry; ISO/IEC 14496-12:2022, 8.15
      uncv Uncompressed Video Sample Entry; ISO/IEC 23001-17:2024 | jxsm JPEG XS Sample Entry; ISO/IEC 21122-3
      mjp2 Motion JPEG 2000 Sample Entry; ISO/IEC 15444-3 | s263 H.263 Sample Entry; 3GPP TS 26.244
      vc-1 VC-1 Sample Entry; SMPTE RP 2025 | ovc1 VC-1 Sample Entry of Smooth Streaming; SMPTE RP 2025
      FFV1 FFV1; RFC 9043, 4.3.3 | HFYU HuffYUV; MP4 Registration Authority
      FFVH HuffYUV of FFmpeg; MP4 Registration Authority | CFHD GoPro CineForm; SMPTE ST 2073 | Hap1 Hap; Hap Video
      Hap5 Hap Alpha; Hap Video | HapY Hap Q; Hap Video | HapM Hap Q Alpha; Hap Video | HapA Hap Alpha-Only; Hap Video
      Hap7 Hap R; Hap Video | XVID MPEG-4 video, Xvid; MP4 Registration Authority
      DIVX MPEG-4 video, DivX; MP4 Registration Authority | 3IV2 MPEG-4 video, 3ivx; MP4 Registration Authority
      VP6F VP6 of Flash; MP4 Registration Authority | drac Dirac; MP4 Registration Authority
      """, "ISO/IEC 14496-15:2022") + [BoxDefinition(CanonRawSampleEntry.self)]
  static let otherAudio =
    [BoxDefinition(MLPSampleEntry.self)]
    + sounds(
      """
      samr AMR Narrowband Sample Entry; 3GPP TS 26.244 | sawb AMR Wideband Sample Entry; 3GPP TS 26.244
      sawp Extended AMR Wideband Sample Entry; 3GPP TS 26.244 | sevs EVS Sample Entry; 3GPP TS 26.244
      sqcp QCELP Sample Entry; 3GPP2 C.S0050 | sevc EVRC Sample Entry; 3GPP2 C.S0050
      ssmv SMV Sample Entry; 3GPP2 C.S0050 | ac-4 AC-4 Sample Entry; ETSI TS 103 190-2, E.5
      dtsc DTS Core Sample Entry; ETSI TS 102 114, E.3 | dtsh DTS-HD Sample Entry; ETSI TS 102 114, E.3
      dtsl DTS-HD Master Audio Sample Entry; ETSI TS 102 114, E.3
      dtse DTS Express Sample Entry; ETSI TS 102 114, E.3 | dts+ DTS Extension Sample Entry; ETSI TS 102 114, E.3
      dts- DTS Core and Extension Sample Entry; ETSI TS 102 114, E.3 | dtsx DTS-UHD Sample Entry; ETSI TS 103 491, B.3
      dtsy DTS-UHD Sample Entry, profile 3; ETSI TS 103 491, B.3 | mha1 MPEG-H Audio Sample Entry; ISO/IEC 23008-3, 20
      mha2 MPEG-H Audio Sample Entry, several streams; ISO/IEC 23008-3, 20
      mhm1 MPEG-H Audio Stream Sample Entry; ISO/IEC 23008-3, 20
      mhm2 MPEG-H Audio Stream Sample Entry, several streams; ISO/IEC 23008-3, 20
      iamf Immersive Audio Sample Entry; IAMF 1.0.0, 5.2 | av3a AVS3 Audio Sample Entry; AVS3 in ISOBMFF, T/AI 109.6
      ipcm PCM Sample Entry, integers; ISO/IEC 23003-5, 5 | fpcm PCM Sample Entry, floating point; ISO/IEC 23003-5, 5
      resa Restricted Audio Sample Entry; ISO/IEC 14496-12:2022, 8.15
      icpa Incomplete Audio Sample Entry; ISO/IEC 14496-12:2022, 8.15
      m4ae MPEG-4 Audio, enhanced; ISO/IEC 14496-14:2020 | g719 G.719 Sample Entry; ITU-T G.719
      owma WMA Sample Entry of Smooth Streaming; Protected Interoperable File Format 1.1
      mp3  MPEG-1 layer 3; MP4 Registration Authority
      """)
}
