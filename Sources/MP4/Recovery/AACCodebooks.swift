/// The Huffman codebooks of AAC, as far as they are needed to determine the size of a frame: ISO/IEC 14496-3, 4.A.1.
///
/// All of them are complete, and longer codewords have larger values. Therefore a codebook is determined by the number
/// of codewords of each length, and by the meaning of each codeword in order.
struct AACCodebook: Sendable {
  /// The length of the longest codeword.
  private let longest: Int
  /// The number of bits that select an entry.
  private let indexed: Int
  /// For each value of the next `indexed` bits: the length of the codeword in the low 5 bits, then its meaning; 0 for
  /// longer ones.
  private let entries: [UInt16]
  /// For each length of a longer codeword: the end of its values, their start, and the number of its first codeword.
  private let longer: [(end: Int, start: Int, first: Int)]
  private let meanings: [UInt16]

  /// The most bits that select an entry, so that tables fit into the first cache of a processor.
  private static let indexLimit = 10

  /// A codebook with this number of codewords of each length from 1 on.
  init(_ counts: [Int], _ meanings: (Int) -> Int) {
    longest = counts.count
    indexed = min(counts.count, Self.indexLimit)
    var entries: [UInt16] = []
    var longer: [(end: Int, start: Int, first: Int)] = []
    entries.reserveCapacity(1 << indexed)
    var (number, value) = (0, 0)
    for (index, count) in counts.enumerated() {
      let start = value
      value += count << (longest - index - 1)
      if index < indexed {
        for _ in 0..<count {
          let entry = UInt16(truncatingIfNeeded: meanings(number) << 5 | (index + 1))
          for _ in 0..<1 << (indexed - index - 1) { entries.append(entry) }
          number += 1
        }
      } else {
        longer.append((value, start, number))
        number += count
      }
    }
    while entries.count < 1 << indexed { entries.append(0) }
    (self.entries, self.longer) = (entries, longer)
    self.meanings = (0..<number).map { UInt16(truncatingIfNeeded: meanings($0)) }
  }

  /// Whether each value is the start of a codeword.
  var isComplete: Bool { longer.isEmpty ? !entries.contains(0) : longer.last?.end == 1 << longest }

  /// Reads a codeword and returns its meaning.
  @inline(__always)
  func read(_ bits: inout MediaBits) -> Int {
    let entry = Int(entries[bits.peek(indexed)])
    if entry == 0 { return readLonger(&bits) }
    bits.skip(entry & 31)
    return entry >> 5
  }

  @inline(never)
  private func readLonger(_ bits: inout MediaBits) -> Int {
    let value = bits.peek(longest)
    var index = 0
    while index + 1 < longer.count, value >= longer[index].end { index += 1 }
    let length = indexed + index + 1
    bits.skip(length)
    return Int(meanings[longer[index].first + (value - longer[index].start) >> (longest - length)])
  }

  /// A codebook for spectral data. The digit for a codeword is the number of its sign bits, plus 3 for each escape.
  private static func spectral(_ counts: [Int], _ following: String = "") -> AACCodebook {
    let digits = following.utf8.map { Int($0) - 48 }
    return AACCodebook(counts) { $0 < digits.count ? digits[$0] : 0 }
  }

  /// The codebooks for spectral data by number; the first one is unused.
  static let spectral: [AACCodebook] = [
    AACCodebook([2]) { _ in 0 },
    spectral([1, 0, 0, 0, 8, 0, 24, 0, 24, 8, 16]),
    spectral([0, 0, 1, 1, 7, 24, 15, 19, 14]),
    spectral(
      [1, 0, 0, 4, 2, 6, 3, 5, 15, 15, 8, 9, 3, 3, 5, 2],
      "011112222232343311223232331221224334323244332333223243344233333344442233434443233"),
    spectral(
      [0, 0, 0, 10, 6, 0, 9, 21, 8, 14, 11, 2],
      "433331202222121144443333333333332222222222221111444444333333333433344422222243333"),
    spectral([1, 0, 0, 4, 4, 0, 4, 12, 12, 12, 18, 10, 4]),
    spectral([0, 0, 0, 9, 0, 16, 13, 8, 23, 8, 4]),
    spectral(
      [1, 0, 2, 1, 0, 4, 5, 10, 14, 15, 8, 4],
      "0112221122211222222221122212122222222211222222222222112222222222"),
    spectral(
      [0, 0, 1, 5, 7, 10, 14, 15, 8, 4],
      "2212120112222222221122222222221212222222121222222222221212222112"),
    spectral(
      [1, 0, 2, 1, 0, 4, 3, 8, 11, 20, 31, 38, 32, 14, 4],
      "011222112221122222222112222222121222222221222222221222122221222211222222222222212221222222222222"
        + "2222222212212222222122222222222222212212222122222222222222222222222222222"),
    spectral(
      [0, 0, 0, 3, 8, 14, 17, 25, 31, 41, 22, 8],
      "222211222221122220221122222222222212122222222222212122222222222222222212222212222222222222222212"
        + "1222222212222221222222222222222221212122222222222222212122212221222222122"),
    spectral(
      [0, 0, 0, 2, 6, 7, 16, 59, 55, 95, 43, 6],
      "028112222221212222222112222222222222225555525121525555222225522555225255525225522215522221255225"
        + "252222222522122222212222222222222212222222222242222224212222222222222222222222222222221222222222"
        + "222222222122222222222222222222222222211222222222222222222222222221221212221222221122221221211211"
        + "2"),
  ]

