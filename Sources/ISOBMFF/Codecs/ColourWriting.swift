/// Colors as they are written into the headers of video streams, without changing any other field.
package struct ColourWriting: Sendable {
  /// The codes; their range is not used.
  private let colours: ColourDescription?
  /// Whether values use the full range; `nil` keeps it.
  private let isFullRange: Bool?

  /// Writes `colours`, or keeps them if they are `nil`; the same for the range.
  package init(_ colours: ColourDescription?, isFullRange: Bool?) {
    (self.colours, self.isFullRange) = (colours, isFullRange)
  }

  /// The colors and the range after the change.
  package func applied(to old: ColourDescription?) -> ColourDescription {
    var result = colours ?? old ?? ColourDescription()
    result.isFullRange = isFullRange ?? old?.isFullRange ?? false
    return result
  }

  // MARK: Parameter sets

  /// A sequence parameter set of AVC (NAL unit) with the colors; `nil` if it cannot be read.
  package func writing(avc unit: ArraySlice<UInt8>) -> [UInt8]? {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    // After the signal type come six flags, of which the last one is about restrictions: ISO/IEC 14496-10, E.1.1.
    return SequenceParameters(avcBeforeUsability: &r).flatMap { _ in writing(&r, unit, headerSize: 1, flagsAfter: 6) }
  }

  /// The same for HEVC; unchanged if it is of another layer than the base.
  package func writing(hevc unit: ArraySlice<UInt8>) -> [UInt8]? {
    guard let first = unit.first, unit.count > 2 else { return nil }
    if first & 1 != 0 || unit[unit.startIndex + 1] >> 3 != 0 { return Array(unit) }
    var r = BitReader(nalUnit: unit, headerSize: 2)
    // ISO/IEC 23008-2, E.2.1.
    return SequenceParameters(hevcBeforeUsability: &r).flatMap { _ in writing(&r, unit, headerSize: 2, flagsAfter: 7) }
  }

  /// Writes the signal type into the usability information, whose flag is next; without any, into new one.
  private func writing(
    _ r: inout BitReader, _ unit: ArraySlice<UInt8>, headerSize: Int, flagsAfter: Int
  ) -> [UInt8]? {
    let old = Bits(EmulationPrevention.removed(from: unit.dropFirst(headerSize)).plain)
    var new = Bits()
    new.append(old[0..<r.position])
    let hasUsability = r.flag()
    new.append(1, count: 1)
    var (format, current) = (5, ColourDescription?.none)
    if hasUsability {
      let start = r.position
      // The shape of pixels, and overscan.
      if r.flag(), r.bits(8) == 255 { r.skip(32) }
      if r.flag() { r.skip(1) }
      new.append(old[start..<r.position])
      if r.flag() {
        format = r.bits(3)
        let isFull = r.flag()
        current = r.flag() ? ColourDescription(&r) : ColourDescription()
        current?.isFullRange = isFull
      }
    } else {
      new.append(0, count: 2)
    }
    let colours = applied(to: current)
    new.append(1, count: 1)
    new.append(format, count: 3)
    new.append(colours.isFullRange ? 1 : 0, count: 1)
    new.append(1, count: 1)
    new.append(colours)
    if !hasUsability { new.append(0, count: flagsAfter) }
    guard !r.isBroken, let end = old.lastOne, r.position <= end else { return nil }
    new.append(old[r.position..<end])
    new.append(1, count: 1)
    return unit.prefix(headerSize) + EmulationPrevention.added(to: new.bytes)
  }

  // MARK: Headers of the same length

  /// The units of AV1 with the colors in their sequence header, which keeps its length; `nil` if it declares none, or
  /// if the new ones need another syntax.
  package func writing(av1 units: ArraySlice<UInt8>) -> [UInt8]? {
    guard let header = OpenBitstreamUnit.all(in: units, hasTrimming: false).first(where: { $0.type == 1 }) else {
      return nil
    }
    var r = BitReader(header.payload)
    guard let (profile, _, _) = r.skipToAV1Colour() else { return nil }
    if r.flag(), profile == 2 { r.skip(1) }
    let isGrey = profile != 1 && r.flag()
    let hasCodes = r.flag()
    // Codes would make the header longer.
    guard hasCodes || colours == nil else { return nil }
    let place = r.position
    var old = hasCodes ? ColourDescription(&r) : ColourDescription()
    guard !old.isSRGB else { return nil }
    let rangePlace = r.position
    old.isFullRange = r.flag()
    let new = applied(to: old)
    // Only this combination has another syntax: AV1, 5.5.2.
    guard !r.isBroken, !new.isSRGB || isGrey else { return nil }
    var bits = Bits(header.payload)
    if hasCodes { bits.replace(at: place, with: new) }
    bits.replace(at: rangePlace, with: new.isFullRange ? 1 : 0, count: 1)
    return units.prefix(header.payload.startIndex - units.startIndex) + bits.bytes
      + units[header.payload.endIndex...]
  }

  /// A frame of VP9 with the colors, which are one code there; unchanged if it declares none, and `nil` if it has no
  /// code for the new ones: VP9 bitstream specification, 7.2.2.
  package func writing(vp9 frame: ArraySlice<UInt8>) -> [UInt8]? {
    var r = BitReader(frame.prefix(32))
    guard r.bits(2) == 2 else { return nil }
    let profile = r.bits(1) | r.bits(1) << 1
    if profile == 3 { r.skip(1) }
    // A frame that is shown again, or a frame with references, has none.
    guard !r.flag(), !r.flag() else { return Array(frame) }
    r.skip(2)
    guard r.bits(24) == 0x498342 else { return nil }
    if profile >= 2 { r.skip(1) }
    let place = r.position
    let (space, isFull) = (r.bits(3), r.flag())
    guard !r.isBroken, space != 7 else { return nil }
    var bits = Bits(frame.prefix(32))
    if let colours {
      let codes: [UInt16: Int] = [1: 2, 4: 1, 5: 1, 6: 3, 7: 4, 9: 5]
      guard let code = codes[colours.matrixCoefficients] else { return nil }
      bits.replace(at: place, with: code, count: 3)
    }
    bits.replace(at: place + 3, with: isFullRange ?? isFull ? 1 : 0, count: 1)
    return bits.bytes + frame.dropFirst(32)
  }

  /// A frame of ProRes with the colors in its header; `nil` if it has none.
  package func writing(proRes frame: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes = Array(frame)
    guard ProResHeader(frame) != nil else { return nil }
    if let colours {
      let codes = [colours.primaries, colours.transferCharacteristics, colours.matrixCoefficients]
      bytes.replaceSubrange(ProResHeader.colours, with: codes.map { UInt8(truncatingIfNeeded: $0) })
    }
    return bytes
  }
}

extension ColourDescription {
  fileprivate var isSRGB: Bool { (primaries, transferCharacteristics, matrixCoefficients) == (1, 13, 0) }
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

/// The bits of a small header.
private struct Bits {
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
