public import Bytes

/// Why samples cannot be decrypted or encrypted.
public enum DecryptionObstacle: Error, Equatable, Sendable {
  /// No sample is encrypted.
  case nothingEncrypted
  /// Samples are encrypted with a scheme that is not one of common encryption; `nil` if none is declared.
  case scheme(track: UInt32, FourCC?)
  /// A sample entry has no information about the encryption.
  case noParameters(track: UInt32)
  /// Some movie fragments have different parameters from the track, in a way that is not supported.
  case otherParameters
  /// These keys are missing.
  case noKeys([Key])
  /// Decrypted samples do not have the syntax of their codec.
  case wrongKey(Key)
  /// The subsamples of a sample have more bytes than the sample.
  case subsamples(track: UInt32, sample: Int)
  /// The data of samples overlaps.
  case sharedBytes(track: UInt32, sample: Int)

  /// Identifies a key.
  public struct Key: Hashable, Sendable {
    /// The track.
    public var track: MovieObstacle.Track
    /// The key ID.
    public var keyID: [UInt8]
  }
}

extension DecryptionObstacle: CustomStringConvertible {
  /// A sentence without the name of the file. It never contains a key.
  public var description: String {
    switch self {
    case .nothingEncrypted: "no sample is encrypted"
    case .scheme(let track, let scheme?): "track \(track): the encryption scheme \(scheme) is not supported"
    case .scheme(let track, nil): "track \(track): it does not declare its encryption scheme"
    case .noParameters(let track): "track \(track): it has no tenc, so the keys of its samples are unknown"
    case .otherParameters: "some fragments have their own encryption parameters, which is not supported"
    case .noKeys(let keys):
      "there is no key for " + keys.map(\.text).joined(separator: ", and none for ")
    case .wrongKey(let key): "the key for \(key.text) is wrong: the decrypted samples are not valid"
    case .subsamples(let track, let sample):
      "track \(track): the subsamples of sample \(sample + 1) have more bytes than the sample"
    case .sharedBytes(let track, let sample):
      "track \(track): sample \(sample + 1) shares bytes with another sample"
    }
  }
}

extension DecryptionObstacle.Key {
  /// Such as `KID 00112233445566778899aabbccddeeff (track 1, vide)`.
  var text: String {
    let digits = Array("0123456789abcdef")
    let hex = String(keyID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    return "KID \(hex) of track \(track.id) (\(track.handler))"
  }
}
