import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS

extension Packager.Protection {
  /// EXT-X-KEY of each system for samples with these keys, for a playlist from which `path` leads to the folder of the
  /// presentation.
  func tags(_ keyIDs: [[UInt8]], _ path: String, baseURL: String) -> [EncryptionKey] {
    guard let first = keyIDs.first, let scheme = method.scheme else { return [] }
    return systems.map { system in
      var key = EncryptionKey(scheme == .cenc ? .sampleAESCTR : .sampleAES)
      switch system {
      case .fairPlay(let uri):
        key.uri = Packager.Key(uri: uri.naming(first)).located(path, baseURL: baseURL).uri
        key.keyFormat = "com.apple.streamingkeydelivery"
      case .widevine:
        key.uri = "data:text/plain;base64," + base64Text(headers(.widevine, keyIDs).flatMap(Self.bytes))
        key.keyFormat = "urn:uuid:" + UUIDText.text(MP4.ProtectionSystem.widevine.systemID)
      case .playReady:
        key.uri = "data:text/plain;charset=UTF-16;base64," + base64Text(headers(.playReady, keyIDs).flatMap(\.data))
        key.keyFormat = "com.microsoft.playready"
      case .clearKey(let url):
        key.uri = Packager.Key(uri: url.naming(first)).located(path, baseURL: baseURL).uri
        key.keyFormat = Self.clearKeyFormat
      }
      key.keyFormatVersions = "1"
      // Players with these systems look keys up by their IDs. The standard does not define the attribute.
      if system == .widevine || key.keyFormat == Self.clearKeyFormat {
        key.attributes["KEYID"] = Attribute(name: "KEYID", text: "0x" + hexText(first))
      }
      return key
    }
  }

  private static let clearKeyFormat = "org.w3.clearkey"

  /// The `pssh` box of a system: those that are given, or a generated one.
  func headers(_ system: MP4.ProtectionSystem, _ keyIDs: [[UInt8]]) -> [ProtectionSystemSpecificHeaderBox] {
    let given = headers.filter { $0.systemID == system.systemID }
    guard given.isEmpty, let scheme = method.scheme else { return given }
    return [system.box(keyIDs: keyIDs, scheme: scheme.type)]
  }

  /// The generated `pssh` box of the system with this ID for a key; empty if it is given, or not one of the systems.
  func generatedHeader(_ systemID: [UInt8], _ keyID: [UInt8]) -> [UInt8] {
    guard let system = systems.compactMap(\.protectionSystem).first(where: { $0.systemID == systemID }),
      !headers.contains(where: { $0.systemID == systemID })
    else { return [] }
    return headers(system, [keyID]).flatMap(Self.bytes)
  }

  private static func bytes(of box: ProtectionSystemSpecificHeaderBox) -> [UInt8] {
    let sink = MemorySink()
    // All given and generated boxes can be written: their sizes fit, and memory does not fail.
    try? BoxSerializer([Box(box)]).write(to: sink, from: [])
    return sink.bytes
  }

  /// The URL of the Clear Key license server for a key, if there is one.
  func licenseURL(_ keyID: [UInt8]) -> String? {
    systems.lazy.compactMap { if case .clearKey(let url) = $0 { url.naming(keyID) } else { nil } }.first
  }
}

extension Packager.Options {
  /// EXT-X-KEY for whole segments: the file with the key, or the given URI.
  func fileKey(_ key: Encryption.Key, _ path: String) -> EncryptionKey {
    let given = self.key?.naming(key.keyID) ?? Packager.Key(uri: key.fileName)
    var tag = EncryptionKey(.aes128, uri: given.located(path, baseURL: baseURL).uri)
    (tag.keyFormat, tag.keyFormatVersions) = (given.format, given.formatVersions)
    return tag
  }
}

extension Packager.Options {
  /// Whether a URI does not depend on the key, so that it must provide all keys.
  var hasOneURI: Bool {
    let uris = (protection?.systems ?? []).compactMap { if case .fairPlay(let uri) = $0 { uri } else { nil } }
    return ([key?.uri].compactMap(\.self) + uris).contains { $0.naming([]) == $0 }
  }
}

extension Packager.Key {
  /// The key with its ID in the URI.
  func naming(_ keyID: [UInt8]) -> Packager.Key {
    var result = self
    result.uri = uri.naming(keyID)
    return result
  }
}

extension String {
  /// The text with the key ID in hexadecimal digits instead of `{kid}`.
  fileprivate func naming(_ keyID: [UInt8]) -> String {
    var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(utf8)[...])
    while let byte = rest.first {
      let isName = rest.starts(with: "{kid}".utf8)
      result += isName ? Array(hexText(keyID).utf8) : [byte]
      rest = rest.dropFirst(isName ? 5 : 1)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
