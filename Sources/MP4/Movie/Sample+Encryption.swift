public import Bytes

/// How a sample is encrypted: ISO/IEC 23001-7.
public struct SampleEncryption: Hashable, Sendable {
  /// Some bytes in the clear, and encrypted ones after them.
  public struct Subsample: Hashable, Sendable {
    /// The number of bytes in the clear.
    public var clearByteCount: Int
    /// The number of encrypted bytes after these.
    public var protectedByteCount: Int
  }
  /// The scheme, such as `cenc` or `cbcs`; `nil` where the file does not say.
  public var scheme: FourCC?
  /// The 16 bytes that name the key.
  public var keyID: [UInt8]
  /// The initialization vector: its own, or that of all samples.
  public var initializationVector: [UInt8]
  /// How many blocks of 16 bytes are encrypted before some are not; 0 without a pattern.
  public var cryptByteBlock: Int
  /// How many blocks of 16 bytes are then in the clear.
  public var skipByteBlock: Int
  /// The parts of the sample; empty where all of it is encrypted.
  public var subsamples: [Subsample]
}

extension Sample {
  /// How it is encrypted: as its group (`seig`) says, and without one as its sample description does; `nil` where it is in
  /// the clear.
  ///
  /// - Throws: `MovieError` where what the file says of it cannot be understood.
  public func encryption() throws(MovieError) -> SampleEncryption? {
    guard let own = try encryptionParameters(), own.algorithm != 0 else { return nil }
    let information = storage.details.auxiliary(of: index..<(index + 1)).bytes
    var result = SampleEncryption(
      scheme: storage.scheme, keyID: own.keyID, initializationVector: own.constantIV,
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

  /// What holds for all samples of its group, or of its description.
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
