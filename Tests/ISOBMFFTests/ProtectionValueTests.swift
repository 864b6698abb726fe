import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Values of protection boxes")
struct ProtectionValueTests {
  private let key = "000102030405060708090a0b0c0d0e0f"
  private var keyBytes: [UInt8] { [UInt8](0..<16) }

  @Test("pssh of both versions")
  func systemHeader() throws {
    let system = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
    let old = try decoded("00000000" + system + "00000002 aabb", as: ProtectionSystemSpecificHeaderBox.self)
    #expect(old.systemID == [UInt8](0xf0...0xff) && old.data == [0xaa, 0xbb] && old.keyIDs.isEmpty)
    let keys = try decoded(
      "01000000" + system + "00000001" + key + "00000000", as: ProtectionSystemSpecificHeaderBox.self)
    #expect(keys.keyIDs.map(\.bytes) == [keyBytes] && keys.data.isEmpty)
  }

  @Test("frma and schm")
  func scheme() throws {
    #expect(try decoded("68766331", as: OriginalFormatBox.self).dataFormat == "hvc1")
    let plain = try decoded("00000000 63626373 00010000", as: SchemeTypeBox.self)
    #expect(plain.schemeType == "cbcs" && plain.schemeVersion == 0x1_0000)
    #expect(try decoded("00000001 63626373 00010000 6100", as: SchemeTypeBox.self).schemeURI == "a")
  }

  @Test("tenc of both versions, and with a constant vector")
  func trackEncryption() throws {
    let old = try decoded("00000000 0000 01 08" + key, as: TrackEncryptionBox.self)
    #expect((old.defaultIsProtected, old.defaultPerSampleIVSize) == (1, 8))
    #expect(old.defaultKeyID == keyBytes && old.defaultConstantIV.isEmpty)
    let pattern = try decoded("01000000 00 19 01 00" + key + "02 aabb", as: TrackEncryptionBox.self)
    #expect((pattern.defaultCryptByteBlock, pattern.defaultSkipByteBlock) == (1, 9))
    #expect(pattern.defaultConstantIV == [0xaa, 0xbb])
  }

  private let eight = "0001020304050607 08090a0b0c0d0e0f"

  @Test("senc with the size in tenc")
  func sencWithContext() throws {
    let box = try decoded(
      "00000000 00000002" + eight, as: SampleEncryptionBox.self, context: BoxContext(perSampleIVSize: 8))
    #expect(box.samples.map(\.initializationVector) == [[UInt8](0..<8), [UInt8](8..<16)])
    #expect(box.perSampleIVSize == 8)
  }

  @Test("senc with the size that fits")
  func sencInferred() throws {
    #expect(try decoded("00000000 00000002" + eight, as: SampleEncryptionBox.self).perSampleIVSize == 8)
    #expect(try decoded("00000000 00000001" + eight, as: SampleEncryptionBox.self).perSampleIVSize == 16)
    let none = try decoded("00000000 00000017", as: SampleEncryptionBox.self)
    #expect(none.perSampleIVSize == 0 && none.sampleCount == 23 && none.samples.isEmpty)
    // A sample group may override tenc.
    let other = try decoded(
      "00000000 00000002" + eight, as: SampleEncryptionBox.self, context: BoxContext(perSampleIVSize: 16))
    #expect(other.perSampleIVSize == 8)
  }

  @Test("senc with subsamples")
  func sencSubsamples() throws {
    let parts = "0002 0001 00000002 0003 00000004"
    for (vector, size) in [("", 0), ("0001020304050607", 8), (eight, 16)] {
      let hex = "00000002 00000002" + vector + parts + vector + "0000"
      let box = try decoded(hex, as: SampleEncryptionBox.self)
      #expect(Int(box.perSampleIVSize) == size && box.samples.count == 2)
      #expect(box.samples[0].initializationVector == [UInt8](0..<UInt8(size)))
      #expect(box.samples[0].subsamples.map(\.bytesOfClearData) == [1, 3])
      #expect(box.samples[0].subsamples.map(\.bytesOfProtectedData) == [2, 4])
      #expect(box.samples[1].subsamples.isEmpty)
    }
    #expect(
      try shown("senc", "00000002 00000001" + parts) == [
        "version = 0", "flags = 0x2", "sample_count = 1", "Per_Sample_IV_Size = 0", "samples:", "  - 0",
        "  InitializationVector = ", "  subsample_count = 2", "  subsamples:",
        "    - 0", "    BytesOfClearData = 1", "    BytesOfProtectedData = 2",
        "    - 1", "    BytesOfClearData = 3", "    BytesOfProtectedData = 4",
      ])
  }

  @Test("senc reports missing information if no size, or more than one, fits")
  func sencUnreadable() throws {
    let needs = BoxError(
      .needs("the Per_Sample_IV_Size of tenc, as not exactly one size fits"), field: "InitializationVector", offset: 8)
    // Three IVs of 8 bytes and three samples without subsamples, or no IVs and four subsamples in the first sample.
    let both = "00000002 00000003 0004" + String(repeating: "00", count: 28)
    #expect(throws: needs) { try decoded(both, as: SampleEncryptionBox.self) }
    let declared = try decoded(both, as: SampleEncryptionBox.self, context: BoxContext(perSampleIVSize: 8))
    #expect(declared.samples.map(\.initializationVector.count) == [8, 8, 8])
    #expect(throws: needs) { try decoded("00000000 00000003 0001020304", as: SampleEncryptionBox.self) }
    #expect(throws: needs) { try decoded("00000002 00000001 ffff 0001", as: SampleEncryptionBox.self) }
  }

  @Test("The PIFF encryption boxes are recognized by their user types")
  func piff() throws {
    func payload<Payload: BoxPayload>(_ name: String, as _: Payload.Type) throws -> Payload {
      var parser = BoxParser(MemorySource(vector(name)))
      let node = try #require(try parser.next())
      guard case .payload(let type) = node.content, type.type == Payload.self else {
        throw BoxError(.notABox(count: 0), field: "uuid", offset: 0)
      }
      return try parser.decode(node, as: Payload.self).get()
    }
    let track = try payload("uuid-piff-track", as: PIFFTrackEncryptionBox.self)
    #expect(track.defaultAlgorithmID == 1 && track.defaultIVSize == 8 && track.defaultKeyID[1] == 0x23)
    let samples = try payload("uuid-piff-samples", as: PIFFSampleEncryptionBox.self)
    #expect(!samples.overridesTrack)
    #expect(
      samples.encryption.samples.map(\.initializationVector) == [[0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 2]])
    let override = try payload("uuid-piff-samples-override", as: PIFFSampleEncryptionBox.self)
    #expect(override.overridesTrack && override.algorithmID == 2 && override.ivSize == 16 && override.keyID[0] == 0xfe)
    let sample = try #require(override.encryption.samples.first)
    #expect(sample.initializationVector.count == 16 && sample.subsamples.last?.bytesOfProtectedData == 512)
    #expect(Box(override).userType == PIFFSampleEncryptionBox.info.userType)
  }

  @Test("The text dump of the PIFF encryption boxes has the labels of mp4dump")
  func piffDump() throws {
    let text = String(decoding: try dumpText(vector("uuid-piff-samples-override"), verbosity: 2), as: UTF8.self)
    let expected = """
      [A2394F525A9B-4F14-A244-6C42-7C648DF4] size=28+48, flags=3
        AlgorithmID = 2
        IV_size = 16
        KID = [fe dc ba 98 76 54 32 10 fe dc ba 98 76 54 32 10]
        sample info count = 1
      """
    #expect(text.hasPrefix(expected + "\n"), "\(text)")
  }
}
