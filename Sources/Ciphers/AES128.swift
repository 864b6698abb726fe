import MP4Bytes

/// AES with a 128-bit key (FIPS 197), in counter mode and with cipher block chaining (NIST SP 800-38A).
///
/// It is not constant-time: use it for files only, where other programs cannot measure the duration.
package struct AES128: Sendable {
  /// The number of bytes of a key and of a block.
  package static let blockSize = 16

  /// 16 bytes.
  package struct Block: Hashable, Sendable {
    /// The first eight bytes.
    package var high: UInt64
    /// The last eight bytes.
    package var low: UInt64

    /// Takes the first 16 of `bytes`; missing ones are 0.
    package init(_ bytes: some Sequence<UInt8>) {
      var own = Array(bytes.prefix(AES128.blockSize))
      own += [UInt8](repeating: 0, count: AES128.blockSize - own.count)
      high = own[..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = own[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }
    /// The bytes of two words.
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads 16 bytes at `offset`.
    package init(_ bytes: borrowing MutableRawSpan, at offset: Int) {
      (high, low) = (bytes.loadBigEndian(at: offset), bytes.loadBigEndian(at: offset + 8))
    }
  }

  private static let rounds = 10
  /// The round keys, in words.
  private let encryptionKeys: [UInt32]
  /// The round keys of the equivalent inverse cipher.
  private let decryptionKeys: [UInt32]
  private let encryptionTable = AESTables.encryption
  private let decryptionTable = AESTables.decryption

  /// A cipher with a key; `nil` unless the key has 16 bytes.
  package init?(key: [UInt8]) {
    guard key.count == Self.blockSize else { return nil }
    let box = AESTables.substitution
    var words = stride(from: 0, to: 16, by: 4).map { key[$0..<$0 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    var constant: UInt32 = 1
    while words.count < 4 * (Self.rounds + 1) {
      var word = words[words.count - 1]
      if words.count % 4 == 0 {
        word = Self.bytes(word << 8 | word >> 24).reduce(0) { $0 << 8 | UInt32(box[$1]) }
        word ^= constant << 24
        constant = constant << 1 ^ (constant & 0x80 != 0 ? 0x11b : 0)
      }
      words.append(words[words.count - 4] ^ word)
    }
    encryptionKeys = words
    let table = decryptionTable
    var inverse: [UInt32] = []
    for round in (0...Self.rounds).reversed() {
      for word in words[4 * round..<4 * round + 4] {
        if round == 0 || round == Self.rounds {
          inverse.append(word)
          continue
        }
        var mixed: UInt32 = 0
        for (index, byte) in Self.bytes(word).enumerated() { mixed ^= table[256 * index + Int(box[byte])] }
        inverse.append(mixed)
      }
    }
    decryptionKeys = inverse
  }

  private static func bytes(_ word: UInt32) -> [Int] {
    [Int(word >> 24), Int(word >> 16 & 255), Int(word >> 8 & 255), Int(word & 255)]
  }

  /// XORs `bytes` with the key stream that starts with `counter`, skipping its first `skipped` bytes. The last eight
  /// bytes of the counter are incremented, without a carry to the first eight (ISO/IEC 23001-7:2023, 9.3).
  package func applyKeystream(to bytes: inout MutableRawSpan, counter: Block, skipping skipped: Int = 0) {
    let (keys, table) = (encryptionKeys.span, encryptionTable.span)
    var counter = counter
    counter.low &+= UInt64(skipped / Self.blockSize)
    var at = 0
    // The rest of a block that was already begun.
    let begun = skipped % Self.blockSize
    if begun > 0 {
      let stream = Self.encrypted(counter, keys, table)
      counter.low &+= 1
      while at < bytes.byteCount, begun + at < Self.blockSize {
        Self.combine(&bytes, at, stream, begun + at)
        at += 1
      }
    }
    while at + Self.blockSize <= bytes.byteCount {
      let stream = Self.encrypted(counter, keys, table)
      bytes.storeBigEndian(bytes.loadBigEndian(at: at) ^ stream.high, at: at)
      bytes.storeBigEndian(bytes.loadBigEndian(at: at + 8) ^ stream.low, at: at + 8)
      counter.low &+= 1
      at += Self.blockSize
    }
    guard at < bytes.byteCount else { return }
    let stream = Self.encrypted(counter, keys, table)
    for index in 0..<bytes.byteCount - at { Self.combine(&bytes, at + index, stream, index) }
  }

  private static func combine(_ bytes: inout MutableRawSpan, _ at: Int, _ stream: Block, _ index: Int) {
    let word = index < 8 ? stream.high : stream.low
    let byte = UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64(index % 8)))
    let old = bytes.bytes.bigEndian(at: at, as: UInt8.self) ?? 0
    bytes.storeBytes(of: old ^ byte, toByteOffset: at, as: UInt8.self)
  }

  /// Decrypts whole blocks, each of which was XORed with the previous encrypted block; `previous` is the one before the
  /// first. Returns the last encrypted block.
  @discardableResult
  package func decryptChain(_ bytes: inout MutableRawSpan, after previous: Block) -> Block {
    let (keys, table) = (decryptionKeys.span, decryptionTable.span)
    var previous = previous
    var at = 0
    while at + Self.blockSize <= bytes.byteCount {
      let block = Block(bytes, at: at)
      let clear = Self.decrypted(block, keys, table)
      bytes.storeBigEndian(clear.high ^ previous.high, at: at)
      bytes.storeBigEndian(clear.low ^ previous.low, at: at + 8)
      previous = block
      at += Self.blockSize
    }
    return previous
  }

  /// Encrypts whole blocks, each of which is XORed with the previous encrypted block; `previous` is the one before the
  /// first. Returns the last encrypted block.
  @discardableResult
  package func encryptChain(_ bytes: inout MutableRawSpan, after previous: Block) -> Block {
    let (keys, table) = (encryptionKeys.span, encryptionTable.span)
    var previous = previous
    var at = 0
    while at + Self.blockSize <= bytes.byteCount {
      var block = Block(bytes, at: at)
      block.high ^= previous.high
      block.low ^= previous.low
      previous = Self.encrypted(block, keys, table)
      bytes.storeBigEndian(previous.high, at: at)
      bytes.storeBigEndian(previous.low, at: at + 8)
      at += Self.blockSize
    }
    return previous
  }

  // MARK: A block

  @inline(__always)
  private static func encrypted(_ block: Block, _ keys: Span<UInt32>, _ table: Span<UInt32>) -> Block {
    // Lets the compiler omit bounds checks.
    guard keys.count == 44, table.count == 1024 else { return block }
    var a = UInt32(truncatingIfNeeded: block.high >> 32) ^ keys[0]
    var b = UInt32(truncatingIfNeeded: block.high) ^ keys[1]
    var c = UInt32(truncatingIfNeeded: block.low >> 32) ^ keys[2]
    var d = UInt32(truncatingIfNeeded: block.low) ^ keys[3]
    var key = 4
    while key < 40 {
      (a, b, c, d) = (
        column(a, b, c, d, table) ^ keys[key], column(b, c, d, a, table) ^ keys[key + 1],
        column(c, d, a, b, table) ^ keys[key + 2], column(d, a, b, c, table) ^ keys[key + 3]
      )
      key += 4
    }
    return joined(
      lastColumn(a, b, c, d, table) ^ keys[40], lastColumn(b, c, d, a, table) ^ keys[41],
      lastColumn(c, d, a, b, table) ^ keys[42], lastColumn(d, a, b, c, table) ^ keys[43])
  }

  @inline(__always)
  private static func decrypted(_ block: Block, _ keys: Span<UInt32>, _ table: Span<UInt32>) -> Block {
    guard keys.count == 44, table.count == 1280 else { return block }
    var a = UInt32(truncatingIfNeeded: block.high >> 32) ^ keys[0]
    var b = UInt32(truncatingIfNeeded: block.high) ^ keys[1]
    var c = UInt32(truncatingIfNeeded: block.low >> 32) ^ keys[2]
    var d = UInt32(truncatingIfNeeded: block.low) ^ keys[3]
    var key = 4
    while key < 40 {
      (a, b, c, d) = (
        column(a, d, c, b, table) ^ keys[key], column(b, a, d, c, table) ^ keys[key + 1],
        column(c, b, a, d, table) ^ keys[key + 2], column(d, c, b, a, table) ^ keys[key + 3]
      )
      key += 4
    }
    return joined(
      lastInverseColumn(a, d, c, b, table) ^ keys[40], lastInverseColumn(b, a, d, c, table) ^ keys[41],
      lastInverseColumn(c, b, a, d, table) ^ keys[42], lastInverseColumn(d, c, b, a, table) ^ keys[43])
  }

  /// A column of the next state, computed from one byte of each of four columns.
  @inline(__always)
  private static func column(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ table: Span<UInt32>) -> UInt32 {
    table[Int(a >> 24)] ^ table[256 + Int(b >> 16 & 255)] ^ table[512 + Int(c >> 8 & 255)] ^ table[768 + Int(d & 255)]
  }

  /// The same without MixColumns: the third table has the plain S-box value in its first byte, and so on.
  @inline(__always)
  private static func lastColumn(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ table: Span<UInt32>) -> UInt32 {
    table[512 + Int(a >> 24)] & 0xff00_0000 | table[768 + Int(b >> 16 & 255)] & 0xff_0000
      | table[Int(c >> 8 & 255)] & 0xff00 | table[256 + Int(d & 255)] & 0xff
  }

  @inline(__always)
  private static func lastInverseColumn(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ table: Span<UInt32>
  ) -> UInt32 {
    table[1024 + Int(a >> 24)] << 24 | table[1024 + Int(b >> 16 & 255)] << 16
      | table[1024 + Int(c >> 8 & 255)] << 8 | table[1024 + Int(d & 255)]
  }

  @inline(__always)
  private static func joined(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> Block {
    Block(high: UInt64(a) << 32 | UInt64(b), low: UInt64(c) << 32 | UInt64(d))
  }
}
