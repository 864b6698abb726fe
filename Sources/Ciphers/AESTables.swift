/// The substitutions and multiplications of an AES round (FIPS 197) as tables: four, one for each byte of a word.
enum AESTables {
  /// The S-box.
  static let substitution: [UInt8] = {
    var box = [UInt8](repeating: 0x63, count: 256)
    // Both take every element of the field except 0; each is the inverse of the other.
    var (element, inverse): (UInt8, UInt8) = (1, 1)
    repeat {
      element ^= doubled(element)
      inverse ^= inverse << 1
      inverse ^= inverse << 2
      inverse ^= inverse << 4
      if inverse & 0x80 != 0 { inverse ^= 0x09 }
      func turned(_ count: UInt8) -> UInt8 { inverse << count | inverse >> (8 - count) }
      box[Int(element)] = inverse ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4) ^ 0x63
    } while element != 1
    return box
  }()

  /// Four tables of 256 words: the S-box combined with MixColumns.
  static let encryption = tables(substitution.map { [multiplied($0, 2), $0, $0, multiplied($0, 3)] })

  /// Four tables of 256 words for the inverse, and one of the inverse S-box.
  static let decryption: [UInt32] =
    tables(inverse.map { [multiplied($0, 14), multiplied($0, 9), multiplied($0, 13), multiplied($0, 11)] })
    + inverse.map(UInt32.init)

  private static let inverse: [UInt8] = {
    var box = [UInt8](repeating: 0, count: 256)
    for (index, value) in substitution.enumerated() { box[Int(value)] = UInt8(index) }
    return box
  }()

  private static func tables(_ columns: [[UInt8]]) -> [UInt32] {
    let words = columns.map { $0.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    return (0..<4).flatMap { (table: UInt32) in
      words.map { table == 0 ? $0 : $0 >> (8 * table) | $0 << (32 - 8 * table) }
    }
  }

  private static func doubled(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 != 0 ? 0x1b : 0) }

  /// The product in GF(2⁸).
  private static func multiplied(_ value: UInt8, _ factor: UInt8) -> UInt8 {
    var (result, power): (UInt8, UInt8) = (0, value)
    for bit in 0..<4 {
      if factor >> UInt8(bit) & 1 != 0 { result ^= power }
      power = doubled(power)
    }
    return result
  }
}
