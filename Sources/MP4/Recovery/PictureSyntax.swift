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
  /// The start of a slice.
  private struct Slice {
    var type = 0
    /// The first macroblock; for other codecs, 0 in the first slice of a picture and 1 in others.
    var first = 0
    /// `frame_num` of H.264, and the number of its values.
    var frameNumber = (value: 0, modulus: 1)
    var isField = false
    var isBottom = false
    /// Whether the picture can be used as a reference.
    var isReference: Bool
    /// The low bits of the output order, and the number of their values; `nil` if slice headers do not contain it.
    var order: (low: Int, modulus: Int)?
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
  enum RecoveryPoints {
    case ignored
    /// Only those that are right as soon as they are decoded, such as the start of an open GOP.
    case immediate
    case all
  }
  private var avc = AVCSliceHeader([])
  private var hevc = HEVCHeaders([])
  private var vvc = VVCHeaders()
  /// The output order of the latest reference picture: its high and its low part.
  private var reference = (high: 0, low: 0)
  private var hasReference = false

  init?(_ configuration: DecoderConfiguration) {
    if let (codec, lengthSize) = configuration.nalUnits {
      (self.codec, self.lengthSize) = (codec, lengthSize)
    } else if let box = configuration.box(VVCConfigurationBox.self) {
      (codec, lengthSize) = (.vvc, Int(box.lengthSizeMinusOne & 3) + 1)
      for array in box.arrays { for unit in array.nalUnits { note(unit.bytes[...]) } }
    } else {
      return nil
    }
    for unit in configuration.parameterSets { note(unit[...]) }
  }

  /// Pictures in data that certainly consists of units with lengths of four bytes.
  init(_ codec: NALUnits.Codec, parameterSets: [[UInt8]]) {
    (self.codec, lengthSize, unitLimit, isCertain) = (codec, 4, .max, true)
    recoveryPoints = .immediate
    for unit in parameterSets { note(unit[...]) }
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
    var header: VVCHeaders.Picture?
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
            guard fieldCount == 1, slice.isField, before.isField, slice.frameNumber.value == before.frameNumber.value,
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
          let whole = try window.slice(at: at + lengthSize, count: min(length, 4096))
          guard note(whole) else { break }
        }
        if isBase, codec.isPictureHeader(type) {
          header = vvc.picture(unit)
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

  /// Parses the start of a slice of H.264 or H.265; `nil` if it is not valid.
  private func slice(_ unit: ArraySlice<UInt8>, _ type: Int) -> Slice? {
    if codec == .avc {
      // With a reference of other fields, an address can be that of a whole frame.
      guard let header = avc.start(of: unit), header.fault == nil,
        header.first < header.width * header.height * (header.isField ? 2 : 1)
      else { return nil }
      return Slice(
        type: type, first: header.first, frameNumber: header.frameNumber, isField: header.isField,
        isBottom: header.isBottom, isReference: unit.first.map { $0 & 0x60 != 0 } ?? false, order: header.order)
    }
    // With a reference of another size, the addresses of later slices do not fit it.
    guard let header = hevc.start(of: unit), !header.isFirst || header.fault == nil else { return nil }
    let isUsed = !(6...9 ~= type) && (type > 15 || type & 1 == 1)
    return Slice(
      type: type, first: header.isFirst ? 0 : 1, isReference: isUsed && Self.isLowest(unit), order: header.order)
  }

  /// Parses the start of a slice of H.266.
  private func slice(
    _ unit: ArraySlice<UInt8>, _ type: Int, _ header: VVCHeaders.Picture?, isFirst: Bool
  ) -> Slice? {
    guard let (picture, hasHeader) = vvc.slice(unit, type, header) else { return nil }
    let isUsed = picture.isReference && type != 2 && type != 3
    return Slice(
      type: type, first: hasHeader || isFirst ? 0 : 1, isReference: isUsed && Self.isLowest(unit), order: picture.order)
  }

  /// Whether a unit of H.265 or H.266 belongs to the lowest temporal layer.
  private static func isLowest(_ unit: ArraySlice<UInt8>) -> Bool {
    unit.dropFirst().first.map { $0 & 7 == 1 } ?? false
  }

  /// Determines the output order: ISO/IEC 14496-10, 8.2.1.1, ISO/IEC 23008-2, 8.3.1, and ISO/IEC 23090-3, 8.3.1.
  private mutating func begin(_ picture: inout Picture, _ slice: Slice, _ unit: ArraySlice<UInt8>) {
    let isIDR = codec.isIDR(slice.type)
    picture.isSync = codec.isRandomAccess(slice.type)
    if codec == .avc {
      let (number, modulus) = slice.frameNumber
      picture.frameNumbers = (number, (number + (slice.isReference ? 1 : 0)) & (modulus - 1))
      picture.canFollowIDR = number == 1 && slice.order?.low ?? 0 <= Self.firstOrders
    }
    picture.startsOrder = isIDR || codec == .hevc && 16...18 ~= slice.type || !hasReference
    // All pictures before it are output before it, and later ones count from it: 8.2.1.
    let header = codec == .avc && isCertain ? avc.header(of: unit) : nil
    if let header, header.allowsGaps || header.resetsOrder { picture.frameNumbers = nil }
    if !isIDR, header?.resetsOrder == true {
      (picture.startsOrder, picture.order, reference, hasReference) = (true, 0, (0, 0), true)
      return
    }
    guard let (low, modulus) = slice.order else { return }
    if picture.startsOrder { reference = (0, isIDR && codec == .hevc ? 0 : low) }
    var high = reference.high
    if !picture.startsOrder {
      if low < reference.low, reference.low - low >= modulus / 2 {
        high += modulus
      } else if low > reference.low, low - reference.low > modulus / 2 {
        high -= modulus
      }
    }
    picture.order = high + low
    if slice.isReference || picture.startsOrder { (reference, hasReference) = ((high, low), true) }
  }

  /// Records a unit if it is a parameter set; returns `false` if it is damaged.
  @discardableResult
  private mutating func note(_ unit: ArraySlice<UInt8>) -> Bool {
    switch codec {
    case .avc: avc.note(unit) != .none
    case .hevc: hevc.note(unit)
    case .vvc: vvc.note(unit)
    }
  }
}
