/// A splice information section: ANSI/SCTE 35 2023, 9.6.
package struct SpliceInformation {
  /// The command of a section.
  package enum Command {
    case null
    case schedule([SpliceScheduleEvent])
    case insert(SpliceInsert)
    /// `nil` if the time is not specified.
    case timeSignal(UInt64?)
    case bandwidthReservation
    case privateCommand(identifier: UInt64, ArraySlice<UInt8>)
    /// A type that the standard reserves.
    case reserved(UInt8, ArraySlice<UInt8>)
    /// A type whose fields are encrypted.
    case encrypted(UInt8)
  }
  /// The first byte of a section.
  package static let tableID: UInt8 = 0xfc

  package let protocolVersion: UInt8
  /// The value added to all times, in units of 1/90000 s.
  package let ptsAdjustment: UInt64
  package let tier: Int
  package let command: Command
  package let descriptors: [SpliceDescriptor]
  package let hasRightChecksum: Bool
  /// A problem with its length or its checksum, in words; `nil` if there is none.
  package let problem: String?
  /// Whether fields extend past the end.
  package let isCutOff: Bool

  /// Parses a section; `nil` if `data` is not one.
  package init?(_ data: ArraySlice<UInt8>) {
    var reader = PayloadReader(data)
    guard data.count >= 15, reader.bits(8) == Self.tableID else { return nil }
    reader.skip(4)
    let length = Int(reader.bits(12))
    let section = data.prefix(3 + length)
    guard section.count >= 15 else { return nil }
    let missing = 3 + length - section.count
    hasRightChecksum = missing == 0 && Self.checksum(section) == 0
    problem =
      missing > 0
      ? "it has \(section.count) of \(3 + length) bytes"
      : hasRightChecksum ? nil : "its CRC_32 does not match its content"
    var body = PayloadReader(section.dropFirst(3).dropLast(4))
    protocolVersion = UInt8(body.bits(8))
    let isEncrypted = body.flag()
    body.skip(6)
    ptsAdjustment = body.bits(33)
    body.skip(8)
    tier = Int(body.bits(12))
    let commandLength = Int(body.bits(12))
    let type = UInt8(body.bits(8))
    guard !isEncrypted else {
      (command, descriptors, isCutOff) = (.encrypted(type), [], section.count < 3 + length)
      return
    }
    // The length was not used originally; then the fields determine the length of the command.
    let isLengthKnown = commandLength != 0xfff
    var fields = body
    if isLengthKnown { fields = PayloadReader(body.take(commandLength)) }
    command = Self.command(type, &fields)
    if !isLengthKnown { body = fields }
    let loop = body.take(Int(body.bits(16)))
    let list = SpliceDescriptor.list(loop)
    descriptors = list.descriptors
    isCutOff = section.count < 3 + length || body.isPastEnd || fields.isPastEnd || !list.areRight
  }

  private static func command(_ type: UInt8, _ fields: inout PayloadReader) -> Command {
    switch type {
    case 0: return .null
    case 4: return .schedule(SpliceScheduleEvent.list(&fields))
    case 5: return .insert(SpliceInsert(&fields))
    case 6: return .timeSignal(time(&fields))
    case 7: return .bandwidthReservation
    case 0xff:
      let identifier = fields.bits(32)
      return .privateCommand(identifier: identifier, fields.take(fields.byteCount))
    default: return .reserved(type, fields.take(fields.byteCount))
    }
  }

  /// `splice_time()`; `nil` if the time is not specified.
  fileprivate static func time(_ fields: inout PayloadReader) -> UInt64? {
    guard fields.flag() else {
      fields.skip(7)
      return nil
    }
    fields.skip(6)
    return fields.bits(33)
  }

  /// The CRC-32 of MPEG-2, which is 0 for a section including its checksum.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum >> 31 == 1 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
    }
    return sum
  }
}

/// The fields at the end of events of `splice_insert()` and `splice_schedule()`.
package struct SpliceBreak {
  /// The duration of the break, and whether it ends automatically.
  package private(set) var length: (duration: UInt64, returnsAutomatically: Bool)?
  package let uniqueProgramID: UInt64
  package let availNumber: UInt64
  package let availsExpected: UInt64

  fileprivate init(_ fields: inout PayloadReader, hasDuration: Bool) {
    if hasDuration {
      let returns = fields.flag()
      fields.skip(6)
      length = (fields.bits(33), returns)
    }
    (uniqueProgramID, availNumber, availsExpected) = (fields.bits(16), fields.bits(8), fields.bits(8))
  }
}

/// `splice_insert()`: ANSI/SCTE 35 2023, 9.7.3.
package struct SpliceInsert {
  package let eventID: UInt64
  package let isCancelled: Bool
  package private(set) var isOutOfNetwork = false
  package private(set) var isImmediate = false
  /// The splice time of the program; `nil` if not specified, or if components are spliced.
  package private(set) var time: UInt64?
  /// The tags and splice times of the components.
  package private(set) var components: [(tag: UInt64, time: UInt64?)] = []
  /// The break that it starts or ends; `nil` if it is cancelled.
  package private(set) var adBreak: SpliceBreak?

  package init(_ fields: inout PayloadReader) {
    eventID = fields.bits(32)
    isCancelled = fields.flag()
    fields.skip(7)
    guard !isCancelled else { return }
    isOutOfNetwork = fields.flag()
    let (isProgram, hasDuration) = (fields.flag(), fields.flag())
    isImmediate = fields.flag()
    fields.skip(4)
    if isProgram, !isImmediate { time = SpliceInformation.time(&fields) }
    if !isProgram {
      for _ in 0..<fields.bits(8) where !fields.isPastEnd {
        components.append((fields.bits(8), isImmediate ? nil : SpliceInformation.time(&fields)))
      }
    }
    adBreak = SpliceBreak(&fields, hasDuration: hasDuration)
  }
}

/// An event of `splice_schedule()`: ANSI/SCTE 35 2023, 9.7.2.
package struct SpliceScheduleEvent {
  package let eventID: UInt64
  package let isCancelled: Bool
  package private(set) var isOutOfNetwork = false
  /// The splice time of the program, in seconds since 1980-01-06 00:00 UTC; `nil` if components are spliced.
  package private(set) var time: UInt64?
  /// The tags and splice times of the components.
  package private(set) var components: [(tag: UInt64, time: UInt64)] = []
  /// The break that it starts or ends; `nil` if it is cancelled.
  package private(set) var adBreak: SpliceBreak?

  /// 1980-01-06 00:00 UTC in seconds since 1970.
  package static let epoch = 315_964_800

  /// Parses all events of the command.
  fileprivate static func list(_ fields: inout PayloadReader) -> [SpliceScheduleEvent] {
    var events: [SpliceScheduleEvent] = []
    for _ in 0..<fields.bits(8) where !fields.isPastEnd { events.append(SpliceScheduleEvent(&fields)) }
    return events
  }

  private init(_ fields: inout PayloadReader) {
    eventID = fields.bits(32)
    isCancelled = fields.flag()
    fields.skip(7)
    guard !isCancelled else { return }
    isOutOfNetwork = fields.flag()
    let (isProgram, hasDuration) = (fields.flag(), fields.flag())
    fields.skip(5)
    if isProgram {
      time = fields.bits(32)
    } else {
      for _ in 0..<fields.bits(8) where !fields.isPastEnd { components.append((fields.bits(8), fields.bits(32))) }
    }
    adBreak = SpliceBreak(&fields, hasDuration: hasDuration)
  }
}
