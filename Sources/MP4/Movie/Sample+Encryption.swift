public import Bytes

/// The encryption of a sample: ISO/IEC 23001-7.
public struct SampleEncryption: Hashable, Sendable {
  /// Clear bytes followed by encrypted ones.
  public struct Subsample: Hashable, Sendable {
    /// The number of clear bytes.
    public var clearByteCount: Int
    /// The number of encrypted bytes after them.
    public var protectedByteCount: Int
  }
  /// How blocks are combined.
  public enum Mode: Hashable, Sendable {
    /// Counter mode (CTR).
    case counter
    /// Cipher block chaining (CBC).
    case chaining
  }
  /// The scheme, such as `cenc` or `cbcs`; `nil` if not declared.
  public var scheme: FourCC?
  /// The mode of the scheme; `nil` if the scheme is not one of common encryption.
  public var mode: Mode?
  /// The key ID (KID), 16 bytes.
  public var keyID: [UInt8]
  /// The initialization vector of the sample, or the constant one.
  public var initializationVector: [UInt8]
  /// The number of encrypted 16-byte blocks in the pattern; 0 without a pattern.
  public var cryptByteBlock: Int
  /// The number of clear 16-byte blocks in the pattern.
  public var skipByteBlock: Int
  /// The subsamples; empty if the whole sample is encrypted.
  public var subsamples: [Subsample]
}

extension Sample {
  /// Its encryption, according to its group (`seig`) or else to its sample description; `nil` if it is
  /// clear.
  ///
  /// - Throws: `MovieError` if the information in the file cannot be interpreted.
  public func encryption() throws(MovieError) -> SampleEncryption? {
    guard let own = try encryptionParameters(), own.algorithm != 0 else { return nil }
    let information = storage.details.auxiliary(of: index..<(index + 1)).bytes
    let entry =
      storage.encryption.indices.contains(descriptionIndex - 1) ? storage.encryption[descriptionIndex - 1] : nil
    let scheme = own.scheme ?? entry?.scheme ?? storage.scheme
    var result = SampleEncryption(
      scheme: scheme, mode: SampleEncryption.Mode(scheme, algorithm: own.algorithm ?? entry?.algorithm),
      keyID: own.keyID, initializationVector: own.constantIV,
      cryptByteBlock: Int(own.cryptByteBlock), skipByteBlock: Int(own.skipByteBlock), subsamples: [])
    var rest = information
    if own.ivSize > 0 {
      guard rest.count >= Int(own.ivSize) else { throw obstacle(.noInitializationVector) }
      result.initializationVector = Array(rest.prefix(Int(own.ivSize)))
      rest = rest.dropFirst(Int(own.ivSize))
    }
    guard !rest.isEmpty else { return result }
    func number(_ count: Int) -> Int {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    let count = number(2)
    guard rest.count == 6 * count else { throw obstacle(.subsamples) }
    for _ in 0..<count {
      result.subsamples.append(
        SampleEncryption.Subsample(clearByteCount: number(2), protectedByteCount: number(4)))
    }
    return result
  }

  /// The encryption of the sample's group or, without a group, of its description.
  private func encryptionParameters() throws(MovieError) -> TrackEncryption? {
    guard let group = try groups().first(where: { $0.type == "seig" }) else {
      let number = descriptionIndex - 1
      return storage.encryption.indices.contains(number) ? storage.encryption[number] : nil
    }
    guard let own = TrackEncryption(ofGroup: group.description) else {
      throw obstacle(.group)
    }
    return own
  }

  private func obstacle(_ problem: SampleObstacle.Problem) -> MovieError {
    .impossible(file: source.name, SampleObstacle(index: index, offset: offset, problem: problem))
  }
}

extension SampleEncryption.Mode {
  /// The mode of a scheme. Boxes from before schemes existed have an algorithm number instead.
  init?(_ scheme: FourCC?, algorithm: UInt32?) {
    switch (algorithm, scheme) {
    case (1, _): self = .counter
    case (2, _): self = .chaining
    case (_, "cenc"), (_, "cens"), (_, "piff"): self = .counter
    case (_, "cbc1"), (_, "cbcs"): self = .chaining
    default: return nil
    }
  }
}
