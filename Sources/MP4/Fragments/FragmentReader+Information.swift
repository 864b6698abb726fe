import ISOBMFF

extension FragmentReader {
  /// The boxes `tfxd` and `tfrf` of Smooth Streaming, which give times of this and of the next fragments again.
  private static let ofSmoothStreaming: Set<UserType?> = [
    UserType([0x6d, 0x1d, 0x9b, 0x05, 0x42, 0xd5, 0x44, 0xe6, 0x80, 0xe2, 0x14, 0x1d, 0xaf, 0xf7, 0x57, 0xb2]),
    UserType([0xd4, 0x80, 0x7e, 0xf2, 0xca, 0x39, 0x46, 0x95, 0x8e, 0x54, 0x26, 0xcb, 0x9e, 0x46, 0xa7, 0x9f]),
  ]

  /// A box of users or of other standards in the current track fragment.
  mutating func readUserBox(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    if node.header.userType == PIFFSampleEncryptionBox.info.userType {
      if keepsSamples { try readInformation(node, &parser) }
    } else if !Self.ofSmoothStreaming.contains(node.header.userType) {
      leftOut[node.type, default: 0] += 1
    }
  }

  /// A box that says more of the samples of the current track fragment.
  mutating func readInformation(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    guard current?.isKnown == true else { return }
    switch node.type {
    case "sgpd":
      if let box = try decode(node, &parser, SampleGroupDescriptionBox.self) { current?.boxes.descriptions.append(box) }
    case "sbgp": if let box = try decode(node, &parser, SampleToGroupBox.self) { current?.boxes.groups.append(box) }
    case "csgp":
      let box = try decode(node, &parser, CompactSampleToGroupBox.self)
      if let box { current?.boxes.compactGroups.append(box) }
    case "subs":
      if let box = try decode(node, &parser, SubSampleInformationBox.self) { current?.boxes.subsamples.append(box) }
    case "saiz":
      let box = try decode(node, &parser, SampleAuxiliaryInformationSizesBox.self)
      current?.boxes.auxiliarySizes = box
    case "saio":
      let box = try decode(node, &parser, SampleAuxiliaryInformationOffsetsBox.self)
      current?.boxes.auxiliaryOffsets = box
    case "sdtp":
      let box = try decode(node, &parser, SampleDependencyTypeBox.self)
      current?.boxes.dependencies = box.map { Array($0.entries.bytes) }
    case "uuid":
      if let box = try decode(node, &parser, PIFFSampleEncryptionBox.self) { readEncryption(box) }
    default:
      let box = try decode(node, &parser, SampleEncryptionBox.self)
      current?.boxes.encryption = box
    }
  }

  /// The older form of `senc`, which may say that the track is wrong about these samples.
  private mutating func readEncryption(_ box: PIFFSampleEncryptionBox) {
    guard let fragment = current?.fragment else { return }
    // Both forms in one fragment say the same.
    if current?.boxes.encryption == nil { current?.boxes.encryption = box.encryption }
    let entries = tracks[fragment.track].encryption
    let entry = Int(fragment.descriptionIndex) - 1
    let ofTrack = entries.indices.contains(entry) ? entries[entry] : nil
    let isCovered = ofTrack?.covers(box) ?? (!box.overridesTrack || box.algorithmID == 0)
    if !isCovered { information[fragment.track].otherEncryption += 1 }
  }
}
