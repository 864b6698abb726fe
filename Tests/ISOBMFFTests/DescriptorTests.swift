import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Descriptors")
struct DescriptorTests {
  /// An ES_Descriptor as most writers write it.
  private let usual = "00000000 03 19 0002 1f 04 11 40 17 000001 00000002 00000003 05 02 1190 06 01 02"

  @Test("esds contains the decoder configuration")
  func values() throws {
    let box = try decoded(usual, as: ESDescriptorBox.self)
    let config = try #require(box.decoderConfig)
    #expect((config.objectTypeIndication, config.streamType, config.upStream) == (0x40, 5, true))
    #expect((config.bufferSizeDB, config.maxBitrate, config.avgBitrate) == (1, 2, 3))
    #expect(box.decoderSpecificInfo == [0x11, 0x90])
    guard case .elementaryStream(let stream) = box.es.body else { return #expect(Bool(false)) }
    #expect(stream.esID == 2 && stream.streamPriority == 31)
    #expect(stream.dependsOnESID == nil && stream.url == nil && stream.ocrESID == nil)
    #expect(stream.descriptors.last == Descriptor(tag: 6, body: .bytes([2])))
  }

  @Test("esds shows nested descriptors")
  func show() throws {
    #expect(
      try shown("esds", usual) == [
        "version = 0", "flags = 0x0", "ES_Descriptor 3 2+25", "  ES_ID = 2", "  streamDependenceFlag = 0",
        "  URL_Flag = 0", "  OCRstreamFlag = 0", "  streamPriority = 31", "  DecoderConfigDescriptor 4 2+17",
        "    objectTypeIndication = 64", "    streamType = 5", "    upStream = 1", "    bufferSizeDB = 1",
        "    maxBitrate = 2", "    avgBitrate = 3", "    DecoderSpecificInfo 5 2+2", "      specific_info = 11 90",
        "  SLConfigDescriptor 6 2+1", "    data = 02",
      ])
  }

  @Test("The length of a size field is kept, or grows if necessary")
  func sizes() throws {
    let long = try decoded(
      "00000000 03 808023 0002 00 04 808012 40 15 000000 00000000 00000000 05 808080 01 aa 06 80808001 02 07 01 08",
      as: ESDescriptorBox.self)
    #expect(long.es.sizeByteCount == 3)
    var box = ESDescriptorBox()
    box.es = Descriptor(tag: 9, body: .bytes(zeros(200)))
    let bytes = try box.encoded()
    #expect(bytes[4...].prefix(3) == [9, 0x81, 0x48] && bytes.count == 207)
    #expect(try ESDescriptorBox(decoding: bytes[...]).es.sizeByteCount == 2)
  }

  @Test("Flags declare the optional fields of a stream")
  func optionalFields() throws {
    let box = try decoded("00000000 03 0c 0001 e5 0007 02 6162 0009 ff 00", as: ESDescriptorBox.self)
    guard case .elementaryStream(let stream) = box.es.body else { return #expect(Bool(false)) }
    #expect((stream.dependsOnESID, stream.ocrESID, stream.streamPriority) == (7, 9, 5))
    #expect(stream.url == ascii("ab") && stream.descriptors.map(\.tag) == [0xff])
  }

  @Test("iods contains the levels and the tracks")
  func initialObject() throws {
    let box = try decoded(
      "00000000 10 808080 0d 005f ff fe 0f 03 01 0e 04 00000007", as: ObjectDescriptorBox.self)
    guard case .initialObject(let object) = box.od.body else { return #expect(Bool(false)) }
    #expect(object.objectDescriptorID == 1 && object.url == nil && object.includesInlineProfileLevel)
    #expect((object.odProfileLevelIndication, object.sceneProfileLevelIndication) == (0xff, 0xfe))
    #expect((object.audioProfileLevelIndication, object.visualProfileLevelIndication) == (15, 3))
    #expect(object.graphicsProfileLevelIndication == 1)
    #expect(object.descriptors.map(\.body) == [.trackReference(trackID: 7)])
    let elsewhere = try decoded("00000000 10 04 006f 01 61", as: ObjectDescriptorBox.self)
    guard case .initialObject(let object) = elsewhere.od.body else { return #expect(Bool(false)) }
    #expect(object.url == ascii("a"))
  }

  @Test("Bytes cut off by a wrong size are kept, and a descriptor larger than its box is an error")
  func wrongSizes() throws {
    let cut = try decoded("00000000 03 06 0002 00 06 05 02", as: ESDescriptorBox.self)
    #expect(cut.es.rest == [6, 5, 2])
    #expect(throws: BoxError(.truncated(needed: 9, left: 1), field: "sizeOfInstance", offset: 6)) {
      try decoded("00000000 03 09 00", as: ESDescriptorBox.self)
    }
    #expect(throws: BoxError.self) { try decoded("00000000 03 80808080 00", as: ESDescriptorBox.self) }
  }

  @Test("A thousand nested descriptors are not followed")
  func nesting() throws {
    var bytes: [UInt8] = []
    for _ in 0..<1000 {
      let body = zeros(3) + bytes
      bytes =
        [3, UInt8(body.count >> 14 | 0x80), UInt8(body.count >> 7 & 0x7f | 0x80), UInt8(body.count & 0x7f)] + body
    }
    roundTrip(ESDescriptorBox.self, zeros(4) + bytes)
    var descriptor: Descriptor? = try ESDescriptorBox(decoding: (zeros(4) + bytes)[...]).es
    var depth = 0
    while case .elementaryStream(let stream)? = descriptor?.body {
      depth += 1
      descriptor = stream.descriptors.first
    }
    #expect(depth == 8)
  }

  @Test("The boxes in QuickTime's wave are found")
  func wave() throws {
    let parts = box("frma", ascii("mp4a")) + box("mp4a", zeros(4)) + box("enda", big(UInt16(1)))
    let wave = box("wave", parts, box("esds", hexBytes(Array(usual.utf8))), big(UInt32(8)), zeros(4))
    let entry = box(
      "mp4a", zeros(6), big(UInt16(1)), big(UInt16(1)), zeros(6), big(UInt16(2)), big(UInt16(16)), zeros(8), zeros(16),
      wave)
    let all = try summary(of: box("stbl", fullBox("stsd", big(UInt32(1)), entry)))
    let names = all.dropFirst(3).prefix(5).map { $0.split(separator: " ")[0].dropFirst("stbl/stsd/mp4a/".count) }
    #expect(names == ["wave", "wave/frma", "wave/mp4a", "wave/enda", "wave/esds"])
    #expect(try decoded("0001", as: AudioEndianBox.self).littleEndian == 1)
    let lossless = try decoded(
      "00000000 00001000 01 10 28 0a 0e 02 00ff 00000003 00000004 0000ac44", as: ALACSpecificBox.self)
    #expect((lossless.frameLength, lossless.compatibleVersion, lossless.bitDepth) == (4096, 1, 16))
    #expect((lossless.pb, lossless.mb, lossless.kb, lossless.numChannels, lossless.maxRun) == (40, 10, 14, 2, 255))
    #expect((lossless.maxFrameBytes, lossless.avgBitRate, lossless.sampleRate) == (3, 4, 44100))
  }
}
