import ISOBMFF
import MP4Bytes

/// The evidence that a key is right, from samples decrypted with it. With a wrong key, they are random bytes.
///
/// It adds up how much more probable the samples are with the right key, as a logarithm: Bayes factors in bits. Only
/// what was encrypted counts, because clear bytes are valid in any case, and only different data, because equal data
/// is decrypted to equal bytes with every key.
struct KeyEvidence {
  /// The logarithm, to the base 2, of the probability of the samples with the right key, divided by that with a wrong
  /// one.
  private(set) var bits = 0.0
  /// At least this many bits are accepted as proof. A wrong key passes less than once in 2^12 times.
  static let proof = 12.0
  /// More evidence is not necessary.
  static let certainty = 30.0

  private let configuration: DecoderConfiguration
  private let pictures: (codec: NALUnits.Codec, lengthSize: Int)?
  private let pictureSets: Set<Int>
  private var avc: AVCSliceHeader
  private var hevc: HEVCHeaders
  /// The width of the latest frame of VP9 that declared it.
  private var width = 0
  private let sound: Sound?

  // Evidence of one kind each.
  private var lengths = RuleEvidence()
  private var headers = RuleEvidence()
  private var starts = RuleEvidence()
  private var slices = RuleEvidence()
  private var frames = RuleEvidence()
  private var sequences = SequenceEvidence()
  private var ends: EndEvidence
  private var firstBytes = LearnedEvidence()
  private var lastBytes = LearnedEvidence()
  private var kinds = LearnedEvidence()
  /// The starts of encrypted data that was examined.
  private var known: Set<[UInt8]> = []

  /// The syntax of audio and text.
  private enum Sound {
    case aac(AACSyntax)
    case elements(AudioSpecificConfig)
    case frames(FrameSyntax)
    case flac, opus, xml, cues
  }

  /// Evidence from samples with this configuration.
  init(_ configuration: DecoderConfiguration) {
    self.configuration = configuration
    if let units = configuration.nalUnits {
      pictures = units
    } else {
      pictures = configuration.box(VVCConfigurationBox.self).map { (.vvc, Int($0.lengthSizeMinusOne & 3) + 1) }
    }
    let sets = configuration.parameterSets
    avc = AVCSliceHeader(pictures?.codec == .avc ? sets : [])
    hevc = HEVCHeaders(pictures?.codec == .hevc ? sets : [])
    ends = EndEvidence(isMarked: pictures?.codec == .avc)
    let isComplete = ["avc1", "hvc1", "dvh1", "dva1"].contains(configuration.codedFormat)
    pictureSets = Set(
      sets.compactMap { unit -> Int? in
        guard isComplete, let codec = configuration.nalUnits?.codec,
          codec.type(unit[...]) == codec.pictureParameterSet
        else { return nil }
        return codec.parameterSetID(unit[...])
      })
    sound = Self.sound(configuration)
  }

  private static func sound(_ configuration: DecoderConfiguration) -> Sound? {
    let descriptor = configuration.box(ESDescriptorBox.self)
    let objectType = descriptor?.decoderConfig?.objectTypeIndication
    switch configuration.codedFormat {
    case "ac-3": return .frames(.ac3)
    case "ec-3": return .frames(.eac3)
    case "fLaC": return .flac
    case "Opus": return .opus
    case "stpp": return .xml
    case "wvtt": return .cues
    case "mp4a" where objectType == 0x69 || objectType == 0x6b: return .frames(.mpeg)
    case "mp4a":
      guard let config = configuration.audioSpecificConfig else { return nil }
      if let syntax = descriptor?.decoderSpecificInfo.flatMap({ AACSyntax(Array($0)) }) { return .aac(syntax) }
      return 1...4 ~= config.audioObjectType ? .elements(config) : nil
    default: return nil
    }
  }

