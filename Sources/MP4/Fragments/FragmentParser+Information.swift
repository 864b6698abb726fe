import ISOBMFF
import MP4Bytes

extension FragmentParser {
  /// The boxes `tfxd` and `tfrf` of Smooth Streaming, which repeat the times of this fragment and the following ones.
  private static let ofSmoothStreaming: Set<UserType?> = [
    UserType([0x6d, 0x1d, 0x9b, 0x05, 0x42, 0xd5, 0x44, 0xe6, 0x80, 0xe2, 0x14, 0x1d, 0xaf, 0xf7, 0x57, 0xb2]),
    UserType([0xd4, 0x80, 0x7e, 0xf2, 0xca, 0x39, 0x46, 0x95, 0x8e, 0x54, 0x26, 0xcb, 0x9e, 0x46, 0xa7, 0x9f]),
  ]

  /// Reads a user-defined box, or one of another standard, in the current track fragment.
  mutating func readUserBox(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    if node.header.userType == PIFFSampleEncryptionBox.info.userType {
      if keepsSamples { try readInformation(node, &parser) }
    } else if !Self.ofSmoothStreaming.contains(node.header.userType) {
      noteOmitted(node.type)
    }
  }

  /// Records that a box of the current source is not carried over.
  mutating func noteOmitted(_ type: FourCC) { table.omitted[type, default: [:]][sourceIndex, default: 0] += 1 }

  /// Reads a box with further information about the samples of the current track fragment.
  mutating func readInformation(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    guard isOpen, current.isKnown else { return }
    var boxes = self.boxes ?? InformationBoxes()
    // The property is cleared meanwhile, so that adding to the boxes does not copy them.
    self.boxes = nil
    switch node.type {
    case "sgpd":
      if let box = try decode(node, &parser, SampleGroupDescriptionBox.self) { boxes.descriptions.append(box) }
    case "sbgp": if let box = try decode(node, &parser, SampleToGroupBox.self) { boxes.groups.append(box) }
    case "csgp":
      if let box = try decode(node, &parser, CompactSampleToGroupBox.self) { boxes.compactGroups.append(box) }
    case "subs": if let box = try decode(node, &parser, SubSampleInformationBox.self) { boxes.subsamples.append(box) }
    case "saiz": boxes.auxiliarySizes = try decode(node, &parser, SampleAuxiliaryInformationSizesBox.self)
    case "saio": boxes.auxiliaryOffsets = try decode(node, &parser, SampleAuxiliaryInformationOffsetsBox.self)
    case "sdtp":
      let box = try decode(node, &parser, SampleDependencyTypeBox.self)
      boxes.dependencies = box.map { Array($0.entries.encodedRows) }
    case "uuid": if let box = try decode(node, &parser, PIFFSampleEncryptionBox.self) { read(box, into: &boxes) }
    default: boxes.encryption = try decode(node, &parser, SampleEncryptionBox.self)
    }
    self.boxes = boxes
  }

  private mutating func decode<Payload: BoxPayload>(_ node: BoxNode, _ parser: inout BoxParser, _: Payload.Type)
    throws(IOError) -> Payload?
  { check(try parser.decode(node, as: Payload.self), parser.path) }

  /// Collects the information in the boxes of a track fragment after all of its runs have been read.
  mutating func resolveInformation(_ fragment: inout TrackFragment, base: Int?) throws(IOError) {
    guard let boxes else { return }
    if let dependencies = boxes.dependencies {
      // A box for fewer samples cannot be assigned to samples.
      if dependencies.count >= fragment.sampleCount {
        table.samples[fragment.track].setFlags(0xff0_0000, from: fragment.firstSample) {
          UInt32(dependencies[$0]) << 20
        }
      } else {
        noteOmitted("sdtp")
      }
    }
    // A fragment without a base has no samples.
    let resolved = try boxes.resolve(
      into: &table.information[fragment.track], base: base ?? 0, runs: runCounts,
      sampleCount: fragment.sampleCount,
      precedingBytes: sourceStart, &window)
    fragment.information = resolved.information
    for type in resolved.notUnderstood { noteOmitted(type) }
  }

  /// Reads the older form of `senc`, which can override the encryption of the track for these samples.
  private mutating func read(_ box: PIFFSampleEncryptionBox, into boxes: inout InformationBoxes) {
    guard isOpen else { return }
    let fragment = current.fragment
    // If a fragment has both forms, their contents are equal.
    if boxes.encryption == nil { boxes.encryption = box.encryption }
    let entries = table.tracks[fragment.track].encryption
    let entry = Int(fragment.descriptionIndex) - 1
    let ofTrack = entries.indices.contains(entry) ? entries[entry] : nil
    let isCovered = ofTrack?.covers(box) ?? (!box.overridesTrack || box.algorithmID == 0)
    if !isCovered { table.information[fragment.track].otherEncryption += 1 }
  }
}
