import ISOBMFF
import MP4
import MP4Bytes

/// The information that a protection system needs to provide keys: the contents of a `pssh` box.
public struct ProtectionSummary: Sendable {
  /// The name of the system; its UUID if unknown.
  public let system: String
  /// The key IDs, as UUIDs.
  public internal(set) var keyIDs: [String] = []
  /// Other contents by name, such as `provider` or `license server`.
  public internal(set) var details: [Detail] = []

  /// A named value of the contents.
  public struct Detail: Sendable {
    /// The name.
    public let name: String
    /// Its value as text.
    public let value: String
  }

  /// The maximum size that is parsed; real boxes have a few kilobytes.
  private static let sizeLimit = 1 << 16
  /// The maximum length of an element with a key.
  private static let longestTag = 256

  /// Parses a box.
  init(_ box: ProtectionSystemSpecificHeaderBox) {
    system = ProtectionSystem.name(of: box.systemID)?.description ?? UUIDText.text(box.systemID)
    keyIDs = box.keyIDs.map { UUIDText.text($0.bytes) }
    switch system {
    case "Widevine": readWidevine(box.data.prefix(Self.sizeLimit))
    case "PlayReady": readPlayReady(box.data.prefix(Self.sizeLimit))
    default: break
    }
  }

  private mutating func add(key: [UInt8]) {
    let text = UUIDText.text(key)
    if key.count == 16, !keyIDs.contains(text) { keyIDs.append(text) }
  }
  private mutating func add(_ name: String, _ value: String) {
    if !value.isEmpty { details.append(Detail(name: name, value: value)) }
  }

  /// Widevine's protocol buffer: numbered fields; those of bytes have a length prefix.
  private mutating func readWidevine(_ data: ArraySlice<UInt8>) {
    var rest = data
    while let tag = rest.popVarint() {
      switch tag & 7 {
      case 0:
        guard let number = rest.popVarint() else { return }
        if tag >> 3 == 9 { add("scheme", FourCC(rawValue: UInt32(truncatingIfNeeded: number)).description) }
      case 1: rest = rest.dropFirst(8)
      case 2:
        guard let count = rest.popVarint(), count <= rest.count else { return }
        let bytes = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        switch tag >> 3 {
        case 2: add(key: Array(bytes))
        case 3: add("provider", plainText(bytes) ?? hexText(bytes))
        case 4: add("content ID", plainText(bytes) ?? hexText(bytes))
        case 6: add("policy", plainText(bytes) ?? hexText(bytes))
        default: break
        }
      case 5: rest = rest.dropFirst(4)
      default: return
      }
    }
  }

  /// The PlayReady object: records with little-endian sizes; the record of type 1 is XML in UTF-16.
  private mutating func readPlayReady(_ data: ArraySlice<UInt8>) {
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
    var rest = data.dropFirst(6)
    while rest.count >= 4 {
      let (type, count) = (number(rest.prefix(2)), number(rest.dropFirst(2).prefix(2)))
      let record = rest.dropFirst(4).prefix(count)
      rest = rest.dropFirst(4 + record.count)
      guard type == 1 else { continue }
      let bytes = Array(record)
      let units = stride(from: 0, to: bytes.count / 2 * 2, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
      readHeader(Array(String(decoding: units, as: UTF16.self).utf8))
    }
  }

  /// The WRMHEADER of PlayReady, versions 4.0 to 4.3: keys are elements or attributes.
  private mutating func readHeader(_ xml: [UInt8]) {
    for start in xml.indices where xml[start...].starts(with: "<KID".utf8) {
      let tag = xml[start...].prefix(Self.longestTag).prefix { $0 != UInt8(ascii: ">") }
      let text: ArraySlice<UInt8>
      if let value = tag.after("VALUE=\"") {
        text = value.prefix { $0 != UInt8(ascii: "\"") }
      } else {
        text = xml[tag.endIndex...].dropFirst().prefix(Self.longestTag).prefix { $0 != UInt8(ascii: "<") }
      }
      guard let id = base64Bytes(text), id.count == 16 else { continue }
      // The first three parts of a GUID are little-endian.
      add(key: [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map { id[$0] })
    }
    for (element, name) in [("<LA_URL>", "license server"), ("<LUI_URL>", "license page"), ("<DS_ID>", "domain")] {
      guard let value = xml[...].after(element)?.prefix(while: { $0 != UInt8(ascii: "<") }) else { continue }
      add(name, String(decoding: value, as: UTF8.self))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Removes a varint (groups of seven bits, lowest first); `nil` at the end or after ten bytes.
  fileprivate mutating func popVarint() -> UInt64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = popFirst(), shift < 64 {
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// The text after the first occurrence of `text`; `nil` if there is none.
  fileprivate func after(_ text: String) -> ArraySlice<UInt8>? {
    let wanted = Array(text.utf8)
    guard count >= wanted.count else { return nil }
    return indices.dropLast(wanted.count - 1).first { self[$0...].starts(with: wanted) }.map {
      self[($0 + wanted.count)...]
    }
  }
}
