/// The checksums of audio frames, most significant bit first.
enum Checksums {
  /// The CRC-16 of AC-3, FLAC and MPEG audio, with the polynomial 0x8005.
  static func crc16(_ bytes: ArraySlice<UInt8>, from start: UInt16 = 0) -> UInt16 {
    var crc = start
    let table = table16
    for byte in bytes { crc = crc << 8 ^ table[Int(crc >> 8) ^ Int(byte)] }
    return crc
  }

  /// The same after one more byte.
  static func crc16(_ crc: UInt16, adding byte: UInt8) -> UInt16 { crc << 8 ^ table16[Int(crc >> 8) ^ Int(byte)] }

  /// The CRC-8 of FLAC headers, with the polynomial 0x07.
  static func crc8(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    var crc: UInt8 = 0
    for byte in bytes {
      crc ^= byte
      for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1 }
    }
    return crc
  }

  private static let table16: [UInt16] = (0..<256).map { index in
    var crc = UInt16(index) << 8
    for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x8005 : crc << 1 }
    return crc
  }
}
