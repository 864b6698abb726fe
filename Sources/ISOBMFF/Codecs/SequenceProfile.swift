import MP4Bytes

/// The parameters in the header of a video stream that the decoder configuration repeats.
package struct SequenceProfile: Hashable, Sendable {
  /// The profile.
  package var profile: Int
  /// The byte with the constraint flags of AVC.
  package var compatibility: UInt8 = 0
  /// Whether the tier is High instead of Main.
  package var isHighTier = false
  /// The level, as it is coded.
  package var level: Int
  /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
  package var chromaFormat = 1
  /// The bit depth of luma samples.
  package var bitDepth = 8
  /// The bit depth of chroma samples.
  package var chromaBitDepth = 8

  /// 8 bits, 4:2:0.
  package init(profile: Int, level: Int) { (self.profile, self.level) = (profile, level) }
}

extension SequenceProfile {
  /// Reads a sequence parameter set of AVC, as a NAL unit with its header: ISO/IEC 14496-10, 7.3.2.1.1.
  package init?(avc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 1)
    guard let sequence = AVCSliceHeader.Sequence(&r) else { return nil }
    self = sequence.profile
  }
}

extension DecoderConfiguration {
  /// The profile in the first sequence header of AVC, HEVC or AV1, if the entry has one.
  package var sequenceProfile: SequenceProfile? {
    if let configuration = box(AVCConfigurationBox.self) {
      return configuration.sequenceParameterSets.first.flatMap { SequenceProfile(avc: $0.nalUnit[...]) }
    }
    if let configuration = box(HEVCConfigurationBox.self) {
      let sets = configuration.arrays.filter { $0.nalUnitType == 33 }.flatMap(\.nalUnits)
      return sets.lazy.compactMap { SequenceProfile(hevc: $0.bytes[...]) }.first
    }
    return box(AV1CodecConfigurationBox.self).flatMap { SequenceProfile(av1: $0.configOBUs[...]) }
  }

  /// The profile in the first sequence header at the start of a sample, as far as it can be read.
  package func sequenceProfile(in sample: ArraySlice<UInt8>) -> SequenceProfile? {
    guard let (codec, lengthSize) = nalUnits else {
      return box(AV1CodecConfigurationBox.self).flatMap { _ in SequenceProfile(av1: sample) }
    }
    return NALUnits(sample, codec, lengthSize: lengthSize).lazy
      .filter { $0.isWhole && $0.type == codec.sequenceParameterSet }
      .compactMap { codec == .avc ? SequenceProfile(avc: $0.bytes) : SequenceProfile(hevc: $0.bytes) }.first
  }
}
