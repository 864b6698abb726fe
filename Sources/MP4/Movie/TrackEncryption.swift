import ISOBMFF
import MP4Bytes

/// The default encryption of samples.
struct TrackEncryption: Sendable, Equatable {
  /// 0: not encrypted, 1: counter mode, 2: cipher block chaining mode; `nil` if the scheme determines it.
  var algorithm: UInt32?
  /// The size of the initialization vector of each sample.
  var ivSize: UInt8
  /// The key ID.
  var keyID: [UInt8]
  /// The initialization vector of all samples without their own.
  var constantIV: [UInt8] = []
  /// The pattern: the number of encrypted 16-byte blocks, and the number of clear blocks after them; 0 without a
  /// pattern.
  var cryptByteBlock: UInt8 = 0
  var skipByteBlock: UInt8 = 0
  /// The scheme that the sample entry declares.
  var scheme: FourCC?

  /// Whether every sample has its own initialization vector.
  var hasVectors: Bool { algorithm != 0 && ivSize > 0 }

  /// The default key of the samples; `nil` if they are clear.
  var usedKeyID: [UInt8]? { algorithm == 0 ? nil : keyID }

  /// The key of samples in a `seig` group with this description (ISO/IEC 23001-7:2023, 6); `nil` for clear samples.
  static func keyID(ofGroup description: [UInt8]) -> [UInt8]? {
    guard description.count >= 20, description[2] != 0 else { return nil }
    return Array(description[4..<20])
  }

  /// Whether this information is sufficient to decrypt samples that are encrypted according to `box`.
  func covers(_ box: PIFFSampleEncryptionBox) -> Bool {
    guard box.overridesTrack else { return true }
    return (algorithm == nil ? box.algorithmID != 0 : algorithm == box.algorithmID) && ivSize == box.ivSize
      && keyID == box.keyID
  }
}

extension TrackEncryption {
  /// The encryption of samples in a `seig` group with this description; `nil` if the description is too short.
  init?(ofGroup description: [UInt8]) {
    guard description.count >= 20 else { return nil }
    self.init(
      algorithm: description[2] == 0 ? 0 : nil, ivSize: description[3], keyID: Array(description[4..<20]),
      cryptByteBlock: description[1] >> 4, skipByteBlock: description[1] & 15)
    guard hasConstantVector else { return }
    guard let size = description.dropFirst(20).first, description.count >= 21 + Int(size) else { return nil }
    constantIV = Array(description[21..<(21 + Int(size))])
  }

  /// The description of a `seig` group with this encryption.
  var groupDescription: [UInt8] {
    [0, cryptByteBlock << 4 | skipByteBlock, algorithm == 0 ? 0 : 1, ivSize] + keyID
      + (hasConstantVector ? [UInt8(truncatingIfNeeded: constantIV.count)] + constantIV : [])
  }

  /// Whether all samples share one initialization vector.
  var hasConstantVector: Bool { algorithm != 0 && ivSize == 0 }
}

extension MoviePayloads {
  /// The encryption of each sample entry of a track; `nil` for clear entries.
  func encryption(_ trak: Box, path: String) throws(MovieError) -> [TrackEncryption?] {
    var result: [TrackEncryption?] = []
    for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] {
      result.append(try encryption(of: entry, path: "\(path)/mdia/minf/stbl/stsd/\(entry.type)/sinf/schi"))
    }
    return result
  }

  /// The encryption scheme of a track; `nil` if it is not encrypted.
  func protectionScheme(_ trak: Box) throws(MovieError) -> FourCC? {
    for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] {
      guard let schm = entry.first("sinf", "schm") else { continue }
      let path = "moov/trak/mdia/minf/stbl/stsd/\(entry.type)/sinf/schm"
      return try payload(of: schm, in: path, SchemeTypeBox.self).schemeType
    }
    return nil
  }

  private func encryption(of entry: Box, path: String) throws(MovieError) -> TrackEncryption? {
    let boxes = entry.first("sinf", "schi")?.boxes ?? []
    let scheme = try ifReadable { () throws(MovieError) in
      try payload(of: entry.first("sinf", "schm"), in: path + "/schm", SchemeTypeBox.self)
    }?.schemeType
    if let box = boxes.first(where: { $0.type == "tenc" }) {
      let tenc = try payload(of: box, in: path + "/tenc", TrackEncryptionBox.self)
      return TrackEncryption(
        algorithm: tenc.defaultIsProtected == 0 ? 0 : nil, ivSize: tenc.defaultPerSampleIVSize,
        keyID: tenc.defaultKeyID, constantIV: tenc.defaultConstantIV, cryptByteBlock: tenc.defaultCryptByteBlock,
        skipByteBlock: tenc.defaultSkipByteBlock, scheme: scheme)
    }
    guard let box = boxes.first(where: { $0.userType == PIFFTrackEncryptionBox.info.userType }) else { return nil }
    let uuid = try payload(of: box, in: path + "/uuid", PIFFTrackEncryptionBox.self)
    return TrackEncryption(
      algorithm: uuid.defaultAlgorithmID, ivSize: uuid.defaultIVSize, keyID: uuid.defaultKeyID,
      scheme: scheme)
  }
}
