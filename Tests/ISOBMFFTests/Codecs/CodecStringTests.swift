import ISOBMFF
import MP4Bytes
import Support
import Testing

/// The strings are examples of the standards that register them, or follow from their text.
@Suite("Codecs strings")
struct CodecStringTests {
  private static let constraints = "fc fd f8 f8 0000 0f 00"

  static let pictures: [(String, [UInt8])] = [
    // RFC 6381, 3.3.
    ("avc1.4D401E", visual("avc1", hexBox("avcC", "01 4d401e ff e0 00"))),
    ("avc1.42E01E", visual("avc1", hexBox("avcC", "01 42e01e ff e0 00"))),
    ("avc3.64001F", visual("avc3", hexBox("avcC", "01 64001f ff e0 00"))),
    ("avc2.64001F", visual("avc2", hexBox("avcC", "01 64001f ff e0 00"), hexBox("svcC", "01 560020 ff 00 00"))),
    ("svc1.560020", visual("svc1", hexBox("svcC", "01 560020 ff 00 00"))),
    ("mvc1.76001F", visual("mvc1", hexBox("mvcC", "01 76001f ff 00 00"))),
    // ISO/IEC 14496-15, E.3. The second string has only two constraint bytes left, the third one has a profile space.
    ("hev1.1.2.L93.B0", visual("hev1", hexBox("hvcC", "01 01 40000000 b00000000000 5d f000" + constraints))),
    ("hev1.A4.41.H120.B0.23", visual("hev1", hexBox("hvcC", "01 64 82000000 b02300000000 78 f000" + constraints))),
    ("hvc1.2.4.L153", visual("hvc1", hexBox("hvcC", "01 02 20000000 000000000000 99 f000" + constraints))),
    (
      "hvc1.C3.80000000.L30.0.0.0.0.0.1",
      visual("hvc1", hexBox("hvcC", "01 c3 00000001 000000000001 1e f000" + constraints))
    ),
    ("lhv1", visual("lhv1", hexBox("lhvC", "01 f000 fc c0 00"))),
    // ISO/IEC 14496-15, E.6, without the output layers of its example.
    ("vvc1.1.L51.CQA", visual("vvc1", fullBox("vvcC", vvc(constraints: "80")))),
    (
      "vvi1.65.H102.CAEBA.S1D4+7",
      visual(
        "vvi1",
        fullBox("vvcC", vvc(profile: 65 * 2 + 1, level: 102, constraints: "01 02 00", subProfiles: "000001d4 00000007"))
      )
    ),
    ("vvc1.1.L51", visual("vvc1", fullBox("vvcC", vvc(constraints: "00")))),
    ("vvc1", visual("vvc1", hexBox("vvcC", "00000000 fe 00"))),
    (
      "evc1.vprf1.vlev51.vtoh1FFFFF.vtol000000.vbit20.vcss420",
      visual("evc1", hexBox("evcC", "01 01 99 001fffff 00000000 50 0000 0000 03 00"))
    ),
    ("lvc1.vprf0.vlev1", visual("lvc1", hexBox("lvcC", "01 00 01 40 ff 00000000 00000000 00 00"))),
    // AV1 in ISOBMFF, 5, and strings that differ from its defaults in one value each.
    (
      "av01.0.04M.10.0.112.09.16.09.0",
      visual("av01", hexBox("av1C", "81 04 4e 00"), hexBox("colr", "6e636c78 0009 0010 0009 00"))
    ),
    ("av01.0.01M.08", visual("av01", hexBox("av1C", "81 01 0c 00"))),
    ("av01.0.01M.08.1.110.02.02.02.0", visual("av01", hexBox("av1C", "81 01 1c 00"))),
    (
      "av01.2.31H.12.0.100.01.01.01.1",
      visual("av01", hexBox("av1C", "81 5f e8 00"), hexBox("colr", "6e636c78 0001 0001 0001 80"))
    ),
    ("av01.1.05M.08.0.000.02.02.02.0", visual("av01", hexBox("av1C", "81 25 03 00"))),
    // VP Codec ISO Media File Format Binding 1.0.
    ("vp09.02.10.10.01.09.16.09.01", visual("vp09", hexBox("vpcC", "01000000 02 0a a3 09 10 09 0000"))),
    ("vp09.00.31.08", visual("vp09", hexBox("vpcC", "01000000 00 1f 82 01 01 01 0000"))),
    ("vp08.00.10.08.00.02.02.02.00", visual("vp08", hexBox("vpcC", "01000000 00 0a 80 02 02 02 0000"))),
    // RFC 6381, 3.3: visual simple profile, level 0, and advanced simple profile, level 0.
    ("mp4v.20.9", visual("mp4v", esds(0x20, "000001b009"))),
    ("mp4v.20.240", visual("mp4v", esds(0x20, "000001b0f0"))),
    ("mp4v.6C", visual("mp4v", esds(0x6c))),
    ("dvh1.05.06", visual("dvh1", hexBox("dvcC", "0100 0a35 00000000" + String(repeating: "00", count: 16)))),
    ("dav1.10.09", visual("dav1", hexBox("dvvC", "0100 144d 00000000" + String(repeating: "00", count: 16)))),
    ("dvav", visual("dvav")),
    ("avs3.20.6A", visual("avs3", hexBox("av3c", "01 0006 000001b0206a fc"))),
    ("apcn", visual("apcn")), ("mjp2", visual("mjp2")), ("jxsm", visual("jxsm")), ("uncv", visual("uncv")),
    // With damaged or missing configurations, only the four-character code is left.
    ("avc1", visual("avc1")), ("hvc1", visual("hvc1", hexBox("hvcC", "01 01"))), ("av01", visual("av01")),
  ]

