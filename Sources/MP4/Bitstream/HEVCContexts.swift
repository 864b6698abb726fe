/// The contexts of slices: ISO/IEC 23008-2, 9.3.2.2 and tables 9-5 to 9-37. Each constant is the first context of a
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
  static let skip = 135
  static let predictionMode = 138
  /// The other bins of `part`.
  static let parts = 139
  static let mergeFlag = 142
  static let mergeIndex = 143
  static let predictionLists = 144
  static let referenceIndex = 149
  static let motionGreater0 = 151
  static let motionGreater1 = 152
  static let predictor = 153
  static let root = 154
  static let count = 155

  /// The contexts at the start of a slice: 0 is an I slice, 1 a P slice, 2 a B slice.
  static func start(_ decoder: inout ArithmeticDecoder, quantizer: Int, type: Int) {
    let values = values[type]
    for index in 0..<count {
      let value = Int(values[index])
      decoder.contexts[index] = ArithmeticDecoder.state(
        slope: value >> 4 * 5 - 45, offset: (value & 15) << 3 - 16, quantizer: quantizer)
    }
  }

  /// The values of I slices, of P slices and of B slices; `cabac_init_flag` exchanges the latter.
  private static let values: [[UInt8]] = [
    [
      153, 200, 139, 141, 157, 154, 154, 154, 154, 184, 184, 63, 153, 138, 138, 111, 141, 94, 138, 182, 154, 139, 139,
      110, 110, 124, 125, 140, 153, 125, 127, 140, 109, 111, 143, 127, 111, 79, 108, 123, 63, 110, 110, 124, 125, 140,
      153, 125, 127, 140, 109, 111, 143, 127, 111, 79, 108, 123, 63, 91, 171, 134, 141, 111, 111, 125, 110, 110, 94,
      124, 108, 124, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 140,
      139, 182, 182, 152, 136, 152, 136, 153, 136, 139, 111, 136, 139, 111, 140, 92, 137, 138, 140, 152, 138, 139, 153,
      74, 149, 92, 139, 107, 122, 152, 140, 179, 166, 182, 140, 227, 122, 197, 138, 153, 136, 167, 152, 152, 154, 154,
      154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154, 154,
    ],
    [
      153, 185, 107, 139, 126, 154, 154, 154, 154, 154, 154, 152, 124, 138, 94, 153, 111, 149, 107, 167, 154, 139, 139,
      125, 110, 94, 110, 95, 79, 125, 111, 110, 78, 110, 111, 111, 95, 94, 108, 123, 108, 125, 110, 94, 110, 95, 79,
      125, 111, 110, 78, 110, 111, 111, 95, 94, 108, 123, 108, 121, 140, 61, 154, 155, 154, 139, 153, 139, 123, 123,
      63, 153, 166, 183, 140, 136, 153, 154, 166, 183, 140, 136, 153, 154, 166, 183, 140, 136, 153, 154, 170, 153, 123,
      123, 107, 121, 107, 121, 167, 151, 183, 140, 151, 183, 140, 154, 196, 196, 167, 154, 152, 167, 182, 182, 134,
      149, 136, 153, 121, 136, 137, 169, 194, 166, 167, 154, 167, 137, 182, 107, 167, 91, 122, 107, 167, 197, 185, 201,
      149, 139, 154, 154, 110, 122, 95, 79, 63, 31, 31, 153, 153, 140, 198, 168, 79,
    ],
    [
      153, 160, 107, 139, 126, 154, 154, 154, 154, 154, 183, 152, 224, 167, 122, 153, 111, 149, 92, 167, 154, 139, 139,
      125, 110, 124, 110, 95, 94, 125, 111, 111, 79, 125, 126, 111, 111, 79, 108, 123, 93, 125, 110, 124, 110, 95, 94,
      125, 111, 111, 79, 125, 126, 111, 111, 79, 108, 123, 93, 121, 140, 61, 154, 170, 154, 139, 153, 139, 123, 123,
      63, 124, 166, 183, 140, 136, 153, 154, 166, 183, 140, 136, 153, 154, 166, 183, 140, 136, 153, 154, 170, 153, 138,
      138, 122, 121, 122, 121, 167, 151, 183, 140, 151, 183, 140, 154, 196, 167, 167, 154, 152, 167, 182, 182, 134,
      149, 136, 153, 121, 136, 122, 169, 208, 166, 167, 154, 152, 167, 182, 107, 167, 91, 107, 107, 167, 197, 185, 201,
      134, 139, 154, 154, 154, 137, 95, 79, 63, 31, 31, 153, 153, 169, 198, 168, 79,
    ],
  ]
}
