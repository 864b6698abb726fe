import ISOBMFF
import MP4Bytes

/// Properties that video sample entries declare in several places.
extension CheckedBox {
  /// The sequence parameter sets of an entry.
  var sequenceSets: (avc: [[UInt8]], hevc: [[UInt8]]) {
    let avc = fields("avcC", as: AVCConfigurationBox.self)?.sequenceParameterSets.map(\.nalUnit)
    let hevc = fields("hvcC", as: HEVCConfigurationBox.self)?.arrays.filter { $0.nalUnitType == 33 }
    return (avc ?? [], (hevc ?? []).flatMap { $0.nalUnits.map(\.bytes) })
  }
  /// The parameter sets of AVC or HEVC in an entry, with their expected types.
  var parameterSets: (sets: [(type: Int, unit: [UInt8])], codec: NALUnits.Codec) {
    if let box = fields("avcC", as: AVCConfigurationBox.self) {
      return (
        box.sequenceParameterSets.map { (7, $0.nalUnit) } + box.pictureParameterSets.map { (8, $0.nalUnit) }, .avc
      )
    }
    let arrays = fields("hvcC", as: HEVCConfigurationBox.self)?.arrays.filter { 32...34 ~= $0.nalUnitType } ?? []
    return (arrays.flatMap { array in array.nalUnits.map { (Int(array.nalUnitType), $0.bytes) } }, .hevc)
  }
  /// The number of parameter sets of each kind in an entry; `nil` without a configuration.
  var parameterSetCounts: [(name: String, count: Int)]? {
    if let box = fields("avcC", as: AVCConfigurationBox.self) {
      return [("sequence", box.sequenceParameterSets.count), ("picture", box.pictureParameterSets.count)]
    }
    if let box = fields("hvcC", as: HEVCConfigurationBox.self) {
      return [(32, "video"), (33, "sequence"), (34, "picture")].map { type, name in
        (name, box.arrays.reduce(0) { $0 + ($1.nalUnitType == type ? $1.nalUnits.count : 0) })
      }
    }
    guard let box = fields("vvcC", as: VVCConfigurationBox.self) else { return nil }
    return [(15, "sequence"), (16, "picture")].map { type, name in
      (name, box.arrays.reduce(0) { $0 + ($1.nalUnitType == type ? $1.nalUnits.count : 0) })
    }
  }
  /// The profiles in the configuration of an entry and in its sequence parameter sets.
  var profiles: (own: SequenceProfile, sets: [SequenceProfile])? {
    if let box = fields("avcC", as: AVCConfigurationBox.self) {
      var own = SequenceProfile(profile: Int(box.avcProfileIndication), level: Int(box.avcLevelIndication))
      own.compatibility = box.profileCompatibility
      if let high = box.highProfile {
        own.chromaFormat = Int(high.chromaFormat)
        (own.bitDepth, own.chromaBitDepth) = (Int(high.bitDepthLumaMinus8) + 8, Int(high.bitDepthChromaMinus8) + 8)
      }
      return (own, box.sequenceParameterSets.compactMap { SequenceProfile(avc: $0.nalUnit[...]) })
    }
    guard let box = fields("hvcC", as: HEVCConfigurationBox.self) else { return nil }
    var own = SequenceProfile(profile: Int(box.generalProfileIDC), level: Int(box.generalLevelIDC))
    (own.isHighTier, own.chromaFormat) = (box.generalTierFlag, Int(box.chromaFormatIDC))
    (own.bitDepth, own.chromaBitDepth) = (Int(box.bitDepthLumaMinus8) + 8, Int(box.bitDepthChromaMinus8) + 8)
    return (own, sequenceSets.hevc.compactMap { SequenceProfile(hevc: $0[...]) })
  }
  /// The first `colr` box with colour codes.
  var colours: ColourInformationBox? {
    let found = all("colr").compactMap { $0.payload as? ColourInformationBox }
    return found.first { $0.colourType == "nclx" } ?? found.first { $0.colourType == "nclc" }
  }

  /// Reports an entry whose size differs from that of every sequence header.
  func compareSize(with headers: [SequenceParameters?], _ name: String, _ report: inout RuleReport) {
    let sizes = headers.compactMap { $0 }
    guard let entry = payload as? VisualSampleEntry, entry.width > 0, entry.height > 0, let first = sizes.first,
      !sizes.contains(where: { $0.width == Int(entry.width) && $0.height == Int(entry.height) })
    else { return }
    report.add(self, "it is \(entry.width)x\(entry.height), but \(first.width)x\(first.height) in the \(name)")
  }
}
