import ISOBMFF
import Testing

@Suite("Headers of ADTS")
struct ADTSHeaderTests {
  @Test(
    "Each AudioSpecificConfig has its header",
    arguments: [
      ([0x11, 0x90], [0xff, 0xf1, 0x4c, 0x80, 0x0d, 0x7f, 0xfc]),
      // HE-AAC with a 24 kHz core, and HE-AAC v2 with an explicit SBR frequency.
      ([0x2b, 0x11, 0x88, 0x00], [0xff, 0xf1, 0x58, 0x80, 0x0d, 0x7f, 0xfc]),
      ([0xeb, 0x0f, 0x80, 0x5d, 0xc0, 0x08, 0x00], [0xff, 0xf1, 0x58, 0x40, 0x0d, 0x7f, 0xfc]),
      // 7.1.
      ([0x11, 0xb8], [0xff, 0xf1, 0x4d, 0xc0, 0x0d, 0x7f, 0xfc]),
    ] as [([UInt8], [UInt8])])
  func headers(configuration: [UInt8], header: [UInt8]) throws {
    #expect(try ADTSHeader(configuration).bytes(sampleSize: 100) == header)
  }

  @Test(
    "What a header cannot express is refused",
    arguments: [
      ([], .noConfiguration), ([0x11], .noConfiguration), ([0xf9, 0x46, 0x40], .objectType(42)),
      ([0xf8, 0xe6, 0x40], .objectType(39)), ([0x17, 0x80, 0x5d, 0xc0, 0x10], .frequency),
      ([0x11, 0x80], .channels(0)),
      ([0x11, 0xd8], .channels(11)), ([0x12, 0x14], .shortFrames), ([0x12, 0x12], .dependent),
      ([0x12, 0x11], .extended),
    ] as [([UInt8], ADTSHeader.Obstacle)])
  func refusals(configuration: [UInt8], obstacle: ADTSHeader.Obstacle) {
    #expect(throws: obstacle) { try ADTSHeader(configuration) }
  }
}