  /// The codebook for differences of scale factors, with an offset of 60.
  static let scaleFactors = AACCodebook([1, 0, 1, 3, 2, 4, 3, 5, 4, 6, 6, 6, 5, 8, 4, 7, 3, 7, 46]) { differences[$0] }
  private static let differences: [Int] = [
    60, 59, 61, 58, 62, 57, 63, 56, 64, 55, 65, 66, 54, 67, 53, 68, 52, 69, 51, 70, 50, 49, 71, 72, 48, 73, 47, 74, 46,
    76, 75, 77, 78, 45, 43, 44, 79, 42, 41, 80, 40, 81, 39, 82, 38, 83, 37, 35, 85, 33, 36, 34, 84, 32, 87, 89, 30, 31,
    86, 29, 26, 27, 28, 24, 88, 25, 22, 23, 90, 21, 19, 3, 1, 2, 0, 98, 99, 100, 101, 102, 117, 97, 91, 92, 93, 94, 95,
    96, 104, 111, 112, 113, 114, 115, 116, 110, 105, 106, 107, 108, 109, 118, 6, 8, 9, 10, 5, 103, 120, 119, 4, 7, 15,
    16, 18, 20, 17, 11, 12, 14, 13,
  ]

  /// The widths of the scale factor bands of a long and of a short window, by sampling frequency index: 4.5.4.
  static func bands(frequencyIndex: Int) -> (long: [Int], short: [Int])? {
    func widths(_ runs: (Int, Int)...) -> [Int] { runs.flatMap { Array(repeating: $0.0, count: $0.1) } }
    let short96 = widths((4, 6), (8, 3), (16, 1), (28, 1), (36, 1))
    let short48 = widths((4, 5), (8, 3), (12, 3), (16, 3))
    switch frequencyIndex {
    case 0, 1:
      return (widths((4, 14), (8, 5), (12, 5), (16, 2), (24, 1), (28, 1), (36, 1), (44, 1), (64, 11)), short96)
    case 2: return (widths((4, 14), (8, 4), (12, 3), (16, 3), (20, 1), (24, 2), (28, 1), (36, 1), (40, 18)), short96)
    case 3, 4: return (widths((4, 10), (8, 7), (12, 4), (16, 2), (20, 2), (24, 2), (28, 2), (32, 19), (96, 1)), short48)
    case 5: return (widths((4, 10), (8, 7), (12, 4), (16, 2), (20, 2), (24, 2), (28, 2), (32, 22)), short48)
    case 6, 7:
      let low = widths((4, 11), (8, 10), (12, 4), (16, 3), (20, 2), (24, 2), (28, 2), (32, 1), (36, 2))
      return (low + [40, 44, 48, 52, 52, 64, 64, 64, 64, 64], widths((4, 7), (8, 3), (12, 2), (16, 2), (20, 1)))
    case 8, 9, 10:
      let low = widths((8, 11), (12, 9), (16, 4), (20, 3), (24, 2), (28, 2))
      return (
        low + [32, 36, 40, 40, 44, 48, 52, 56, 60, 64, 64, 64], widths((4, 8), (8, 2), (12, 2), (16, 1), (20, 2))
      )
    case 11, 12:
      let low = widths((12, 13), (16, 7), (20, 4), (24, 3), (28, 2), (32, 1), (36, 2))
      return (low + [40, 44, 48, 52, 56, 60, 64, 80], widths((4, 7), (8, 4), (12, 1), (16, 1), (20, 2)))
    default: return nil
    }
  }
}
