public import MP4Bytes

/// The coding of samples, for any kind of media.
public struct SampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("meta", "Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.5.2")
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
  }
}

/// The coding of video.
public struct VisualSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("vide", "Visual Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.1.3")
  public static let holdsBoxes = true
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// The first QuickTime fields; zeros in ISO files.
  public var quickTime: QuickTimeVideoDescription?
  /// The width of the coded picture.
  public var width: UInt16 = 0
  /// The height of the coded picture.
  public var height: UInt16 = 0
  /// Pixels per inch, 16.16.
  public var horizontalResolution: UInt32 = 0x48_0000
  /// Pixels per inch, 16.16.
  public var verticalResolution: UInt32 = 0x48_0000
  /// The number of frames in a sample.
  public var frameCount: UInt16 = 1
  /// A human-readable name: one byte with its length, and 31 bytes.
  public var compressorName = FixedName(length: 32)
  /// 0x18 for color without alpha, 0x20 with alpha, 0x28 for grayscale.
  public var depth: UInt16 = 0x18
  /// -1; in QuickTime, the ID of a color table.
  public var preDefined: Int16 = -1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// A picture without a size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try pictureFields(&c)
    c.boxes()
  }

  /// The fields before the boxes.
  mutating func pictureFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    if c.isReading ? !c.isZero(16) : quickTime != nil || c.isDescribing {
      var more = quickTime ?? QuickTimeVideoDescription()
      try more.fields(&c)
      quickTime = more
    } else {
      try c.reserved(&reserved, bytes: 16)
    }
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint32("horizresolution", &horizontalResolution, as: .fixed(16))
    try c.uint32("vertresolution", &verticalResolution, as: .fixed(16))
    try c.reserved(&reserved, bytes: 4)
    try c.uint16("frame_count", &frameCount)
    try c.fixedName("compressorname", &compressorName)
    try c.uint16("depth", &depth)
    try c.int16("pre_defined", &preDefined)
  }
}

/// A text of fixed length after a byte with the number of its characters.
public struct FixedName: Hashable, Sendable, CustomStringConvertible {
  /// All bytes, starting with the length.
  public var bytes: [UInt8]
  /// No text in `length` bytes.
  public init(length: Int) { bytes = Array(repeating: 0, count: length) }
  /// The text; some QuickTime writers omit the length.
  public var description: String { String(decoding: text, as: UTF8.self) }
  var text: ArraySlice<UInt8> { bytes.dropFirst().prefix(Int(bytes.first ?? 0)) }

  /// Replaces the text, truncated to the available size. The bytes after an unchanged text are kept.
  mutating func set(_ text: [UInt8]) {
    guard !text.elementsEqual(self.text), !bytes.isEmpty else { return }
    let room = bytes.count - 1
    let new = text.prefix(min(room, 255))
    bytes = [UInt8(new.count)] + new + Array(repeating: 0, count: room - new.count)
  }
}

extension FieldCoder {
  /// A fixed-length text after a length byte.
  mutating func fixedName(_ name: StaticText, _ value: inout FixedName) throws(BoxError) {
    switch mode {
    case .read:
      value.bytes = try reader.bytes(name, count: value.bytes.count)
      show(name, .text(BoxString(Array(value.text))))
    case .write: writer.bytes += value.bytes
    case .measure: measured += value.bytes.count
    case .describe: described.append(FieldDescription(name, "string", bits: value.bytes.count * 8))
    case .access:
      var text = BoxString(Array(value.text), form: .unterminated)
      accessed(name, &text)
      value.set(text.bytes)
    }
  }
}

