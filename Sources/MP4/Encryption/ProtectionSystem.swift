public import ISOBMFF
public import MP4Bytes

/// A protection system that finds keys by data in `pssh`.
public enum ProtectionSystem: Hashable, Sendable {
  /// The key IDs only, for any system: https://www.w3.org/TR/eme-initdata-cenc/
  case common
  /// Widevine.
  case widevine
  /// PlayReady.
  case playReady

  /// The ID of the system.
  public var systemID: [UInt8] {
    switch self {
    case .common: [0x10, 0x77, 0xef, 0xec, 0xc0, 0xb2, 0x4d, 0x02, 0xac, 0xe3, 0x3c, 0x1e, 0x52, 0xe2, 0xfb, 0x4b]
    case .widevine: [0xed, 0xef, 0x8b, 0xa9, 0x79, 0xd6, 0x4a, 0xce, 0xa3, 0xc8, 0x27, 0xdc, 0xd5, 0x1d, 0x21, 0xed]
    case .playReady: [0x9a, 0x04, 0xf0, 0x79, 0x98, 0x40, 0x42, 0x86, 0xab, 0x92, 0xe6, 0x5b, 0xe0, 0x88, 0x5f, 0x95]
    }
  }

  /// The `pssh` box with these keys. That of PlayReady has a header of version 4.0 for one key of `cenc`, which all
  /// players know, and otherwise of version 4.3; neither has a checksum of the key.
  public func box(keyIDs: [[UInt8]], scheme: FourCC) -> ProtectionSystemSpecificHeaderBox {
    var box = ProtectionSystemSpecificHeaderBox()
    box.systemID = systemID
    switch self {
    case .common:
      box.header.version = 1
      for keyID in keyIDs {
        var row = ProtectionSystemSpecificHeaderBox.KeyID()
        row.bytes = keyID
        box.keyIDs.append(row)
      }
    case .widevine:
      for keyID in keyIDs { box.data += [0x12, 0x10] + keyID }
      // The scheme is a 32-bit varint with 7 bits in each byte.
      box.data.append(0x48)
      var rest = scheme.rawValue
      while rest > 0x7f {
        box.data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      box.data.append(UInt8(truncatingIfNeeded: rest))
    case .playReady:
      box.data = Self.playReadyObject(keyIDs, scheme)
    }
    return box
  }

  /// A PlayReady object with one header: numbers are little-endian, the header is UTF-16.
  private static func playReadyObject(_ keyIDs: [[UInt8]], _ scheme: FourCC) -> [UInt8] {
    // The first three fields of the ID are little-endian.
    let values = keyIDs.map { keyID in base64Text([3, 2, 1, 0, 5, 4, 7, 6].map { keyID[$0] } + keyID[8...]) }
    let (version, data): (String, String)
    if scheme == "cenc", values.count == 1 {
      version = "4.0.0.0"
      data = "<PROTECTINFO><KEYLEN>16</KEYLEN><ALGID>AESCTR</ALGID></PROTECTINFO><KID>\(values[0])</KID>"
    } else {
      version = "4.3.0.0"
      let algorithm = scheme == "cbcs" || scheme == "cbc1" ? "AESCBC" : "AESCTR"
      let keys = values.map { #"<KID ALGID="\#(algorithm)" VALUE="\#($0)"></KID>"# }
      data = "<PROTECTINFO><KIDS>" + keys.joined() + "</KIDS></PROTECTINFO>"
    }
    let text =
      #"<WRMHEADER xmlns="http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader" version="\#(version)"><DATA>"#
      + data + "</DATA></WRMHEADER>"
    let header = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return number(header.count + 10, 4) + number(1, 2) + number(1, 2) + number(header.count, 2) + header
  }
}
