import ISOBMFF
import MP4Bytes

/// Finds the size of pictures of H.264, H.265 and H.266: length-prefixed NAL units, grouped by their slice and picture
/// headers.
///
/// Parameter sets in samples are applied to the following ones.
struct PictureSyntax {
  /// The properties of a picture.
  struct Picture {
    var byteCount: Int
    var isSync: Bool
    /// Its output order, relative to the last picture at which the order restarts; `nil` if it equals the decoding
    /// order.
    var order: Int?
    /// Whether the output order restarts at this picture.
    var startsOrder: Bool
    /// The frame number of H.264, and that of the next picture.
    var frameNumbers: (own: Int, next: Int)?
    /// Whether it can be the first picture after a lost IDR picture of H.264, regardless of its output order.
    var canFollowIDR = false

    /// Whether `next` can be the next picture in decoding order. A picture found in other data passes by chance in one
    /// case of 8 or 16.
    func canPrecede(_ next: Picture) -> Bool {
      if next.startsOrder { return next.isSync && (next.frameNumbers?.own ?? 0) == 0 }
      if let own = frameNumbers, let other = next.frameNumbers { return own.next == other.own }
      guard let order, let other = next.order else { return true }
      return abs(other &- order) <= 32
    }
  }
  /// The fields of sequence parameter sets that are needed to parse slice headers.
  private struct Sequence {
    var hasPlanes = false
    var frameNumberBits = 0
    /// 0 if slice headers do not contain the output order.
    var orderBits = 0
    var areFrames = true
    var macroblockCount = 0
  }
  private struct PictureSet {
    var sequence: Int
    var hasOutputFlag = false
    var extraBits = 0
  }
  /// The start of a slice.
  private struct Slice {
    var type = 0
    /// The first macroblock; for other codecs, 0 in the first slice of a picture and 1 in others.
    var first = 0
    var frameNumber = 0
    var frameNumberBits = 0
    var isField = false
    var isBottom = false
    /// Whether a VVC picture can be used as a reference.
    var isReference = true
    var orderBits = 0
    var order = 0
  }

  let codec: NALUnits.Codec
  let lengthSize: Int
  /// The maximum plausible length of a unit.
  var unitLimit = 1 << 20
  /// Types of units that occur in the pattern, besides those that are always allowed.
  var types: Set<Int> = []
  /// Which pictures after recovery points are sync samples.
  var recoveryPoints = RecoveryPoints.ignored
  /// Whether the data certainly consists of units, so that their types and sizes need not be plausible.
  private var isCertain = false
  /// The whole headers of slices of H.264, if they are needed.
  private var headers: AVCSliceHeader?

  enum RecoveryPoints {
    case ignored
    /// Only those that are right as soon as they are decoded, such as the start of an open GOP.
    case immediate
    case all
  }
  private var sequences: [Int: Sequence] = [:]
  private var pictureSets: [Int: PictureSet] = [:]
  /// The output order of the latest reference picture: its high and its low part.
  private var reference = (high: 0, low: 0)
  private var hasReference = false

  init?(_ configuration: DecoderConfiguration) {
    if let (codec, lengthSize) = configuration.nalUnits {
      (self.codec, self.lengthSize) = (codec, lengthSize)
    } else if let box = configuration.box(VVCConfigurationBox.self) {
      (codec, lengthSize) = (.vvc, Int(box.lengthSizeMinusOne & 3) + 1)
      for array in box.arrays { for unit in array.nalUnits { read(unit.bytes[...]) } }
    } else {
      return nil
    }
    if let box = configuration.box(AVCConfigurationBox.self) {
      for set in box.sequenceParameterSets { read(set.nalUnit[...]) }
      for set in box.pictureParameterSets { read(set.nalUnit[...]) }
    }
    if let box = configuration.box(HEVCConfigurationBox.self) {
      for array in box.arrays { for unit in array.nalUnits { read(unit.bytes[...]) } }
    }
  }

