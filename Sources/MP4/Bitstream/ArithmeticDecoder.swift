/// The adaptive binary arithmetic decoder (CABAC) of AVC and HEVC: ISO/IEC 14496-10, 9.3.3.2, and ISO/IEC 23008-2,
/// 9.3.4.3.
///
/// Past the end of the data it reads zeros; the caller checks `isPastEnd`.
struct ArithmeticDecoder {
  private let bytes: [UInt8]
  /// The next byte to read.
  private var next: Int
  /// The offset of the standard, followed by `ahead` bits that were read in advance.
  private var low: UInt64 = 0
  private var ahead = 0
  private var range: UInt64 = 510
  /// The probability state of each context, shifted left by one, plus the most probable bin.
  var contexts: [UInt8]

  /// A decoder of `bytes` from a byte on.
  init(_ bytes: [UInt8], from start: Int, contextCount: Int) {
    (self.bytes, next) = (bytes, start)
    contexts = Array(repeating: 0, count: contextCount)
    begin(at: start)
  }

  /// Starts again at a byte, with the same contexts.
  mutating func begin(at start: Int) {
    (next, low, ahead, range) = (start, 0, -9, 510)
    fill()
  }

  /// The number of bits that a decoder according to the standard has read.
  var position: Int { next * 8 - ahead }
  var isPastEnd: Bool { position > bytes.count * 8 }
  /// The evidence in bits that a decision with this probability in random data was not made.
  var terminationEvidence: Double { 2.885 / Double(range) }

  private mutating func fill() {
    while ahead < 40 {
      low = low << 8 | UInt64(next < bytes.count ? bytes[next] : 0)
      next += 1
      ahead += 8
    }
  }

  /// A bin with the context `index`.
  mutating func decision(_ index: Int) -> Bool {
    let state = Int(contexts[index])
    let lps = UInt64(Self.ranges[(state >> 1) << 2 | Int(range >> 6) & 3])
    range -= lps
    let scaled = range << UInt64(ahead)
    if low < scaled {
      contexts[index] = state < 124 ? UInt8(state + 2) : UInt8(state)
      if range < 256 {
        range <<= 1
        ahead -= 1
        if ahead < 8 { fill() }
      }
      return state & 1 == 1
    }
    low -= scaled
    range = lps
    let shift = lps.leadingZeroBitCount - 55
    range <<= UInt64(shift)
    ahead -= shift
    if ahead < 8 { fill() }
    contexts[index] = state < 2 ? UInt8(state ^ 1) : Self.afterLeast[state >> 1] << 1 | UInt8(state & 1)
    return state & 1 == 0
  }

  /// The same as a number.
  mutating func bin(_ index: Int) -> Int { decision(index) ? 1 : 0 }

  /// A bin whose values are equally probable.
  mutating func bypass() -> Bool {
    ahead -= 1
    if ahead < 8 { fill() }
    let scaled = range << UInt64(ahead)
    guard low >= scaled else { return false }
    low -= scaled
    return true
  }

  mutating func bypass(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count { value = value << 1 | (bypass() ? 1 : 0) }
    return value
  }

  /// The bin that ends the data. If it is 1, the last bit of the data has been read.
  mutating func terminate() -> Bool {
    range -= 2
    if low >= range << UInt64(ahead) { return true }
    if range < 256 {
      range <<= 1
      ahead -= 1
      if ahead < 8 { fill() }
    }
    return false
  }

  /// The state of a context for a quantizer: ISO/IEC 14496-10, 9.3.1.1.
  static func state(slope: Int, offset: Int, quantizer: Int) -> UInt8 {
    let value = min(max((slope * min(max(quantizer, 0), 51)) >> 4 + offset, 1), 126)
    return value < 64 ? UInt8((63 - value) << 1) : UInt8((value - 64) << 1 | 1)
  }

  /// ISO/IEC 14496-10, table 9-44.
  private static let ranges: [UInt8] = [
    128, 176, 208, 240, 128, 167, 197, 227, 128, 158, 187, 216, 123, 150, 178, 205, 116, 142, 169, 195, 111, 135, 160,
    185, 105, 128, 152, 175, 100, 122, 144, 166, 95, 116, 137, 158, 90, 110, 130, 150, 85, 104, 123, 142, 81, 99, 117,
    135, 77, 94, 111, 128, 73, 89, 105, 122, 69, 85, 100, 116, 66, 80, 95, 110, 62, 76, 90, 104, 59, 72, 86, 99, 56, 69,
    81, 94, 53, 65, 77, 89, 51, 62, 73, 85, 48, 59, 69, 80, 46, 56, 66, 76, 43, 53, 63, 72, 41, 50, 59, 69, 39, 48, 56,
    65, 37, 45, 54, 62, 35, 43, 51, 59, 33, 41, 48, 56, 32, 39, 46, 53, 30, 37, 43, 50, 29, 35, 41, 48, 27, 33, 39, 45,
    26, 31, 37, 43, 24, 30, 35, 41, 23, 28, 33, 39, 22, 27, 32, 37, 21, 26, 30, 35, 20, 24, 29, 33, 19, 23, 27, 31, 18,
    22, 26, 30, 17, 21, 25, 28, 16, 20, 23, 27, 15, 19, 22, 25, 14, 18, 21, 24, 14, 17, 20, 23, 13, 16, 19, 22, 12, 15,
    18, 21, 12, 14, 17, 20, 11, 14, 16, 19, 11, 13, 15, 18, 10, 12, 15, 17, 10, 12, 14, 16, 9, 11, 13, 15, 9, 11, 12,
    14, 8, 10, 12, 14, 8, 9, 11, 13, 7, 9, 11, 12, 7, 9, 10, 12, 7, 8, 10, 11, 6, 8, 9, 11, 6, 7, 9, 10, 6, 7, 8, 9, 2,
    2, 2, 2,
  ]
  /// The state after the least probable bin: table 9-45.
  private static let afterLeast: [UInt8] = [
    0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16, 16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24,
    24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33, 33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37,
    38, 38, 63,
  ]
}
