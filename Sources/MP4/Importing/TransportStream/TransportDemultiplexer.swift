import MP4Bytes

/// Finds the streams of a transport stream in one pass: ISO/IEC 13818-1, 2.4.3.
struct TransportDemultiplexer {
  private let source: any ByteSource
  private let framing: PacketFraming
  private(set) var tables = ProgramTables()
  /// The streams in the order of their first PES packets.
  private(set) var streams: [PacketizedStream] = []
  /// For each packet ID, the index of its stream, or what it has instead.
  private var routes = [Int](repeating: Self.unknown, count: 1 << 13)
  /// The latest continuity counter of packets with tables.
  private var tableCounters: [Int: UInt8] = [:]
  /// Bytes that are no packets.
  private(set) var lost = LostBytes()
  /// Packets that declare an error.
  private(set) var damagedCount = 0
  /// The bytes of a packet that the end of the file cuts off.
  private(set) var cutCount = 0
  /// The IDs of the streams whose last PES packet is cut off.
  private(set) var cutStreams: [Int] = []

  private static let (unknown, table) = (-1, -2)
  private static let windowSize = 1 << 17
  private static let packetSize = PacketFraming.packetSize

  /// Reads the whole file. `onProgress` is called with the number of bytes read, and returns whether to continue.
  init(_ source: any ByteSource, _ framing: PacketFraming, onProgress: (Int) -> Bool) throws(MovieError) {
    (self.source, self.framing) = (source, framing)
    routes[0] = Self.table
    var window = ByteWindow(source, readAhead: Self.windowSize)
    var at = framing.first
    if at % framing.stride != (framing.stride == 192 ? 4 : 0) { lost.add(0..<at) }
    while true {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      let bytes: RawSpan
      do throws(IOError) { bytes = try window.look(at: at, count: Self.windowSize) } catch { throw .io(error) }
      let (size, isLast) = (bytes.byteCount, bytes.byteCount < Self.windowSize)
      var place = 0
      while place + Self.packetSize <= size {
        guard let header = bytes.bigEndian(at: place, as: UInt32.self), header >> 24 == UInt32(PacketFraming.sync)
        else {
          let next = nextPacket(after: place, in: bytes, isLast: isLast)
          lost.add(at + place..<at + next)
          place = next
          continue
        }
        try read(bytes, at: place, header, at + place)
        place += framing.stride
      }
      if isLast {
        cutCount = max(0, size - place)
        break
      }
      at += place
    }
    for index in streams.indices where streams[index].finish() { cutStreams.append(streams[index].pid) }
  }

  /// The next place in a window where packets seem to start, or its end.
  private func nextPacket(after place: Int, in bytes: RawSpan, isLast: Bool) -> Int {
    var next = place + 1
    while next + Self.packetSize <= bytes.byteCount {
      if bytes.bigEndian(at: next, as: UInt8.self) == PacketFraming.sync {
        let following = bytes.bigEndian(at: next + framing.stride, as: UInt8.self)
        if following == PacketFraming.sync || following == nil && isLast { return next }
        // The next window has the packet after it.
        if following == nil { return next }
      }
      next += 1
    }
    return isLast ? bytes.byteCount : next
  }

  /// Reads a packet: 2.4.3.2.
  private mutating func read(
    _ bytes: RawSpan, at place: Int, _ header: UInt32, _ byte: Int
  ) throws(MovieError) {
    let pid = Int(header >> 8 & 0x1fff)
    if header & 0x80_0000 != 0 { return damagedCount += 1 }
    guard pid < 0x1fff else { return }
    let route = routes[pid]
    var start = 4
    if header & 0x20 != 0 {
      let length = Int(bytes.bigEndian(at: place + 4, as: UInt8.self) ?? 0)
      guard length < Self.packetSize - 4 else { return damagedCount += 1 }
      let flags: UInt8 = length > 0 ? bytes.bigEndian(at: place + 5) ?? 0 : 0
      // The counter can have any value now.
      if flags & 0x80 != 0, route >= 0 { streams[route].endContinuity() }
      start += 1 + length
    }
    guard header & 0x10 != 0, start < Self.packetSize else { return }
    let payload = bytes.extracting(place + start..<place + Self.packetSize)
    let (isStart, counter) = (header & 0x40_0000 != 0, UInt8(header & 15))
    if route == Self.table { return readTable(payload, pid, byte, isStart, counter) }
    if route == Self.unknown {
      // A header can extend over packets.
      guard isStart, payload.byteCount < 4 ? tables.hasStream(pid) : payload.startsPacket || header & 0xc0 != 0 else {
        return
      }
      routes[pid] = streams.count
      streams.append(PacketizedStream(pid: pid, stride: framing.stride))
    }
    let index = routes[pid]
    if header & 0xc0 != 0 { return streams[index].addScrambled(byte) }
    if streams[index].repeats(counter), try isRepeated(payload, index) { return }
    streams[index].read(payload, at: byte + start, byte: byte, isStart: isStart, counter: counter)
  }

  /// Whether a payload is the same as the one before it, which is allowed once.
  private func isRepeated(_ payload: RawSpan, _ index: Int) throws(MovieError) -> Bool {
    guard let range = streams[index].lastPayload, range.count == payload.byteCount else { return false }
    let last = try io(source.bytes(in: range))
    return last.indices.allSatisfy { payload.bigEndian(at: $0) == last[$0] }
  }

  private mutating func readTable(_ payload: RawSpan, _ pid: Int, _ byte: Int, _ isStart: Bool, _ counter: UInt8) {
    let isContinuous = tableCounters.updateValue(counter, forKey: pid).map { ($0 + 1) & 15 == counter } ?? true
    var bytes: [UInt8] = []
    for index in 0..<payload.byteCount { bytes.append(payload.bigEndian(at: index) ?? 0) }
    tables.read(bytes, pid: pid, byte: byte, isStart: isStart, isContinuous: isContinuous)
    for program in tables.programs where routes[program.pid] == Self.unknown { routes[program.pid] = Self.table }
    for pid in tables.splicePIDs where routes[pid] == Self.unknown { routes[pid] = Self.table }
  }
}

extension RawSpan {
  /// Whether a PES packet starts here.
  fileprivate var startsPacket: Bool { bigEndian(at: 0, as: UInt32.self).map { $0 >> 8 == 1 } ?? false }
}
