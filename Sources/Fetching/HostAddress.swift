import MP4Platform
import MP4Processes

/// A numeric address of a host.
package struct HostAddress: Hashable, Sendable {
  /// Its text form, without brackets.
  package var text: String
  /// Whether it is a public address, which means the same host everywhere.
  package var isPublic: Bool

  package init(_ text: String, isPublic: Bool) { (self.text, self.isPublic) = (text, isPublic) }

  /// The address with these 4 or 16 bytes.
  init?(bytes: [UInt8]) {
    guard let address = IPAddress(bytes: bytes) else { return nil }
    self.init(address)
  }

  private init(_ address: IPAddress) {
    text = address.description
    isPublic = HostAddress.isPublic(address.bytes[...])
  }

  /// Whether the address is in no special-purpose registry (RFC 6890 and its successors): not loopback, private,
  /// link-local, shared, multicast or reserved, and not one of these mapped to IPv6.
  static func isPublic(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(bytes)
    if bytes.count == 4 {
      switch (bytes[0], bytes[1], bytes[2]) {
      case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _),
        (192, 0, 0), (198, 18...19, _), (224..., _, _):
        return false
      default: return true
      }
    }
    guard bytes.count == 16 else { return false }
    let zeros = bytes.prefix { $0 == 0 }.count
    // Embedded IPv4 addresses: mapped, compatible, translated (64:ff9b::/96), and 6to4.
    if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return isPublic(bytes[12...]) }
    if zeros >= 12 { return zeros < 14 && isPublic(bytes[12...]) }
    if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) {
      return bytes[4..<12].allSatisfy { $0 == 0 } && isPublic(bytes[12...])
    }
    if bytes.starts(with: [0x20, 0x02]) { return isPublic(bytes[2..<6]) }
    // All other routed addresses are in 2000::/3, except Teredo and documentation addresses.
    return bytes[0] & 0xE0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0, 0])
      && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
  }

  /// Parses the usual notation, such as `10.0.0.1` or `fe80::1`.
  init?(_ text: String) {
    guard let address = IPAddress(text) else { return nil }
    self.init(address)
  }

  /// All addresses of `host`, a name or an address in any notation; empty if it has none.
  static func lookUp(_ host: String) -> [HostAddress] {
    if let address = HostAddress(host) { return [address] }
    var found: [HostAddress] = []
    for text in NameLookup.addresses(of: host) {
      // A link-local address has its interface name after `%`.
      guard let address = HostAddress(String(text.prefix { $0 != "%" })), !found.contains(address) else { continue }
      found.append(address)
    }
    return found
  }
}
