/// What headers of video streams declare, as it is written without changing any other field. A value that is `nil` is
/// kept.
package struct HeaderWriting: Sendable {
  /// The codes of colors; their range is not used.
  package var colours: ColourDescription?
  /// Whether values use the full range.
  package var isFullRange: Bool?
  /// The shape of pixels.
  package var pixelAspect: SequenceParameters.PixelAspectRatio?
  /// The duration of a frame in seconds, where headers declare one.
  package var pictureDuration: SequenceParameters.Fraction?
  /// The level.
  package var level: CodecLevel?
  /// The mastering display and the light level, as in SEI messages: ISO/IEC 23008-2, D.2.28 and D.2.35.
  package var display: [Message] = []
  /// Whether messages in which an encoder names itself are omitted.
  package var omitsEncoder = false
  /// The order of fields.
  package var fieldOrder: FieldOrder?

  /// An SEI message with static metadata.
  package struct Message: Hashable, Sendable {
    /// The type of its payload.
    package var type: Int
    /// Its payload.
    package var payload: [UInt8]

    /// A message.
    package init(type: Int, payload: [UInt8]) { (self.type, self.payload) = (type, payload) }
  }

  /// Keeps all values.
  package init() {}

  /// The colors and the range after the change.
  package func applied(to old: ColourDescription?) -> ColourDescription {
    var result = colours ?? old ?? ColourDescription()
    result.isFullRange = isFullRange ?? old?.isFullRange ?? false
    return result
  }

  /// Whether usability information is added to parameter sets without it.
  private var needsUsability: Bool { colours != nil || isFullRange != nil || pixelAspect != nil }

  // MARK: Parameter sets

  /// A sequence parameter set of AVC (NAL unit) with the new values; `nil` if it cannot be read.
  package func writing(avc unit: ArraySlice<UInt8>) -> [UInt8]? {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    guard SequenceParameters(avcBeforeUsability: &r) != nil else { return nil }
    let old = Bits(EmulationPrevention.removed(from: unit.dropFirst()).plain)
    var new = Bits()
    new.append(old[0..<r.position])
    if let level {
      new.replace(at: 16, with: Int(level.avc), count: 8)
      // With these profiles, this flag makes level 1.1 level 1b: ISO/IEC 14496-10, A.3.1.
      let profile = unit.dropFirst().first ?? 0
      if level.avc == 11, [66, 77, 88].contains(profile) { new.replace(at: 11, with: 0, count: 1) }
    }
    // After the signal type come six flags, of which the last one is about restrictions: E.1.1.
    return writing(&r, old, &new, unit.prefix(1), flagsAfter: 6) { r, new in
      writing(timing: &r, old, &new, ticks: 2)
    }
  }

  /// The same for HEVC; unchanged if it is of another layer than the base.
  package func writing(hevc unit: ArraySlice<UInt8>) -> [UInt8]? {
    guard let first = unit.first, unit.count > 2 else { return nil }
    if first & 1 != 0 || unit[unit.startIndex + 1] >> 3 != 0 { return Array(unit) }
    var r = BitReader(nalUnit: unit, headerSize: 2)
    guard SequenceParameters(hevcBeforeUsability: &r) != nil else { return nil }
    let old = Bits(EmulationPrevention.removed(from: unit.dropFirst(2)).plain)
    var new = Bits()
    new.append(old[0..<r.position])
    if let level { new.replace(at: 8 + Self.profileSize, with: Int(level.hevc), count: 8) }
    // ISO/IEC 23008-2, E.2.1.
    return writing(&r, old, &new, unit.prefix(2), flagsAfter: 7) { r, new in
      let start = r.position
      r.skip(3)
      if r.flag() { r.skipGolombs(4) }
      new.append(old[start..<r.position])
      // A sample is a picture: with fields, half a frame.
      writing(timing: &r, old, &new, ticks: 1)
    }
  }

  /// A video parameter set of HEVC (NAL unit) with the new level and duration of pictures; `nil` if it cannot be read.
  package func writing(hevcVideo unit: ArraySlice<UInt8>) -> [UInt8]? {
    guard level != nil || pictureDuration != nil else { return Array(unit) }
    var r = BitReader(nalUnit: unit, headerSize: 2)
    let old = Bits(EmulationPrevention.removed(from: unit.dropFirst(2)).plain)
    // ISO/IEC 23008-2, 7.3.2.1.
    r.skip(12)
    let subLayers = r.bits(3)
    r.skip(17)
    let levelPlace = r.position + Self.profileSize
    r.skipProfileTierLevel(subLayers)
    r.skipGolombs(3 * (r.flag() ? subLayers + 1 : 1))
    let layers = r.bits(6) + 1
    r.skip(r.count(1023) * layers)
    var new = Bits()
    new.append(old[0..<r.position])
    if let level { new.replace(at: levelPlace, with: Int(level.hevc), count: 8) }
    writing(timing: &r, old, &new, ticks: 1)
    return ended(r, old, &new, unit.prefix(2))
  }

  /// The bits of a profile before the level: ISO/IEC 23008-2, 7.3.3.
  private static let profileSize = 88

  /// Writes the usability information, whose flag is next. `rest` writes what follows the places of chroma samples, up
  /// to and including the duration of pictures.
  private func writing(
    _ r: inout BitReader, _ old: Bits, _ new: inout Bits, _ header: ArraySlice<UInt8>, flagsAfter: Int,
    _ rest: (inout BitReader, inout Bits) -> Void
  ) -> [UInt8]? {
    let hasUsability = r.flag()
    new.append(hasUsability || needsUsability ? 1 : 0, count: 1)
    guard hasUsability || needsUsability else { return ended(r, old, &new, header) }
    var start = r.position
    /// Keeps what was read since the last call.
    func keep(_ r: BitReader, _ new: inout Bits) {
      new.append(old[start..<r.position])
      start = r.position
    }
    if hasUsability, r.flag(), r.bits(8) == 255 { r.skip(32) }
    if let pixelAspect {
      new.append(1, count: 1)
      if let code = pixelAspect.code {
        new.append(code, count: 8)
      } else {
        new.append(255, count: 8)
        new.append(pixelAspect.width, count: 16)
        new.append(pixelAspect.height, count: 16)
      }
      start = r.position
    } else if hasUsability {
      keep(r, &new)
    } else {
      new.append(0, count: 1)
    }
    // Overscan.
    if hasUsability {
      if r.flag() { r.skip(1) }
      keep(r, &new)
    } else {
      new.append(0, count: 1)
    }
    var (hasSignal, format, current) = (false, 5, ColourDescription?.none)
    if hasUsability, r.flag() {
      hasSignal = true
      format = r.bits(3)
      let isFull = r.flag()
      current = r.flag() ? ColourDescription(&r) : ColourDescription()
      current?.isFullRange = isFull
    }
    if colours != nil || isFullRange != nil {
      // Pictures of RGB would be shown as YCbCr.
      if current?.matrixCoefficients == 0, let colours, colours.matrixCoefficients != 0 { return nil }
      let colours = applied(to: current)
      new.append(1, count: 1)
      new.append(format, count: 3)
      new.append(colours.isFullRange ? 1 : 0, count: 1)
      new.append(1, count: 1)
      new.append(colours)
      start = r.position
    } else if hasUsability {
      keep(r, &new)
    } else {
      new.append(hasSignal ? 1 : 0, count: 1)
    }
    guard hasUsability else {
      new.append(0, count: flagsAfter)
      return ended(r, old, &new, header)
    }
    if r.flag() { r.skipGolombs(2) }
    keep(r, &new)
    rest(&r, &new)
    return ended(r, old, &new, header)
  }

  /// Writes the duration of a tick, whose flag is next, if there is one. A picture has this number of `ticks`.
  private func writing(timing r: inout BitReader, _ old: Bits, _ new: inout Bits, ticks: Int) {
    let start = r.position
    guard r.flag() else { return new.append(old[start..<r.position]) }
    r.skip(64)
    new.append(old[start..<r.position])
    guard let pictureDuration, let tick = pictureDuration.divided(by: ticks) else { return }
    new.replaceLast(64, with: [tick.numerator, tick.denominator])
  }

  /// The unit with the rest of the old bits.
  private func ended(_ r: BitReader, _ old: Bits, _ new: inout Bits, _ header: ArraySlice<UInt8>) -> [UInt8]? {
    guard !r.isBroken, let end = old.lastOne, r.position <= end else { return nil }
    new.append(old[r.position..<end])
    new.append(1, count: 1)
    return header + EmulationPrevention.added(to: new.bytes)
  }
}