  /// Pictures in data that certainly consists of units with lengths of four bytes.
  init(_ codec: NALUnits.Codec, parameterSets: [[UInt8]]) {
    (self.codec, lengthSize, unitLimit, isCertain) = (codec, 4, .max, true)
    recoveryPoints = .immediate
    if codec == .avc { headers = AVCSliceHeader([]) }
    for unit in parameterSets { read(unit[...]) }
  }

  /// The maximum low part of the output order of the first picture after an IDR picture: 16 pictures of two fields.
  private static let firstOrders = 32
  /// The number of bytes of a unit that are examined.
  private static let headSize = 96

  /// The picture that starts at `offset`; `nil` if there is none. The state changes only if there is one.
  mutating func picture(at offset: Int, before end: Int, in window: inout ByteWindow) throws(IOError) -> Picture? {
    var next = self
    guard let picture = try next.read(at: offset, before: end, in: &window) else { return nil }
    self = next
    return picture
  }

  /// Whether a picture seems to start at `offset` that extends past `end`.
  func isCut(at offset: Int, before end: Int, in window: inout ByteWindow) throws(IOError) -> Bool {
    var (at, unitCount) = (offset, 0)
    while at < end, unitCount < 64 {
      unitCount += 1
      let head = try window.slice(at: at, count: min(lengthSize + Self.headSize, end - at))
      // Too few bytes for a header.
      guard head.count >= lengthSize + 16 else { return true }
      guard canStart(head, available: unitLimit + lengthSize) else { return false }
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      let unit = head.dropFirst(lengthSize).prefix(length)
      guard let type = codec.type(unit) else { return false }
      let isSlice = codec == .avc ? [1, 2, 5].contains(type) : codec.isSlice(type)
      if isSlice, codec != .vvc, slice(unit, type) == nil { return false }
      at += lengthSize + length
    }
    return at > end
  }

  /// Whether a unit can start with these bytes, which are at least its length and first byte.
  func canStart(_ bytes: ArraySlice<UInt8>, available: Int) -> Bool {
    guard bytes.count > lengthSize else { return false }
    var length = 0
    for index in 0..<lengthSize { length = length << 8 | Int(bytes[bytes.startIndex + index]) }
    let byte = bytes[bytes.startIndex + lengthSize]
    return length >= (isCertain ? 1 : 2) && length <= unitLimit && length <= available - lengthSize && byte & 0x80 == 0
      && accepts(byte, bytes.count > lengthSize + 1 ? bytes[bytes.startIndex + lengthSize + 1] : nil)
  }

  /// Whether the header of a unit is plausible.
  private func accepts(_ byte: UInt8, _ second: UInt8?) -> Bool {
    if isCertain { return true }
    if codec == .avc {
      let (type, reference) = (Int(byte & 31), byte >> 5 & 3)
      switch type {
      case 1: return true
      case 5, 7, 8: return reference > 0
      case 6, 9, 10, 11, 12: return reference == 0
      default: return types.contains(type)
      }
    }
    if let second, second & 7 == 0 || !codec.isBase(byte, second) && !types.contains(64) { return false }
    if codec == .vvc {
      guard let second, byte & 0x40 == 0 else { return false }
      let type = Int(second >> 3)
      return 0...3 ~= type || 7...10 ~= type || 12...24 ~= type || types.contains(type)
    }
    let type = Int(byte >> 1 & 63)
    return 0...9 ~= type || 16...21 ~= type || 32...40 ~= type || types.contains(type)
  }

  /// Whether a unit of this type after a slice starts the next picture.
  private func startsPicture(_ type: Int) -> Bool {
    switch codec {
    case .avc: 6...9 ~= type || 14...18 ~= type
    case .hevc: 32...35 ~= type || type == 39 || 41...44 ~= type || 48...55 ~= type
    case .vvc: 12...17 ~= type || [19, 20, 23, 26, 28, 29].contains(type)
    }
  }

