/// Two bytes of closed captions with their kind, as in `cc_data()`: ATSC A/53 Part 4, 6.2.3, and CTA-708, 4.4.
public struct CaptionPair: Hashable, Sendable {
  /// What the bytes belong to.
  public enum Kind: UInt8, Hashable, Sendable {
    /// CEA-608 in the first field: CC1, CC2, T1 and T2.
    case field1
    /// CEA-608 in the second field: CC3, CC4, T3, T4 and XDS.
    case field2
    /// The rest of a caption channel packet of CEA-708.
    case packetData
    /// The start of a caption channel packet of CEA-708.
    case packetStart
  }
  /// What the bytes belong to.
  public var kind: Kind
  /// The first byte; with its parity bit in CEA-608.
  public var first: UInt8
  /// The second byte; with its parity bit in CEA-608.
  public var second: UInt8

  /// Two bytes of a kind.
  public init(_ kind: Kind, _ first: UInt8, _ second: UInt8) {
    (self.kind, self.first, self.second) = (kind, first, second)
  }

  /// Two zeros of CEA-608 in a field.
  package static func padding(_ field: Kind) -> CaptionPair { CaptionPair(field, 0x80, 0x80) }

  /// Whether they are two zeros of CEA-608, which are sent if there is nothing else to send.
  package var isPadding: Bool { (kind == .field1 || kind == .field2) && first & 0x7f == 0 && second & 0x7f == 0 }

  /// The three bytes of a valid pair in `cc_data()`.
  package var triplet: [UInt8] { [0xfc | kind.rawValue, first, second] }

  /// The valid pair in three bytes of `cc_data()`; `nil` if it is not valid, or padding.
  init?(triplet bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard bytes.count == 3, bytes[start] & 4 != 0, let kind = Kind(rawValue: bytes[start] & 3) else { return nil }
    self.init(kind, bytes[start + 1], bytes[start + 2])
    if isPadding { return nil }
  }
}

extension UInt8 {
  /// Whether the number of set bits is odd, as in every byte of CEA-608.
  var hasOddParity: Bool { nonzeroBitCount & 1 == 1 }
  /// Seven bits with a parity bit.
  var withOddParity: UInt8 { (self & 0x7f).hasOddParity ? self & 0x7f : self | 0x80 }
}

extension CaptionPair {
  /// The pairs in the user data of a picture after the ITU-T T.35 codes of ATSC, or after the start code of MPEG-2
  /// user data: `GA94`, 3, and `cc_data()`. None in other user data.
  package static func pairs(inUserData data: ArraySlice<UInt8>) -> [CaptionPair] {
    guard data.starts(with: [0x47, 0x41, 0x39, 0x34, 3]) else { return [] }
    let rest = data.dropFirst(5)
    // process_cc_data_flag and cc_count; em_data.
    guard rest.count > 2, let flags = rest.first, flags & 0x40 != 0 else { return [] }
    return pairs(inTriplets: rest.dropFirst(2).prefix(3 * Int(flags & 0x1f)))
  }

  /// The pairs in the payload of an SEI message that is user data registered by ITU-T T.35.
  package static func pairs(inMessage payload: ArraySlice<UInt8>) -> [CaptionPair] {
    // The United States, and ATSC.
    payload.starts(with: [0xb5, 0, 0x31]) ? pairs(inUserData: payload.dropFirst(3)) : []
  }

  private static func pairs(inTriplets bytes: ArraySlice<UInt8>) -> [CaptionPair] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 2, by: 3).compactMap {
      CaptionPair(triplet: bytes[$0..<$0 + 3])
    }
  }

  /// The pairs in a caption distribution packet: SMPTE ST 334-2.
  package static func pairs(inPacket packet: ArraySlice<UInt8>) -> [CaptionPair] {
    guard packet.count >= 7, packet.starts(with: [0x96, 0x69]) else { return [] }
    let flags = packet[packet.startIndex + 4]
    var rest = packet.dropFirst(7)
    if flags & 0x80 != 0, rest.first == 0x71 { rest = rest.dropFirst(5) }
    guard flags & 0x40 != 0, rest.count >= 2, rest.first == 0x72 else { return [] }
    let count = Int(rest[rest.startIndex + 1] & 0x1f)
    return pairs(inTriplets: rest.dropFirst(2).prefix(3 * count))
  }

  /// The pairs in a sample of a `c608` or `c708` track: atoms with the bytes of a field (`cdat`, `cdt2`) or with
  /// caption distribution packets (`ccdp`): QuickTime File Format, "Closed Captioning Sample Data".
  package static func pairs(inSample sample: ArraySlice<UInt8>) -> [CaptionPair] {
    var (rest, result): (ArraySlice<UInt8>, [CaptionPair]) = (sample, [])
    while rest.count >= 8 {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= rest.count else { break }
      let (type, content) = (rest.dropFirst(4).prefix(4), rest.prefix(size).dropFirst(8))
      if type.elementsEqual("ccdp".utf8) {
        result += pairs(inPacket: content)
      } else if type.elementsEqual("cdat".utf8) || type.elementsEqual("cdt2".utf8) {
        let kind = type.last == UInt8(ascii: "2") ? Kind.field2 : .field1
        for index in stride(from: content.startIndex, to: content.endIndex - 1, by: 2) {
          // Padding takes time, like all other pairs.
          result.append(CaptionPair(kind, content[index], content[index + 1]))
        }
      }
      rest = rest.dropFirst(size)
    }
    return result
  }
}