extension EmulationPrevention {
  /// The bytes of a NAL unit after its header, with the bytes that prevent start codes.
  static func added(to plain: [UInt8]) -> [UInt8] {
    var (bytes, zeroCount) = ([UInt8](), 0)
    for byte in plain {
      if zeroCount >= 2, byte <= 3 {
        bytes.append(3)
        zeroCount = 0
      }
      bytes.append(byte)
      zeroCount = byte == 0 ? zeroCount + 1 : 0
    }
    return bytes
  }
}

extension SequenceParameters.PixelAspectRatio {
  /// Its code in table E-1 of ISO/IEC 14496-10; `nil` if it has none.
  fileprivate var code: Int? {
    SequenceParameters.pixelAspectRatios.firstIndex { $0.0 * height == $0.1 * width && $0.0 > 0 }
  }
}

extension SequenceParameters.Fraction {
  /// A part of it, as two numbers of 32 bits; `nil` if they do not fit.
  fileprivate func divided(by count: Int) -> SequenceParameters.Fraction? {
    let (product, overflow) = denominator.multipliedReportingOverflow(by: count)
    guard !overflow else { return nil }
    var (divisor, rest) = (numerator, product)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let result = SequenceParameters.Fraction(numerator / divisor, product / divisor)
    return result.numerator <= UInt32.max && result.denominator <= UInt32.max ? result : nil
  }
}

