import Ciphers
import MP4Bytes

/// Why a key of encrypted samples cannot be used.
public enum ContentKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key has another number of bytes than 16.
  case keySize(Int)
  /// The key ID has another number of bytes than 16.
  case keyIDSize(Int)

  /// A sentence with the problem.
  public var description: String {
    switch self {
    case .keySize(let count): "the key has \(counted(count, "byte")); 16 are needed"
    case .keyIDSize(let count): "the key ID has \(counted(count, "byte")); 16 are needed"
    }
  }
}

extension AES128 {
  /// The cipher of a key.
  init(contentKey key: [UInt8]) throws(ContentKeyError) {
    guard let cipher = AES128(key: key) else { throw .keySize(key.count) }
    self = cipher
  }
}

/// Keys of encrypted samples, by key ID (KID) or by track. Descriptions do not reveal them.
public struct ContentKeys: Sendable {
  private var byID: [[UInt8]: AES128] = [:]
  private var byTrack: [UInt32: AES128] = [:]
  private var other: AES128?

  /// No keys.
  public init() {}

  /// Whether there are no keys.
  public var isEmpty: Bool { byID.isEmpty && byTrack.isEmpty && other == nil }

  /// Sets the key of all samples with this KID.
  public mutating func set(_ key: [UInt8], forKeyID keyID: [UInt8]) throws(ContentKeyError) {
    guard keyID.count == 16 else { throw .keyIDSize(keyID.count) }
    byID[keyID] = try AES128(contentKey: key)
  }

  /// Sets the key of all samples of the track with this ID.
  public mutating func set(_ key: [UInt8], forTrack track: UInt32) throws(ContentKeyError) {
    byTrack[track] = try AES128(contentKey: key)
  }

  /// Sets the cipher of all samples of the track with this ID.
  mutating func set(_ cipher: AES128, forTrack track: UInt32) { byTrack[track] = cipher }

  /// Sets the cipher of all samples with this KID.
  mutating func set(_ cipher: AES128, forKeyID keyID: [UInt8]) { byID[keyID] = cipher }

  /// Sets the key of all samples without another key.
  public mutating func setForAll(_ key: [UInt8]) throws(ContentKeyError) { other = try AES128(contentKey: key) }

  /// The cipher for samples of a track.
  func cipher(_ keyID: [UInt8], track: UInt32) -> AES128? { byTrack[track] ?? byID[keyID] ?? other }
}

extension ContentKeys: CustomStringConvertible, CustomReflectable {
  /// The number of keys, without revealing them.
  public var description: String { "\(byID.count + byTrack.count + (other == nil ? 0 : 1)) keys" }
  /// Empty, so that keys are not revealed.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
