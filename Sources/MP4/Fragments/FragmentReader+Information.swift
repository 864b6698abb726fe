import ISOBMFF

extension FragmentReader {
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
    default:
      let box = try decode(node, &parser, SampleEncryptionBox.self)
      current?.boxes.encryption = box
    }
  }
}