/// The bits of a small header.
struct Bits {
  private var bits: [UInt8] = []

  init() {}
  init(_ bytes: ArraySlice<UInt8>) {
    bits.reserveCapacity(bytes.count * 8)
    for byte in bytes { append(Int(byte), count: 8) }
  }

  subscript(range: Range<Int>) -> ArraySlice<UInt8> { bits[range.clamped(to: 0..<bits.count)] }
  /// The place of the last bit that is 1, which ends a NAL unit.
  var lastOne: Int? { bits.lastIndex(of: 1) }

  mutating func append(_ more: ArraySlice<UInt8>) { bits += more }
  mutating func append(_ value: Int, count: Int) {
    for shift in (0..<count).reversed() { bits.append(UInt8(truncatingIfNeeded: value >> shift & 1)) }
  }
  mutating func append(_ colours: ColourDescription) {
    append(Int(colours.primaries), count: 8)
    append(Int(colours.transferCharacteristics), count: 8)
    append(Int(colours.matrixCoefficients), count: 8)
  }
  mutating func replace(at place: Int, with value: Int, count: Int) {
    for index in 0..<count where bits.indices.contains(place + index) {
      bits[place + index] = UInt8(truncatingIfNeeded: value >> (count - 1 - index) & 1)
    }
  }
  mutating func insert(_ bit: UInt8, at place: Int) { bits.insert(bit, at: min(place, bits.count)) }
  mutating func remove(at place: Int) { if bits.indices.contains(place) { bits.remove(at: place) } }
  /// Replaces the last bits with numbers of 32 bits each.
  mutating func replaceLast(_ count: Int, with numbers: [Int]) {
    let start = bits.count - count
    for (index, number) in numbers.enumerated() { replace(at: start + 32 * index, with: number, count: 32) }
  }
  mutating func replace(at place: Int, with colours: ColourDescription) {
    replace(at: place, with: Int(colours.primaries), count: 8)
    replace(at: place + 8, with: Int(colours.transferCharacteristics), count: 8)
    replace(at: place + 16, with: Int(colours.matrixCoefficients), count: 8)
  }

  /// The bits as bytes, with zeros at the end.
  var bytes: [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { byte, index in byte << 1 | (start + index < bits.count ? bits[start + index] : 0) }
    }
  }
}
