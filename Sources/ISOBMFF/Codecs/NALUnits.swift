import MP4Bytes

/// The length-prefixed NAL units of a sample: ISO/IEC 14496-15, 4.3.3.
package struct NALUnits: Sequence, IteratorProtocol {
  /// The codec, which determines the headers of units.
  package enum Codec: Sendable {
    /// AVC, with unit headers of 1 byte.
    case avc
    /// HEVC, with unit headers of 2 bytes.
    case hevc
    /// VVC, with unit headers of 2 bytes in another format: ISO/IEC 23090-3, 7.3.1.2.
    case vvc

    /// The number of bytes of the header of a unit.
    package var headerSize: Int { self == .avc ? 1 : 2 }
    /// The type in the header of a unit.
    package func type(_ unit: ArraySlice<UInt8>) -> Int? {
      switch self {
      case .avc: unit.first.map { Int($0 & 0x1f) }
      case .hevc: unit.first.map { Int($0 >> 1 & 0x3f) }
      case .vvc: unit.dropFirst().first.map { Int($0 >> 3) }
      }
    }
    /// Whether a unit whose header has these two bytes belongs to the base layer.
    package func isBase(_ first: UInt8, _ second: UInt8) -> Bool {
      switch self {
      case .avc: true
      case .hevc: first & 1 == 0 && second >> 3 == 0
      case .vvc: first & 0x3f == 0
      }
    }
    /// Whether a unit of this type is a parameter set that a decoder configuration can contain. Those of VVC range from
    /// operating points to prefix adaptation parameter sets.
    package func isParameterSet(_ type: Int) -> Bool {
      switch self {
      case .avc: type == 7 || type == 8
      case .hevc: 32...34 ~= type
      case .vvc: 12...17 ~= type
      }
    }
    /// The number by which slices and other parameter sets refer to a parameter set; `nil` if it is damaged, or if it
    /// has none.
    package func parameterSetID(_ unit: ArraySlice<UInt8>) -> Int? {
      var r = BitReader(nalUnit: unit.prefix(256), headerSize: headerSize)
      let id: Int
      switch (self, type(unit)) {
      case (.avc, 7):
        r.skip(24)
        id = r.count(32)
      case (.hevc, 32):
        id = r.bits(4)
      case (.hevc, 33):
        r.skip(4)
        let subLayers = r.bits(3)
        r.skip(1)
        r.skipProfileTierLevel(subLayers)
        id = r.count(16)
      case (.vvc, 14), (.vvc, 15):
        id = r.bits(4)
      case (.vvc, 16):
        id = r.bits(6)
      case (.avc, 8), (.hevc, 34):
        id = r.count(256)
      default: return nil
      }
      return r.isBroken ? nil : id
    }
    /// The type of sequence parameter sets.
    package var sequenceParameterSet: Int {
      switch self {
      case .avc: 7
      case .hevc: 33
      case .vvc: 15
      }
    }
    /// The type of picture parameter sets.
    package var pictureParameterSet: Int { sequenceParameterSet + 1 }
    /// Whether a unit of this type is a picture header, which VVC can have before slices.
    package func isPictureHeader(_ type: Int) -> Bool { self == .vvc && type == 19 }
    /// Whether a unit of this type ends a sequence or the bitstream.
    package func isEndOfSequence(_ type: Int) -> Bool {
      switch self {
      case .avc: type == 10 || type == 11
      case .hevc: type == 36 || type == 37
      case .vvc: type == 21 || type == 22
      }
    }
    /// Whether a unit of this type is a slice of a picture.
    package func isSlice(_ type: Int) -> Bool {
      switch self {
      case .avc: 1...5 ~= type
      case .hevc: 0...31 ~= type
      case .vvc: 0...11 ~= type
      }
    }
    /// Whether a slice of this type belongs to an IDR picture.
    package func isIDR(_ type: Int) -> Bool {
      switch self {
      case .avc: type == 5
      case .hevc: type == 19 || type == 20
      case .vvc: type == 7 || type == 8
      }
    }
    /// Whether decoding can start with a picture that has a slice of this type: IDR, or any IRAP of HEVC and VVC.
    package func isRandomAccess(_ type: Int) -> Bool {
      switch self {
      case .avc: type == 5
      case .hevc: 16...23 ~= type
      case .vvc: 7...9 ~= type
      }
    }
    /// Whether a slice is predicted from other pictures, or has a type at which decoding cannot start.
    package func isPredicted(_ slice: Unit) -> Bool {
      guard self == .avc else { return slice.type < (self == .hevc ? 16 : 7) }
      guard slice.type != 5 else { return false }
      var r = BitReader(nalUnit: slice.bytes.prefix(64), headerSize: 1)
      r.skipGolombs(1)
      // P, B or SP: ISO/IEC 14496-10, 7.4.3.
      return [0, 1, 3].contains(r.golomb() % 5) && !r.isBroken
    }
    /// Whether a unit of this type contains SEI messages that precede the picture.
    package func isMessage(_ type: Int) -> Bool {
      switch self {
      case .avc: type == 6
      case .hevc: type == 39
      case .vvc: type == 23
      }
    }
    /// Whether a unit of this type cannot precede a picture: suffix SEI messages.
    package func isSuffix(_ type: Int) -> Bool {
      switch self {
      case .avc: false
      case .hevc: type == 40
      case .vvc: type == 24
      }
    }
  }
  /// A unit with its header.
  package struct Unit: Sendable {
    /// Its type.
    package var type: Int
    /// Its bytes; incomplete if the sample was cut off.
    package var bytes: ArraySlice<UInt8>
    /// Whether all of its bytes are present.
    package var isWhole: Bool

    /// A unit of these bytes.
    package init(type: Int, bytes: ArraySlice<UInt8>, isWhole: Bool) {
      (self.type, self.bytes, self.isWhole) = (type, bytes, isWhole)
    }
  }

  private let codec: Codec
  private let lengthSize: Int
  private var rest: ArraySlice<UInt8>

  /// The units in `sample`, which may be only the start of a sample. Lengths have `lengthSize` bytes.
  package init(_ sample: ArraySlice<UInt8>, _ codec: Codec, lengthSize: Int) {
    (rest, self.codec, self.lengthSize) = (sample, codec, lengthSize)
  }

  /// The next unit; empty units are skipped.
  package mutating func next() -> Unit? {
    while rest.count > lengthSize {
      let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(lengthSize)
      let bytes = rest.prefix(length)
      rest = rest.dropFirst(length)
      if let type = codec.type(bytes) { return Unit(type: type, bytes: bytes, isWhole: bytes.count == length) }
    }
    return nil
  }
}