  static let sounds: [(String, [UInt8])] = [
    ("mp4a.40.2", audio("mp4a", esds(0x40, "1190"))), ("mp4a.40.5", audio("mp4a", esds(0x40, "2b118800"))),
    ("mp4a.40.29", audio("mp4a", esds(0x40, "eb098800"))), ("mp4a.40.42", audio("mp4a", esds(0x40, "f94600"))),
    ("mp4a.40.34", audio("mp4a", esds(0x40, "f85000"))), ("mp4a.40.39", audio("mp4a", esds(0x40, "f8e64000"))),
    // SBR after the core configuration, as encoders write it for players that do not support it.
    ("mp4a.40.5", audio("mp4a", esds(0x40, "139056e5a8"))), ("mp4a.40.29", audio("mp4a", esds(0x40, "138856e5a54880"))),
    ("mp4a.40", audio("mp4a", esds(0x40))), ("mp4a.6B", audio("mp4a", esds(0x6b))),
    ("mp4a.67", audio("mp4a", esds(0x67))),
    ("mp4a", audio("mp4a")), ("mp4s.01", box("mp4s", zeros(6), [0, 1], esds(1))),
    ("ac-3", audio("ac-3", hexBox("dac3", "104000"))), ("ec-3", audio("ec-3", vector("dec3-atmos"))),
    // ETSI TS 103 190-2 as described by Dolby's guide for DASH, and the older layout.
    ("ac-4.02.01.02", audio("ac-4", vector("dac4-v1"))),
    ("ac-4.00.00.03", audio("ac-4", hexBox("dac4", "003a01 0b 00"))),
    ("mlpa", vector("entry-mlpa-ffmpeg")), ("dtsc", audio("dtsc")), ("dtse", audio("dtse")), ("dtsx", audio("dtsx")),
    ("mhm1.0x0D", audio("mhm1", hexBox("mhaC", "01 0d 06 0000"))), ("mha1.0x0C", audio("mha1", vector("mhaC"))),
    ("iamf.000.000.Opus", audio("iamf", hexBox("iacb", "01 13" + iamf + "00 09 00 4f707573 c007 fffc"))),
    ("iamf.000.000.mp4a.40.2", audio("iamf", hexBox("iacb", "01 12" + iamf + "00 08 00 6d703461 00 fffe"))),
    ("iamf", audio("iamf", hexBox("iacb", "01 08" + iamf))),
    ("iamf.000.000.%22%0A+%2C", audio("iamf", hexBox("iacb", "01 12" + iamf + "00 08 00 220a2b2c 00 fffe"))),
    ("av3a.02", audio("av3a", hexBox("dca3", "22"))),
    ("Opus", audio("Opus")), ("fLaC", audio("fLaC")), ("alac", audio("alac")), ("ipcm", audio("ipcm")),
    ("sowt", audio("sowt")), ("raw%20", audio("raw ")), ("%2Emp3", audio(".mp3")),
  ]
  private static let iamf = "f8 06 69616d66 00 00"

