/// Writes a transport stream packet by packet, for tests: ISO/IEC 13818-1, 2.4.
public struct TransportStreamBuilder {
  /// A stream of the program.
  public struct Stream {
    public var pid: Int
    public var type: UInt8
    public var descriptors: [UInt8] = []
    public var streamID: UInt8

    public init(_ pid: Int, type: UInt8, streamID: UInt8, descriptors: [UInt8] = []) {
      (self.pid, self.type, self.streamID, self.descriptors) = (pid, type, streamID, descriptors)
    }
  }
  public var streams: [Stream]
  /// The number of the program, whose table has the packet ID 4096 + `program`.
  public var program = 1
  /// The packets so far, of 188 bytes each.
  public private(set) var packets: [[UInt8]] = []
  /// The next continuity counter of each packet ID.
  public var counters: [Int: UInt8] = [:]
  /// Whether packets are scrambled.
  public var isScrambled = false
  /// The number of bytes of a PES header in its first packet; the others follow in the next one.
  public var headerSplit: Int?

  public init(_ streams: [Stream]) { self.streams = streams }

  /// All packets in packets of a size: 192 bytes start with a time stamp, 204 end with parity.
  public func bytes(stride: Int = 188) -> [UInt8] {
    packets.flatMap { packet in
      (stride == 192 ? [0, 1, 2, 3] : []) + packet + (stride == 204 ? Array(repeating: 0x47, count: 16) : [])
    }
  }

  /// Adds the tables.
  public mutating func addTables() {
    let map = 4096 + program
    addSection([0, 0xb0], body: Self.two(1) + [0xc1, 0, 0] + Self.two(program) + Self.two(0xe000 | map), pid: 0)
    let list = streams.flatMap { stream in
      [stream.type] + Self.two(0xe000 | stream.pid) + Self.two(0xf000 | stream.descriptors.count) + stream.descriptors
    }
    addSection([2, 0xb0], body: Self.two(program) + [0xc1, 0, 0, 0xe1, 0, 0xf0, 0] + list, pid: map)
  }

  private mutating func addSection(_ head: [UInt8], body: [UInt8], pid: Int) {
    let size = body.count + 4
    var section = [head[0], head[1] | UInt8(size >> 8), UInt8(size & 255)] + body
    let sum = Self.checksum(section)
    section += [24, 16, 8, 0].map { UInt8(sum >> $0 & 255) }
    let payload = [0] + section
    addPacket(payload + Array(repeating: 0xff, count: 184 - payload.count), pid: pid, isStart: true)
  }

  /// Adds a PES packet of a stream with times in units of 1/90000 s, in as many packets as it needs.
  ///
  /// - Parameters:
  ///   - data: Its payload.
  ///   - stream: The index of its stream.
  ///   - presentation: Its presentation time.
  ///   - decode: Its decode time, if it differs.
  ///   - isBounded: Whether its size is declared.
  public mutating func add(
    _ data: [UInt8], to stream: Int, at presentation: Int64?, decode: Int64? = nil, isBounded: Bool = true
  ) {
    let times =
      (presentation.map { Self.time($0, decode == nil ? 2 : 3) } ?? []) + (decode.map { Self.time($0, 1) } ?? [])
    let size = isBounded && data.count + times.count + 3 < 1 << 16 ? data.count + times.count + 3 : 0
    let flags: UInt8 = presentation == nil ? 0 : decode == nil ? 0x80 : 0xc0
    let header = [0, 0, 1, streams[stream].streamID] + Self.two(size) + [0x80, flags, UInt8(times.count)] + times
    var (rest, isStart) = ((header + data)[...], true)
    while !rest.isEmpty {
      let count = min(isStart ? headerSplit ?? 184 : 184, rest.count)
      addPacket(Array(rest.prefix(count)), pid: streams[stream].pid, isStart: isStart)
      rest = rest.dropFirst(count)
      isStart = false
    }
  }

  /// Adds a section of splice information in one packet.
  public mutating func addSplice(_ section: [UInt8], pid: Int) {
    let payload = [0] + section
    addPacket(payload + Array(repeating: 0xff, count: 184 - payload.count), pid: pid, isStart: true)
  }

  /// Adds a packet with a payload of at most 184 bytes, and stuffing before it.
  public mutating func addPacket(_ payload: [UInt8], pid: Int, isStart: Bool) {
    let counter = counters[pid, default: 0]
    counters[pid] = (counter + 1) & 15
    let stuffing = 184 - payload.count
    var packet = [0x47] + Self.two((isStart ? 0x4000 : 0) | pid)
    packet.append((isScrambled && pid != 0 && pid < 4096 ? 0x80 : 0) | (stuffing > 0 ? 0x30 : 0x10) | counter)
    if stuffing > 0 { packet.append(UInt8(stuffing - 1)) }
    if stuffing > 1 { packet += [0] + Array(repeating: 0xff, count: stuffing - 2) }
    packets.append(packet + payload)
  }

  /// Removes a packet.
  public mutating func removePacket(_ index: Int) { packets.remove(at: index) }
  /// Adds a packet again.
  public mutating func repeatPacket(_ index: Int) { packets.insert(packets[index], at: index) }

  private static func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

  private static func time(_ value: Int64, _ prefix: UInt8) -> [UInt8] {
    let time = value & 0x1_ffff_ffff
    return [
      prefix << 4 | UInt8(time >> 30) << 1 | 1, UInt8(time >> 22 & 255), UInt8(time >> 15 & 127) << 1 | 1,
      UInt8(time >> 7 & 255), UInt8(time & 127) << 1 | 1,
    ]
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte) << 24
      for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04c1_1db7 : value << 1 }
    }
    return value
  }
}
