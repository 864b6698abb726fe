import Ciphers
import MP4Bytes
import Testing

/// The NIST vectors: FIPS 197, appendix C.1, and SP 800-38A, F.2 and F.5.
@Suite("AES-128")
struct AES128Tests {
  private func bytes(_ hex: String) -> [UInt8] {
    var (result, high): ([UInt8], UInt8?) = ([], nil)
    for digit in hex.compactMap(\.hexDigitValue) {
      if let first = high {
        result.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    return result
  }
  private func cipher(_ hex: String) throws -> AES128 { try #require(AES128(key: bytes(hex))) }
  private let key = "2b7e151628aed2a6abf7158809cf4f3c"
  private let plain =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
  private let chained =
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
  private let counted =
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"

  @Test("A block: FIPS 197, C.1")
  func block() throws {
    let cipher = try cipher("000102030405060708090a0b0c0d0e0f")
    var text = bytes("00112233445566778899aabbccddeeff")
    var raw = text.mutableRaw
    cipher.encryptChain(&raw, after: AES128.Block([]))
    #expect(text == bytes("69c4e0d86a7b0430d8cdb78070b4c55a"))
    raw = text.mutableRaw
    cipher.decryptChain(&raw, after: AES128.Block([]))
    #expect(text == bytes("00112233445566778899aabbccddeeff"))
  }

  @Test("Cipher block chaining: SP 800-38A, F.2.1 and F.2.2, in one call and in parts")
  func chaining() throws {
    let (cipher, vector) = (try cipher(key), AES128.Block(0...15))
    for cuts in [[0, 64], [0, 16, 64], [0, 32, 48, 64]] {
      var text = bytes(plain)
      var last = vector
      for (start, end) in zip(cuts, cuts.dropFirst()) {
        var raw = text.mutableRaw
        var part = raw._mutatingExtracting(start..<end)
        last = cipher.encryptChain(&part, after: last)
      }
      #expect(text == bytes(chained))
      last = vector
      for (start, end) in zip(cuts, cuts.dropFirst()) {
        var raw = text.mutableRaw
        var part = raw._mutatingExtracting(start..<end)
        last = cipher.decryptChain(&part, after: last)
      }
      #expect(text == bytes(plain))
      #expect(last == AES128.Block(bytes(chained).suffix(16)))
    }
  }

  @Test("Counter mode: SP 800-38A, F.5.1, from every byte to every byte")
  func counting() throws {
    let cipher = try cipher(key)
    let counter = AES128.Block(bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    for start in 0...64 {
      for end in start...64 {
        var text = Array(bytes(plain)[start..<end])
        var raw = text.mutableRaw
        cipher.applyKeystream(to: &raw, counter: counter, skipping: start)
        #expect(text == Array(bytes(counted)[start..<end]))
      }
    }
  }

  @Test("Only the last eight bytes of the counter are incremented, and they wrap around to 0")
  func wrapping() throws {
    let cipher = try cipher(key)
    var long = [UInt8](repeating: 0, count: 32)
    var raw = long.mutableRaw
    cipher.applyKeystream(
      to: &raw, counter: AES128.Block([1] + Array(repeating: 0, count: 7) + [255, 255, 255, 255, 255, 255, 255, 255]))
    var second = [UInt8](repeating: 0, count: 16)
    raw = second.mutableRaw
    cipher.applyKeystream(to: &raw, counter: AES128.Block([1]))
    #expect(Array(long[16...]) == second)
  }

  @Test("Keys have 16 bytes")
  func keys() {
    for count in [0, 15, 17, 32] { #expect(AES128(key: Array(repeating: 0, count: count)) == nil) }
  }
}
