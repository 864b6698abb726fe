import MP4Bytes

/// Comparison of the codec parameters in samples with those of their sample entry.
extension DecoderConfiguration {
  /// Whether samples match this configuration.
  package enum Fit: Equatable, Sendable {
    /// They declare the same parameters.
    case fits
    /// They are well-formed but declare different parameters.
    case differs(SampleMismatch)
    /// They do not have the format that the configuration declares.
    case malformed(SampleMismatch)
    /// They declare nothing, or nothing that can be interpreted.
    case unknown
  }

  /// The number of first samples to compare.
  package static let sampleLimit = 8

  /// Compares the first samples of a segment with the entry. For the first sample, `bytes` may contain only the
  /// beginning; `size` is its full size.
  package func fit(of samples: [ArraySlice<UInt8>], size: Int) -> Fit {
    // The contents of encrypted samples are unknown.
    guard format == codedFormat, let first = samples.first, !first.isEmpty else { return .unknown }
    switch format {
    case "avc1", "avc3":
      return box(AVCConfigurationBox.self).map { Self.fit(of: first, size, $0, format == "avc1" ? .entry : .unknown) }
        ?? .unknown
    case "hvc1", "hev1":
      return box(HEVCConfigurationBox.self).map { Self.fit(of: first, size, $0, format == "hvc1" ? .entry : .unknown) }
        ?? .unknown
    case "av01":
      guard let own = sequenceParameters, let other = SequenceParameters(av1: first) else { return .unknown }
      return Self.fit([own], other)
    case "mp4a": return fit(ofAAC: samples)
    default: return .unknown
    }
  }

  /// Compares the NAL units of a sync sample with the entry. The units can be incomplete, parameter sets excepted. For
  /// entries whose parameter sets can be in samples, they must be in the entry or in this sample.
  package func fit(ofSyncUnits units: [ArraySlice<UInt8>]) -> Fit {
    if let box = box(AVCConfigurationBox.self) {
      return Self.fit(ofUnits: units, box, codedFormat == "avc1" ? .entry : .entryOrSample)
    }
    if let box = box(HEVCConfigurationBox.self) {
      return Self.fit(ofUnits: units, box, codedFormat == "hvc1" ? .entry : .entryOrSample)
    }
    return .unknown
  }

  // MARK: Pictures

  /// The NAL units of a sample, each after its length in `lengthSize` bytes, as far as `bytes` reach; `nil` if the
  /// sample does not consist of NAL units.
  private static func nalUnits(_ bytes: ArraySlice<UInt8>, _ size: Int, lengthSize: Int) -> [ArraySlice<UInt8>]? {
    var result: [ArraySlice<UInt8>] = []
    var (rest, left) = (bytes, size)
    while left > 0, rest.count >= lengthSize {
      let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      left -= lengthSize
      guard length <= left else {
        // Zeros at the end are harmless.
        return !result.isEmpty && rest.allSatisfy { $0 == 0 } ? result : nil
      }
      rest = rest.dropFirst(lengthSize)
      if length > 0 { result.append(rest.prefix(length)) }
      rest = rest.dropFirst(length)
      left -= length
    }
    return result.isEmpty || left > 0 && rest.count == left && rest.contains { $0 != 0 } ? nil : result
  }

  /// Where the parameter sets of a sample are.
  private enum SetPlacement {
    /// In the entry.
    case entry
    /// In the entry or in the sample.
    case entryOrSample
    /// They can also be in other samples.
    case unknown
  }

  private static func malformed(_ lengthSize: Int) -> Fit {
    .malformed(.notNALUnits(lengthSize: lengthSize))
  }

  private static func fit(_ own: [SequenceParameters], _ other: SequenceParameters) -> Fit {
    guard let first = own.first else { return .unknown }
    if own.contains(where: { $0.width == other.width && $0.height == other.height }) { return .fits }
    return .differs(
      .pictureSize(
        width: other.width, height: other.height, declaredWidth: first.width, declaredHeight: first.height))
  }

  /// The difference between a parameter set of a sample and those of the entry, if any.
  private static func misfit(_ own: [SequenceParameters], _ other: SequenceParameters?) -> Fit? {
    guard let other, case .differs(let mismatch) = fit(own, other) else { return nil }
    return .differs(mismatch)
  }

  /// The mismatch of a slice, if any. `reader` is at the number of its picture parameter set.
  private static func misfit(ofSetReadBy reader: inout BitReader, _ sets: Set<Int>, _ lengthSize: Int) -> Fit? {
    let set = reader.golomb()
    if reader.isBroken { return malformed(lengthSize) }
    if sets.contains(set) { return nil }
    return .differs(.pictureParameterSet(set))
  }

  private static func fit(
    of sample: ArraySlice<UInt8>, _ size: Int, _ configuration: AVCConfigurationBox, _ placement: SetPlacement
  ) -> Fit {
    let lengthSize = Int(configuration.lengthSizeMinusOne) + 1
    guard let units = nalUnits(sample, size, lengthSize: lengthSize) else { return malformed(lengthSize) }
    return fit(ofUnits: units, configuration, placement)
  }

