extension HEVCHeaders {
  /// A picture in a reference picture set.
  package struct Reference: Hashable, Sendable {
    /// Its distance in the picture order count.
    package var delta: Int
    /// Whether the current picture refers to it.
    package var isUsed: Bool
  }

  /// A sequence parameter set up to the flag of the usability information: ISO/IEC 23008-2, 7.3.2.2.
  package struct Sequence: Sendable {
    /// The number by which picture parameter sets refer to it.
    let id: Int
    /// The profile and the format of samples.
    package let profile: SequenceProfile
    /// Whether the color planes are coded separately.
    let hasPlanes: Bool
    /// The width of pictures.
    package let width: Int
    /// The height of pictures.
    package let height: Int
    /// The size after cropping.
    let cropped: (width: Int, height: Int)
    /// The number of low bits of the picture order count in slice headers.
    let orderBits: Int
    /// The maximum number of pictures that precede another in decoding order and follow it in output order.
    let reorderCount: Int
    /// The sizes of coding blocks, as logarithms.
    package let coding: ClosedRange<Int>
    /// The sizes of transform blocks, as logarithms.
    package let transform: ClosedRange<Int>
    /// The maximum depth of transform trees of predicted units.
    package let predictedDepth: Int
    /// The maximum depth of transform trees of other units.
    package let transformDepth: Int
    /// Whether coding units can be divided into unequal parts.
    package let hasUnequalParts: Bool
    /// Whether slices can have sample adaptive offsets.
    let hasOffsets: Bool
    /// The sizes of uncompressed blocks, and their bit depths.
    package var raw: (sizes: ClosedRange<Int>, depths: (Int, Int))?
    /// The reference picture sets.
    var sets: [[Reference]] = []
    /// The long-term reference pictures; `nil` if there are none, also not in slice headers.
    var longTerm: [(low: Int, isUsed: Bool)]?
    /// Whether slices can predict motion from other pictures.
    let hasMotion: Bool
    /// Whether no field is impossible.
    let isValid: Bool

    /// The number of coding tree blocks in a row.
    package var columns: Int { (width - 1) >> coding.upperBound + 1 }
    /// The number of rows of coding tree blocks.
    package var rows: Int { (height - 1) >> coding.upperBound + 1 }
    /// Whether slices have chroma in addition to luma.
    var hasChroma: Bool { profile.chromaFormat != 0 && !hasPlanes }
    /// Whether slice headers can be read: in profiles without other extensions than range extensions.
    var isSupported: Bool { profile.profile <= 4 }
    /// Whether the data of slices can be parsed. Only Main, Main 10 and Main Still Picture have no extensions that
    /// change its syntax.
    package var isDecodable: Bool {
      1...3 ~= profile.profile && profile.chromaFormat < 2 && width <= 16384 && height <= 16384 && transformDepth <= 4
        && predictedDepth <= 4
    }

    /// Reads a set after the header of its NAL unit; `nil` if it ends before the bit depths, or if they are impossible.
    init?(_ r: inout BitReader) {
      r.skip(4)
      let subLayers = r.bits(3)
      r.skip(1 + 2)
      let isHighTier = r.flag()
      let number = r.bits(5)
      r.skip(32 + 48)
      var profile = SequenceProfile(profile: number, level: r.bits(8))
      profile.isHighTier = isHighTier
      r.skipSubLayers(subLayers)
      id = r.golomb()
      profile.chromaFormat = r.count(3)
      hasPlanes = profile.chromaFormat == 3 && r.flag()
      (width, height) = (r.golomb(), r.golomb())
      // The cropping unit: table 6-1.
      let unit = (1...2 ~= profile.chromaFormat ? 2 : 1, profile.chromaFormat == 1 ? 2 : 1)
      cropped = r.cropped(width, height, unit)
      profile.bitDepth = 8 + r.count(8)
      profile.chromaBitDepth = 8 + r.count(8)
      self.profile = profile
      if r.isBroken { return nil }
      orderBits = r.count(12) + 4
      let hasAllLayers = r.flag()
      r.skipGolombs(3 * (hasAllLayers ? subLayers : 0) + 1)
      reorderCount = min(r.golomb(), 16)
      r.skipGolombs(1)
      let leastCoding = r.count(3) + 3
      coding = leastCoding...leastCoding + r.count(6 - leastCoding)
      let leastTransform = r.count(leastCoding - 3) + 2
      transform = leastTransform...leastTransform + r.count(5 - leastTransform)
      (predictedDepth, transformDepth) = (r.golomb(), r.golomb())
      if r.flag(), r.flag() { r.skipHEVCScalingLists() }
      hasUnequalParts = r.flag()
      hasOffsets = r.flag()
      if r.flag() {
        let depths = (r.bits(4) + 1, r.bits(4) + 1)
        let size = r.golomb() + 3
        raw = (size...size + r.golomb(), depths)
        r.skip(1)
      }
      for _ in 0..<r.count(64) where !r.isBroken { sets.append(r.referenceSet(sets, isInSlice: false)) }
      if r.flag() { longTerm = (0..<r.count(32)).map { [orderBits] _ in (r.bits(orderBits), r.flag()) } }
      hasMotion = r.flag()
      r.skip(1)
      isValid = !r.isBroken && subLayers < 7 && id < 16 && 1...1 << 16 ~= width && 1...1 << 16 ~= height
    }
  }

