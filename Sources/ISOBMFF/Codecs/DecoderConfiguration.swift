public import Bytes

/// The decoder configuration that a sample entry declares.
///
/// Everything is derived from the boxes in the entry. An entry is not trusted: damaged or missing values are unknown,
/// and then only the four-character code is available.
public struct DecoderConfiguration: Sendable {
  /// The type of the sample entry.
  public let format: FourCC
  /// The format of the samples. For an encrypted or wrapped entry, it differs from the type of the entry and comes from
  /// `frma`.
  public let codedFormat: FourCC
  /// The fields of the entry that can be read.
  public let fields: (any BoxPayload)?
  /// The boxes in it, including those in QuickTime's `wave`.
  private let boxes: [Child]

  private struct Child: Sendable {
    var type: FourCC
    var payload: ArraySlice<UInt8>
  }

  /// The maximum number of bytes of an entry that are examined. Real entries have a few hundred bytes, or an ICC
  /// profile.
  package static let sizeLimit = 1 << 20

  /// Reads an entry of `type`; `payload` contains the bytes after the header, and `handler` is that of the track.
  package init(type: FourCC, payload: ArraySlice<UInt8>, handler: FourCC? = nil) {
    format = type
    let payload = payload.prefix(Self.sizeLimit)
    let context = BoxContext(parent: "stsd", handler: handler)
    let layout = BoxRegistry.core.definition(of: type, in: context)?.payload
    fields = layout?.decoded(payload, context: context)?.payload
    let start = layout?.boxesStart(payload, context: context) ?? payload.count
    let direct = Self.boxes(in: payload.dropFirst(start))
    boxes = direct + direct.filter { $0.type == "wave" }.flatMap { Self.boxes(in: $0.payload) }
    let wrappers = direct.filter { ["sinf", "rinf", "cinf"].contains($0.type) }
    let original = wrappers.lazy.flatMap { Self.boxes(in: $0.payload) }.first { $0.type == "frma" }
    codedFormat = original.flatMap { try? OriginalFormatBox(decoding: $0.payload) }?.dataFormat ?? type
  }

  /// Reads an entry of `stsd` from `source`.
  package init(_ entry: Box, from source: any ByteSource, handler: FourCC? = nil) throws(IOError) {
    var window = ByteWindow(source, readAhead: 0)
    let range = entry.header?.payload ?? 0..<0
    let bytes = try window.slice(at: range.lowerBound, count: min(range.count, Self.sizeLimit))
    self.init(type: entry.type, payload: bytes, handler: handler)
  }

  /// Takes the properties of an image item of `type`, which are the boxes of a sample entry: ISO/IEC 23008-12, 6.5.
  package init(item type: FourCC, properties: [Box], from source: any ByteSource) throws(IOError) {
    (format, codedFormat, fields) = (type, type, nil)
    var window = ByteWindow(source, readAhead: 0)
    var found: [Child] = []
    for box in properties {
      guard let range = box.header?.payload, range.count <= Self.sizeLimit else { continue }
      found.append(
        Child(type: box.type, payload: try window.slice(at: range.lowerBound, count: range.count)))
    }
    boxes = found
  }

  /// The boxes in `bytes`, up to the first damaged one.
  private static func boxes(in bytes: ArraySlice<UInt8>) -> [Child] {
    var found: [Child] = []
    var rest = bytes
    while let header = BoxHeader(rest, at: 0), header.form != .toEnd {
      let size = min(rest.count, Int(clamping: header.declaredSize))
      guard size >= header.headerSize else { break }
      found.append(Child(type: header.type, payload: rest.prefix(size).dropFirst(header.headerSize)))
      rest = rest.dropFirst(size)
    }
    return found
  }

  /// The first box of a type in the entry, if it is present and readable; `type` is needed if it differs from the
  /// payload's own type.
  public func box<Payload: BoxPayload>(_: Payload.Type, _ type: FourCC? = nil) -> Payload? {
    let type = type ?? Payload.info.type
    return boxes.first { $0.type == type }.flatMap { try? Payload(decoding: $0.payload) }
  }

  /// The payload of the first box of a type.
  package func bytes(of type: FourCC) -> ArraySlice<UInt8>? { boxes.first { $0.type == type }?.payload }

  /// The fields of the first box of a type as `registry` declares them; `nil` if it is missing or damaged.
  package func payload(of type: FourCC, registry: BoxRegistry) -> (any BoxPayload)? {
    guard let box = boxes.first(where: { $0.type == type }) else { return nil }
    let definitions = [format, codedFormat, "wave", "ipco"].lazy.compactMap { parent in
      registry.definition(of: type, in: BoxContext(parent: parent))?.payload
    }
    return definitions.first?.decoded(box.payload, context: BoxContext(parent: format))?.payload
  }

  /// All readable boxes of the payload's type.
  func all<Payload: BoxPayload>(_: Payload.Type) -> [Payload] {
    boxes.filter { $0.type == Payload.info.type }.compactMap { try? Payload(decoding: $0.payload) }
  }

  /// Whether there is a view for each eye according to `vexu`, which Apple's spatial video uses.
  package var isStereoscopic: Bool {
    guard let vexu = boxes.first(where: { $0.type == "vexu" }),
      let eyes = Self.boxes(in: vexu.payload).first(where: { $0.type == "eyes" }),
      let views = Self.boxes(in: eyes.payload).first(where: { $0.type == "stri" }),
      let stri = try? StereoViewInformationBox(decoding: views.payload)
    else { return false }
    return stri.hasLeftEyeView && stri.hasRightEyeView
  }

  /// The configuration of MPEG-4 audio, if the entry has one.
  package var audioSpecificConfig: AudioSpecificConfig? {
    guard let stream = box(ESDescriptorBox.self), stream.decoderConfig?.objectTypeIndication == 0x40 else { return nil }
    return stream.decoderSpecificInfo.flatMap { AudioSpecificConfig($0) }
  }

  /// The sequence header of the video, if the entry has one and its codec is AVC, HEVC, VVC or AV1.
  package var sequenceParameters: SequenceParameters? {
    if let configuration = box(AVCConfigurationBox.self) {
      return configuration.sequenceParameterSets.first.flatMap { SequenceParameters(avc: $0.nalUnit[...]) }
    }
    if let configuration = box(HEVCConfigurationBox.self) {
      let set = configuration.arrays.first { $0.nalUnitType == 33 }?.nalUnits.first
      return set.flatMap { SequenceParameters(hevc: $0.bytes[...]) }
    }
    if let configuration = box(VVCConfigurationBox.self) {
      let set = configuration.arrays.first { $0.nalUnitType == 15 }?.nalUnits.first
      return set.flatMap { SequenceParameters(vvc: $0.bytes[...]) }
    }
    return box(AV1CodecConfigurationBox.self).flatMap { SequenceParameters(av1: $0.configOBUs[...]) }
  }

  /// The Dolby Vision configuration, of any generation.
  package var dolbyVision: DOVIConfigurationBox? {
    for type: FourCC in ["dvcC", "dvvC", "dvwC"] {
      if let found = box(DOVIConfigurationBox.self, type) { return found }
    }
    return nil
  }
}
