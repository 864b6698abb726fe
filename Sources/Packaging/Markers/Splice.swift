import ISOBMFF
import MP4

/// A splice message: a time at which media can be replaced, such as by advertisements.
struct Splice {
  /// What it does.
  enum Kind {
    /// It starts a break.
    case out
    /// It ends a break.
    case `in`
    /// It has another purpose.
    case command
  }
  let kind: Kind
  /// When the splice happens, from the start of the presentation.
  var time: MediaTime
  /// The number of the break, which the messages of its start and its end have in common; `nil` for others.
  let eventID: UInt64?
  /// How long the break lasts, if that is known at its start.
  let duration: MediaTime?
  /// The splice information section.
  let bytes: [UInt8]

  static let timescale: UInt32 = 90_000

  /// A message; `nil` if it is no splice information, or damaged.
  init?(_ bytes: [UInt8], at time: MediaTime) {
    guard let section = SpliceInformation(bytes[...]), section.problem == nil else { return nil }
    (self.bytes, self.time) = (bytes, time)
    if case .insert(let insert) = section.command, !insert.isCancelled {
      (kind, eventID) = (insert.isOutOfNetwork ? .out : .in, insert.eventID)
      duration = insert.isOutOfNetwork ? insert.adBreak?.length.map { Self.time($0.duration) } : nil
      return
    }
    for descriptor in section.descriptors {
      guard case .segmentation(let segment) = descriptor.content, !segment.isCancelled,
        let isStart = Self.isStart(segment.typeID)
      else { continue }
      (kind, eventID) = (isStart ? .out : .in, segment.eventID)
      duration = isStart ? segment.duration.map(Self.time) : nil
      return
    }
    (kind, eventID, duration) = (.command, nil, nil)
  }

  /// `splice_insert()` for the start or the end of a break, which is at `mediaTime` in the media:
  /// ANSI/SCTE 35 2023, 9.7.3.
  init(_ kind: Kind, number: Int, at time: MediaTime, mediaTime: MediaTime, duration: MediaTime?) {
    (self.kind, self.time, self.duration, eventID) = (kind, time, duration, UInt64(number))
    let length = duration.map { UInt64($0.converted(to: Self.timescale).value) & Self.mask }
    var command = Self.big(UInt64(number), 4) + [0x7f, (kind == .out ? 0xcf : 0x4f) | (length == nil ? 0 : 0x20)]
    command += Self.big(0xfe_0000_0000 | UInt64(mediaTime.converted(to: Self.timescale).value) & Self.mask, 5)
    // The break ends automatically.
    if let length { command += Self.big(0xfe_0000_0000 | length, 5) }
    command += [0, UInt8(number >> 8 & 255), 0, 0]
    var section: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0xff] + Self.big(0xf000 | UInt64(command.count), 2) + [5]
    section += command + [0, 0]
    section = [SpliceInformation.tableID] + Self.big(0x3000 | UInt64(section.count + 4), 2) + section
    bytes = section + Self.big(UInt64(SpliceInformation.checksum(section[...])), 4)
  }

  private static let mask: UInt64 = 0x1_ffff_ffff

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 255) }
  }
  private static func time(_ value: UInt64) -> MediaTime { MediaTime(Int64(value & (1 << 40 - 1)), timescale) }

  /// Whether a type of segmentation starts a break; `nil` if it has another purpose. ANSI/SCTE 35 2023, 10.3.3.1.
  private static func isStart(_ type: UInt8) -> Bool? {
    switch type {
    case 0x22, 0x30, 0x32, 0x34, 0x36, 0x38, 0x3a, 0x44, 0x46: true
    case 0x23, 0x31, 0x33, 0x35, 0x37, 0x39, 0x3b, 0x45, 0x47: false
    default: nil
    }
  }
}
