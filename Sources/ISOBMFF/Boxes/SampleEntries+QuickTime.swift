public import Bytes

/// Sample entries of QuickTime codecs.
extension SampleEntries {
  /// Video formats of cameras and editing.
  static let quickTimeProduction: [BoxDefinition] = [
    entry("apch", "Apple ProRes 422 HQ", "QuickTime File Format"),
    entry("apcn", "Apple ProRes 422", "QuickTime File Format"),
    entry("apcs", "Apple ProRes 422 LT", "QuickTime File Format"),
    entry("apco", "Apple ProRes 422 Proxy", "QuickTime File Format"),
    entry("ap4h", "Apple ProRes 4444", "QuickTime File Format"),
    entry("ap4x", "Apple ProRes 4444 XQ", "QuickTime File Format"),
    entry("aprn", "Apple ProRes RAW", "QuickTime File Format"),
    entry("aprh", "Apple ProRes RAW HQ", "QuickTime File Format"),
    entry("icod", "Apple Intermediate Codec", "QuickTime File Format"),
    entry("pxlt", "Apple Pixlet", "QuickTime File Format"),
    entry("AVdn", "Avid DNxHD", "QuickTime File Format"),
    entry("AVdh", "Avid DNxHR", "QuickTime File Format"),
    entry("AVdv", "Avid DV", "QuickTime File Format"),
    entry("AVd1", "Avid DV", "QuickTime File Format"),
    entry("ADJV", "Avid JPEG", "QuickTime File Format"),
    entry("AVDJ", "Avid JPEG", "QuickTime File Format"),
    entry("AVj2", "Avid JPEG 2000", "QuickTime File Format"),
    entry("AVup", "Avid uncompressed 10 bit", "QuickTime File Format"),
    entry("AVrp", "Avid RGB packer", "QuickTime File Format"),
    entry("AVmp", "Avid IMX", "QuickTime File Format"),
    entry("AVin", "Avid AVC-Intra", "QuickTime File Format"),
    entry("dvc ", "DV NTSC", "QuickTime File Format"),
    entry("dvcp", "DV PAL", "QuickTime File Format"),
    entry("dvpp", "DVCPRO PAL", "QuickTime File Format"),
    entry("dv5n", "DVCPRO50 NTSC", "QuickTime File Format"),
    entry("dv5p", "DVCPRO50 PAL", "QuickTime File Format"),
    entry("dvh2", "DVCPRO HD, 1080p25", "QuickTime File Format"),
    entry("dvh3", "DVCPRO HD, 1080p30", "QuickTime File Format"),
    entry("dvh4", "DVCPRO HD, 1080p24", "QuickTime File Format"),
    entry("dvh5", "DVCPRO HD, 1080i50", "QuickTime File Format"),
    entry("dvh6", "DVCPRO HD, 1080i60", "QuickTime File Format"),
    entry("dvhp", "DVCPRO HD, 720p60", "QuickTime File Format"),
    entry("dvhq", "DVCPRO HD, 720p50", "QuickTime File Format"),
    entry("mx3n", "MPEG IMX 30, NTSC", "QuickTime File Format"),
    entry("mx3p", "MPEG IMX 30, PAL", "QuickTime File Format"),
    entry("mx4n", "MPEG IMX 40, NTSC", "QuickTime File Format"),
    entry("mx4p", "MPEG IMX 40, PAL", "QuickTime File Format"),
    entry("mx5n", "MPEG IMX 50, NTSC", "QuickTime File Format"),
    entry("mx5p", "MPEG IMX 50, PAL", "QuickTime File Format"),
    entry("m1v1", "MPEG-1 video", "QuickTime File Format"),
    entry("m2v1", "MPEG-2 video", "QuickTime File Format"),
    entry("mp1v", "MPEG-1 video", "QuickTime File Format"),
    entry("mp2v", "MPEG-2 video", "QuickTime File Format"),
    entry("hdv1", "HDV, 720p30", "QuickTime File Format"),
    entry("hdv2", "HDV, 1080i60", "QuickTime File Format"),
    entry("hdv3", "HDV, 1080i50", "QuickTime File Format"),
    entry("hdv4", "HDV, 720p24", "QuickTime File Format"),
    entry("hdv5", "HDV, 720p25", "QuickTime File Format"),
    entry("hdv6", "HDV, 1080p24", "QuickTime File Format"),
    entry("hdv7", "HDV, 1080p25", "QuickTime File Format"),
    entry("hdv8", "HDV, 1080p30", "QuickTime File Format"),
    entry("hdv9", "HDV, 720p60", "QuickTime File Format"),
    entry("hdva", "HDV, 720p50", "QuickTime File Format"),
    entry("xdv1", "XDCAM EX, 720p30", "QuickTime File Format"),
    entry("xdv2", "XDCAM EX, 1080i60", "QuickTime File Format"),
    entry("xdv3", "XDCAM EX, 1080i50", "QuickTime File Format"),
    entry("xdv4", "XDCAM EX, 720p24", "QuickTime File Format"),
    entry("xdv5", "XDCAM EX, 720p25", "QuickTime File Format"),
    entry("xdv6", "XDCAM EX, 1080p24", "QuickTime File Format"),
    entry("xdv7", "XDCAM EX, 1080p25", "QuickTime File Format"),
    entry("xdv8", "XDCAM EX, 1080p30", "QuickTime File Format"),
    entry("xdv9", "XDCAM EX, 720p60", "QuickTime File Format"),
    entry("xdva", "XDCAM EX, 720p50", "QuickTime File Format"),
    entry("xdvb", "XDCAM EX 50, 1080i60", "QuickTime File Format"),
    entry("xdvc", "XDCAM EX 50, 1080i50", "QuickTime File Format"),
    entry("xdvd", "XDCAM EX 50, 1080p24", "QuickTime File Format"),
    entry("xdve", "XDCAM EX 50, 1080p25", "QuickTime File Format"),
    entry("xdvf", "XDCAM EX 50, 1080p30", "QuickTime File Format"),
    entry("xd51", "XDCAM HD422, 720p30", "QuickTime File Format"),
    entry("xd54", "XDCAM HD422, 720p24", "QuickTime File Format"),
    entry("xd55", "XDCAM HD422, 720p25", "QuickTime File Format"),
    entry("xd59", "XDCAM HD422, 720p60", "QuickTime File Format"),
    entry("xd5a", "XDCAM HD422, 720p50", "QuickTime File Format"),
    entry("xd5b", "XDCAM HD422, 1080i60", "QuickTime File Format"),
    entry("xd5c", "XDCAM HD422, 1080i50", "QuickTime File Format"),
    entry("xd5d", "XDCAM HD422, 1080p24", "QuickTime File Format"),
    entry("xd5e", "XDCAM HD422, 1080p25", "QuickTime File Format"),
    entry("xd5f", "XDCAM HD422, 1080p30", "QuickTime File Format"),
    entry("xdhd", "XDCAM HD, 540p", "QuickTime File Format"),
    entry("xdh2", "XDCAM HD422, 540p", "QuickTime File Format"),
    entry("ai5p", "AVC-Intra 50, 720p60", "QuickTime File Format"),
    entry("ai5q", "AVC-Intra 50, 720p50", "QuickTime File Format"),
    entry("ai52", "AVC-Intra 50, 1080p25", "QuickTime File Format"),
    entry("ai53", "AVC-Intra 50, 1080p30", "QuickTime File Format"),
    entry("ai55", "AVC-Intra 50, 1080i50", "QuickTime File Format"),
    entry("ai56", "AVC-Intra 50, 1080i60", "QuickTime File Format"),
    entry("ai1p", "AVC-Intra 100, 720p60", "QuickTime File Format"),
    entry("ai1q", "AVC-Intra 100, 720p50", "QuickTime File Format"),
    entry("ai12", "AVC-Intra 100, 1080p25", "QuickTime File Format"),
    entry("ai13", "AVC-Intra 100, 1080p30", "QuickTime File Format"),
    entry("ai15", "AVC-Intra 100, 1080i50", "QuickTime File Format"),
    entry("ai16", "AVC-Intra 100, 1080i60", "QuickTime File Format"),
    entry("aivx", "XAVC long GOP", "QuickTime File Format"),
  ]
  /// Video formats for playback.
  static let quickTimeVisual: [BoxDefinition] = [
    entry("drmi", "Protected Visual Sample Entry of iTunes", "QuickTime File Format"),
    entry("jpeg", "JPEG", "QuickTime File Format"),
    entry("mjpa", "Motion JPEG, format A", "QuickTime File Format"),
    entry("mjpb", "Motion JPEG, format B", "QuickTime File Format"),
    entry("png ", "PNG", "QuickTime File Format"),
    entry("tiff", "TIFF", "QuickTime File Format"),
    entry("gif ", "GIF", "QuickTime File Format"),
    entry("tga ", "Targa", "QuickTime File Format"),
    entry("kpcd", "Kodak Photo CD", "QuickTime File Format"),
    entry("qdrw", "QuickDraw", "QuickTime File Format"),
    entry("8BPS", "Photoshop layers", "QuickTime File Format"),
    entry("rle ", "Animation", "QuickTime File Format"),
    entry("rpza", "Apple Video", "QuickTime File Format"),
    entry("smc ", "Graphics", "QuickTime File Format"),
    entry("cvid", "Cinepak", "QuickTime File Format"),
    entry("SVQ1", "Sorenson Video 1", "QuickTime File Format"),
    entry("SVQ3", "Sorenson Video 3", "QuickTime File Format"),
    entry("h263", "H.263", "QuickTime File Format"),
    entry("H263", "H.263", "QuickTime File Format"),
    entry("h261", "H.261", "QuickTime File Format"),
    entry("v210", "Uncompressed 4:2:2, 10 bit", "QuickTime File Format"),
    entry("v216", "Uncompressed 4:2:2, 16 bit", "QuickTime File Format"),
    entry("v308", "Uncompressed 4:4:4, 8 bit", "QuickTime File Format"),
    entry("v408", "Uncompressed 4:4:4:4, 8 bit", "QuickTime File Format"),
    entry("v410", "Uncompressed 4:4:4, 10 bit", "QuickTime File Format"),
    entry("2vuy", "Uncompressed 4:2:2, 8 bit", "QuickTime File Format"),
    entry("yuv2", "Uncompressed 4:2:2, signed chroma", "QuickTime File Format"),
    entry("yuvs", "Uncompressed 4:2:2, 8 bit, luma first", "QuickTime File Format"),
    entry("r210", "Uncompressed RGB, 10 bit", "QuickTime File Format"),
    entry("R10k", "Uncompressed RGB, 10 bit, AJA", "QuickTime File Format"),
    entry("b16g", "Uncompressed grey, 16 bit", "QuickTime File Format"),
    entry("b48r", "Uncompressed RGB, 16 bit", "QuickTime File Format"),
    entry("b64a", "Uncompressed ARGB, 16 bit", "QuickTime File Format"),
    entry("raw ", "Uncompressed RGB", "QuickTime File Format"),
  ]
  /// Audio formats.
  static let quickTimeAudio: [BoxDefinition] = [
    sound("drms", "Protected Audio Sample Entry of iTunes", "QuickTime File Format"),
    sound("lpcm", "Uncompressed, described by version 2", "QuickTime File Format"),
    sound("sowt", "Uncompressed, signed, little endian", "QuickTime File Format"),
    sound("twos", "Uncompressed, signed, big endian", "QuickTime File Format"),
    sound("raw ", "Uncompressed, offset binary", "QuickTime File Format"),
    sound("NONE", "Uncompressed", "QuickTime File Format"),
    sound("in24", "Uncompressed 24 bit", "QuickTime File Format"),
    sound("in32", "Uncompressed 32 bit", "QuickTime File Format"),
    sound("fl32", "Uncompressed 32 bit floating point", "QuickTime File Format"),
    sound("fl64", "Uncompressed 64 bit floating point", "QuickTime File Format"),
    sound("ulaw", "mu-law", "QuickTime File Format"),
    sound("alaw", "A-law", "QuickTime File Format"),
    sound("ima4", "IMA ADPCM", "QuickTime File Format"),
    sound("MAC3", "MACE 3:1", "QuickTime File Format"),
    sound("MAC6", "MACE 6:1", "QuickTime File Format"),
    sound("dvca", "DV Audio", "QuickTime File Format"),
    sound("dvi ", "DVI ADPCM", "QuickTime File Format"),
    sound(".mp3", "MPEG-1 layer 3", "QuickTime File Format"),
    sound("QDMC", "QDesign Music", "QuickTime File Format"),
    sound("QDM2", "QDesign Music 2", "QuickTime File Format"),
    sound("Qclp", "QUALCOMM PureVoice", "QuickTime File Format"),
    sound("agsm", "GSM", "QuickTime File Format"),
    sound("ms\u{0}\u{2}", "Microsoft ADPCM", "QuickTime File Format"),
    sound("ms\u{0}\u{11}", "DVI ADPCM of Microsoft", "QuickTime File Format"),
    sound("ms\u{0}U", "MPEG-1 layer 3 of Microsoft", "QuickTime File Format"),
  ]
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