/// The known sample entries, and generic ones for unknown types.
enum SampleEntries {
  static let visual =
    pictures(
      """
      avc1 AVC Sample Entry; ISO/IEC 14496-15:2022, 5.4.2
      avc2 AVC2 Sample Entry; ISO/IEC 14496-15:2022, 5.4.2
      avc3 AVC Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 5.4.2
      avc4 AVC2 Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 5.4.2
      hvc1 HEVC Sample Entry; ISO/IEC 14496-15:2022, 8.4.1
      hev1 HEVC Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 8.4.1
      mp4v MPEG-4 Visual Sample Entry; ISO/IEC 14496-14:2020, 6.7
      av01 AV1 Sample Entry; AV1 in ISOBMFF 1.2.0, 2.2
      vp09 VP9 Sample Entry; VP codecs in ISOBMFF 1.0
      encv Encrypted Visual Sample Entry; ISO/IEC 14496-12:2022, 8.12
      """) + otherVisual + quickTimeProduction + quickTimeVisual
  static let audio =
    sounds(
      """
      mp4a MPEG-4 Audio Sample Entry; ISO/IEC 14496-14:2020, 6.7
      enca Encrypted Audio Sample Entry; ISO/IEC 14496-12:2022, 8.12
      ac-3 AC-3 Sample Entry; ETSI TS 102 366, F.3
      ec-3 Enhanced AC-3 Sample Entry; ETSI TS 102 366, F.5
      Opus Opus Sample Entry; Opus in ISOBMFF 0.8.1, 4.3.1
      fLaC FLAC Sample Entry; FLAC in ISOBMFF 0.0.4, 3.3.1
      alac Apple Lossless Sample Entry; Apple Lossless Magic Cookie Description
      """) + otherAudio + quickTimeAudio

  /// The types of visual entries.
  static let visualTypes = visual.map(\.info.type)
  /// The types of audio entries.
  static let audioTypes = audio.map(\.info.type)

  /// An entry of an unknown type, which is read according to the handler of its track.
  static func generic(_ type: FourCC, handler: FourCC?) -> BoxDefinition {
    let plain = BoxInfo(type, "Sample Entry", in: ["stsd"], SampleEntry.info.clause)
    var definition =
      switch handler {
      case "vide":
        BoxDefinition(
          BoxInfo(type, "Visual Sample Entry", in: ["stsd"], VisualSampleEntry.info.clause), as: VisualSampleEntry.self)
      case "soun":
        BoxDefinition(
          BoxInfo(type, "Audio Sample Entry", in: ["stsd"], AudioSampleEntry.info.clause), as: AudioSampleEntry.self)
      default: BoxDefinition(plain, as: SampleEntry.self)
      }
    definition.isGuess = true
    return definition
  }

  /// Video formats; see `BoxDefinition.list`.
  static func pictures(_ text: StaticText, _ clause: StaticText = "") -> [BoxDefinition] {
    BoxDefinition.list(text, in: ["stsd"], clause, as: VisualSampleEntry.self)
  }
  /// Audio formats.
  static func sounds(_ text: StaticText, _ clause: StaticText = "") -> [BoxDefinition] {
    BoxDefinition.list(text, in: ["stsd"], clause, as: AudioSampleEntry.self)
  }
}

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

