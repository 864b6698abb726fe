public import MP4Bytes

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

/// Decoded audio.
package struct SoundFormat: Hashable, Sendable {
  /// The number of channels; for object-based audio, that of the bed that every decoder plays. 0 if unknown.
  package var channelCount: Int
  /// Samples per second; 0 if unknown.
  package var sampleRate: Int
  /// The number of objects and bed channels that Dolby Atmos adds to Enhanced AC-3 by joint object coding.
  package var jointObjectCount: Int?

  /// The value of the CHANNELS attribute of HTTP Live Streaming: the number of channels, or the number of objects with
  /// their coding, such as `16/JOC`: draft-pantos-hls-rfc8216bis, 4.4.6.1, and, for Dolby Atmos, Apple's HLS Authoring
  /// Specification. `nil` if the number is unknown.
  package var channels: String? {
    if let jointObjectCount { return "\(jointObjectCount)/JOC" }
    return channelCount > 0 ? String(channelCount) : nil
  }
}

extension DecoderConfiguration {
  /// The audio of the samples; `nil` if the samples are not audio.
  ///
  /// Sample entries often declare 2 channels regardless of the actual number (ISO/IEC 14496-12 required that for a long
  /// time), and cannot declare sample rates above 65,535 Hz. Therefore the decoder configuration takes precedence. MPEG
  /// audio layers and DTS in `mp4a` have none, and the entry may be wrong; only the samples declare the actual values.
  package var sound: SoundFormat? {
    guard var format = soundOfEntry else { return nil }
    configure(&format)
    return format
  }

  /// The same, ignoring values that only the entry declares. For PCM audio, the entry is the only configuration.
  package var configuredSound: SoundFormat? {
    guard let entry = soundOfEntry else { return nil }
    var format = SoundFormat(channelCount: 0, sampleRate: 0)
    if Self.uncompressed.contains(codedFormat) { format = entry }
    // The entry of this codec has a 32-bit rate, because the configuration has none.
    if fields is MLPSampleEntry { format.sampleRate = entry.sampleRate }
    configure(&format)
    return format
  }

  /// PCM formats.
  private static let uncompressed: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ipcm", "fpcm", "alaw", "ulaw",
  ]

  /// Uses the values of the decoder configuration.
  private func configure(_ format: inout SoundFormat) {
    switch codedFormat {
    case "mp4a":
      guard let config = audioSpecificConfig else { break }
      format.set(config.channelCount, config.samplingFrequency)
    case "ac-3":
      guard let box = box(AC3SpecificBox.self) else { break }
      format.set(ChannelCounts.count(box.acmod, box.lfeon), ChannelCounts.rate(box.fscod))
    case "ec-3": readEnhancedAC3(&format)
    case "ac-4":
      guard let box = box(AC4SpecificBox.self) else { break }
      format.set(
        box.presentations.first.map { ChannelCounts.count(ac4: $0.channelMask) } ?? 0, box.fsIndex == 0 ? 44100 : 48000)
    case "mlpa":
      guard let box = box(MLPSpecificBox.self) else { break }
      format.set(ChannelCounts.count(trueHD: box.formatInfo), 0)
    case "Opus":
      // A decoder outputs 48 kHz, regardless of the input rate: Opus in ISOBMFF 0.8.1, 4.3.2.
      format.set(box(OpusSpecificBox.self).map { Int($0.outputChannelCount) } ?? 0, 48000)
    case "fLaC":
      guard let info = box(FLACSpecificBox.self)?.metadataBlocks.first?.streamInfo else { break }
      format.set(Int(info.channelsMinusOne) + 1, Int(info.sampleRate))
    case "alac":
      guard let box = box(ALACSpecificBox.self) else { break }
      format.set(Int(box.numChannels), Int(box.sampleRate))
    case "dtsc", "dtsh", "dtsl", "dtse", "dts+", "dts-":
      guard let box = box(DTSSpecificBox.self) else { break }
      format.set(ChannelCounts.count(dts: box.channelLayout), Int(box.samplingFrequency))
    case "dtsx", "dtsy":
      guard let box = box(DTSUHDSpecificBox.self) else { break }
      format.set(box.channelMask.nonzeroBitCount, 0)
    case "mha1", "mha2", "mhm1", "mhm2":
      guard let box = box(MHAConfigurationBox.self) else { break }
      format.set(AudioSpecificConfig.channels(configuration: Int(box.referenceChannelLayout)), 0)
    case "iamf":
      guard let audio = box(IAConfigurationBox.self).flatMap({ ImmersiveAudioSequence($0.configOBUs[...]) }) else {
        break
      }
      format.set(audio.channelCount, audio.sampleRate)
    default: format.set(layoutCount, 0)
    }
  }

  /// The format that the entry itself declares, in the layouts of ISO and of QuickTime.
  private var soundOfEntry: SoundFormat? {
    if let entry = fields as? MLPSampleEntry {
      return SoundFormat(channelCount: Int(entry.channelCount), sampleRate: Int(entry.sampleRate))
    }
    guard let entry = fields as? AudioSampleEntry else { return nil }
    if let more = entry.version2 {
      let rate = Int(exactly: Double(bitPattern: more.audioSampleRate).rounded())
      return SoundFormat(channelCount: Int(more.numAudioChannels), sampleRate: rate.map { max(0, $0) } ?? 0)
    }
    let rate = box(SamplingRateBox.self).map { Int($0.samplingRate) }
    return SoundFormat(channelCount: Int(entry.channelCount), sampleRate: rate ?? Int(entry.sampleRate >> 16))
  }

  /// The number of channels of PCM audio according to `chnl`: ISO/IEC 14496-12:2022, 12.2.4; 0 if it does not declare
  /// one. QuickTime's `chan` only assigns the channels that the entry declares.
  private var layoutCount: Int {
    guard let layout = box(ChannelLayoutBox.self), layout.streamStructure & 1 != 0 else { return 0 }
    if layout.definedLayout == 0 { return layout.speakers.count }
    let omitted = layout.omittedChannelsMap?.nonzeroBitCount ?? 0
    return max(0, AudioSpecificConfig.channels(configuration: Int(layout.definedLayout)) - omitted)
  }

  /// The first independent substream is the program, together with its dependent substreams: ETSI TS 102 366, F.6.
  private func readEnhancedAC3(_ format: inout SoundFormat) {
    guard let box = box(EC3SpecificBox.self), let first = box.independentSubstreams.first else { return }
    let more = first.numDepSub > 0 ? ChannelCounts.count(dependent: first.chanLoc) : 0
    format.set(ChannelCounts.count(first.acmod, first.lfeon) + more, ChannelCounts.rate(first.fscod))
    if box.hasExtensionTypeA, let count = box.complexityIndexTypeA, count > 0 { format.jointObjectCount = Int(count) }
  }
}

