import ISOBMFF
import Support
import Testing

@Suite("Values of the boxes of protection")
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

  @Test("senc with the size that tenc has")
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
    // A sample group may say something else than tenc.
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

  @Test("senc that no size fits says what is missing")
  func sencUnreadable() {
    let needs = BoxError(
      .needs("the Per_Sample_IV_Size of tenc, as no size fits"), field: "InitializationVector", offset: 8)
    #expect(throws: needs) { try decoded("00000000 00000003 0001020304", as: SampleEncryptionBox.self) }
    #expect(throws: needs) { try decoded("00000002 00000001 ffff 0001", as: SampleEncryptionBox.self) }
  }
}