  private mutating func read(at offset: Int, before end: Int, in window: inout ByteWindow) throws(IOError) -> Picture? {
    var at = offset
    var latest: Slice?
    var header: Slice?
    var fieldCount = 0
    var picture = Picture(byteCount: 0, isSync: false, startsOrder: false)
    var hasRecoveryPoint = false
    var unitCount = 0
    while at < end, unitCount < (latest == nil ? 64 : 1 << 14) {
      unitCount += 1
      let head = try window.slice(at: at, count: min(lengthSize + Self.headSize, end - at))
      guard canStart(head, available: end - at) else { break }
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      let unit = head.dropFirst(lengthSize).prefix(length)
      guard let type = codec.type(unit) else { break }
      // A unit of another layer belongs to the preceding picture of the base layer.
      let isBase = codec.isBase(unit[unit.startIndex], unit.count > 1 ? unit[unit.startIndex + 1] : 0)
      if isBase, codec == .avc ? [1, 2, 5].contains(type) : codec.isSlice(type) {
        guard let slice = codec == .vvc ? slice(unit, type, header, isFirst: latest == nil) : slice(unit, type) else {
          break
        }
        if let before = latest {
          if slice.first == 0 {
            guard fieldCount == 1, slice.isField, before.isField, slice.frameNumber == before.frameNumber,
              slice.isBottom != before.isBottom
            else { break }
            fieldCount = 2
          } else if codec == .avc, slice.first < before.first {
            break
          }
        } else {
          guard slice.first == 0 else { return nil }
          fieldCount = slice.isField ? 1 : 0
          begin(&picture, slice, unit)
        }
        latest = slice
      } else {
        if latest != nil, isBase, startsPicture(type) { break }
        if isBase, type == codec.sequenceParameterSet || type == codec.pictureParameterSet {
          let whole = try window.slice(at: at + lengthSize, count: min(length, 1024))
          guard read(whole) else { break }
        }
        if isBase, codec.isPictureHeader(type) {
          var r = MediaBits(nalUnit: unit, headerSize: codec.headerSize)
          header = pictureHeader(&r)
          guard header != nil else { break }
        }
        if codec == .avc, type == 6, isRecoveryPoint(unit) { hasRecoveryPoint = true }
        // After the end of a sequence, the output order starts again.
        if latest != nil, codec.isEndOfSequence(type) { hasReference = false }
      }
      at += lengthSize + length
    }
    guard latest != nil else { return nil }
    picture.byteCount = at - offset
    if hasRecoveryPoint { picture.isSync = true }
    return picture
  }

  /// Whether messages contain a recovery point after which pictures are sync samples.
  private func isRecoveryPoint(_ unit: ArraySlice<UInt8>) -> Bool {
    if recoveryPoints == .ignored { return false }
    var rest = unit.dropFirst()
    while rest.count > 2, let type = rest.popFirst(), let size = rest.popFirst() {
      // It starts with the number of frames until pictures are right.
      if type == 6 { return recoveryPoints == .all || rest.first.map { $0 & 0x80 != 0 } ?? false }
      if size == 255 { return false }
      rest = rest.dropFirst(Int(size))
    }
    return false
  }

  /// Parses the start of a slice; `nil` if it is not valid.
  private func slice(_ unit: ArraySlice<UInt8>, _ type: Int) -> Slice? {
    var slice = Slice(type: type)
    var r = MediaBits(nalUnit: unit, headerSize: codec.headerSize)
    if codec == .avc {
      slice.first = r.golomb()
      let kind = r.golomb()
      guard kind <= 9, type != 5 || kind % 5 == 2 || kind % 5 == 4, let set = pictureSets[r.golomb()],
        let sequence = sequences[set.sequence], slice.first < sequence.macroblockCount
      else { return nil }
      if sequence.hasPlanes { r.skip(2) }
      slice.frameNumber = r.bits(sequence.frameNumberBits)
      slice.frameNumberBits = sequence.frameNumberBits
      if !sequence.areFrames, r.flag() { (slice.isField, slice.isBottom) = (true, r.flag()) }
      if type == 5, r.golomb() > 65535 { return nil }
      slice.orderBits = sequence.orderBits
      slice.order = r.bits(sequence.orderBits)
      return r.isPastEnd ? nil : slice
    }
    let isFirst = r.flag()
    slice.first = isFirst ? 0 : 1
    if 16...23 ~= type { r.skip(1) }
    guard let set = pictureSets[r.golomb()], let sequence = sequences[set.sequence], !r.isPastEnd else { return nil }
    guard isFirst else { return slice }
    r.skip(set.extraBits)
    guard r.golomb() <= 2 else { return nil }
    if set.hasOutputFlag { r.skip(1) }
    if sequence.hasPlanes { r.skip(2) }
    if type != 19, type != 20 {
      slice.orderBits = sequence.orderBits
      slice.order = r.bits(sequence.orderBits)
    }
    return r.isPastEnd ? nil : slice
  }