extension SoundFormat {
  init(channelCount: Int, sampleRate: Int) {
    self.channelCount = channelCount
    self.sampleRate = sampleRate
  }

  /// Sets the values that are known.
  fileprivate mutating func set(_ channelCount: Int, _ sampleRate: Int) {
    if channelCount > 0 { self.channelCount = channelCount }
    if sampleRate > 0 { self.sampleRate = sampleRate }
  }
}

/// Codecs strings for playlists and manifests.
extension DecoderConfiguration {
  /// The value of the `codecs` parameter for these samples, such as `avc1.64001F` or `mp4a.40.2`: RFC 6381. The part
  /// after the four letters is defined by the standard that registers them, which the functions below cite.
  ///
  /// The four letters are used alone if the standard adds nothing, or if the configuration box is missing. Encrypted
  /// samples are named by their original format: RFC 6381, 3.3, and ISO/IEC 23001-7, 13. Characters that a list of
  /// codecs cannot contain are escaped as in RFC 2231, such as `raw%20`.
  public var codecs: String {
    ([Self.escaped(codedFormat)] + (pictureParameters ?? soundParameters ?? textParameters ?? [])).joined(
      separator: ".")
  }

  /// The codecs string for Dolby Vision decoders, if `codecs` is the one for other decoders: the value of the
  /// SUPPLEMENTAL-CODECS attribute of HTTP Live Streaming, such as `dvh1.08.07/db4h`.
  ///
  /// The brand after the slash declares what other decoders show: Dolby Vision Streams within the ISO Base Media File
  /// Format, 2.4, 5.
  public var supplementalCodecs: String? {
    let letters: [FourCC: String] = [
      "avc1": "dva1", "avc3": "dvav", "hvc1": "dvh1", "hev1": "dvhe", "av01": "dav1",
    ]
    guard let type = letters[codedFormat], let configuration = dolbyVision else { return nil }
    let brand: String
    switch configuration.dvBlSignalCompatibilityID {
    case 1: brand = "db1p"
    case 2: brand = "db2g"
    case 4: brand = colour?.transferCharacteristics == 14 ? "db4g" : "db4h"
    default: return nil
    }
    return "\(type).\(Self.dolbyVisionParameters(configuration).joined(separator: "."))/\(brand)"
  }

  /// Profile and level: Dolby Vision Profiles and Levels.
  static func dolbyVisionParameters(_ configuration: DOVIConfigurationBox) -> [String] {
    [decimal(configuration.dvProfile, 2), decimal(configuration.dvLevel, 2)]
  }

  /// A type in a list of codecs: letters, with all other characters in hexadecimal.
  static func escaped(_ type: FourCC) -> String {
    type.description.unicodeScalars.map { letter in
      switch letter {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "+", "_": String(letter)
      default: "%" + hexadecimal(letter.value, 2)
      }
    }.joined()
  }

  /// Decimal digits, at least `count`.
  static func decimal(_ number: some BinaryInteger, _ count: Int) -> String { padded(String(number), count) }

  /// Uppercase hexadecimal digits, at least `count`.
  static func hexadecimal(_ number: some BinaryInteger, _ count: Int) -> String {
    padded(String(number, radix: 16, uppercase: true), count)
  }

  private static func padded(_ digits: String, _ count: Int) -> String {
    String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
