public import ISOBMFF

/// What an editor declares about the pictures of video, in boxes and in the headers of the stream. A value that is
/// `nil` is kept.
public struct VideoProperties: Sendable, Hashable {
  /// The colors.
  public var colors: DeclaredColors?
  /// Whether values use the full range.
  public var isFullRange: Bool?
  /// The shape of pixels.
  public var sampleAspect: SampleAspect?
  /// The mastering display.
  public var masteringDisplay: MasteringDisplay?
  /// The light levels.
  public var lightLevel: ContentLightLevel?
  /// The level of the codec. Nothing checks that the pictures conform to it.
  public var level: CodecLevel?
  /// The order of fields.
  public var fieldOrder: FieldOrder?
  /// Whether messages are removed in which the encoder names itself and its settings.
  public var omitsEncoder = false
  /// The frame rate, only where headers of the stream declare one.
  var frameRate: FrameRate?

  /// Keeps all values.
  public init() {}

  /// The parts of headers.
  var writing: HeaderWriting {
    var writing = HeaderWriting()
    writing.colours = colors.map {
      ColourDescription(
        primaries: UInt16($0.primaries), transferCharacteristics: UInt16($0.transfer),
        matrixCoefficients: UInt16($0.matrix))
    }
    writing.isFullRange = isFullRange
    writing.pixelAspect = sampleAspect.map { .init(width: Int($0.width), height: Int($0.height)) }
    if let rate = frameRate?.reduced, rate.numerator > 0 {
      writing.pictureDuration = .init(Int(rate.denominator), Int(rate.numerator))
    }
    writing.display = [masteringDisplay?.message, lightLevel?.message].compactMap { $0 }
    (writing.level, writing.omitsEncoder, writing.fieldOrder) = (level, omitsEncoder, fieldOrder)
    return writing
  }

  /// Whether boxes of any codec declare a part of it.
  var changesBoxes: Bool {
    var other = self
    (other.omitsEncoder, other.frameRate) = (false, nil)
    return other != VideoProperties()
  }

  /// Values that replace those before them.
  public mutating func merge(_ other: VideoProperties) {
    (colors, isFullRange) = (other.colors ?? colors, other.isFullRange ?? isFullRange)
    (sampleAspect, level) = (other.sampleAspect ?? sampleAspect, other.level ?? level)
    (masteringDisplay, lightLevel) = (other.masteringDisplay ?? masteringDisplay, other.lightLevel ?? lightLevel)
    (fieldOrder, frameRate) = (other.fieldOrder ?? fieldOrder, other.frameRate ?? frameRate)
    omitsEncoder = omitsEncoder || other.omitsEncoder
  }
}

/// Colors that an editor declares: codes of ISO/IEC 23091-2.
public struct DeclaredColors: Sendable, Hashable {
  /// The code of the primaries.
  public var primaries: UInt8
  /// The code of the transfer characteristics.
  public var transfer: UInt8
  /// The code of the matrix coefficients.
  public var matrix: UInt8

  /// Colors with these codes.
  public init(primaries: UInt8, transfer: UInt8, matrix: UInt8) {
    (self.primaries, self.transfer, self.matrix) = (primaries, transfer, matrix)
  }

  /// Colors by their name, or by the three codes with slashes between them, such as `9/16/9`. Reserved codes, and the
  /// identity matrix, which is for RGB, are refused.
  public init?(_ text: String) {
    if let known = Self.named.first(where: { $0.name == text }) {
      self = known.colors
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let codes = parts.compactMap { UInt8($0) }
    guard parts.count == 3, codes.count == 3, !codes.contains(0), !codes.contains(3) else { return nil }
    self.init(primaries: codes[0], transfer: codes[1], matrix: codes[2])
  }

  /// Colors with a common name.
  public static let named: [(name: String, colors: DeclaredColors)] = [
    ("bt709", DeclaredColors(primaries: 1, transfer: 1, matrix: 1)),
    ("bt601-525", DeclaredColors(primaries: 6, transfer: 6, matrix: 6)),
    ("bt601-625", DeclaredColors(primaries: 5, transfer: 6, matrix: 5)),
    ("bt2020", DeclaredColors(primaries: 9, transfer: 14, matrix: 9)),
    ("bt2020-pq", DeclaredColors(primaries: 9, transfer: 16, matrix: 9)),
    ("bt2020-hlg", DeclaredColors(primaries: 9, transfer: 18, matrix: 9)),
    ("p3-d65", DeclaredColors(primaries: 12, transfer: 1, matrix: 1)),
    ("p3-d65-pq", DeclaredColors(primaries: 12, transfer: 16, matrix: 9)),
    ("srgb", DeclaredColors(primaries: 1, transfer: 13, matrix: 1)),
  ]
}

/// The shape of a pixel.
public struct SampleAspect: Sendable, Hashable {
  /// The width, relative to the height.
  public var width: UInt16
  /// The height.
  public var height: UInt16

