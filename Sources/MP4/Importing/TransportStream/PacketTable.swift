import MP4Bytes

/// The PES packets of an elementary stream: where each one starts, and its times in units of 1/90000 s.
struct PacketTable: Sendable {
  /// For each packet, the distance from the previous one in the stream and in the file.
  private var (offsets, bytes) = (PackedColumn(), PackedColumn())
  /// The decode time of each packet, relative to that of the previous one; for a packet without times, 0.
  private var decodeSteps = PackedColumn()
  /// Its composition offset; `noTime` if it has no times.
  private var compositions = PackedColumn()
  private var last = (offset: 0, byte: 0, decode: Int64(0))

  /// The number of packets.
  var count: Int { offsets.count }
  private static let noTime = Int64.max
  /// Times have 33 bits.
  static let period: Int64 = 1 << 33
  /// A larger composition offset is damaged: 16 s.
  private static let greatestComposition: Int64 = 16 * 90_000

  /// A packet.
  struct Packet {
    /// Its first byte in the stream, and the first byte of its header in the file.
    var (offset, byte): (Int, Int)
    /// Its decode and presentation time, if it has any.
    var times: Times?
  }
  struct Times: Equatable {
    var (decode, presentation): (Int64, Int64)
  }

  /// A time, or a difference, as the nearest number to 0 that is equal modulo 2^33.
  static func wrapped(_ time: Int64) -> Int64 {
    let rest = time & (period - 1)
    return rest >= period / 2 ? rest - period : rest
  }

  /// Appends a packet after the previous ones.
  mutating func append(offset: Int, byte: Int, presentation: Int64?, decode: Int64?) {
    offsets.append(Int64(offset - last.offset))
    bytes.append(Int64(byte - last.byte))
    (last.offset, last.byte) = (offset, byte)
    var composition = Self.noTime
    var step: Int64 = 0
    if let presentation, case let own = Self.wrapped(presentation - (decode ?? presentation)),
      own.magnitude <= Self.greatestComposition
    {
      (composition, step) = (own, Self.wrapped((decode ?? presentation) - last.decode))
      last.decode = decode ?? presentation
    }
    decodeSteps.append(step)
    compositions.append(composition)
  }

  /// Moves the decode times of the packets that have times.
  mutating func setDecodeSteps(_ steps: PackedColumn) { decodeSteps = steps }

  /// Reads the packets in order.
  struct Cursor {
    private var (offsets, bytes) = (PackedColumn.Reader(), PackedColumn.Reader())
    private var (steps, compositions) = (PackedColumn.Reader(), PackedColumn.Reader())
    private var (offset, byte, decode) = (0, 0, Int64(0))
    /// The index of the next packet.
    private(set) var index = 0

    mutating func next(_ table: PacketTable) -> Packet? {
      guard index < table.count else { return nil }
      offset += Int(offsets.value(at: index, in: table.offsets))
      byte += Int(bytes.value(at: index, in: table.bytes))
      decode &+= steps.value(at: index, in: table.decodeSteps)
      let composition = compositions.value(at: index, in: table.compositions)
      index += 1
      let times =
        composition == PacketTable.noTime ? nil : Times(decode: decode, presentation: decode + composition)
      return Packet(offset: offset, byte: byte, times: times)
    }
  }

  /// The times of samples that start at these bytes of the stream, in order: those of the packet in which a sample is
  /// the first to start; `nil` for others.
  func times(ofSamplesAt starts: [Int]) -> [Times?] {
    var (cursor, result) = (Cursor(), [Times?]())
    result.reserveCapacity(starts.count)
    var current: Packet?
    var next = cursor.next(self)
    for start in starts {
      while let packet = next, packet.offset <= start {
        current = packet
        next = cursor.next(self)
      }
      result.append(current?.times)
      current?.times = nil
    }
    return result
  }

  /// The decode time at a packet, or the nearest one before it.
  func decode(at index: Int) -> Int64 { decodeSteps.sum(before: min(count, index + 1)) }
}