  /// A picture parameter set: ISO/IEC 23008-2, 7.3.2.3.
  package struct Picture: Sendable {
    var sequence = 0
    var hasDependentSlices = false
    var hasOutputFlag = false
    var extraBits = 0
    /// Whether signs of coefficients can be hidden.
    package var hidesSigns = false
    var hasInitFlag = false
    var references = (1, 1)
    var quantizer = 26
    /// Whether transforms of the smallest blocks can be skipped.
    package var skipsTransforms = false
    /// The depth of the smallest blocks with a quantizer of their own; `nil` if there are none.
    package var quantizerDepth: Int?
    var hasChromaOffsets = false
    var isWeighted = false
    var isBiweighted = false
    /// Whether coding units can be lossless.
    package var hasBypass = false
    var tiles: Tiles?
    /// Whether contexts are synchronized at the starts of rows.
    package var synchronizes = false
    var filtersAcrossSlices = false
    var overridesDeblocking = false
    var disablesDeblocking = false
    var hasListModification = false
    var hasExtension = false
    var hasChromaOffsetLists = false

    /// The division of pictures into columns and rows.
    struct Tiles {
      var counts: (columns: Int, rows: Int)
      /// The sizes of all but the last ones; `nil` if all are equally large.
      var sizes: (columns: [Int], rows: [Int])?
    }

    /// The starts of the columns and rows of tiles in coding tree blocks; `nil` if they do not fit the sequence.
    package func tileStarts(in sequence: Sequence) -> (columns: [Int], rows: [Int])? {
      guard let tiles else { return ([0], [0]) }
      guard tiles.counts.columns <= min(20, sequence.columns), tiles.counts.rows <= min(22, sequence.rows) else {
        return nil
      }
      return (
        Self.starts(tiles.counts.columns, tiles.sizes?.columns, sequence.columns),
        Self.starts(tiles.counts.rows, tiles.sizes?.rows, sequence.rows)
      )
    }

    /// The starts of tiles: 6.5.1.
    private static func starts(_ count: Int, _ sizes: [Int]?, _ end: Int) -> [Int] {
      guard let sizes else { return (0..<count).map { $0 * end / count } }
      return sizes.reduce(into: [0]) { starts, size in starts.append(min(starts[starts.count - 1] + size, end)) }
    }

    /// Reads a set after the header of its NAL unit, and its number; `nil` if it has impossible values.
    static func read(_ r: inout BitReader) -> (id: Int, picture: Picture)? {
      var own = Picture()
      let id = r.count(63)
      own.sequence = r.count(15)
      own.hasDependentSlices = r.flag()
      own.hasOutputFlag = r.flag()
      own.extraBits = r.bits(3)
      own.hidesSigns = r.flag()
      own.hasInitFlag = r.flag()
      own.references = (r.count(14) + 1, r.count(14) + 1)
      own.quantizer = 26 + r.signedGolomb()
      r.skip(1)
      own.skipsTransforms = r.flag()
      if r.flag() { own.quantizerDepth = r.golomb() }
      let offsets = (r.signedGolomb(), r.signedGolomb())
      own.hasChromaOffsets = r.flag()
      own.isWeighted = r.flag()
      own.isBiweighted = r.flag()
      own.hasBypass = r.flag()
      let hasTiles = r.flag()
      own.synchronizes = r.flag()
      if hasTiles {
        let counts = (r.count(63), r.count(63))
        own.tiles = Tiles(counts: (counts.0 + 1, counts.1 + 1))
        if !r.flag() {
          own.tiles?.sizes = ((0..<counts.0).map { _ in r.golomb() + 1 }, (0..<counts.1).map { _ in r.golomb() + 1 })
        }
        r.skip(1)
      }
      own.filtersAcrossSlices = r.flag()
      if r.flag() {
        own.overridesDeblocking = r.flag()
        own.disablesDeblocking = r.flag()
        if !own.disablesDeblocking { r.skipGolombs(2) }
      }
      if r.flag() { r.skipHEVCScalingLists() }
      own.hasListModification = r.flag()
      _ = r.golomb()
      own.hasExtension = r.flag()
      if r.flag() {
        let hasRangeExtension = r.flag()
        r.skip(7)
        if hasRangeExtension {
          if own.skipsTransforms { _ = r.golomb() }
          r.skip(1)
          own.hasChromaOffsetLists = r.flag()
        }
      }
      return r.isBroken || !(-12...12 ~= offsets.0) || !(-12...12 ~= offsets.1) ? nil : (id, own)
    }
  }
}

