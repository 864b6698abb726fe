import Ciphers

/// Keys of encrypted samples, by key ID (KID) or by track. Descriptions do not reveal them.
public struct ContentKeys: Sendable {
  private var byID: [[UInt8]: AES128] = [:]
  private var byTrack: [UInt32: AES128] = [:]
  private var other: AES128?

  /// No keys.
  public init() {}

  /// Whether there are no keys.
  public var isEmpty: Bool { byID.isEmpty && byTrack.isEmpty && other == nil }

  /// Sets the key of all samples with this KID. Returns whether the key has 16 bytes, as required.
  @discardableResult
  public mutating func set(_ key: [UInt8], forKeyID keyID: [UInt8]) -> Bool {
    guard keyID.count == 16, let cipher = AES128(key: key) else { return false }
    byID[keyID] = cipher
    return true
  }

  /// Sets the key of all samples of the track with this ID. Returns whether the key has 16 bytes, as required.
  @discardableResult
  public mutating func set(_ key: [UInt8], forTrack track: UInt32) -> Bool {
    guard let cipher = AES128(key: key) else { return false }
    byTrack[track] = cipher
    return true
  }

  /// Sets the key of all samples without another key. Returns whether the key has 16 bytes, as required.
  @discardableResult
  public mutating func setForAll(_ key: [UInt8]) -> Bool {
    guard let cipher = AES128(key: key) else { return false }
    other = cipher
    return true
  }

  /// The cipher for samples of a track.
  func cipher(_ keyID: [UInt8], track: UInt32) -> AES128? { byTrack[track] ?? byID[keyID] ?? other }
}

extension ContentKeys: CustomStringConvertible, CustomReflectable {
  /// The number of keys, without revealing them.
  public var description: String { "\(byID.count + byTrack.count + (other == nil ? 0 : 1)) keys" }
  /// Empty, so that keys are not revealed.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