extension DecoderConfiguration {
  /// The codec of the NAL units and the number of bytes of their lengths; `nil` if the codec is neither AVC nor HEVC.
  package var nalUnits: (codec: NALUnits.Codec, lengthSize: Int)? {
    if let box = box(AVCConfigurationBox.self) { return (.avc, Int(box.lengthSizeMinusOne & 3) + 1) }
    if let box = box(HEVCConfigurationBox.self) { return (.hevc, Int(box.lengthSizeMinusOne & 3) + 1) }
    return nil
  }

  /// The same, also for VVC.
  package var unitLengths: (codec: NALUnits.Codec, lengthSize: Int)? {
    nalUnits ?? box(VVCConfigurationBox.self).map { (.vvc, Int($0.lengthSizeMinusOne & 3) + 1) }
  }

  /// The first sequence header at the start of a sample, as far as it can be read.
  package func sequenceParameters(in sample: ArraySlice<UInt8>) -> SequenceParameters? {
    guard let (codec, lengthSize) = nalUnits else {
      return box(AV1CodecConfigurationBox.self).flatMap { _ in SequenceParameters(av1: sample) }
    }
    for unit in NALUnits(sample, codec, lengthSize: lengthSize) where unit.isWhole {
      guard unit.type == codec.sequenceParameterSet else { continue }
      return codec == .avc ? SequenceParameters(avc: unit.bytes) : SequenceParameters(hevc: unit.bytes)
    }
    return nil
  }

  /// The bit depth, if the configuration declares it.
  package var bitDepth: Int? {
    // Decoders use the parameter sets, which the other fields repeat.
    if let profile = sequenceProfile { return profile.bitDepth }
    if let box = box(AVCConfigurationBox.self) {
      if let high = box.highProfile { return Int(high.bitDepthLumaMinus8) + 8 }
      return [110, 122, 244].contains(box.avcProfileIndication) ? nil : 8
    }
    if let box = box(HEVCConfigurationBox.self) { return Int(box.bitDepthLumaMinus8) + 8 }
    if let box = box(VVCConfigurationBox.self) { return box.profile.map { Int($0.bitDepthMinus8) + 8 } }
    if let box = box(AV1CodecConfigurationBox.self) { return box.highBitdepth ? box.twelveBit ? 12 : 10 : 8 }
    if let box = box(VPCodecConfigurationBox.self) { return Int(box.bitDepth) }
    return Self.uncompressedFormats[codedFormat] ?? nil
  }

  /// Whether samples are uncompressed pictures, which have no headers.
  package var isUncompressedVideo: Bool { Self.uncompressedFormats[codedFormat] != nil }

  /// The uncompressed formats, with their bit depths, as far as they have one: QuickTime File Format, Ice Floe 19.
  private static let uncompressedFormats: [FourCC: Int?] = [
    "2vuy": 8, "2Vuy": 8, "yuv2": 8, "v308": 8, "v408": 8, "v210": 10, "v410": 10, "v216": 16, "r210": 10, "R10k": 10,
    "b48r": 16, "b64a": 16, "raw ": nil, "rle ": nil, "uncv": nil,
  ]
}

extension DecoderConfiguration {
  /// The parameter sets in the configuration of AVC or HEVC; none for other codecs.
  package var parameterSets: [[UInt8]] {
    if let box = box(AVCConfigurationBox.self) {
      return (box.sequenceParameterSets + box.pictureParameterSets).map(\.nalUnit)
    }
    guard let box = box(HEVCConfigurationBox.self) else { return [] }
    return box.arrays.filter { 32...34 ~= $0.nalUnitType }.flatMap { $0.nalUnits.map(\.bytes) }
  }
}
