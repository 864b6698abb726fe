import ISOBMFF
import Support
import Testing

@Suite("Picture formats of decoder output")
struct PictureFormatTests {
  private static let pq = hexBox("colr", "6e636c78 0009 0010 0009 00")
  private static let hlg = hexBox("colr", "6e636c63 0009 0012 0009")
  private static let icc = hexBox("colr", "70726f66 00112233")

  @Test("The size comes from the sequence header or, without one, from the entry")
  func size() throws {
    let sequence = try #require(configuration(EntryBytes.avc1()).pictures)
    #expect((sequence.width, sequence.height, sequence.videoRange) == (160, 90, .sdr))
    let entry = try #require(configuration(visual("apcn")).pictures)
    #expect((entry.width, entry.height) == (64, 48))
    #expect(configuration(audio("mp4a")).pictures == nil)
  }

  static let ranges: [(VideoRange, [UInt8])] = [
    (.pq, visual("hvc1", pq)), (.hlg, visual("apch", hlg)), (.sdr, visual("hvc1", icc)), (.pq, visual("hvc1", icc, pq)),
    (.sdr, visual("hvc1", hexBox("colr", "6e636c78 0001 0001 0001 00"))), (.sdr, visual("hvc1")),
    // From the decoder configuration.
    (.pq, visual("vp09", hexBox("vpcC", "01000000 02 0a a3 09 10 09 0000"))),
    (.pq, visual("av01", hexBox("av1C", "81 00 4c 00 0a0d00000003b50d936be542440241"))),
    // Boxes take precedence.
    (.hlg, visual("vp09", hexBox("vpcC", "01000000 02 0a a3 09 10 09 0000"), hlg)),
    // Dolby Vision with its own colors, and with those of the base layer.
    (.pq, visual("dvh1", hexBox("dvcC", "0100 0a35 00000000" + String(repeating: "00", count: 16)))),
    (.hlg, visual("hvc1", hlg, hexBox("dvvC", "0100 1035 40000000" + String(repeating: "00", count: 16)))),
  ]
  @Test("The transfer characteristics determine the video range", arguments: ranges)
  func videoRange(_ range: VideoRange, _ entry: [UInt8]) { #expect(configuration(entry).pictures?.videoRange == range) }

  @Test("The clean aperture and pixel aspect ratio are used if they are plausible")
  func shape() throws {
    let clap = "00000280 00000001 00000438 00000002 fffffff0 00000003 00000000 00000001"
    let some = try #require(
      configuration(visual("apcn", hexBox("clap", clap), hexBox("pasp", "00000004 00000003"))).pictures)
    #expect(some.cleanAperture?.width == Ratio(640, 1) && some.cleanAperture?.height == Ratio(1080, 2))
    #expect(some.cleanAperture?.horizontalOffset == Ratio(-16, 3) && some.cleanAperture?.verticalOffset == Ratio(0, 1))
    #expect(some.pixelAspect == Ratio(4, 3))
    let none = try #require(
      configuration(
        visual("apcn", hexBox("clap", String(repeating: "00", count: 32)), hexBox("pasp", "00000000 00000003"))
      ).pictures)
    #expect(none.cleanAperture == nil && none.pixelAspect == nil)
  }
}