  /// A shape such as `16:11`; `nil` for other text, and for zeros.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).compactMap { UInt16($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0, text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 else {
      return nil
    }
    (width, height) = (parts[0], parts[1])
  }
}

/// The display on which pictures were mastered: SMPTE ST 2086.
public struct MasteringDisplay: Sendable, Hashable {
  /// The places of green, blue, red and white in the CIE 1931 diagram: x and y of each, in units of 0.00002.
  public var places: [UInt16]
  /// The maximum luminance, in units of 0.0001 cd/m².
  public var maximum: UInt32
  /// The minimum luminance, in units of 0.0001 cd/m².
  public var minimum: UInt32

  /// The displays with a name.
  public static let named: [(name: String, places: [UInt16])] = [
    ("p3-d65", [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450]),
    ("bt2020", [8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450]),
    ("bt709", [15000, 30000, 7500, 3000, 32000, 16500, 15635, 16450]),
  ]

  /// A display by the name of its primaries and its maximum and minimum luminance in cd/m², such as
  /// `p3-d65,1000,0.0001`; or in the notation of x265, such as
  /// `G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)`.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 3, let known = Self.named.first(where: { $0.name == parts[0] }) {
      guard let maximum = Self.luminance(parts[1]), let minimum = Self.luminance(parts[2]) else { return nil }
      (places, self.maximum, self.minimum) = (known.places, maximum, minimum)
    } else {
      guard let numbers = Self.numbers(text), numbers.prefix(8).allSatisfy({ $0 <= UInt16.max }) else { return nil }
      (places, maximum, minimum) = (numbers.prefix(8).map { UInt16($0) }, numbers[8], numbers[9])
    }
    guard maximum > minimum else { return nil }
  }

  /// A luminance with up to four decimals, in units of 0.0001 cd/m².
  private static func luminance(_ text: String) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.count > 1 ? parts[1] : ""
    guard (1...2).contains(parts.count), decimals.utf8.count <= 4, parts.count == 1 || !decimals.isEmpty,
      let whole = UInt32(parts[0]), let rest = UInt32(decimals + String(repeating: "0", count: 4 - decimals.utf8.count))
    else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: 10_000)
    return overflow || product > .max - rest ? nil : product + rest
  }

  /// The ten numbers of the notation of x265.
  private static func numbers(_ text: String) -> [UInt32]? {
    var (rest, numbers) = (text[...], [UInt32]())
    for name in ["G", "B", "R", "WP", "L"] {
      guard rest.hasPrefix(name + "("), let end = rest.firstIndex(of: ")") else { return nil }
      let pair = rest[..<end].dropFirst(name.count + 1).split(separator: ",", omittingEmptySubsequences: false)
      let own = pair.compactMap { UInt32($0) }
      guard pair.count == 2, own.count == 2 else { return nil }
      numbers += own
      rest = rest[end...].dropFirst()
    }
    return rest.isEmpty ? numbers : nil
  }

  /// The payload of the SEI message, which is that of the box too.
  var message: HeaderWriting.Message {
    var bytes = places.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    for luminance in [maximum, minimum] {
      bytes += stride(from: 24, through: 0, by: -8).map { UInt8(luminance >> $0 & 0xff) }
    }
    return HeaderWriting.Message(type: 137, payload: bytes)
  }
}

/// The brightness of pictures: CTA-861.3.
public struct ContentLightLevel: Sendable, Hashable {
  /// The maximum light level of a pixel (MaxCLL), in cd/m².
  public var maximum: UInt16
  /// The maximum average light level of a picture (MaxFALL), in cd/m².
  public var average: UInt16

  /// Two levels such as `1000,400`: MaxCLL, then MaxFALL, which is not above it.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let levels = parts.compactMap { UInt16($0) }
    guard parts.count == 2, levels.count == 2, levels[1] <= levels[0] else { return nil }
    (maximum, average) = (levels[0], levels[1])
  }

  /// The payload of the SEI message, which is that of the box too.
  var message: HeaderWriting.Message {
    HeaderWriting.Message(
      type: 144, payload: [maximum, average].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
  }
}
