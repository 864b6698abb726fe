/// Sequence headers of AV1.
extension SequenceParameters {
  /// Reads the sequence header among `units`, open bitstream units with their sizes, such as those of `av1C`: AV1,
  /// 5.5.1.
  package init?(av1 units: ArraySlice<UInt8>) {
    guard let header = OpenBitstreamUnit.all(in: units, hasTrimming: false).first(where: { $0.type == 1 }) else {
      return nil
    }
    var r = BitReader(header.payload)
    var levelPlace: Int?
    guard let (profile, width, height) = r.skipToAV1Colour(levelPlace: &levelPlace) else { return nil }
    self.init(width: width, height: height, colour: r.av1Colour(profile: profile))
  }
}

extension SequenceProfile {
  /// Reads the sequence header among `units`, such as those of `av1C`: AV1, 5.5.1. The level is the code of the first
  /// operating point.
  package init?(av1 units: ArraySlice<UInt8>) {
    guard let header = OpenBitstreamUnit.all(in: units, hasTrimming: false).first(where: { $0.type == 1 }) else {
      return nil
    }
    var r = BitReader(header.payload)
    profile = r.bits(3)
    r.skip(1)
    let isReduced = r.flag()
    var levelPlace: Int?
    (level, isHighTier) = isReduced ? (r.bits(5), false) : r.readOperatingPoints(&levelPlace)
    let (widthBits, heightBits) = (r.bits(4) + 1, r.bits(4) + 1)
    r.skip(widthBits + heightBits)
    if !isReduced, r.flag() { r.skip(7) }
    r.skip(3)
    if !isReduced { r.skipTools() }
    r.skip(3)
    // 5.5.2.
    let isDeep = r.flag()
    bitDepth = isDeep ? profile == 2 && r.flag() ? 12 : 10 : 8
    chromaBitDepth = bitDepth
    let isGrey = profile != 1 && r.flag()
    let colour = r.flag() ? ColourDescription(&r) : ColourDescription()
    let isSRGB = (colour.primaries, colour.transferCharacteristics, colour.matrixCoefficients) == (1, 13, 0)
    if !isSRGB || isGrey { r.skip(1) }
    switch profile {
    case _ where isGrey: chromaFormat = 0
    case _ where isSRGB: chromaFormat = 3
    case 0: chromaFormat = 1
    case 1: chromaFormat = 3
    default: chromaFormat = bitDepth < 12 ? 2 : r.flag() ? r.flag() ? 1 : 2 : 3
    }
    if r.isBroken { return nil }
  }
}

/// An OBU of AV1 or IAMF: its type and its bytes.
struct OpenBitstreamUnit {
  var type: Int
  var payload: ArraySlice<UInt8>
  /// Whether its header declares its size.
  var hasSize: Bool

  /// The OBUs in `bytes`, up to the first damaged one. Those of IAMF always have a size, and can be trimmed.
  static func all(in bytes: ArraySlice<UInt8>, hasTrimming isIAMF: Bool) -> [OpenBitstreamUnit] {
    var units: [OpenBitstreamUnit] = []
    var r = BitReader(bytes)
    while r.bitsLeft >= 8 {
      let header = r.bits(8)
      let type = isIAMF ? header >> 3 : header >> 3 & 15
      var size = r.bitsLeft / 8
      if isIAMF {
        size = r.leb128()
        let start = r.bitsLeft
        if header & 2 != 0 { (_, _) = (r.leb128(), r.leb128()) }
        if header & 1 != 0 { _ = r.bytes(r.leb128()) }
        size -= (start - r.bitsLeft) / 8
      } else {
        if header & 4 != 0 { r.skip(8) }
        if header & 2 != 0 { size = r.leb128() } else { size = r.bitsLeft / 8 }
      }
      let payload = r.bytes(size)
      if r.isBroken { break }
      units.append(OpenBitstreamUnit(type: type, payload: payload, hasSize: isIAMF || header & 2 != 0))
    }
    return units
  }
}

extension BitReader {
  /// Times, the decoder model and operating points; returns the level and the tier of the first one, and sets the place
  /// of its level: AV1, 5.5.1.
  fileprivate mutating func readOperatingPoints(_ levelPlace: inout Int?) -> (level: Int, isHighTier: Bool) {
    var delayBits: Int?
    if flag() {
      skip(64)
      if flag() { _ = golomb() }
      if flag() {
        delayBits = bits(5) + 1
        skip(32 + 5 + 5)
      }
    }
    let hasDelay = flag()
    var first: (level: Int, isHighTier: Bool)?
    for _ in 0...bits(5) where !isBroken {
      skip(12)
      levelPlace = levelPlace ?? position
      let level = bits(5)
      let isHighTier = level > 7 && flag()
      first = first ?? (level, isHighTier)
      if let delayBits, flag() { skip(2 * delayBits + 1) }
      if hasDelay, flag() { skip(4) }
    }
    return first ?? (0, false)
  }

  /// The coding tools that a reduced header omits.
  fileprivate mutating func skipTools() {
    skip(4)
    let hasOrderHint = flag()
    if hasOrderHint { skip(2) }
    let screenContent = flag() ? 2 : bits(1)
    if screenContent > 0, !flag() { skip(1) }
    if hasOrderHint { skip(3) }
  }

  /// Reads the fields of a sequence header before the colors, and sets the place of the first level.
  mutating func skipToAV1Colour(levelPlace: inout Int?) -> (profile: Int, width: Int, height: Int)? {
    let profile = bits(3)
    skip(1)
    let isReduced = flag()
    if isReduced {
      levelPlace = position
      skip(5)
    } else {
      _ = readOperatingPoints(&levelPlace)
    }
    let (widthBits, heightBits) = (bits(4) + 1, bits(4) + 1)
    let (width, height) = (bits(widthBits) + 1, bits(heightBits) + 1)
    if isBroken { return nil }
    if !isReduced, flag() { skip(7) }
    skip(3)
    if !isReduced { skipTools() }
    skip(3)
    return (profile, width, height)
  }

  /// AV1, 5.5.2.
  fileprivate mutating func av1Colour(profile: Int) -> ColourDescription? {
    if flag(), profile == 2 { skip(1) }
    let isGrey = profile != 1 && flag()
    let hasCodes = flag()
    var colour = hasCodes ? ColourDescription(&self) : ColourDescription()
    let isSRGB =
      (colour.primaries, colour.transferCharacteristics, colour.matrixCoefficients) == (1, 13, 0) && !isGrey
    colour.isFullRange = isSRGB || flag()
    return isBroken || !(hasCodes || colour.isFullRange) ? nil : colour
  }
}
