import ISOBMFF
import MP4Bytes

extension RuleVector {
  private static let encrypted = "encrypted-cbcs.mp4"
  private static let video = "moov/trak/mdia/minf/stbl/stsd/encv"
  private static let audio = "moov/trak[2]/mdia/minf/stbl/stsd/enca"
  private static let defaults = "/sinf/schi/tenc"

  static let encryption: [RuleVector] = [
    pssh("cenc-pssh-keys", "encrypted-cenc.mp4") { $0.header.version = 1 },
    pssh("cenc-pssh-key", "encrypted-cenc.mp4") { header in
      header.header.version = 1
      header.keyIDs = [.init()]
    },
    RuleVector("cenc-pssh-twice", progressive) { file in
      for _ in 1...2 { try file.append(Box(ProtectionSystemSpecificHeaderBox()), to: "moov") }
    },
    RuleVector("cenc-sinf", encrypted) { try $0.remove(video + "/sinf") },
    RuleVector("cenc-scheme-missing", encrypted) { try $0.remove(video + "/sinf/schm") },
    RuleVector("cenc-scheme", encrypted, also: ["cmaf-scheme"]) {
      try $0.edit(video + "/sinf/schm", SchemeTypeBox.self) { $0.schemeType = "zzzz" }
    },
    RuleVector("cenc-tenc", encrypted) { try $0.remove(video + defaults) },
    tenc("cenc-iv-size", audio, "cenc", also: ["cenc-information"]) {
      ($0.defaultPerSampleIVSize, $0.defaultConstantIV) = (7, [])
    },
    tenc("cenc-constant-iv", audio) { $0.defaultConstantIV = [1, 2, 3] },
    tenc("cenc-constant-iv-scheme", audio, "cens", also: ["cmaf-scheme"]) { _ in },
    tenc("cenc-cbcs-iv", audio, also: ["cenc-information"]) {
      ($0.defaultPerSampleIVSize, $0.defaultConstantIV) = (8, [])
    },
    tenc("cenc-pattern", audio, "cenc", also: ["cenc-information"]) { fields in
      (fields.defaultPerSampleIVSize, fields.defaultConstantIV) = (8, [])
      (fields.defaultCryptByteBlock, fields.defaultSkipByteBlock) = (1, 9)
    },
    tenc("cenc-pattern-video", video) { $0.defaultSkipByteBlock = 8 },
    tenc("cenc-pattern-audio", audio) { $0.defaultSkipByteBlock = 9 },
    tenc("cenc-key-zero", audio) { $0.defaultKeyID = Array(repeating: 0, count: 16) },
    // Smaller fragments move their data.
    RuleVector("cenc-senc-count", encrypted, also: ["iso-data-missing", "iso-run-hole"]) {
      try $0.edit("moof/traf/senc", SampleEncryptionBox.self) { $0.samples.removeLast() }
    },
    RuleVector("cenc-saiz-count", encrypted, also: ["cenc-saio-place", "iso-run-media"]) {
      try $0.edit("moof/traf/saiz", SampleAuxiliaryInformationSizesBox.self) { sizes in
        if sizes.defaultSampleInfoSize > 0 {
          sizes.sameSizeCount += 1
        } else {
          sizes.sampleInfoSizes = BoxTable(Array(sizes.sampleInfoSizes) + [2])
        }
      }
    },
    RuleVector("cenc-saio-place", encrypted) {
      try $0.edit("moof/traf/saio", SampleAuxiliaryInformationOffsetsBox.self) { $0.offsets = [8] }
    },
    RuleVector("cenc-subsamples", encrypted) {
      try $0.edit("moof/traf/senc", SampleEncryptionBox.self) { senc in
        var parts = Array(senc.samples[0].subsamples)
        parts[0].bytesOfClearData += 1
        senc.samples[0].subsamples = BoxTable(parts)
      }
    },
    RuleVector("cenc-video-subsamples", encrypted, also: ["iso-data-missing", "iso-run-hole"]) {
      try $0.edit("moof/traf/senc", SampleEncryptionBox.self) { senc in
        for sample in senc.samples.indices { senc.samples[sample].subsamples = [] }
      }
    },
  ]

  private static func pssh(
    _ rule: String, _ vector: String, _ change: @escaping @Sendable (inout ProtectionSystemSpecificHeaderBox) -> Void
  ) -> RuleVector {
    RuleVector(rule, vector) { try $0.append(Box(ProtectionSystemSpecificHeaderBox().with(change)), to: "moov") }
  }
  private static func tenc(
    _ rule: String, _ entry: String, _ scheme: FourCC = "cbcs", also: Set<String> = [],
    _ change: @escaping @Sendable (inout TrackEncryptionBox) -> Void
  ) -> RuleVector {
    RuleVector(rule, encrypted, also: also) {
      try $0.edit(entry + "/sinf/schm", SchemeTypeBox.self) { $0.schemeType = scheme }
      try $0.edit(entry + defaults, TrackEncryptionBox.self, change)
    }
  }
}
