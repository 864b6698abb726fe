import MP4Bytes

/// The names of values that occur in several boxes.
extension ValueNames {
  /// The list that a name stands for in the definitions of `BoxCatalog`.
  package static func list(named name: String) -> ValueNames? {
    switch name {
    case "frameRateConstancy": .frameRateConstancy
    case "graphicsModes": .graphicsModes
    case "hevcCompatibility": .hevcCompatibility
    case "hevcNALUnitTypes": .hevcNALUnitTypes
    case "parallelismTypes": .parallelismTypes
    case "textFaces": .textFaces
    case "tiers": .tiers
    case "vvcLevels": .vvcLevels
    case "vvcProfiles": .vvcProfiles
    default: nil
    }
  }

  /// ISO/IEC 14496-12:2022, 8.8.3.1.
  static var sampleFlags: ValueNames {
    """
    0xc000000=0x4000000 leading; 0xc000000=0x8000000 not leading; 0xc000000=0xc000000 leading and decodable; \
    0x3000000=0x1000000 depends on others; 0x3000000=0x2000000 depends on no other; \
    0xc00000=0x400000 others depend on it; 0xc00000=0x800000 no other depends on it; \
    0x300000=0x100000 has redundancy; 0x300000=0x200000 no redundancy; 0xe0000=# padding; 0x10000 not sync; \
    0xffff=# degradation priority
    """
  }

  /// ISO/IEC 14496-12:2022, annex I.
  static var sapTypes: ValueNames {
    "0 unknown; 1 closed GOP, decoded in order of display; 2 closed GOP; 3 open GOP; 4 gradual refresh"
  }

  /// QuickTime File Format, Graphics modes.
  static var graphicsModes: ValueNames {
    """
    0 copy; 32 blend; 36 transparent; 64 dither copy; 256 straight alpha; 257 premultiplied white alpha; \
    258 premultiplied black alpha; 259 composition; 260 straight alpha blend
    """
  }

  /// QuickTime File Format, Text sample description.
  static var textFaces: ValueNames {
    "0x1 bold; 0x2 italic; 0x4 underline; 0x8 outline; 0x10 shadow; 0x20 condensed; 0x40 extended"
  }

  /// ISO/IEC 23091-3, channel configurations.
  static var channelConfigurations: ValueNames {
    """
    0 described; 1 1/0; 2 2/0; 3 3/0; 4 3/0/1; 5 3/0/2; 6 3/0/2.1; 7 5/0/2.1; 8 1+1; 9 2/0/1; 10 2/0/2; 11 3/0/3.1; \
    12 3/0/4.1; 13 22.2; 14 5/0/2.1, upper front
    """
  }

  /// ISO/IEC 23091-2, table 2.
  package static var colourPrimaries: ValueNames {
    """
    1 BT.709; 2 unspecified; 4 BT.470 M; 5 BT.601 625; 6 BT.601 525; 7 SMPTE 240M; 8 film; 9 BT.2020; 10 XYZ; \
    11 DCI-P3; 12 Display P3; 22 EBU 3213
    """
  }

  /// ISO/IEC 23091-2, table 3.
  package static var transferCharacteristics: ValueNames {
    """
    1 BT.709; 2 unspecified; 4 gamma 2.2; 5 gamma 2.8; 6 BT.601; 7 SMPTE 240M; 8 linear; 9 logarithmic 100:1; \
    10 logarithmic 316:1; 11 IEC 61966-2-4; 12 BT.1361; 13 sRGB; 14 BT.2020 10 bits; 15 BT.2020 12 bits; 16 PQ; \
    17 SMPTE 428; 18 HLG
    """
  }

  /// ISO/IEC 23091-2, table 4.
  package static var matrixCoefficients: ValueNames {
    """
    0 identity; 1 BT.709; 2 unspecified; 4 FCC; 5 BT.601 625; 6 BT.601 525; 7 SMPTE 240M; 8 YCgCo; \
    9 BT.2020 non-constant; 10 BT.2020 constant; 11 SMPTE 2085; 12 derived non-constant; 13 derived constant; \
    14 ICtCp
    """
  }

  /// ISO/IEC 14496-10, annexes A, G, H and I.
  package static var avcProfiles: ValueNames {
    """
    66 Baseline; 77 Main; 88 Extended; 100 High; 110 High 10; 122 High 4:2:2; 244 High 4:4:4 Predictive; \
    44 CAVLC 4:4:4 Intra; 83 Scalable Baseline; 86 Scalable High; 118 Multiview High; 128 Stereo High; \
    134 MFC High; 135 MFC Depth High; 138 Multiview Depth High; 139 Enhanced Multiview Depth High
    """
  }