/// Sample entries of QuickTime codecs.
extension SampleEntries {
  /// Video formats of cameras and editing.
  static let quickTimeProduction = pictures(
    """
    apch Apple ProRes 422 HQ | apcn Apple ProRes 422 | apcs Apple ProRes 422 LT | apco Apple ProRes 422 Proxy
    ap4h Apple ProRes 4444 | ap4x Apple ProRes 4444 XQ | aprn Apple ProRes RAW | aprh Apple ProRes RAW HQ
    icod Apple Intermediate Codec | pxlt Apple Pixlet | AVdn Avid DNxHD | AVdh Avid DNxHR | AVdv Avid DV
    AVd1 Avid DV | ADJV Avid JPEG | AVDJ Avid JPEG | AVj2 Avid JPEG 2000 | AVup Avid uncompressed 10 bit
    AVrp Avid RGB packer | AVmp Avid IMX | AVin Avid AVC-Intra | dvc  DV NTSC | dvcp DV PAL | dvpp DVCPRO PAL
    dv5n DVCPRO50 NTSC | dv5p DVCPRO50 PAL | dvh2 DVCPRO HD, 1080p25 | dvh3 DVCPRO HD, 1080p30
    dvh4 DVCPRO HD, 1080p24 | dvh5 DVCPRO HD, 1080i50 | dvh6 DVCPRO HD, 1080i60 | dvhp DVCPRO HD, 720p60
    dvhq DVCPRO HD, 720p50 | mx3n MPEG IMX 30, NTSC | mx3p MPEG IMX 30, PAL | mx4n MPEG IMX 40, NTSC
    mx4p MPEG IMX 40, PAL | mx5n MPEG IMX 50, NTSC | mx5p MPEG IMX 50, PAL | m1v1 MPEG-1 video | m2v1 MPEG-2 video
    mp1v MPEG-1 video | mp2v MPEG-2 video | hdv1 HDV, 720p30 | hdv2 HDV, 1080i60 | hdv3 HDV, 1080i50
    hdv4 HDV, 720p24 | hdv5 HDV, 720p25 | hdv6 HDV, 1080p24 | hdv7 HDV, 1080p25 | hdv8 HDV, 1080p30 | hdv9 HDV, 720p60
    hdva HDV, 720p50 | xdv1 XDCAM EX, 720p30 | xdv2 XDCAM EX, 1080i60 | xdv3 XDCAM EX, 1080i50 | xdv4 XDCAM EX, 720p24
    xdv5 XDCAM EX, 720p25 | xdv6 XDCAM EX, 1080p24 | xdv7 XDCAM EX, 1080p25 | xdv8 XDCAM EX, 1080p30
    xdv9 XDCAM EX, 720p60 | xdva XDCAM EX, 720p50 | xdvb XDCAM EX 50, 1080i60 | xdvc XDCAM EX 50, 1080i50
    xdvd XDCAM EX 50, 1080p24 | xdve XDCAM EX 50, 1080p25 | xdvf XDCAM EX 50, 1080p30 | xd51 XDCAM HD422, 720p30
    xd54 XDCAM HD422, 720p24 | xd55 XDCAM HD422, 720p25 | xd59 XDCAM HD422, 720p60 | xd5a XDCAM HD422, 720p50
    xd5b XDCAM HD422, 1080i60 | xd5c XDCAM HD422, 1080i50 | xd5d XDCAM HD422, 1080p24 | xd5e XDCAM HD422, 1080p25
    xd5f XDCAM HD422, 1080p30 | xdhd XDCAM HD, 540p | xdh2 XDCAM HD422, 540p | ai5p AVC-Intra 50, 720p60
    ai5q AVC-Intra 50, 720p50 | ai52 AVC-Intra 50, 1080p25 | ai53 AVC-Intra 50, 1080p30 | ai55 AVC-Intra 50, 1080i50
    ai56 AVC-Intra 50, 1080i60 | ai1p AVC-Intra 100, 720p60 | ai1q AVC-Intra 100, 720p50 | ai12 AVC-Intra 100, 1080p25
    ai13 AVC-Intra 100, 1080p30 | ai15 AVC-Intra 100, 1080i50 | ai16 AVC-Intra 100, 1080i60 | aivx XAVC long GOP
    """, "QuickTime File Format")
  /// Video formats for playback.
  static let quickTimeVisual = pictures(
    """
    drmi Protected Visual Sample Entry of iTunes | jpeg JPEG | mjpa Motion JPEG, format A | mjpb Motion JPEG, format B
    png  PNG | tiff TIFF | gif  GIF | tga  Targa | kpcd Kodak Photo CD | qdrw QuickDraw | 8BPS Photoshop layers
    rle  Animation | rpza Apple Video | smc  Graphics | cvid Cinepak | SVQ1 Sorenson Video 1 | SVQ3 Sorenson Video 3
    h263 H.263 | H263 H.263 | h261 H.261 | v210 Uncompressed 4:2:2, 10 bit | v216 Uncompressed 4:2:2, 16 bit
    v308 Uncompressed 4:4:4, 8 bit | v408 Uncompressed 4:4:4:4, 8 bit | v410 Uncompressed 4:4:4, 10 bit
    2vuy Uncompressed 4:2:2, 8 bit | yuv2 Uncompressed 4:2:2, signed chroma
    yuvs Uncompressed 4:2:2, 8 bit, luma first | r210 Uncompressed RGB, 10 bit | R10k Uncompressed RGB, 10 bit, AJA
    b16g Uncompressed grey, 16 bit | b48r Uncompressed RGB, 16 bit | b64a Uncompressed ARGB, 16 bit
    raw  Uncompressed RGB
    """, "QuickTime File Format")
  /// Audio formats.
  static let quickTimeAudio = sounds(
    """
    drms Protected Audio Sample Entry of iTunes | lpcm Uncompressed, described by version 2
    sowt Uncompressed, signed, little endian | twos Uncompressed, signed, big endian
    raw  Uncompressed, offset binary | NONE Uncompressed | in24 Uncompressed 24 bit | in32 Uncompressed 32 bit
    fl32 Uncompressed 32 bit floating point | fl64 Uncompressed 64 bit floating point | ulaw mu-law | alaw A-law
    ima4 IMA ADPCM | MAC3 MACE 3:1 | MAC6 MACE 6:1 | dvca DV Audio | dvi  DVI ADPCM | .mp3 MPEG-1 layer 3
    QDMC QDesign Music | QDM2 QDesign Music 2 | Qclp QUALCOMM PureVoice | agsm GSM | ms\u{0}\u{2} Microsoft ADPCM
    ms\u{0}\u{11} DVI ADPCM of Microsoft | ms\u{0}U MPEG-1 layer 3 of Microsoft
    """, "QuickTime File Format")
}

