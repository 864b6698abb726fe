import ISOBMFF
import MP4Bytes

/// An event in a transport stream: timed metadata (ID3) or splice information (SCTE 35).
struct TransportEvent {
  /// What its data is.
  enum Kind {
    case id3
    case splice
  }
  let kind: Kind
  /// Its time on the timeline of its program, in units of 1/90000 s.
  let time: Int64
  /// Its duration; `nil` if unknown.
  var duration: UInt64?
  let bytes: [UInt8]

  /// The data of all events of a file that are kept in memory.
  static let mostBytes = 32 << 20
  /// The largest event: a PES packet of metadata has a declared size.
  private static let largest = 1 << 16

  /// The message in a movie; `start` is the time of the program that is the start of the movie's media.
  func box(number: Int, start: Int64) -> Box {
    var message = EventMessageBox()
    message.header.version = 1
    message.schemeIDURI =
      kind == .id3 ? "https://aomedia.org/emsg/ID3" : BoxString("urn:scte:scte35:2013:bin")
    message.timescale = TransportedTrack.timescale
    message.presentationTime = UInt64(max(0, time &- start))
    message.eventDuration = kind == .id3 ? .max : duration.map { UInt32(clamping: $0) } ?? 0
    message.id = UInt32(clamping: number)
    message.messageData = bytes
    return Box(message)
  }

  /// The PES packets of timed metadata.
  static func metadata(_ stream: PacketizedStream, of source: any ByteSource) throws(MovieError) -> [TransportEvent] {
    let bytes = PayloadSource(stream.map, of: source)
    var (cursor, result, total) = (PacketTable.Cursor(), [TransportEvent](), 0)
    var next = cursor.next(stream.table)
    while let packet = next, total <= mostBytes {
      next = cursor.next(stream.table)
      let end = next?.offset ?? stream.map.byteCount
      guard let times = packet.times, end > packet.offset, end - packet.offset <= largest else { continue }
      let data = try io(bytes.bytes(in: packet.offset..<end))
      guard data.starts(with: "ID3".utf8) else { continue }
      result.append(TransportEvent(kind: .id3, time: times.presentation, bytes: data))
      total += data.count
    }
    return result
  }
}

/// Splice information in the order of the file, on the timeline of a program.
struct TransportSplices {
  private(set) var events: [TransportEvent] = []
  /// The sections that are damaged.
  private(set) var damagedCount = 0

  /// Places sections by their own times or, if they have none, by that of the next packet of `stream`.
  init(_ sections: [ProgramTables.SpliceSection], _ stream: PacketizedStream, _ clock: ProgramClock) {
    var (cursor, time) = (PacketTable.Cursor(), Int64?.none)
    var next = cursor.next(stream.table)
    for section in sections {
      while let packet = next, time == nil || packet.byte <= section.byte {
        time = packet.times?.presentation ?? time
        next = cursor.next(stream.table)
      }
      guard let splice = SpliceInformation(section.bytes[...]), splice.problem == nil else {
        damagedCount += 1
        continue
      }
      let now = time ?? 0
      guard case let own = Self.time(splice), own.isUsed else { continue }
      let raw = own.time.map { Int64(($0 &+ splice.ptsAdjustment) & UInt64(PacketTable.period - 1)) }
      let at = raw.map { now &+ PacketTable.wrapped($0 &+ clock.shift(at: section.byte) &- now) }
      events.append(TransportEvent(kind: .splice, time: at ?? now, duration: own.duration, bytes: section.bytes))
    }
  }

  /// The time and duration of a message, and whether it is more than a sign of life.
  private static func time(_ splice: SpliceInformation) -> (time: UInt64?, duration: UInt64?, isUsed: Bool) {
    switch splice.command {
    case .insert(let insert):
      return (insert.time ?? insert.components.lazy.compactMap(\.time).first, insert.adBreak?.length?.duration, true)
    case .timeSignal(let time):
      let durations = splice.descriptors.lazy.compactMap { descriptor -> UInt64? in
        if case .segmentation(let segment) = descriptor.content { segment.duration } else { nil }
      }
      return (time, durations.first, true)
    case .null, .bandwidthReservation: return (nil, nil, false)
    case .schedule, .privateCommand, .reserved, .encrypted: return (nil, nil, true)
    }
  }
}
