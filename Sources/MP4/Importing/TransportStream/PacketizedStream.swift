import MP4Bytes

/// The packets of a transport stream with one ID whose payload is PES packets: ISO/IEC 13818-1, 2.4.3.6.
struct PacketizedStream {
  /// The ID of its packets.
  let pid: Int
  /// The bytes of the elementary stream.
  private(set) var map: PayloadMap
  private(set) var table = PacketTable()
  /// Where packets are missing.
  private(set) var losses: [Loss] = []
  /// The first packet that is scrambled.
  private(set) var scrambled: Int?
  /// The number of bytes that belong to no PES packet.
  private(set) var strayByteCount = 0
  /// The PES packets of a known size that have fewer bytes: their number, and the first.
  private(set) var shortPackets: (count: Int, first: Int) = (0, 0)
  /// The stream ID in its headers.
  private(set) var streamID: UInt8 = 0

  /// Missing packets.
  struct Loss {
    /// The packet of the file before which they are missing.
    var byte: Int
    /// The number of packets, which is known modulo 16.
    var count: Int
    /// The number of PES packets before them.
    var packet: Int
    /// Whether a PES packet starts after them, and that before them is whole, so that the counter may only have started
    /// again.
    var isAtStart: Bool
  }

  private enum State {
    case outside
    /// In a header, of which these bytes were read.
    case header([UInt8], byte: Int)
    /// In a payload, of which this number of bytes is left; `nil` if the next packet ends it.
    case payload(left: Int?)
  }
  private var state = State.outside
  private var counter: UInt8?
  private var packetStart = 0
  /// The latest payload in the file.
  private(set) var lastPayload: Range<Int>?

  init(pid: Int, stride: Int) { (self.pid, map) = (pid, PayloadMap(stride: stride)) }

  /// Ends the continuity of the counter: a discontinuity is declared.
  mutating func endContinuity() { counter = nil }

  /// Whether a packet repeats the one before it, according to its counter.
  func repeats(_ counter: UInt8) -> Bool { self.counter == counter }

  /// Reads the payload of a packet of the file, which starts at `byte`; the payload starts at `offset`.
  mutating func read(_ payload: RawSpan, at offset: Int, byte: Int, isStart: Bool, counter own: UInt8) {
    if let counter, own != (counter + 1) & 15 {
      let count = Int((own &- counter &- 1) & 15)
      var isWhole = true
      if case .payload(let left?) = state, left > 0 { isWhole = false }
      losses.append(
        Loss(byte: byte, count: count == 0 ? 16 : count, packet: table.count, isAtStart: isStart && isWhole))
      if case .header = state { state = .outside }
    }
    counter = own
    lastPayload = offset..<offset + payload.byteCount
    if isStart {
      finishPacket()
      state = .header([], byte: byte)
    }
    switch state {
    case .outside: strayByteCount += payload.byteCount
    case .header(var bytes, let start):
      let before = bytes.count
      for index in 0..<min(payload.byteCount, Self.headerLimit - before) {
        bytes.append(payload.bigEndian(at: index) ?? 0)
      }
      readHeader(bytes, start, payload.byteCount, before, offset)
    case .payload(let left): add(payload.byteCount, left, at: offset)
    }
  }

  /// The most bytes of a header: 9, and as many as its size can say.
  private static let headerLimit = 9 + 255

  private mutating func readHeader(_ bytes: [UInt8], _ start: Int, _ count: Int, _ before: Int, _ offset: Int) {
    guard bytes.count >= 9 || bytes.count < 3 || bytes.starts(with: [0, 0, 1]) else {
      state = .outside
      strayByteCount += count
      return
    }
    guard bytes.count >= 9, case let size = 9 + Int(bytes[8]), bytes.count >= size else {
      state = .header(bytes, byte: start)
      return
    }
    let declared = Int(bytes[4]) << 8 | Int(bytes[5])
    // Padding, and streams without the fields of this header: table 2-22.
    let isOther = [0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff].contains(bytes[3])
    guard bytes.starts(with: [0, 0, 1]), bytes[3] >= 0xbc, !isOther, bytes[6] & 0xc0 == 0x80,
      declared == 0 || declared + 6 >= size
    else {
      state = .outside
      if !isOther { strayByteCount += count }
      return
    }
    if bytes[6] & 0x30 != 0 { scrambled = scrambled ?? start }
    streamID = bytes[3]
    let hasDecode = bytes[7] >> 6 == 3 && size >= 19
    let presentation = bytes[7] & 0x80 != 0 && size >= 14 ? Self.time(bytes[9..<14]) : nil
    table.append(
      offset: map.byteCount, byte: start, presentation: presentation,
      decode: hasDecode ? Self.time(bytes[14..<19]) : nil)
    packetStart = start
    let left = declared == 0 ? nil : declared + 6 - size
    state = .payload(left: left)
    add(before + count - size, left, at: offset + size - before)
  }

  private mutating func add(_ count: Int, _ left: Int?, at offset: Int) {
    let own = min(count, left ?? count)
    if own > 0 { map.append(offset..<offset + own) }
    state = .payload(left: left.map { $0 - own })
  }

  /// A time of 33 bits in 5 bytes: 2.4.3.7.
  private static func time(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let b = Array(bytes).map { Int64($0) }
    return (b[0] >> 1 & 7) << 30 | b[1] << 22 | (b[2] >> 1) << 15 | b[3] << 7 | b[4] >> 1
  }

  private mutating func finishPacket() {
    guard case .payload(let left?) = state, left > 0 else { return }
    if shortPackets.count == 0 { shortPackets.first = packetStart }
    shortPackets.count += 1
  }

  /// Records a scrambled packet.
  mutating func addScrambled(_ byte: Int) { scrambled = scrambled ?? byte }

  /// Ends the stream. Whether its last packet is cut off is its result.
  mutating func finish() -> Bool {
    let count = shortPackets.count
    finishPacket()
    let isCut = shortPackets.count > count
    shortPackets.count = count
    map.finish()
    return isCut
  }

  /// Sets the decode times of its packets.
  mutating func place(_ steps: PackedColumn) { table.setDecodeSteps(steps) }
}
