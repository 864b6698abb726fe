import ISOBMFF
import MP4Bytes

/// Where the packets of a transport stream are: ISO/IEC 13818-1, 2.4.3. They have 188 bytes, with a time stamp of four
/// bytes before each in M2TS files, or with 16 bytes of parity after each.
struct PacketFraming: Sendable {
  /// The distance from packet to packet: 188, 192 or 204.
  let stride: Int
  /// The offset of the first packet.
  let first: Int

  /// The size of a packet without what is before or after it.
  static let packetSize = 188
  /// The first byte of each packet.
  static let sync: UInt8 = 0x47
  /// The most bytes of a file that are examined.
  static let headSize = 204 * 20
  /// How many packets must follow each other where the file does not start with one.
  private static let fewest = 8

  /// The packets of a file that starts with these bytes; `nil` if it is not a transport stream.
  init?(_ start: ArraySlice<UInt8>) {
    func isPacket(_ offset: Int) -> Bool { start[start.startIndex + offset] == Self.sync }
    func areAll(from offset: Int, by stride: Int, atLeast count: Int) -> Bool {
      guard offset + (count - 1) * stride < start.count else { return false }
      return Swift.stride(from: offset, to: start.count, by: stride).allSatisfy(isPacket)
    }
    for (stride, offset) in [(188, 0), (192, 4), (204, 0)] {
      // Later packets may be damaged.
      let count = [0, 1, 2].count { offset + $0 * stride < start.count && isPacket(offset + $0 * stride) }
      if count == 3 || start.count == stride && count == 1 || start.count == 2 * stride && count == 2 {
        (self.stride, first) = (stride, offset)
        return
      }
    }
    guard FileBox(startOf: start) == nil else { return nil }
    for stride in [188, 192, 204] {
      for offset in 0..<stride where areAll(from: offset, by: stride, atLeast: Self.fewest) {
        (self.stride, first) = (stride, offset)
        return
      }
    }
    return nil
  }

  /// The packets of a file; `nil` if it is not a transport stream, or a pipe, which cannot be read twice.
  init?(of source: any ByteSource) throws(MovieError) {
    guard source.byteCount != nil else { return nil }
    self.init(try io(source.bytes(in: 0..<Self.headSize))[...])
  }
}
