import MP4Bytes

/// Puts the times of the streams of a program, which have 33 bits, on one timeline.
///
/// Where the times of a stream jump back, or far ahead, another recording starts: it continues after the end of the
/// longest stream. All streams of the program jump by the same time, though not at the same byte.
struct ProgramClock {
  /// A change of times.
  struct Jump {
    /// The PES packet of the file at which it is found first.
    var byte: Int
    /// The time on the timeline at which the media continues.
    var time: Int64
    /// The distance from the time before it to that after it.
    var distance: Int64
  }

  /// A stream while its packets are read.
  private struct Reader {
    var cursor = PacketTable.Cursor()
    var next: PacketTable.Packet?
    var steps = PackedColumn()
    /// The last time on the timeline, its number, and the end of the packet: it is as long as the one before it.
    var (time, step): (Int64?, Int64) = (nil, 0)
    /// The last sum of its steps.
    var total: Int64 = 0
    /// The index of its recording.
    var recording = 0
    let isContinuous: Bool

    init(isContinuous: Bool) { self.isContinuous = isContinuous }
  }

  private(set) var jumps: [Jump] = []
  private var readers: [Reader] = []
  /// What is added to the times of each recording.
  private var shifts: [Int64] = [0]

  /// What is added to times in the file at a byte.
  func shift(at byte: Int) -> Int64 { shifts[jumps.partition { $0.byte > byte }] }

  /// The times of a recording may go back by 1 s and ahead by 10 s from packet to packet.
  private static let (back, ahead): (Int64, Int64) = (90_000, 900_000)

  /// Places the packets of all streams of a program. Those of streams that are `continuous`, audio and video, can
  /// start another recording.
  init(_ streams: inout [PacketizedStream], _ indices: [Int], continuous: Set<Int>) {
    for index in indices {
      var reader = Reader(isContinuous: continuous.contains(index))
      reader.next = reader.cursor.next(streams[index].table)
      readers.append(reader)
    }
    var last: Int64?
    while true {
      var (own, byte) = (-1, Int.max)
      for index in readers.indices {
        if let packet = readers[index].next, packet.byte < byte { (own, byte) = (index, packet.byte) }
      }
      guard own >= 0, let packet = readers[own].next else { break }
      readers[own].next = readers[own].cursor.next(streams[indices[own]].table)
      guard let raw = packet.times?.decode else {
        readers[own].steps.append(0)
        continue
      }
      let time = (last ?? raw & (PacketTable.period - 1)) &+ PacketTable.wrapped(raw &- (last ?? raw))
      last = time
      place(time, own, byte)
    }
    for (index, reader) in zip(indices, readers) { streams[index].place(reader.steps) }
  }

  private mutating func place(_ raw: Int64, _ own: Int, _ byte: Int) {
    func isNear(_ time: Int64) -> Bool {
      guard let last = readers[own].time else { return true }
      return -Self.back...Self.ahead ~= time &- last
    }
    if !readers[own].isContinuous {
      readers[own].recording = shifts.count - 1
    } else if readers[own].time == nil {
      // A stream that starts later is in the recording of the others whose times are nearest.
      let others = readers.compactMap(\.time).max()
      if let others {
        readers[own].recording =
          shifts.indices.min { (raw &+ shifts[$0] &- others).magnitude < (raw &+ shifts[$1] &- others).magnitude } ?? 0
      }
    } else if !isNear(raw &+ shifts[readers[own].recording]) {
      if let later = shifts.indices.first(where: { $0 > readers[own].recording && isNear(raw &+ shifts[$0]) }) {
        readers[own].recording = later
      } else {
        let end = readers.compactMap { reader in reader.isContinuous ? reader.time.map { $0 &+ reader.step } : nil }
          .max()
        let time = end ?? 0
        let before = readers[own].time ?? 0
        jumps.append(Jump(byte: byte, time: time, distance: raw &+ shifts[readers[own].recording] &- before))
        shifts.append(time &- raw)
        readers[own].recording = shifts.count - 1
      }
    }
    let time = raw &+ shifts[readers[own].recording]
    if let last = readers[own].time, time > last { readers[own].step = min(time &- last, Self.ahead) }
    readers[own].time = max(time, readers[own].time ?? time)
    readers[own].steps.append(time &- readers[own].total)
    readers[own].total = time
  }
}