extension BitReader {
  /// The general profile and the profiles of `subLayers`: ISO/IEC 23008-2, 7.3.3.
  mutating func skipProfileTierLevel(_ subLayers: Int) {
    skip(96)
    skipSubLayers(subLayers)
  }

  /// The profiles and levels of temporal layers, which follow the general ones.
  fileprivate mutating func skipSubLayers(_ subLayers: Int) {
    if subLayers == 0 { return }
    let present = (0..<subLayers).map { _ in (profile: flag(), level: flag()) }
    skip(2 * (8 - subLayers))
    for layer in present { skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
  }

  /// 7.3.4.
  fileprivate mutating func skipHEVCScalingLists() {
    for size in 0..<4 {
      // The lists of 32x32 chroma blocks are derived.
      for _ in 0..<(size == 3 ? 2 : 6) where !isBroken {
        guard flag() else {
          _ = golomb()
          continue
        }
        if size > 1 { _ = golomb() }
        skipGolombs(min(64, 1 << (4 + size << 1)))
      }
    }
  }

  /// A reference picture set, which can be coded as changes of one of the `sets` before it: 7.3.7 and 7.4.8.
  mutating func referenceSet(_ sets: [[HEVCHeaders.Reference]], isInSlice: Bool) -> [HEVCHeaders.Reference] {
    var result: [HEVCHeaders.Reference] = []
    if !sets.isEmpty, flag() {
      let distance = isInSlice ? count(sets.count - 1) + 1 : 1
      let isNegative = flag()
      let change = count(1 << 15 - 1) + 1
      let delta = isNegative ? -change : change
      let base = sets[sets.count - distance]
      for index in 0...base.count {
        let isUsed = flag()
        guard isUsed || flag() else { continue }
        result.append(.init(delta: delta + (index < base.count ? base[index].delta : 0), isUsed: isUsed))
      }
      require(result.count <= 16)
      // Those before the picture come first, the nearest one of both kinds first.
      let before = result.filter { $0.delta < 0 }.sorted { $0.delta > $1.delta }
      return before + result.filter { $0.delta > 0 }.sorted { $0.delta < $1.delta }
    }
    let before = count(16)
    for (count, sign) in [(before, -1), (count(16 - before), 1)] {
      var delta = 0
      for _ in 0..<count {
        delta += sign * (self.count(1 << 15 - 1) + 1)
        result.append(.init(delta: delta, isUsed: flag()))
      }
    }
    return result
  }
}
