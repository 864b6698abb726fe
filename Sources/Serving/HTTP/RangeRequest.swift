/// The meaning of the Range field (RFC 9110, 14.1.2).
enum RangeRequest: Equatable {
  /// The whole content: the field is absent or must be ignored.
  case all
  /// These ranges, none empty, in the requested order.
  case ranges([Range<Int>])
  /// Only ranges that do not exist.
  case unsatisfiable

  /// No client needs more, and many small ranges cost more than the whole.
  static let limit = 16

  /// The meaning of `text` for `byteCount` bytes.
  init(_ text: String, of byteCount: Int) {
    self = .all
    let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].map(\.lowercased) == Array("bytes".utf8) else { return }
    var (ranges, specifiers) = ([Range<Int>](), 0)
    for part in parts[1].split(separator: UInt8(ascii: ",")) {
      let specifier = Array(part)[...].trimmingSpace
      if specifier.isEmpty { continue }
      specifiers += 1
      guard specifiers <= Self.limit, let range = Self.range(specifier, byteCount) else { return }
      if !range.isEmpty { ranges.append(range) }
    }
    guard specifiers > 0 else { return }
    if ranges.isEmpty {
      self = .unsatisfiable
    } else if ranges.count == 1 || Self.sum(ranges) <= byteCount {
      // Overlapping ranges could request more bytes than the content has.
      self = .ranges(ranges)
    }
  }

  /// The range of one specifier, empty if it is not satisfiable; `nil` if it is malformed.
  private static func range(_ text: ArraySlice<UInt8>, _ byteCount: Int) -> Range<Int>? {
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (first, last) = (text[..<dash], text[(dash + 1)...])
    guard first.allSatisfy(\.isDigit), last.allSatisfy(\.isDigit) else { return nil }
    if first.isEmpty {
      return last.isEmpty ? nil : max(0, byteCount - number(last))..<byteCount
    }
    let start = number(first)
    if last.isEmpty { return min(start, byteCount)..<byteCount }
    let end = number(last)
    guard end >= start else { return nil }
    return min(start, byteCount)..<min(end == .max ? end : end + 1, byteCount)
  }

  /// Numbers that are too large are after the end of any content.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    Int(String(decoding: digits, as: UTF8.self)) ?? .max
  }

  private static func sum(_ ranges: [Range<Int>]) -> Int {
    ranges.reduce(0) { min($0, .max - $1.count) + $1.count }
  }
}
