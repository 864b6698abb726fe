import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Values of text, user data and group boxes")
struct TextValueTests {
  private let entry = "000000000000 0001"

  @Test("The last strings of stpp can be missing, so that boxes follow immediately")
  func subtitles() throws {
    let short = try decoded(entry + "6100 00", as: XMLSubtitleSampleEntry.self)
    #expect(short.namespace == "a" && short.schemaLocation == "" && short.auxiliaryMIMETypes == nil)
    let bytes = hexBytes(Array((entry + "6100" + "00000014 62747274 000000000000000000000000").utf8))
    var rest: ArraySlice<UInt8> = []
    let boxed = try XMLSubtitleSampleEntry(decoding: bytes[...], rest: &rest)
    #expect(boxed.schemaLocation == nil && rest.count == 20)
  }

  @Test(
    "A box after the strings of stpp is not read as a string, regardless of its size, nor a string as a box")
  func subtitlesBeforeBoxes() throws {
    let large = fullBox("mime", ascii("application/ttml+xml") + [0])
    let image = Array("image/png".utf8) + [0]
    for (strings, value) in [([0x61, 0, 0], nil), ([0x61, 0, 0] + image, "image/png")] as [([UInt8], String?)] {
      let bytes = box("stsd", zeros(4), big(UInt32(1)), box("stpp", zeros(6), big(UInt16(1)), strings, large))
      let source = MemorySource(bytes)
      let entry = try #require(try [Box](reading: source)[0].first("stpp"))
      #expect(entry.boxes.map(\.type) == ["mime"])
      let fields = try entry.payload(as: XMLSubtitleSampleEntry.self, from: source).get()
      #expect(fields.schemaLocation == "" && fields.auxiliaryMIMETypes?.description == value)
      let lines = try dumpLines(bytes, verbosity: 3)
      #expect(lines.contains { $0.contains("image_mime_type") } == (value != nil))
    }
  }

  @Test("A text sample entry has the QuickTime layout, or that of tx3g if there is a font table")
  func textEntries() throws {
    let quickTime = try decoded(
      entry + "00000008 00000001 00000000ffff 0000000000780140 0000000000000000 0000 0001 000000 ffffffffffff 0141",
      as: QuickTimeTextSampleEntry.self)
    #expect(quickTime.timedText == nil && quickTime.textName == [0x41] && quickTime.fontFace == 1)
    #expect(Array(quickTime.defaultTextBox) == [0, 0, 120, 320])
    let bytes = hexBytes(
      Array((entry + "00000001 01ff 000000ff 000000000000 0000 000000000001 0010 ffffffff 00000008 66746162").utf8))
    let timed = try QuickTimeTextSampleEntry(decoding: bytes[...])
    #expect(timed.timedText?.horizontalJustification == 1 && timed.timedText?.style.fontSize == 16)
  }

  @Test("User data contains text in several languages, and damaged entries are kept unread")
  func userData() throws {
    let bytes = hexBytes(Array("0002 0000 4869 0001 15c7 41 00ff 0000".utf8))
    var rest: ArraySlice<UInt8> = []
    let text = try UserDataTextBox(decoding: bytes[...], rest: &rest)
    #expect(text.entries.map(\.text.description) == ["Hi", "A"])
    #expect(text.entries.map(\.language) == [LanguageCode(rawValue: 0), "eng"] && rest.count == 4)
  }

  @Test("A key has its declared length, which is not shorter than its header")
  func keys() throws {
    let keys = try decoded("00000000 00000002 00000009 6d647461 78 00000008 6d647461", as: MetadataItemKeysBox.self)
    #expect(keys.keys.map(\.keyValue.description) == ["x", ""])
    #expect(throws: BoxError.self) {
      try MetadataItemKeysBox(decoding: hexBytes(Array("00000000 00000001 00000007 6d6474".utf8))[...])
    }
  }

  @Test("Uncounted speakers extend to the end of chnl, or to the object count")
  func speakers() throws {
    let both = try decoded("00000000 03 00 02 7e ffe2 1e 05", as: ChannelLayoutBox.self)
    #expect(both.speakers.map(\.speakerPosition) == [2, 126] && both.speakers.map(\.azimuth) == [0, -30])
    #expect(both.objectCount == 5)
    let counted = try decoded("01000000 11 02 00 02 00 01", as: ChannelLayoutBox.self)
    #expect(counted.speakers.count == 2 && counted.omittedChannelsMap == nil)
  }

  @Test("Loudness of both versions")
  func loudness() throws {
    let old = try defined("tlou", in: "ludt", "00000000 0043 43f43e 23 01 017923")
    #expect(old["loudness[1].downmix_ID"] == 1 && old["loudness[1].DRC_set_ID"] == 3)
    #expect(old["loudness[1].bs_sample_peak_level"] == 0x43f && old["loudness[1].EQ_set_ID"] == nil)
    #expect(old["loudness[1].measurements[1].method_definition"]?.number == 1)
    #expect(old["loudness[1].measurements[1].reliability"]?.number == 3)
    let two = try defined("alou", in: "ludt", "01000000 02 05 0000 000000 00 00 00 0000 000000 00 00")
    #expect((1...3).map { two["loudness[\($0)].EQ_set_ID"] } == [5, 0, nil] && two["loudness_base_count"] == 2)
  }

  @Test("A sample group description is shown with the fields of its kind, after its bytes")
  func groups() throws {
    let lines = try shown("sgpd", "01000000 73617020 00000001 00000001 83")
    #expect(lines.contains("  description = 83"))
    #expect(lines.suffix(2) == ["  dependent_flag = 1", "  SAP_type = 3"])
    let unknown = try shown("sgpd", "01000000 7a7a7a7a 00000001 00000001 83")
    #expect(unknown.last == "  description = 83")
    let box = try decoded("01000000 726f6c6c 00000002 00000001 ffff", as: SampleGroupDescriptionBox.self)
    #expect(try box.entries.first?.decoded(as: RollRecoveryGroup.self).rollDistance == -1)
  }

  @Test("The same type means different boxes in different containers")
  func places() {
    func payload(_ type: FourCC, in parent: FourCC) -> (any BoxPayload.Type)? {
      BoxRegistry.standard.definition(of: type, in: BoxContext(parent: parent))?.payload?.type
    }
    #expect(payload("text", in: "gmhd") == TextMediaInformationBox.self)
    #expect(payload("text", in: "stsd") == QuickTimeTextSampleEntry.self)
    #expect(payload("name", in: "udta") == UserDataNameBox.self)
    #expect(payload("keys", in: "meta") == MetadataItemKeysBox.self)
    #expect(payload("keys", in: "mebx") == nil)
    #expect(payload("avcp", in: "tref") == TrackReferenceTypeBox.self)
    func name(_ type: FourCC, in parent: FourCC) -> StaticText? {
      BoxRegistry.standard.definition(of: type, in: BoxContext(parent: parent))?.info.name
    }
    #expect(name("rtp ", in: "hnti") == "RTP Movie Hint Information")
    #expect(name("rtp ", in: "stsd") == "RTP Hint Sample Entry")
    #expect(name("name", in: "tmcd") == "Timecode Source Name")
    #expect(name("kmat", in: "matt") == "Compressed Matte Atom")
  }
}