  /// ISO/IEC 14496-10, table A-1.
  package static var avcLevels: ValueNames {
    """
    9 1b; 10 1; 11 1.1; 12 1.2; 13 1.3; 20 2; 21 2.1; 22 2.2; 30 3; 31 3.1; 32 3.2; 40 4; 41 4.1; 42 4.2; 50 5; \
    51 5.1; 52 5.2; 60 6; 61 6.1; 62 6.2
    """
  }

  /// ISO/IEC 23008-2, A.3.
  package static var hevcProfiles: ValueNames {
    """
    1 Main; 2 Main 10; 3 Main Still Picture; 4 Range Extensions; 5 High Throughput; 6 Multiview Main; \
    7 Scalable Main; 8 3D Main; 9 Screen Content; 10 Scalable Range Extensions; 11 High Throughput Screen Content
    """
  }

  /// ISO/IEC 23008-2, table A.8.
  package static var hevcLevels: ValueNames {
    "30 1; 60 2; 63 2.1; 90 3; 93 3.1; 120 4; 123 4.1; 150 5; 153 5.1; 156 5.2; 180 6; 183 6.1; 186 6.2; 255 8.5"
  }

  /// AV1, A.3.
  package static var av1Levels: ValueNames {
    """
    0 2.0; 1 2.1; 4 3.0; 5 3.1; 8 4.0; 9 4.1; 12 5.0; 13 5.1; 14 5.2; 15 5.3; 16 6.0; 17 6.1; 18 6.2; 19 6.3; \
    31 no limit
    """
  }

  /// ISO/IEC 23090-3, A.3.
  package static var vvcProfiles: ValueNames {
    """
    1 Main 10; 2 Main 12; 10 Main 12 Intra; 17 Multilayer Main 10; 33 Main 10 4:4:4; 34 Main 12 4:4:4; \
    36 Main 16 4:4:4; 42 Main 12 4:4:4 Intra; 44 Main 16 4:4:4 Intra; 49 Multilayer Main 10 4:4:4; \
    65 Main 10 Still Picture; 66 Main 12 Still Picture; 97 Main 10 4:4:4 Still Picture; \
    98 Main 12 4:4:4 Still Picture; 100 Main 16 4:4:4 Still Picture
    """
  }

  /// ISO/IEC 23090-3, table A.1.
  package static var vvcLevels: ValueNames {
    """
    16 1.0; 32 2.0; 35 2.1; 48 3.0; 51 3.1; 64 4.0; 67 4.1; 80 5.0; 83 5.1; 86 5.2; 96 6.0; 99 6.1; 102 6.2; \
    105 6.3; 255 15.5
    """
  }
}

extension FieldCoder {
  /// Shows the name of the protection system of a `pssh`, if its UUID is registered and in use.
  mutating func protectionSystem(_ id: [UInt8]) {
    let name = isShowing ? ProtectionSystem.name(of: id) : nil
    derived("system_name", name.map { .text(BoxString(Array($0.description.utf8))) })
  }
}

/// The names of values in codec configurations.
extension ValueNames {
  /// `chroma_format_idc` of all MPEG codecs.
  static var chromaFormats: ValueNames { "0 monochrome; 1 4:2:0; 2 4:2:2; 3 4:4:4" }

  /// Tiers of HEVC, VVC and AV1.
  static var tiers: ValueNames { "0 Main; 1 High" }

  /// ISO/IEC 14496-15:2022, 8.3.2.1.3.
  static var parallelismTypes: ValueNames { "0 mixed or unknown; 1 slices; 2 tiles; 3 wavefronts" }

  /// ISO/IEC 14496-15:2022, 8.3.2.1.3.
  static var frameRateConstancy: ValueNames { "0 unknown; 1 constant; 2 constant in each temporal layer" }

  /// ISO/IEC 14496-10, 7.4.2.1.1.
  static var avcConstraints: ValueNames {
    """
    0x80 constraint_set0; 0x40 constraint_set1; 0x20 constraint_set2; 0x10 constraint_set3; 0x8 constraint_set4; \
    0x4 constraint_set5
    """
  }

