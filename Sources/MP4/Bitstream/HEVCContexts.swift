/// The contexts of I slices: ISO/IEC 23008-2, 9.3.2.2 and tables 9-5 to 9-37. Each constant is the first context of a
/// syntax element.
enum HEVCContexts {
  static let merge = 0
  static let offsetType = 1
  static let split = 2
  static let bypass = 5
  static let quantizer = 6
  static let part = 9
  static let mode = 10
  static let chromaMode = 11
  static let transformSplit = 12
  static let lumaBlock = 15
  static let chromaBlock = 17
  static let transformSkip = 21
  static let lastX = 23
  static let lastY = 41
  static let group = 59
  static let significant = 63
  static let greater1 = 105
  static let greater2 = 129
  static let count = 135

  /// The contexts at the start of a slice.
  static func start(_ decoder: inout ArithmeticDecoder, quantizer: Int) {
    for index in 0..<count {
      let value = Int(values[index])
      decoder.contexts[index] = ArithmeticDecoder.state(
        slope: value >> 4 * 5 - 45, offset: (value & 15) << 3 - 16, quantizer: quantizer)
    }
  }

  private static let values: [UInt8] = [
    153, 200, 139, 141, 157, 154, 154, 154, 154, 184, 184, 63, 153, 138, 138, 111, 141, 94, 138, 182, 154, 139, 139,
    110, 110, 124, 125, 140, 153, 125, 127, 140, 109, 111, 143, 127, 111, 79, 108, 123, 63, 110, 110, 124, 125, 140,
    153, 125, 127, 140, 109, 111, 143, 127, 111, 79, 108, 123, 63, 91, 171, 134, 141, 111, 111, 125, 110, 110, 94, 124,
    108, 124, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 140, 139, 182,
    182, 152, 136, 152, 136, 153, 136, 139, 111, 136, 139, 111, 140, 92, 137, 138, 140, 152, 138, 139, 153, 74, 149, 92,
    139, 107, 122, 152, 140, 179, 166, 182, 140, 227, 122, 197, 138, 153, 136, 167, 152, 152,
  ]
}
