import ISOBMFF

/// How samples are encrypted that do not say otherwise.
struct TrackEncryption: Sendable, Equatable {
  /// 0: not at all, 1: in counter mode, 2: in cipher block chaining mode; `nil` where the scheme decides.
  var algorithm: UInt32?
  /// The size of the initialization vector of each sample.
  var ivSize: UInt8
  /// The name of the key.
  var keyID: [UInt8]

  /// Whether every sample has an initialization vector of its own.
  var hasVectors: Bool { algorithm != 0 && ivSize > 0 }

  /// Whether samples that are encrypted as `box` says are decrypted by who knows only this.
  func covers(_ box: PIFFSampleEncryptionBox) -> Bool {
    guard box.overridesTrack else { return true }
    return (algorithm == nil ? box.algorithmID != 0 : algorithm == box.algorithmID) && ivSize == box.ivSize
      && keyID == box.keyID
  }
}

extension MoviePayloads {
  /// The encryption of each sample entry of a track, `nil` for those in the clear.
  func encryption(_ trak: Box, path: String) throws(MovieError) -> [TrackEncryption?] {
    var result: [TrackEncryption?] = []
    for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] {
      result.append(try encryption(of: entry, path: "\(path)/mdia/minf/stbl/stsd/\(entry.type)/sinf/schi"))
    }
    return result
  }

  private func encryption(of entry: Box, path: String) throws(MovieError) -> TrackEncryption? {
    let boxes = entry.first("sinf", "schi")?.boxes ?? []
    if let box = boxes.first(where: { $0.type == "tenc" }) {
      let tenc = try payload(of: box, in: path + "/tenc", TrackEncryptionBox.self)
      return TrackEncryption(
        algorithm: tenc.defaultIsProtected == 0 ? 0 : nil, ivSize: tenc.defaultPerSampleIVSize,
        keyID: tenc.defaultKeyID)
    }
    guard let box = boxes.first(where: { $0.userType == PIFFTrackEncryptionBox.info.userType }) else { return nil }
    let uuid = try payload(of: box, in: path + "/uuid", PIFFTrackEncryptionBox.self)
    return TrackEncryption(
      algorithm: uuid.defaultAlgorithmID, ivSize: uuid.defaultIVSize, keyID: uuid.defaultKeyID)
  }
}