  /// ISO/IEC 23008-2, A.3: the bit of profile 0 comes first.
  static var hevcCompatibility: ValueNames {
    """
    0x40000000 Main; 0x20000000 Main 10; 0x10000000 Main Still Picture; 0x8000000 Range Extensions; \
    0x4000000 High Throughput; 0x2000000 Multiview Main; 0x1000000 Scalable Main; 0x800000 3D Main; \
    0x400000 Screen Content; 0x200000 Scalable Range Extensions; 0x100000 High Throughput Screen Content
    """
  }

  /// ISO/IEC 23008-2, 7.4.4.
  static var hevcConstraints: ValueNames {
    """
    0x800000000000 progressive source; 0x400000000000 interlaced source; 0x200000000000 not packed; \
    0x100000000000 frames only
    """
  }

  /// ISO/IEC 23008-2, table 7-1.
  static var hevcNALUnitTypes: ValueNames {
    """
    0 TRAIL_N; 1 TRAIL_R; 2 TSA_N; 3 TSA_R; 4 STSA_N; 5 STSA_R; 6 RADL_N; 7 RADL_R; 8 RASL_N; 9 RASL_R; \
    16 BLA_W_LP; 17 BLA_W_RADL; 18 BLA_N_LP; 19 IDR_W_RADL; 20 IDR_N_LP; 21 CRA; 32 VPS; 33 SPS; 34 PPS; 35 AUD; \
    36 EOS; 37 EOB; 38 FD; 39 prefix SEI; 40 suffix SEI
    """
  }

  /// ISO/IEC 23090-3, table 5.
  static var vvcNALUnitTypes: ValueNames {
    """
    0 TRAIL; 1 STSA; 2 RADL; 3 RASL; 7 IDR_W_RADL; 8 IDR_N_LP; 9 CRA; 10 GDR; 12 OPI; 13 DCI; 14 VPS; 15 SPS; \
    16 PPS; 17 prefix APS; 18 suffix APS; 19 PH; 20 AUD; 21 EOS; 22 EOB; 23 prefix SEI; 24 suffix SEI; 25 FD
    """
  }

  /// ISO/IEC 14496-1, tables of profiles and levels; a visual profile of 0xfe is not a mask.
  static var profileLevels: ValueNames { "0xff=0xfe none specified; 0xff=0xff none required" }

  /// ETSI TS 102 366, 4.4.2.2.
  static var dolbyServices: ValueNames {
    """
    0 complete main; 1 music and effects; 2 visually impaired; 3 hearing impaired; 4 dialogue; 5 commentary; \
    6 emergency; 7 voice over or karaoke
    """
  }

  /// ETSI TS 102 366, F.4.1, in bits per second.
  static var dolbyBitRates: ValueNames {
    """
    0 32000; 1 40000; 2 48000; 3 56000; 4 64000; 5 80000; 6 96000; 7 112000; 8 128000; 9 160000; 10 192000; \
    11 224000; 12 256000; 13 320000; 14 384000; 15 448000; 16 512000; 17 576000; 18 640000
    """
  }

  /// ETSI TS 103 190-1, table 83. With 44100 samples per second, there is only one rate.
  static var dolbyFrameRates: ValueNames {
    """
    0 23.976; 1 24; 2 25; 3 29.97; 4 30; 5 47.95; 6 48; 7 50; 8 59.94; 9 60; 10 100; 11 119.88; 12 120; \
    13 a frame each 2048 samples
    """
  }

  /// ETSI TS 103 190-2, table 78.
  static var dolbyChannelModes: ValueNames {
    """
    0 1/0; 1 2/0; 2 3/0; 3 3/2; 4 3/2.1; 5 3/4/0; 6 3/4/0.1; 7 5/2/0; 8 5/2/0.1; 9 3/2/2; 10 3/2/2.1; 11 7/0/4; \
    12 7/1/4; 13 9/0/4; 14 9/1/4; 15 22.2
    """
  }

  /// Dolby Vision Profiles and Levels: the largest picture and its frame rate.
  static var dolbyVisionLevels: ValueNames {
    """
    1 1280x720 at 24; 2 1280x720 at 30; 3 1920x1080 at 24; 4 1920x1080 at 30; 5 1920x1080 at 60; 6 3840x2160 at 24; \
    7 3840x2160 at 30; 8 3840x2160 at 48; 9 3840x2160 at 60; 10 3840x2160 at 120; 11 7680x4320 at 30; \
    12 7680x4320 at 60; 13 7680x4320 at 120
    """
  }
}