  /// Parses the start of a VVC slice, whose fields are in a picture header in it or before it: ISO/IEC 23090-3, 7.3.7.
  private func slice(_ unit: ArraySlice<UInt8>, _ type: Int, _ header: Slice?, isFirst: Bool) -> Slice? {
    var r = MediaBits(nalUnit: unit, headerSize: codec.headerSize)
    // A slice that contains the picture header is the only one of its picture.
    let hasHeader = r.flag()
    guard var slice = hasHeader ? pictureHeader(&r) : header else { return nil }
    guard !hasHeader || (slice.type < 7 || 7...10 ~= type) && (slice.type == 10) == (type == 10) else { return nil }
    (slice.type, slice.first) = (type, hasHeader || isFirst ? 0 : 1)
    return slice
  }

  /// Parses a VVC picture header (7.3.2.8). The type is 10 for gradual decoding refresh, 7 for another random access
  /// picture, and 0 if the header does not say.
  private func pictureHeader(_ r: inout MediaBits) -> Slice? {
    var slice = Slice()
    let isRandomAccess = r.flag()
    slice.isReference = !r.flag()
    if isRandomAccess { slice.type = r.flag() ? 10 : 7 }
    if r.flag() {
      // Random access pictures are not predicted.
      if slice.type == 7 { return nil }
      r.skip(1)
    }
    guard let set = pictureSets[r.golomb()], let sequence = sequences[set.sequence] else { return nil }
    slice.orderBits = sequence.orderBits
    slice.order = r.bits(sequence.orderBits)
    return r.isPastEnd ? nil : slice
  }

  /// Determines the output order: ISO/IEC 14496-10, 8.2.1.1, ISO/IEC 23008-2, 8.3.1, and ISO/IEC 23090-3, 8.3.1.
  private mutating func begin(_ picture: inout Picture, _ slice: Slice, _ unit: ArraySlice<UInt8>) {
    let isIDR = codec.isIDR(slice.type)
    picture.isSync = codec.isRandomAccess(slice.type)
    if codec == .avc {
      let isReference = unit.first.map { $0 & 0x60 != 0 } ?? false
      let next = (slice.frameNumber + (isReference ? 1 : 0)) & (1 << slice.frameNumberBits - 1)
      picture.frameNumbers = (slice.frameNumber, next)
      picture.canFollowIDR = slice.frameNumber == 1 && slice.order <= Self.firstOrders
    }
    picture.startsOrder = isIDR || codec == .hevc && 16...18 ~= slice.type || !hasReference
    // All pictures before it are output before it, and later ones count from it: 8.2.1.
    let header = headers?.header(of: unit)
    if let header, header.allowsGaps || header.resetsOrder { picture.frameNumbers = nil }
    if !isIDR, header?.resetsOrder == true {
      (picture.startsOrder, picture.order, reference, hasReference) = (true, 0, (0, 0), true)
      return
    }
    if codec != .hevc, slice.orderBits == 0 { return }
    if picture.startsOrder { reference = (0, isIDR && codec == .hevc ? 0 : slice.order) }
    let size = 1 << slice.orderBits
    var high = reference.high
    if slice.orderBits > 0, !picture.startsOrder {
      if slice.order < reference.low, reference.low - slice.order >= size / 2 {
        high += size
      } else if slice.order > reference.low, slice.order - reference.low > size / 2 {
        high -= size
      }
    }
    picture.order = high + slice.order
    let isReference: Bool
    if codec == .avc {
      isReference = unit.first.map { $0 & 0x60 != 0 } ?? false
    } else {
      let isLowest = unit.dropFirst().first.map { $0 & 7 == 1 } ?? false
      let isUsed =
        codec == .vvc
        ? slice.isReference && slice.type != 2 && slice.type != 3
        : !(6...9 ~= slice.type) && (slice.type > 15 || slice.type & 1 == 1)
      isReference = isLowest && isUsed
    }
    if isReference || picture.startsOrder { (reference, hasReference) = ((high, slice.order), true) }
  }

