import Support
import Testing

@testable import ISOBMFF
@testable import MP4Inspection

@Suite("Information in movie boxes for protection systems")
struct ProtectionTests {
  private func box(_ system: [UInt8], _ data: [UInt8]) -> ProtectionSystemSpecificHeaderBox {
    var box = ProtectionSystemSpecificHeaderBox()
    (box.systemID, box.data) = (system, data)
    return box
  }
  private static let widevine: [UInt8] = [
    0xed, 0xef, 0x8b, 0xa9, 0x79, 0xd6, 0x4a, 0xce, 0xa3, 0xc8, 0x27, 0xdc, 0xd5, 0x1d, 0x21, 0xed,
  ]
  private static let playReady: [UInt8] = [
    0x9a, 0x04, 0xf0, 0x79, 0x98, 0x40, 0x42, 0x86, 0xab, 0x92, 0xe6, 0x5b, 0xe0, 0x88, 0x5f, 0x95,
  ]

  @Test("Widevine: keys, provider, content and scheme; damage ends the list")
  func widevineFields() {
    let key = [UInt8](0x10...0x1f)
    var data: [UInt8] = [0x08, 0x01, 0x12, 16] + key + [0x1a, 4] + Array("acme".utf8) + [0x22, 2, 0xff, 1]
    data += [0x48, 0xe3, 0xdc, 0x95, 0x9b, 0x06]  // cenc
    let summary = ProtectionSummary(box(Self.widevine, data))
    #expect(summary.system == "Widevine")
    #expect(summary.keyIDs == ["10111213-1415-1617-1819-1a1b1c1d1e1f"])
    #expect(summary.details.map { "\($0.name)=\($0.value)" } == ["provider=acme", "content ID=ff01", "scheme=cenc"])
    for count in data.indices { _ = ProtectionSummary(box(Self.widevine, Array(data.prefix(count)))) }
    #expect(ProtectionSummary(box(Self.widevine, [0x12, 0xff, 0xff, 0xff, 0xff, 0xff])).keyIDs == [])
  }

  @Test("PlayReady: the key ID of either header version as a UUID, and the license server")
  func playReadyHeader() {
    func object(_ xml: String) -> [UInt8] {
      let text = xml.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
      let record: [UInt8] = [1, 0, UInt8(text.count & 0xff), UInt8(text.count >> 8)] + text
      return [0, 0, 0, 0, 1, 0] + record
    }
    // A GUID: its first three parts are little-endian.
    let key = "EBESExQVFhcYGRobHB0eHw=="
    for xml in [
      "<WRMHEADER><DATA><KID>\(key)</KID><LA_URL>https://example.com/a</LA_URL></DATA></WRMHEADER>",
      "<WRMHEADER><KIDS><KID ALGID=\"AESCTR\" VALUE=\"\(key)\"></KID></KIDS><LA_URL>https://example.com/a</LA_URL>",
    ] {
      let summary = ProtectionSummary(box(Self.playReady, object(xml)))
      #expect(summary.keyIDs == ["13121110-1514-1716-1819-1a1b1c1d1e1f"])
      #expect(summary.details.map { "\($0.name)=\($0.value)" } == ["license server=https://example.com/a"])
    }
    let data = object("<KID>\(key)</KID>")
    for count in data.indices { _ = ProtectionSummary(box(Self.playReady, Array(data.prefix(count)))) }
  }

  @Test("An unknown system is shown by its UUID")
  func unknown() {
    let summary = ProtectionSummary(box([UInt8](0...15), [1, 2, 3]))
    #expect(summary.system == "00010203-0405-0607-0809-0a0b0c0d0e0f" && summary.details.isEmpty)
  }
}