  /// Whether samples of this configuration can be judged at all.
  var canJudge: Bool { pictures != nil || sound != nil || ["vp09", "av01"].contains(configuration.codedFormat) }
  var isProof: Bool { bits >= Self.proof }
  var isRefutation: Bool { bits <= -Self.proof }
  var isCertain: Bool { abs(bits) >= Self.certainty }

  /// Adds a sample: all of its bytes or only the first ones, and the same bytes before decryption.
  mutating func add(_ clear: [UInt8], encrypted: [UInt8], isWhole: Bool) {
    guard clear.count == encrypted.count, clear != encrypted else { return }
    if pictures != nil { return addPicture(clear, encrypted, isWhole) }
    switch configuration.codedFormat {
    case "av01": addUnits(clear, encrypted, isWhole)
    case "vp09": addFrame(clear, encrypted, isWhole)
    default: addSound(clear, encrypted, isWhole)
    }
  }

  /// Whether encrypted data differs from all that was examined; `first` is where its encryption starts.
  private mutating func isNew(_ encrypted: ArraySlice<UInt8>, from first: Int) -> Bool {
    known.count > 1 << 14 || known.insert(Array(encrypted[first...].prefix(32))).inserted
  }

  /// The index of the first byte that was encrypted.
  private static func start(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) -> Int? {
    var index = clear.startIndex
    while index < clear.endIndex {
      if clear[index] != encrypted[index] { return index }
      index += 1
    }
    return nil
  }

  // MARK: Audio and text

  private mutating func addSound(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    guard let sound, let start = Self.start(clear[...], encrypted[...]), isNew(encrypted[...], from: start) else {
      return
    }
    // Whether the first bytes were encrypted.
    func isEncrypted(_ count: Int) -> Bool { clear.count >= count && clear.prefix(count) != encrypted.prefix(count) }
    switch sound {
    case .aac(let syntax):
      // Blocks of 16 bytes are encrypted. Of random frames, fewer than one in 500 is valid.
      guard isWhole, clear.count >= 16 else { return }
      bits += frames.note(syntax.byteCount(clear[...]).map { $0 <= clear.count } ?? false, chance: 1.0 / 256)
    case .elements(let config):
      if isEncrypted(2), let isRight = startsElement(clear, config) { bits += frames.note(isRight, chance: 0.25) }
    case .frames(let syntax):
      guard isEncrypted(2), clear.count >= 16 else { return }
      bits += frames.note(syntax.byteCount(clear[...]).map { $0 <= clear.count } ?? false, chance: 1.0 / 1024)
    case .flac:
      if isEncrypted(2) { bits += frames.note(clear[0] == 0xff && clear[1] & 0xfe == 0xf8, chance: 1.0 / 16384) }
    case .opus:
      // An encoder uses few of the kinds of packets.
      if isEncrypted(1) { bits += kinds.note(clear[0]) }
    case .xml:
      guard isEncrypted(8) else { return }
      let text = clear.prefix(16)
      let isWide = text.starts(with: [0xfe, 0xff]) || text.starts(with: [0xff, 0xfe])
      let isText = text.allSatisfy { $0 >= 0x20 || [0x09, 0x0a, 0x0d].contains($0) }
      let isFirst = [0x3c, 0xef, 0x20, 0x0a, 0x0d, 0x09].contains(clear[0])
      bits += frames.note(isWide || isText && isFirst, chance: 1.0 / 64)
    case .cues:
      if isEncrypted(8) {
        let size = SizedSyntax.boxes(arePrintable: true).byteCount(clear[...])
        bits += frames.note(size != nil, chance: 1.0 / 16384)
      }
    }
  }

  /// Whether an AAC frame starts with an element for its channels (ISO/IEC 14496-3, 4.4.2.1); `nil` if another element
  /// precedes it.
  private func startsElement(_ bytes: [UInt8], _ config: AudioSpecificConfig) -> Bool? {
    let wanted: UInt8
    switch config.channelConfiguration {
    case 2: wanted = 1
    case 1, 3...7: wanted = 0
    default: return nil
    }
    // The element, its number, and the reserved bit of the window description, which two channels share.
    let (element, number) = (bytes[0] >> 5, bytes[0] >> 1 & 15)
    if element == wanted { return number == 0 && (wanted == 0 || bytes[0] & 1 == 0 || bytes[1] & 0x80 == 0) }
    return (4...6).contains(element) ? nil : false
  }