  /// Parses a parameter set; returns `false` if it is damaged.
  @discardableResult
  private mutating func read(_ unit: ArraySlice<UInt8>) -> Bool {
    guard let type = codec.type(unit) else { return false }
    headers?.note(unit)
    var r = MediaBits(nalUnit: unit, headerSize: codec.headerSize)
    if type == codec.pictureParameterSet {
      let id = codec == .vvc ? r.bits(6) : r.golomb()
      var set = PictureSet(sequence: codec == .vvc ? r.bits(4) : r.golomb())
      if codec == .hevc {
        r.skip(1)
        set.hasOutputFlag = r.flag()
        set.extraBits = r.bits(3)
      }
      guard id < 256, !r.isPastEnd else { return false }
      pictureSets[id] = set
    } else if type == codec.sequenceParameterSet {
      let known: (Int, Sequence)? =
        switch codec {
        case .avc: Self.avcSequence(&r)
        case .hevc: Self.hevcSequence(&r)
        case .vvc: SequenceParameters.vvcOrder(unit).map { ($0.id, Sequence(orderBits: $0.bitCount)) }
        }
      guard let (id, sequence) = known, id < 32 else { return false }
      sequences[id] = sequence
    }
    return true
  }

  private static func avcSequence(_ r: inout MediaBits) -> (Int, Sequence)? {
    var sequence = Sequence()
    let profile = r.bits(8)
    r.skip(16)
    let id = r.golomb()
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      let chroma = r.golomb()
      if chroma == 3 { sequence.hasPlanes = r.flag() }
      r.skipGolombs(2)
      r.skip(1)
      if r.flag() { skipScalingLists(&r, chroma == 3 ? 12 : 8) }
    }
    sequence.frameNumberBits = r.golomb() + 4
    switch r.golomb() {
    case 0: sequence.orderBits = r.golomb() + 4
    case 1:
      r.skip(1)
      r.skipGolombs(2)
      r.skipGolombs(r.golomb())
    default: break
    }
    _ = r.golomb()
    r.skip(1)
    let (width, height) = (r.golomb() + 1, r.golomb() + 1)
    sequence.areFrames = r.flag()
    sequence.macroblockCount = min(width, 1 << 16) * min(height, 1 << 16) * (sequence.areFrames ? 1 : 2)
    guard !r.isPastEnd, sequence.frameNumberBits <= 16, sequence.orderBits <= 16 else { return nil }
    return (id, sequence)
  }

  private static func skipScalingLists(_ r: inout MediaBits, _ count: Int) {
    for index in 0..<count where r.flag() {
      var (last, next) = (8, 8)
      for _ in 0..<(index < 6 ? 16 : 64) where next != 0 && !r.isPastEnd {
        next = (last + r.signedGolomb()) & 0xff
        if next != 0 { last = next }
      }
    }
  }

  private static func hevcSequence(_ r: inout MediaBits) -> (Int, Sequence)? {
    var sequence = Sequence()
    r.skip(4)
    let layers = r.bits(3)
    r.skip(1 + 96)
    if layers > 0 {
      let present = (0..<layers).map { _ in (profile: r.flag(), level: r.flag()) }
      r.skip(2 * (8 - layers))
      for layer in present { r.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    }
    let id = r.golomb()
    if r.golomb() == 3 { sequence.hasPlanes = r.flag() }
    r.skipGolombs(2)
    if r.flag() { r.skipGolombs(4) }
    r.skipGolombs(2)
    sequence.orderBits = r.golomb() + 4
    guard !r.isPastEnd, sequence.orderBits <= 16 else { return nil }
    return (id, sequence)
  }
}