  private static func fit(
    ofUnits units: [ArraySlice<UInt8>], _ configuration: AVCConfigurationBox, _ placement: SetPlacement
  ) -> Fit {
    let lengthSize = Int(configuration.lengthSizeMinusOne) + 1
    let own = configuration.sequenceParameterSets.compactMap { SequenceParameters(avc: $0.nalUnit[...]) }
    var sets = Set(
      configuration.pictureParameterSets.compactMap { pictureParameterSet($0.nalUnit[...], headerSize: 1) })
    guard placement != .unknown, placement != .entry || !sets.isEmpty else { return .fits }
    // Field pictures and cropping can increase the number over that of the picture size.
    let macroblocks = own.map { ($0.width / 16 + 2) * ($0.height / 16 + 4) }.max()
    for unit in units {
      guard let header = unit.first else { continue }
      if header & 0x80 != 0 { return malformed(lengthSize) }
      switch header & 0x1f {
      case 7:
        if placement == .entry, let misfit = misfit(own, SequenceParameters(avc: unit)) { return misfit }
      case 8: if let set = pictureParameterSet(unit, headerSize: 1) { sets.insert(set) }
      case 1, 5:
        var r = BitReader(nalUnit: unit.prefix(64), headerSize: 1)
        let start = r.golomb()
        r.skipGolombs(1)
        if let misfit = misfit(ofSetReadBy: &r, sets, lengthSize) { return misfit }
        if placement == .entry, let macroblocks, start >= macroblocks { return .differs(.largerPictures) }
      default: break
      }
    }
    return .fits
  }

  private static func fit(
    of sample: ArraySlice<UInt8>, _ size: Int, _ configuration: HEVCConfigurationBox, _ placement: SetPlacement
  ) -> Fit {
    let lengthSize = Int(configuration.lengthSizeMinusOne) + 1
    guard let units = nalUnits(sample, size, lengthSize: lengthSize) else { return malformed(lengthSize) }
    return fit(ofUnits: units, configuration, placement)
  }

  private static func fit(
    ofUnits units: [ArraySlice<UInt8>], _ configuration: HEVCConfigurationBox, _ placement: SetPlacement
  ) -> Fit {
    let lengthSize = Int(configuration.lengthSizeMinusOne) + 1
    func own(_ type: UInt8) -> [ArraySlice<UInt8>] {
      configuration.arrays.filter { $0.nalUnitType == type }.flatMap { $0.nalUnits.map { $0.bytes[...] } }
    }
    let sizes = own(33).compactMap { SequenceParameters(hevc: $0) }
    var sets = Set(own(34).compactMap { pictureParameterSet($0, headerSize: 2) })
    guard placement != .unknown, placement != .entry || !sets.isEmpty else { return .fits }
    for unit in units {
      guard unit.count > 2, let header = unit.first else { continue }
      if header & 0x80 != 0 { return malformed(lengthSize) }
      // Layers other than the base layer have their own parameter sets.
      guard header & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0 else { continue }
      let type = header >> 1 & 0x3f
      switch type {
      case 33:
        if placement == .entry, let misfit = misfit(sizes, SequenceParameters(hevc: unit)) { return misfit }
      case 34: if let set = pictureParameterSet(unit, headerSize: 2) { sets.insert(set) }
      case 0...9, 16...21:
        var r = BitReader(nalUnit: unit.prefix(64), headerSize: 2)
        r.skip(type >= 16 ? 2 : 1)
        if let misfit = misfit(ofSetReadBy: &r, sets, lengthSize) { return misfit }
      default: break
      }
    }
    return .fits
  }

  /// The ID of the picture parameter set of a slice.
  private static func pictureParameterSet(_ unit: ArraySlice<UInt8>, headerSize: Int) -> Int? {
    var r = BitReader(nalUnit: unit.prefix(16), headerSize: headerSize)
    let number = r.golomb()
    return r.isBroken ? nil : number
  }

  // MARK: Audio

  /// Compares the channels of AAC LC samples, which start with an element for one channel or for two: ISO/IEC 14496-3,
  /// 4.4.2.1. A single sample proves nothing, but several samples do not agree by chance.
  private func fit(ofAAC samples: [ArraySlice<UInt8>]) -> Fit {
    guard let config = audioSpecificConfig, config.audioObjectType == 2, samples.count >= 4 else { return .unknown }
    // Parametric stereo, which need not be declared at low rates, lets a decoder output two channels for one.
    let elements = samples.map { $0.first.map { $0 >> 1 } }
    let isPair = elements.allSatisfy { $0 == 0b001_0000 }
    let isSingle = elements.allSatisfy { $0 == 0b000_0000 }
    if isPair {
      return config.channelCount == 1
        ? .differs(.channels(2, declared: 1)) : config.channelCount == 2 ? .fits : .unknown
    }
    guard isSingle else { return .unknown }
    if config.channelCount == 1 { return .fits }
    guard config.channelCount == 2, !config.hasSBR, !config.hasPS, config.samplingFrequency > 24_000 else {
      return .unknown
    }
    return .differs(.channels(1, declared: 2))
  }
}
