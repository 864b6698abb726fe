import Ciphers

/// A hash algorithm.
public enum HashAlgorithm: String, Sendable, CaseIterable {
  /// SHA-256: FIPS 180-4.
  case sha256
  /// MD5: RFC 1321. Intentional changes can keep the hash.
  case md5
  /// XXH64, the fastest one. Intentional changes can keep the hash.
  case xxh64

  /// Its usual name, such as `SHA256`.
  public var name: String { rawValue.uppercased() }
  /// The number of bytes of a hash.
  public var byteCount: Int {
    switch self {
    case .sha256: 32
    case .md5: 16
    case .xxh64: 8
    }
  }

  /// The function, before the first byte.
  var function: any HashFunction {
    switch self {
    case .sha256: SHA256()
    case .md5: MD5()
    case .xxh64: XXH64()
    }
  }
}
