import Ciphers
import MP4Bytes
import Testing

@Suite("Hash functions")
struct HashTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The hash of bytes that are added in pieces of these sizes, in turn.
  private func hash(_ empty: any HashFunction, _ bytes: [UInt8], pieces: [Int] = [.max]) -> String {
    var (function, left, number) = (empty, bytes[...], 0)
    while !left.isEmpty {
      let piece = left.prefix(pieces[number % pieces.count])
      function.update(piece.raw)
      (left, number) = (left.dropFirst(piece.count), number + 1)
    }
    return hex(function.digest())
  }

  @Test("Published vectors: FIPS 180-4 examples, RFC 1321 A.5, xxHash")
  func published() {
    let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      ["", "abc", two].map { hash(SHA256(), Array($0.utf8)) } == [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      ])
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(hash(SHA256(), million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    #expect(
      ["", "a", "abc", "message digest", letters].map { hash(MD5(), Array($0.utf8)) } == [
        "d41d8cd98f00b204e9800998ecf8427e", "0cc175b9c0f1b6a831c399e269772661", "900150983cd24fb0d6963f7d28e17f72",
        "f96b697d7cb7938d525a2f31aaf161d0", "d174ab98d277d9f5a5611c2c9f419d9f",
      ])
    #expect(
      ["", "a", "abc"].map { hash(XXH64(), Array($0.utf8)) } == [
        "ef46db3751d8e999", "d24ec4f1a98c6e5b", "44bc2cf5ad770999",
      ])
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    let (count, sha256, md5, xxh64): (Int, String, String, String)
    init(_ count: Int, _ sha256: String, _ md5: String, _ xxh64: String) {
      (self.count, self.sha256, self.md5, self.xxh64) = (count, sha256, md5, xxh64)
    }
    var testDescription: String { "\(count) bytes" }
  }

  /// Computed by Python's `hashlib` and `xxhash`.
  static let vectors = [
    Vector(
      0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "d41d8cd98f00b204e9800998ecf8427e", "ef46db3751d8e999"),
    Vector(
      1, "dabd3aff769f07eb2965401eb029974ebba3407afd02b26ddb564ea5f8efae72",
      "524a50782178998021a88b8cd4c8dcd8", "022545933f06bf0d"),
    Vector(
      3, "0040275ff6f0c231032f5ea0b1c89f7b357a41859cd12976dcba4d9f5cb3a761",
      "6d01fbc9e743f6c1c7df52fd3ea5a367", "3271d887c23bf8ff"),
    Vector(
      31, "9917e2e3042ffaecfdcc33bdfb39b51f5e30a3d25e862d669cc6e332e9dfbb9d",
      "fc0249c1f551b29ae391f40fb2d1d0b9", "8b5cc3f0d127bb81"),
    Vector(
      32, "3b7114ac27b7338e3a6f9e7ba93e419919ae667f00dbe9cc54cd8a13aa23c0c7",
      "a84b2db434ba605680aae9bb029f0896", "5819a5f5e18978f2"),
    Vector(
      33, "314900a695de22795dfdc29a553e5100f84719de9bee27c5b258963c980a3eac",
      "c8b77e7e1b47d115ab9ab1ad198d1dfd", "3db831121cd648fc"),
    Vector(
      55, "fbbd36c94cdeaa393ba2301164cdbc0cd22b2d73e63dfa2cf7c3ea0332a9290f",
      "fbadbad591b8b3ba7dd7a093a67a1acc", "90c7160b624eb9d0"),
    Vector(
      56, "d9a584f46d43d951ea0bd222ccdcf7e116ee5482058018f35b76107d5be0a4d1",
      "a1fdf89913c217863d8b002f0299d1c4", "f0d2fde9c5f6e0eb"),
    Vector(
      57, "88877cfc57a93b2e75773cef85cec201bed54e6421d3d2750a3e9fe4134b1c71",
      "4f7afdfd88308ec1066c4f34d2d6a174", "096d179889039bda"),
    Vector(
      63, "cbb647c388d0f31dd465dfd7a13f3fd4c48d128b1fff1781ef9af67e5ee6b881",
      "24c291e22f962065b73ef0261dafe831", "51c7c82aa11bbf86"),
    Vector(
      64, "e4c43bac5d0736d173331ba9f4b2520ec4b822c34976a19ab24c5e3ea2e75541",
      "d947920b0d8b96ae40c0da35b906957d", "ba45ecf9f7dd6579"),
    Vector(
      65, "a77960926b5775f1d4db76b80b06bc7afeaa8d1cc8892b34eea7d168ab54ab98",
      "b2224f91576832b1ea70bd5b92681d58", "39c9d59e503b37d7"),
    Vector(
      95, "7b5ffcad4e2c196eb2838565506e5f5c75cad8e3724fe3aaf6203f2f34b660bd",
      "c8338bf472ef8eb724f4b6f2c391d112", "2c8cb3824ae1b14f"),
    Vector(
      96, "1f3129c97d15fa7c30cc12bab048f816a279535c7b2b269e23acfa02fa5b7866",
      "328b4e61eeae214cc7d08df9ff4e4174", "d9f3dc9fd5f072e7"),
    Vector(
      119, "dba1654c6c1d2fba2a05d408c0133dec778102aaf6acb8c6a5c63747046695a4",
      "7ecd7329de7f8953db193da0cf9f75f0", "a090da80d47a6d87"),
    Vector(
      120, "0948a2a962a919552388c790f3ff3e3a9a59b9d0cc2150f39d44000f041b819f",
      "03a70a610fb59dfb53f2f42ce2913fca", "efa5894725e5f01c"),
    Vector(
      127, "c3a55802b1d5e74e3802178843f2e7b714eaa48806d4dd98838270cd592742f8",
      "ed87293da696728a6028906fed7b962a", "2e4f47e99e7bc090"),
    Vector(
      128, "a46949b549b016c00294f674f78eb6895957eefb837bb5becaa97f3fe24d919a",
      "20e1c2115e7e2009fede106f4ef707b9", "1c2af11437099aa8"),
    Vector(
      129, "0ac9354016ea228efa49af5f0e822cba5ad48a3e98fedc7fa0509d2aa5c535ca",
      "4f447cfbeee4e18f5b43da69c28590b4", "95985f1043fdb808"),
    Vector(
      1000, "f438db7fa7243024503ed9da533e7c3136d5ffa8c9cd321f8004b63c686ff2e9",
      "883c2d3cf33a8f42cda60da240bf291d", "425e3173a5ae19e7"),
    Vector(
      4099, "16fb5d5baf336d68f2739d4e083a8d95bef9a95c60a2acf4343411fb031785ec",
      "c8eab89eccfe583980f8036cd1fd8660", "4c7b354552b379a3"),
    Vector(
      100000, "8d759e27d41f06c161dec5cf9ea579e50cf9c155e060d431b9201cb986c5c7f9",
      "0a95366a3d119dd6e039045d3f1024bc", "d12d82b4cefaa60f"),
  ]

  @Test("Lengths around the borders of blocks, in one piece and in odd pieces", arguments: vectors)
  func lengths(vector: Vector) {
    var state = UInt32(vector.count)
    let bytes = (0..<vector.count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    for pieces in [[.max], [1], [63, 1, 65, 7], [31, 33], [64], [128, 3]] {
      #expect(hash(SHA256(), bytes, pieces: pieces) == vector.sha256)
      #expect(hash(MD5(), bytes, pieces: pieces) == vector.md5)
      #expect(hash(XXH64(), bytes, pieces: pieces) == vector.xxh64)
    }
  }
}
