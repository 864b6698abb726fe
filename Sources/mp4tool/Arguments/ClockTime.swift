import MP4

/// A presentation time, such as `62.5`, `1:02.5` or `1:01:02`.
struct ClockTime: TextOptionValue {
  static let expectation = "a time such as 62.5, 1:02.5 or 1:01:02"
  let time: MediaTime

  init?(_ text: String) {
    guard let time = MediaTime(clock: text) else { return nil }
    self.time = time
  }
}

/// The length of parts of a file: a time such as `10:00` or `10m`, or a number of bytes such as `4GB`.
enum PartLength: TextOptionValue {
  case time(MediaTime)
  case bytes(Int)
  static let expectation = "a time of more than 0 such as 10:00 or 10m, or a size such as 4GB, 1.5GB or 650MiB"

  private static let seconds: [String: Int64] = ["s": 1, "m": 60, "min": 60, "h": 3600]
  private static let sizes: [String: Int] = [
    "B": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]

  init?(_ text: String) {
    if let time = MediaTime(clock: text) {
      guard time > MediaTime(0, 1) else { return nil }
      self = .time(time)
      return
    }
    let number = text.prefix { $0.isASCII && $0.isNumber }
    var (unit, decimals) = (String(text.dropFirst(number.count)), Substring())
    if unit.hasPrefix(".") {
      decimals = unit.dropFirst().prefix { $0.isASCII && $0.isNumber }
      unit = String(unit.dropFirst(1 + decimals.count))
      guard (1...9).contains(decimals.count) else { return nil }
    }
    guard let count = Int64(number), let part = Int64(decimals.isEmpty ? "0" : decimals), count > 0 || part > 0 else {
      return nil
    }
    let parts = decimals.reduce(Int64(1)) { product, _ in product * 10 }
    if let factor = Self.seconds[unit] {
      guard count <= 1 << 32, let scale = UInt32(exactly: parts) else { return nil }
      self = .time(MediaTime(Int64(clamping: count) * factor, 1) + MediaTime(part * factor, scale))
    } else if let factor = Self.sizes[unit] {
      let (bytes, overflow) = Int(count).multipliedReportingOverflow(by: factor)
      let (more, tooLarge) = Int(part).multipliedReportingOverflow(by: factor)
      guard !overflow, !tooLarge, case let (sum, isBeyond) = bytes.addingReportingOverflow(more / Int(parts)),
        !isBeyond,
        sum > 0
      else { return nil }
      self = .bytes(sum)
    } else {
      return nil
    }
  }
}

/// A range of presentation times, such as `10..20`, `10..` or `..20`; the end is exclusive.
struct ClockRange: TextOptionValue {
  static let expectation = "two times such as 10..1:02.5, the first before the second, or one such as 10.. or ..20"
  let times: Range<MediaTime>
  /// Later than any other time.
  static let latest = MediaTime(1 << 40, 1)

  init?(_ text: String) {
    let (start, end) = Self.halves(text)
    guard let end, !start.isEmpty || !end.isEmpty,
      let first = start.isEmpty ? MediaTime(0, 1) : ClockTime(start)?.time,
      let last = end.isEmpty ? Self.latest : ClockTime(end)?.time, first < last
    else { return nil }
    times = first..<last
  }

  /// The parts before and after `..`.
  static func halves(_ text: String) -> (String, String?) {
    let bytes = Array(text.utf8)
    guard let at = bytes.indices.dropLast().first(where: { bytes[$0] == 0x2e && bytes[$0 + 1] == 0x2e }) else {
      return (text, nil)
    }
    return (String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[(at + 2)...], as: UTF8.self))
  }
}

/// A sample number, or an inclusive range of numbers: `1234`, `10..20`, `10..` or `..20`.
struct SampleNumbers: TextOptionValue {
  static let expectation = "a sample number such as 1234, or a range such as 10..20, 10.. or ..20"
  let numbers: ClosedRange<Int>

  init?(_ text: String) {
    let (first, last) = ClockRange.halves(text)
    if last != nil, first.isEmpty, last?.isEmpty == true { return nil }
    let isOpen = (start: first.isEmpty && last != nil, end: last?.isEmpty == true)
    guard let start = isOpen.start ? 1 : Int(first), let end = isOpen.end ? .max : Int(last ?? first), start > 0,
      start <= end
    else { return nil }
    numbers = start...end
  }
}
