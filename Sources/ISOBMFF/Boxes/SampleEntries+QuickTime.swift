public import Bytes

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