  // MARK: AV1 and VP9

  /// Open bitstream units (OBUs) of an AV1 sample, of which usually only tiles are encrypted: AV1, 5.3.
  private mutating func addUnits(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    var at = 0
    while at < clear.count {
      let header = clear[at]
      let (hasSize, headerSize) = (header & 2 != 0, header & 4 != 0 ? 2 : 1)
      guard let (length, size) = Self.leb128(clear.dropFirst(at + headerSize)) ?? (hasSize ? nil : (0, 0)) else {
        if clear[at] != encrypted[at] { bits += headers.note(false, chance: 0.25) }
        return
      }
      let start = at + headerSize + (hasSize ? size : 0)
      let count = hasSize ? length : clear.count - start
      let (isHeader, fits) = (header & 0x81 == 0, count >= 0 && count <= clear.count - start)
      if clear[at] != encrypted[at] { bits += headers.note(isHeader && (fits || !isWhole), chance: 0.25) }
      guard isHeader, fits else { return }
      // A frame, or a group of its tiles.
      if [4, 6].contains(header >> 3 & 15) { addTiles(clear[start..<start + count], encrypted[start..<start + count]) }
      at = start + count
    }
  }

  /// A number in groups of seven bits, and the number of its bytes: AV1, 4.10.5.
  private static func leb128(_ bytes: ArraySlice<UInt8>) -> (value: Int, size: Int)? {
    var value = 0
    for (index, byte) in bytes.prefix(5).enumerated() {
      value |= Int(byte & 0x7f) << (7 * index)
      if byte & 0x80 == 0 { return (value, index + 1) }
    }
    return nil
  }

  /// Data whose last tile ends with a stop bit: AV1, 8.2.4.
  private mutating func addTiles(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) {
    guard let start = Self.start(clear, encrypted), isNew(encrypted, from: start), let last = clear.last else { return }
    bits += firstBytes.noteIfLearned(clear[start])
    if last != encrypted.last { bits += ends.note(last) }
  }

  /// A frame or superframe of VP9, whose last byte decides which it is: VP9, annex B.
  private mutating func addFrame(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    guard let start = Self.start(clear[...], encrypted[...]), isNew(encrypted[...], from: start) else { return }
    if start == 0 { bits += headers.note(clear[0] >> 6 == 2, chance: 0.25) }
    if start > 0 { bits += firstBytes.noteIfLearned(clear[start]) }
    if let first = VP9Header(clear[...])?.compressedStart(width: &width), first < clear.count,
      clear[first] != encrypted[first]
    {
      bits += starts.note(clear[first] < 0x80, chance: 0.5)
    }
    guard isWhole, let last = clear.last, last != encrypted.last else { return }
    if last & 0xe0 == 0xc0 {
      let size = 2 + (Int(last) >> 3 & 3 + 1) * (Int(last) & 7 + 1)
      let isIndex = size < clear.count && clear[clear.count - size] == last
      bits += frames.note(isIndex, chance: 7.0 / 8)
    } else {
      bits += frames.note(true, chance: 7.0 / 8) + lastBytes.noteIfLearned(last)
    }
  }

  // MARK: NAL units

