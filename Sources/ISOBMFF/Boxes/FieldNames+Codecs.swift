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
