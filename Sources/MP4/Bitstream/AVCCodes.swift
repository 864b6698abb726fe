/// The variable-length codes of CAVLC: ISO/IEC 14496-10, 9.2.
struct AVCCodes: Sendable {
  /// For each value of the next `size` bits: the length of the code, 0 if there is none, and its meaning.
  private let entries: [UInt16]
  private let size: Int

  /// Codes of these lengths with these values; those with the length 0 do not exist.
  private init(_ lengths: [Int], _ values: [Int]) {
    size = lengths.max() ?? 0
    var entries = [UInt16](repeating: 0, count: 1 << size)
    for (meaning, (length, value)) in zip(lengths, values).enumerated() where length > 0 {
      let first = value << (size - length)
      for index in first..<first + 1 << (size - length) { entries[index] = UInt16(meaning << 5 | length) }
    }
    self.entries = entries
  }

  /// Reads a code and returns its meaning; `nil` if there is none.
  func read(_ bits: inout MediaBits) -> Int? {
    let entry = Int(entries[bits.peek(size)])
    guard entry > 0 else { return nil }
    bits.skip(entry & 31)
    return entry >> 5
  }

  /// `coeff_token` by the number of coefficients of the neighbors: the meaning is 4 times the number of coefficients,
  /// plus the number of trailing ones (table 9-5). The last two are those of chroma DC in 4:2:0 and 4:2:2.
  static let tokens: [AVCCodes] = [
    AVCCodes(
      [
        1, 0, 0, 0, 6, 2, 0, 0, 8, 6, 3, 0, 9, 8, 7, 5, 10, 9, 8, 6, 11, 10, 9, 7, 13, 11, 10, 8, 13, 13, 11, 9, 13, 13,
        13, 10, 14, 14, 13, 11, 14, 14, 14, 13, 15, 15, 14, 14, 15, 15, 15, 14, 16, 15, 15, 15, 16, 16, 16, 15, 16, 16,
        16, 16, 16, 16, 16, 16,
      ],
      [
        1, 0, 0, 0, 5, 1, 0, 0, 7, 4, 1, 0, 7, 6, 5, 3, 7, 6, 5, 3, 7, 6, 5, 4, 15, 6, 5, 4, 11, 14, 5, 4, 8, 10, 13, 4,
        15, 14, 9, 4, 11, 10, 13, 12, 15, 14, 9, 12, 11, 10, 13, 8, 15, 1, 9, 12, 11, 14, 13, 8, 7, 10, 9, 12, 4, 6, 5,
        8,
      ]),
    AVCCodes(
      [
        2, 0, 0, 0, 6, 2, 0, 0, 6, 5, 3, 0, 7, 6, 6, 4, 8, 6, 6, 4, 8, 7, 7, 5, 9, 8, 8, 6, 11, 9, 9, 6, 11, 11, 11, 7,
        12, 11, 11, 9, 12, 12, 12, 11, 12, 12, 12, 11, 13, 13, 13, 12, 13, 13, 13, 13, 13, 14, 13, 13, 14, 14, 14, 13,
        14, 14, 14, 14,
      ],
      [
        3, 0, 0, 0, 11, 2, 0, 0, 7, 7, 3, 0, 7, 10, 9, 5, 7, 6, 5, 4, 4, 6, 5, 6, 7, 6, 5, 8, 15, 6, 5, 4, 11, 14, 13,
        4, 15, 10, 9, 4, 11, 14, 13, 12, 8, 10, 9, 8, 15, 14, 13, 12, 11, 10, 9, 12, 7, 11, 6, 8, 9, 8, 10, 1, 7, 6, 5,
        4,
      ]),
    AVCCodes(
      [
        4, 0, 0, 0, 6, 4, 0, 0, 6, 5, 4, 0, 6, 5, 5, 4, 7, 5, 5, 4, 7, 5, 5, 4, 7, 6, 6, 4, 7, 6, 6, 4, 8, 7, 7, 5, 8,
        8, 7, 6, 9, 8, 8, 7, 9, 9, 8, 8, 9, 9, 9, 8, 10, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
      ],
      [
        15, 0, 0, 0, 15, 14, 0, 0, 11, 15, 13, 0, 8, 12, 14, 12, 15, 10, 11, 11, 11, 8, 9, 10, 9, 14, 13, 9, 8, 10, 9,
        8, 15, 14, 13, 13, 11, 14, 10, 12, 15, 10, 13, 12, 11, 14, 9, 12, 8, 10, 13, 8, 13, 7, 9, 12, 9, 12, 11, 10, 5,
        8, 7, 6, 1, 4, 3, 2,
      ]),
    AVCCodes(
      (0..<68).map { [1, 2, 3, 6, 7, 11].contains($0) ? 0 : 6 },
      (0..<68).map { $0 == 0 ? 3 : $0 - 4 }),
    AVCCodes(
      [2, 0, 0, 0, 6, 1, 0, 0, 6, 6, 3, 0, 6, 7, 7, 6, 6, 8, 8, 7],
      [1, 0, 0, 0, 7, 1, 0, 0, 4, 6, 1, 0, 3, 3, 2, 5, 2, 3, 2, 0]),
    AVCCodes(
      [
        1, 0, 0, 0, 7, 2, 0, 0, 7, 7, 3, 0, 9, 7, 7, 5, 9, 9, 7, 6, 10, 10, 9, 7, 11, 11, 10, 7, 12, 12, 11, 10, 13, 12,
        12, 11,
      ],
      [
        1, 0, 0, 0, 15, 1, 0, 0, 14, 13, 1, 0, 7, 12, 11, 1, 6, 5, 10, 1, 7, 6, 4, 9, 7, 6, 5, 8, 7, 6, 5, 4, 7, 5, 4,
        4,
      ]),
  ]