/// The sample entries that only QuickTime has.
package enum QuickTimeFormats {
  /// The name of a video or audio sample entry that does not occur in ISO files.
  package static func name(of type: FourCC, isSound: Bool) -> String? { (isSound ? sound : pictures)[type] }
  /// Whether a sample entry is one for video.
  package static func isVisual(_ type: FourCC) -> Bool { visual.contains(type) }

  private static let visual = Set(SampleEntries.visualTypes)
  private static let pictures = names(SampleEntries.quickTimeProduction + SampleEntries.quickTimeVisual)
  private static let sound = names(SampleEntries.quickTimeAudio)

  private static func names(_ definitions: [BoxDefinition]) -> [FourCC: String] {
    // iTunes writes its protected entries to ISO files.
    let own = definitions.filter { !["drmi", "drms"].contains($0.info.type) }
    return Dictionary(own.map { ($0.info.type, "\($0.info.name)") }) { first, _ in first }
  }
}

/// The QuickTime fields of a video description before the size.
public struct QuickTimeVideoDescription: Equatable, Sendable {
  /// The version of the description.
  public var version: UInt16 = 0
  /// The version of the encoder.
  public var revisionLevel: UInt16 = 0
  /// The vendor of the encoder, such as `appl`.
  public var vendor = FourCC()
  /// The quality of temporal compression: 0 to 1023.
  public var temporalQuality: UInt32 = 0
  /// The quality of spatial compression: 0 to 1024; 1024 is lossless.
  public var spatialQuality: UInt32 = 0
  /// An empty description.
  public init() {}

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("version", &version)
    try c.uint16("revision_level", &revisionLevel)
    try c.fourCC("vendor", &vendor)
    try c.uint32("temporal_quality", &temporalQuality)
    try c.uint32("spatial_quality", &spatialQuality)
  }
}

extension FieldCoder {
  /// Whether the next `count` bytes are zeros, or end earlier.
  func isZero(_ count: Int) -> Bool { (0..<count).allSatisfy { peek($0) ?? 0 == 0 } }
}