  static let texts: [(String, [UInt8])] = [
    (
      "stpp.ttml.im1t",
      subtitles("http://www.w3.org/ns/ttml", fullBox("mime", ascii("application/ttml+xml;codecs=im1t\0")))
    ),
    (
      "stpp.ttml.im1t|etd1",
      subtitles("http://www.w3.org/ns/ttml", fullBox("mime", ascii("application/ttml+xml; codecs=\"im1t|etd1\"\0")))
    ),
    ("stpp.ttml.im1t", subtitles("http://www.w3.org/ns/ttml", schema: "http://www.w3.org/ns/ttml/profile/imsc1/text")),
    ("stpp.ttml.etd1", subtitles("urn:ebu:tt:distribution:2014-01 http://www.w3.org/ns/ttml")),
    ("stpp.ttml", subtitles("http://www.w3.org/ns/ttml")),
    ("stpp.ttml", subtitles("http://www.w3.org/ns/ttml", fullBox("mime", ascii("a/b;codecs=\"im1t\",URI=\"\0")))),
    ("stpp", subtitles("http://example.com/other")),
    ("wvtt", vector("entry-wvtt")), ("tx3g", vector("entry-tx3g")), ("c608", vector("entry-c608")),
    ("c708", vector("entry-c708")), ("sbtt", vector("entry-sbtt")), ("mett", vector("entry-mett")),
    ("metx", vector("entry-metx")), ("urim", vector("entry-urim")),
  ]

  static let protected: [(String, [UInt8])] = [
    ("avc1.64001F", visual("encv", hexBox("avcC", "01 64001f ff e0 00"), protection("avc1"))),
    (
      "hvc1.2.4.L153",
      visual(
        "resv", hexBox("hvcC", "01 02 20000000 000000000000 99 f000" + constraints), protection("hvc1", in: "rinf"))
    ),
    ("mp4a.40.2", audio("enca", esds(0x40, "1190"), protection("mp4a"))),
    ("mp4a.40.2", audio("drms", esds(0x40, "1190"), protection("mp4a"))),
    ("avc1.64001F", visual("drmi", hexBox("avcC", "01 64001f ff e0 00"), protection("avc1"))),
    ("wvtt", box("enct", zeros(6), [0, 1], protection("wvtt"))),
    ("encs", box("encs", zeros(6), [0, 1], box("sinf"))),
    ("encv", visual("encv", hexBox("avcC", "01 64001f ff e0 00"))),
    // A type from a file cannot end a quoted string or a line.
    ("%22%2C%0A%00", visual("encv", protection("\",\n\0"))),
  ]

  @Test("Video", arguments: pictures) func namesPictures(_ name: String, _ entry: [UInt8]) {
    #expect(configuration(entry, handler: "vide").codecs == name)
  }
  @Test("Audio", arguments: sounds) func namesSounds(_ name: String, _ entry: [UInt8]) {
    #expect(configuration(entry, handler: "soun").codecs == name)
  }
  @Test("Text and metadata", arguments: texts) func namesTexts(_ name: String, _ entry: [UInt8]) {
    #expect(configuration(entry).codecs == name)
  }
  @Test("Encrypted or wrapped entries have the codecs string of the original entry", arguments: protected)
  func namesProtected(_ name: String, _ entry: [UInt8]) { #expect(configuration(entry).codecs == name) }

  @Test(
    "Cross-compatible Dolby Vision has a second codecs string",
    arguments: [
      ("hvc1", "dvvC", "1035 1", "dvh1.08.06/db1p"), ("hev1", "dvvC", "1035 4", "dvhe.08.06/db4h"),
      ("hvc1", "dvvC", "1035 2", "dvh1.08.06/db2g"), ("avc3", "dvcC", "121d 2", "dvav.09.03/db2g"),
      ("av01", "dvvC", "144d 1", "dav1.10.09/db1p"), ("hvc1", "dvcC", "0e35 6", nil), ("dvh1", "dvcC", "0a35 0", nil),
    ])
  func supplementalCodecs(_ type: String, _ box: String, _ profile: String, _ name: String?) {
    let body = "0100" + profile + "0000000" + String(repeating: "00", count: 16)
    let entry = configuration(visual(type, hexBox(box, body)))
    #expect(entry.supplementalCodecs == name)
    if name != nil { #expect(entry.codecs == type) }
  }

  /// A `vvcC` with the given constraints, including the two flags before them.
  private static func vvc(profile: UInt8 = 2, level: UInt8 = 51, constraints: String, subProfiles: String = "")
    -> [UInt8]
  {
    let info = hexBytes(Array(constraints.utf8))
    let others = hexBytes(Array(subProfiles.utf8))
    return [0xff, 0, 0x11, 0x1f, UInt8(info.count), profile, level] + info + [UInt8(others.count / 4)] + others
      + zeros(7)
  }
}
