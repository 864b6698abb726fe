package import MP4Bytes

/// The meanings of the values of a field, as its declaration lists them: `1 BT.709; 9 BT.2020`.
///
/// Each entry, separated by semicolons, is a number, a space and the meaning. For flags, the number is the bits that
/// are set, such as `0x1 data-offset-present`, or a mask with a value: `0x3000000=0x2000000 depends on no other`. With
/// `0xe0000=# padding`, the value under the mask is itself a number, which is shown if it is not 0. The text is a
/// literal and is parsed only when it is shown. It ends at a zero byte or at the end of a line, so that it can be a
/// part of a longer text.
public struct ValueNames: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The address of the text. It is passed with every value, so it should be a single word.
  private let address: UInt

  /// The meanings in `stringLiteral`.
  public init(stringLiteral: StaticString) { address = StaticText(stringLiteral: stringLiteral).address }

  /// The meanings at the end of a definition line.
  package init(_ line: StaticText) { address = line.address }

  /// The text of the declaration.
  package var text: String {
    guard let start = unsafe UnsafePointer<UInt8>(bitPattern: address) else { return "" }
    var count = 0
    while unsafe start[count] != 0, unsafe start[count] != UInt8(ascii: "\n") { count += 1 }
    while count > 0, unsafe start[count - 1] == UInt8(ascii: " ") || start[count - 1] == UInt8(ascii: "\r") {
      count -= 1
    }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Whether there are no meanings.
  package var isEmpty: Bool { unsafe UnsafePointer<UInt8>(bitPattern: address)?.pointee ?? 0 == 0 }

  /// Each number as written, with its meaning.
  package var entries: [(value: String, name: String)] {
    text.split(separator: ";").map { entry in
      let words = entry.drop { $0 == " " }
      let value = words.prefix { $0 != " " }
      return (String(value), String(words.dropFirst(value.count + 1)))
    }
  }

  /// The meaning of an enumerated value.
  package func name(of value: UInt64) -> String? {
    entries.first { Self.number($0.value[...]) == value }?.name
  }

  /// The number with this name, of which only letters and digits count unless others have the same.
  func value(named name: String) -> UInt64? {
    let entries = entries
    func plain(_ name: String) -> [UInt8] {
      name.lowercased().utf8.filter { 0x30...0x39 ~= $0 || 0x61...0x7a ~= $0 || $0 > 0x7f }
    }
    let (own, same) = (plain(name), entries.filter { $0.name == name })
    let similar = same.isEmpty && !own.isEmpty ? entries.filter { plain($0.name) == own } : same
    return similar.count == 1 || !same.isEmpty ? similar.first.flatMap { Self.number($0.value[...]) } : nil
  }

  /// The meanings of the bits of `value`.
  package func names(ofFlags value: UInt64) -> [String] {
    entries.compactMap { entry in
      let parts = entry.value.split(separator: "=")
      guard let mask = parts.first.flatMap(Self.number) else { return nil }
      if parts.last == "#" {
        return value & mask == 0 ? nil : "\(entry.name) \((value & mask) >> UInt64(mask.trailingZeroBitCount))"
      }
      return value & mask == parts.dropFirst().first.flatMap(Self.number) ?? mask ? entry.name : nil
    }
  }

  private static func number(_ text: Substring) -> UInt64? {
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) }
    return Int64(text).map { UInt64(bitPattern: $0) }
  }
}

/// A time in seconds since 1904, in UTC.
package enum Date1904 {
  /// A text such as `2024-02-29T12:00:00Z`; `nil` for 0, which means no time, and for years of more than four digits.
  package static func text(_ seconds: UInt64) -> String? {
    guard seconds > 0, seconds < 255_485_145_600 else { return nil }
    let time = CalendarTime(secondsSince1970: Int(seconds) - secondsTo1970)
    return "\(time.dateText)T\(time.clockText)Z"
  }
  /// Parses such a text; the time of day is optional.
  package static func seconds(_ text: String) -> UInt64? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-").map { Int($0) ?? -1 }
    var clock = [0, 0, 0]
    if parts.count == 2 {
      guard parts[1].hasSuffix("Z") else { return nil }
      clock = parts[1].dropLast().split(separator: ":").map { Int($0) ?? -1 }
    }
    guard date.count == 3, clock.count == 3, (1904...9999).contains(date[0]), (1...12).contains(date[1]),
      (1...31).contains(date[2]), (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0..<60).contains(clock[2])
    else { return nil }
    let day = CalendarDate(year: date[0], month: date[1], day: date[2])
    let days = day.daysSince1970
    // There is no 30 February.
    guard CalendarDate(daysSince1970: days) == day else { return nil }
    return UInt64(days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2] + secondsTo1970)
  }
  private static let secondsTo1970 = 2_082_844_800
}

/// An NTP timestamp: seconds since 1900 with 32 fractional bits, in UTC.
package enum NTPTimestamp {
  /// A text such as `2024-02-29T12:00:00.250000Z`; `nil` for 0, which means no time.
  package static func text(_ timestamp: UInt64) -> String? {
    guard timestamp != 0 else { return nil }
    // The counter wrapped around in 2036. According to RFC 4330, clause 3, a clear top bit means a time after that.
    let seconds = (timestamp >> 32) + (timestamp >> 63 == 0 ? 1 << 32 : 0)
    let secondsTo1904: UInt64 = 1460 * 86400
    let micro = ((timestamp & 0xffff_ffff) * 1_000_000) >> 32
    return Date1904.text(seconds - secondsTo1904).map { "\($0.dropLast()).\(String(1_000_000 + micro).dropFirst())Z" }
  }
}