  private mutating func addPicture(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    guard let (codec, lengthSize) = pictures else { return }
    var (at, isFirst) = (0, true)
    while at + lengthSize < clear.count {
      let length = clear[at..<at + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      let isLengthEncrypted = clear[at..<at + lengthSize] != encrypted[at..<at + lengthSize]
      at += lengthSize
      if length > clear.count - at, isLengthEncrypted || isWhole {
        if isLengthEncrypted, isWhole { bits += lengths.note(false, chance: 1.0 / 64) }
        return
      }
      if isLengthEncrypted { bits += lengths.note(length > 0 && clear[at] & 0x80 == 0, chance: 1.0 / 64) }
      let range = at..<min(at + length, clear.count)
      at += length
      guard range.count > codec.headerSize else { continue }
      addUnit(clear[range], encrypted[range], codec, &isFirst, isWhole: at <= clear.count)
    }
  }

  private mutating func addUnit(
    _ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ isFirst: inout Bool,
    isWhole: Bool
  ) {
    guard let type = codec.type(clear) else { return }
    let start = Self.start(clear, encrypted)
    guard codec.isSlice(type) else {
      guard start == nil, isWhole else { return }
      if codec == .avc { avc.note(clear) }
      if codec == .hevc, codec.isParameterSet(type) { hevc.note(clear) }
      return
    }
    defer { isFirst = false }
    guard let start, isNew(encrypted, from: start) else { return }
    if let isRight = isHeaderRight(clear, encrypted, codec, type, isFirst: isFirst) {
      bits += headers.note(isRight, chance: 0.25)
    } else if codec == .avc {
      addDataStart(clear, encrypted)
    }
    if isWhole {
      if let last = clear.last, last != encrypted.last { bits += ends.note(last) }
      if !isCertain { addSliceData(clear, encrypted, codec, from: start) }
    }
    bits += sequences.note(clear, encrypted)
  }

  private mutating func addSliceData(
    _ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>, _ codec: NALUnits.Codec, from start: Int
  ) {
    let result: SliceData
    switch codec {
    case .avc:
      let changed = clear.indices.count { clear[$0] != encrypted[$0] }
      result = AVCSliceData.parse(clear, avc, from: start, share: Double(changed) / Double(clear.endIndex - start))
    case .hevc: result = HEVCSliceData.parse(clear, hevc, from: start)
    case .vvc: return
    }
    switch result.outcome {
    // The evidence replaces the chance that random data is valid.
    case .whole: bits += slices.note(true, chance: 1) + min(result.evidence, Self.certainty)
    case .broken: bits += slices.note(false, chance: 0) + min(result.evidence, Self.certainty)
    case .unknown: break
    }
  }

  /// CABAC data after a clear slice header cannot start with the 9-bit values 510 or 511: ISO/IEC 14496-10, 9.3.1.2.
  private mutating func addDataStart(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) {
    guard let header = avc.header(of: clear.prefix(512)), header.size < clear.count,
      clear.prefix(header.size) == encrypted.prefix(header.size)
    else { return }
    let (first, before) = (clear[clear.startIndex + header.size], encrypted[encrypted.startIndex + header.size])
    guard first != before else { return }
    bits += firstBytes.noteIfLearned(first)
    if header.hasCABAC { bits += starts.note(first != 0xff, chance: 255.0 / 256) }
  }

  /// Whether the header of a slice is plausible; `nil` if it was not encrypted.
  private func isHeaderRight(
    _ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ type: Int, isFirst: Bool
  ) -> Bool? {
    // The first numbers take one or two bytes, unless there are many slices.
    guard codec != .vvc,
      clear.dropFirst(codec.headerSize).prefix(1) != encrypted.dropFirst(codec.headerSize).prefix(1)
    else { return nil }
    var r = MediaBits(nalUnit: clear.prefix(64), headerSize: codec.headerSize)
    func isSet(_ number: Int) -> Bool { pictureSets.isEmpty ? number < 256 : pictureSets.contains(number) }
    guard codec == .avc else {
      guard r.flag() == isFirst else { return false }
      if 16...23 ~= type { r.skip(1) }
      return isSet(r.golomb()) && !r.isPastEnd
    }
    let (address, kind) = (r.golomb(), r.golomb())
    guard (address == 0) == isFirst, kind < 10, type != 5 || kind % 5 == 2 || kind % 5 == 4 else { return false }
    return isSet(r.golomb()) && !r.isPastEnd
  }
}