  /// `total_zeros` of blocks with 15 or 16 coefficients, by the number of coefficients from 1 on: tables 9-7 and 9-8.
  static let zeros: [AVCCodes] = [
    AVCCodes([1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9], [1, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 1]),
    AVCCodes([3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 6], [7, 6, 5, 4, 3, 5, 4, 3, 2, 3, 2, 3, 2, 1, 0]),
    AVCCodes([4, 3, 3, 3, 4, 4, 3, 3, 4, 5, 5, 6, 5, 6], [5, 7, 6, 5, 4, 3, 4, 3, 2, 3, 2, 1, 1, 0]),
    AVCCodes([5, 3, 4, 4, 3, 3, 3, 4, 3, 4, 5, 5, 5], [3, 7, 5, 4, 6, 5, 4, 3, 3, 2, 2, 1, 0]),
    AVCCodes([4, 4, 4, 3, 3, 3, 3, 3, 4, 5, 4, 5], [5, 4, 3, 7, 6, 5, 4, 3, 2, 1, 1, 0]),
    AVCCodes([6, 5, 3, 3, 3, 3, 3, 3, 4, 3, 6], [1, 1, 7, 6, 5, 4, 3, 2, 1, 1, 0]),
    AVCCodes([6, 5, 3, 3, 3, 2, 3, 4, 3, 6], [1, 1, 5, 4, 3, 3, 2, 1, 1, 0]),
    AVCCodes([6, 4, 5, 3, 2, 2, 3, 3, 6], [1, 1, 1, 3, 3, 2, 2, 1, 0]),
    AVCCodes([6, 6, 4, 2, 2, 3, 2, 5], [1, 0, 1, 3, 2, 1, 1, 1]),
    AVCCodes([5, 5, 3, 2, 2, 2, 4], [1, 0, 1, 3, 2, 1, 1]),
    AVCCodes([4, 4, 3, 3, 1, 3], [0, 1, 1, 2, 1, 3]),
    AVCCodes([4, 4, 2, 1, 3], [0, 1, 1, 1, 1]),
    AVCCodes([3, 3, 1, 2], [0, 1, 1, 1]),
    AVCCodes([2, 2, 1], [0, 1, 1]),
    AVCCodes([1, 1], [0, 1]),
  ]

  /// The same of chroma DC in 4:2:0: table 9-9 (a).
  static let chromaZeros: [AVCCodes] = [
    AVCCodes([1, 2, 3, 3], [1, 1, 1, 0]), AVCCodes([1, 2, 2], [1, 1, 0]), AVCCodes([1, 1], [1, 0]),
  ]

  /// The same in 4:2:2: table 9-9 (b).
  static let tallChromaZeros: [AVCCodes] = [
    AVCCodes([1, 3, 3, 4, 4, 4, 5, 5], [1, 2, 3, 2, 3, 1, 1, 0]),
    AVCCodes([3, 2, 3, 3, 3, 3, 3], [0, 1, 1, 4, 5, 6, 7]),
    AVCCodes([3, 3, 2, 2, 3, 3], [0, 1, 1, 2, 6, 7]), AVCCodes([3, 2, 2, 2, 3], [6, 0, 1, 2, 7]),
    AVCCodes([2, 2, 2, 2], [0, 1, 2, 3]), AVCCodes([2, 2, 1], [0, 1, 1]), AVCCodes([1, 1], [0, 1]),
  ]

  /// `run_before` by the number of zeros left, from 1 on: table 9-10.
  static let runs: [AVCCodes] = [
    AVCCodes([1, 1], [1, 0]), AVCCodes([1, 2, 2], [1, 1, 0]), AVCCodes([2, 2, 2, 2], [3, 2, 1, 0]),
    AVCCodes([2, 2, 2, 3, 3], [3, 2, 1, 1, 0]), AVCCodes([2, 2, 3, 3, 3, 3], [3, 2, 3, 2, 1, 0]),
    AVCCodes([2, 3, 3, 3, 3, 3, 3], [3, 0, 1, 3, 2, 5, 4]),
    AVCCodes([3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11], [7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
  ]

  /// The coded blocks of intra macroblocks with chroma: luma, plus 16 times chroma (table 9-4).
  static let codedBlocks: [Int] = [
    47, 31, 15, 0, 23, 27, 29, 30, 7, 11, 13, 14, 39, 43, 45, 46, 16, 3, 5, 10, 12, 19, 21, 26, 28, 35, 37, 42, 44, 1,
    2,
    4, 8, 17, 18, 20, 24, 6, 9, 22, 25, 32, 33, 34, 36, 40, 38, 41,
  ]
  /// The same of predicted macroblocks.
  static let predictedBlocks: [Int] = [
    0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13, 14, 6, 9, 31, 35, 37, 42, 44, 33, 34, 36, 40, 39, 43, 45,
    46, 17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
  ]
  /// The same of predicted macroblocks without chroma.
  static let predictedLumaBlocks: [Int] = [0, 1, 2, 4, 8, 3, 5, 10, 12, 15, 7, 11, 13, 14, 6, 9]
  /// The same of intra macroblocks without chroma.
  static let codedLumaBlocks: [Int] = [15, 0, 7, 11, 13, 14, 3, 5, 10, 12, 1, 2, 4, 8, 6, 9]
}
