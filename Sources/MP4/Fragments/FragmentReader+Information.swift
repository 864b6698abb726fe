import ISOBMFF

extension FragmentReader {
  /// A box that says more of the samples of the current track fragment.
  mutating func readInformation(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    guard current?.isKnown == true else { return }
    var boxes = self.boxes ?? InformationBoxes()
    // The boxes are let go of meanwhile, so that adding to them copies nothing.
    self.boxes = nil
    switch node.type {
    case "sgpd":
      if let box = try decode(node, &parser, SampleGroupDescriptionBox.self) { boxes.descriptions.append(box) }
    case "sbgp": if let box = try decode(node, &parser, SampleToGroupBox.self) { boxes.groups.append(box) }
    case "subs": if let box = try decode(node, &parser, SubSampleInformationBox.self) { boxes.subsamples.append(box) }
    case "saiz": boxes.auxiliarySizes = try decode(node, &parser, SampleAuxiliaryInformationSizesBox.self)
    case "saio": boxes.auxiliaryOffsets = try decode(node, &parser, SampleAuxiliaryInformationOffsetsBox.self)
    case "sdtp":
      let box = try decode(node, &parser, SampleDependencyTypeBox.self)
      boxes.dependencies = box.map { Array($0.entries.bytes) }
    default: boxes.encryption = try decode(node, &parser, SampleEncryptionBox.self)
    }
    self.boxes = boxes
  }

  private mutating func decode<Payload: BoxPayload>(_ node: BoxNode, _ parser: inout BoxParser, _: Payload.Type)
    throws(IOError) -> Payload?
  { check(try parser.decode(node, as: Payload.self), parser.path, .loss, "what it says of the samples is left out") }

  /// Takes what the boxes of a track fragment say, all of whose runs are in the store.
  mutating func resolveInformation(_ fragment: inout TrackFragment, base: Int?) throws(IOError) {
    guard let boxes else { return }
    if let dependencies = boxes.dependencies {
      // A box for fewer samples could be for any of them.
      if dependencies.count >= fragment.sampleCount {
        store.setDependencies(dependencies, of: fragment.runs)
      } else {
        leftOut["sdtp", default: 0] += 1
      }
    }
    let counts = store.runs[fragment.runs].map(\.count)
    // Without a base there are no samples.
    let resolved = try boxes.resolve(
      into: &information[fragment.track], base: base ?? 0, runs: counts, sampleCount: fragment.sampleCount,
      precedingBytes: sourceStart, &window)
    fragment.information = resolved.information
    for type in resolved.notUnderstood { leftOut[type, default: 0] += 1 }
  }
}
