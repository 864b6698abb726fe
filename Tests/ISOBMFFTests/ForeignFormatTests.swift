import BoxCatalog
import BoxDump
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import ISOBMFF

@Suite("Files that are not MP4")
struct ForeignFormatTests {
  private static func packets(_ size: Int, first: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xff, count: 3 * size + 8)
    for packet in 0..<3 { bytes[first + packet * size] = 0x47 }
    return bytes
  }
  private static func padded(_ start: UInt8...) -> [UInt8] { start + zeros(12) }

  private static let cases: [(start: [UInt8], name: String)] = [
    (padded(0x1a, 0x45, 0xdf, 0xa3), "Matroska (WebM)"),
    (packets(188, first: 0), "an MPEG transport stream"),
    (packets(192, first: 4), "an MPEG transport stream"),
    (ascii("RIFF1234AVI LIST"), "AVI"),
    (ascii("RIFF1234WAVEfmt "), "WAVE"),
    (ascii("FORM1234AIFFCOMM"), "AIFF"),
    (ascii("ID3 12345678"), "MP3 (or other audio with an ID3 tag)"),
    (padded(0xff, 0xfb, 0x90, 0x64), "MP3"),
    (padded(0xff, 0xf1, 0x50, 0x80), "AAC without a container (ADTS)"),
    (padded(0, 0, 0, 1, 0x67, 0x64, 0, 0x1f), "H.264 without a container"),
    (padded(0, 0, 0, 1, 6, 5, 0xff), "H.264 without a container"),
    (padded(0, 0, 0, 1, 0x40, 1, 0x0c), "HEVC without a container"),
    (padded(0, 0, 1, 0xba, 0x44), "an MPEG program stream"),
    (ascii("\n#EXTM3U\n#EXT-X-VERSION:3\n"), "an HLS playlist"),
    (ascii("<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn\">  "), "a DASH manifest (MPD)"),
    (ascii("<!doctype HTML><html>"), "an HTML page"),
    (ascii("WEBVTT\n\n00:01.000"), "WebVTT subtitles"),
  ]

  @Test("A format is recognized by its first bytes")
  func names() throws {
    for (start, name) in Self.cases {
      #expect(ForeignFormat(start: start)?.name == name)
      #expect(try ForeignFormat(of: MemorySource(start))?.name == name)
      // No prefix of it may trap.
      for count in start.indices { _ = ForeignFormat(start: Array(start[..<count])) }
      var dump = BoxDump(MemorySource(start))
      #expect(try dump.reasonForNoBoxes()?.hasPrefix("this is \(name), not MP4") ?? true)
    }
  }

  @Test("MP4 files and meaningless bytes are not recognized as other formats")
  func others() throws {
    for name in ["progressive.mp4", "progressive.mov", "hls/segment1.m4s"] {
      #expect(ForeignFormat(start: Array(try readFile(vectorPath("files/" + name)).prefix(1024))) == nil)
    }
    #expect(ForeignFormat(start: []) == nil)
    #expect(ForeignFormat(start: zeros(1024)) == nil)
    #expect(ForeignFormat(start: [0, 0, 0, 1] + ascii("mdat") + zeros(20)) == nil)
  }

  @Test("A remedy is given if there is one")
  func reasons() {
    #expect(
      ForeignFormat(start: [0x1a, 0x45, 0xdf, 0xa3])?.reason
        == "this is Matroska (WebM), not MP4; remux it to MP4 first, for example with ffmpeg")
    #expect(
      ForeignFormat(start: Self.packets(188, first: 0))?.reason
        == "this is an MPEG transport stream, not MP4; convert it to MP4 first, from a file, not a pipe")
    #expect(ForeignFormat(start: ascii("%PDF-1.7"))?.reason == "this is a PDF document, not MP4")
  }

  @Test("Counts agree with their nouns")
  func counts() {
    #expect([0, 1, 2].map { counted($0, "byte") } == ["0 bytes", "1 byte", "2 bytes"])
    #expect([1, 5].map { counted($0, "box is", "boxes are") } == ["1 box is", "5 boxes are"])
    let errors: [BoxError.Problem] = [
      .truncated(needed: 1, left: 0), .truncated(needed: 4, left: 1), .sizeTooLarge(9, left: 1), .notABox(count: 1),
    ]
    #expect(
      errors.map { BoxError($0, field: "size", offset: 0).reason } == [
        "needs 1 byte but 0 are left", "needs 4 bytes but 1 is left", "is 9 but 1 byte is left",
        "starts 1 byte that is not a box",
      ])
  }
}
