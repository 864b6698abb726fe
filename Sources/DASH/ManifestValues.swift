extension String: ManifestValue {
  var manifestText: String { self }
  init?(manifestText: String) { self = manifestText }
}
extension Bool: ManifestValue {
  var manifestText: String { self ? "true" : "false" }
  init?(manifestText: String) {
    switch manifestText {
    case "true", "1": self = true
    case "false", "0": self = false
    default: return nil
    }
  }
}
extension Int: ManifestValue {
  var manifestText: String { String(self) }
  init?(manifestText: String) { self.init(manifestText) }
}
extension UInt64: ManifestValue {
  var manifestText: String { String(self) }
  init?(manifestText: String) { self.init(manifestText) }
}
/// A list of words, separated by commas.
extension [String]: ManifestValue {
  var manifestText: String { joined(separator: ",") }
  init?(manifestText: String) {
    self = manifestText.split { $0 == "," || $0.isWhitespace }.map(String.init)
  }
}
/// A byte range as in HTTP: the offsets of its first and last byte.
extension Range<Int>: ManifestValue {
  var manifestText: String { "\(lowerBound)-\(upperBound - 1)" }
  init?(manifestText: String) {
    let parts = manifestText.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]), let last = Int(parts[1]), first >= 0, last >= first,
      last < .max
    else { return nil }
    self = first..<last + 1
  }
}

/// A duration of ISO 8601 in days, hours, minutes and seconds, such as `PT1M2.5S`. Written, it is exact if nine
/// decimals are sufficient, and otherwise rounded up, so that no media is after the end of the presentation.
extension Duration: ManifestValue {
  var manifestText: String {
    var (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return "PT0S" }
    var nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds &+ 1, 0) }
    var result = "PT"
    if seconds >= 3600 { result += "\(seconds / 3600)H" }
    if seconds % 3600 >= 60 { result += "\(seconds % 3600 / 60)M" }
    if seconds % 60 > 0 || nanoseconds > 0 || seconds == 0 {
      result += String(seconds % 60)
      if nanoseconds > 0 {
        var digits = String(String(1_000_000_000 + nanoseconds).dropFirst())
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        result += "." + digits
      }
      result += "S"
    }
    return result
  }

  /// Years and months have no fixed duration: they must be 0.
  init?(manifestText: String) {
    var (rest, isTime) = (manifestText.utf8[...], false)
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    self = .zero
    while let first = rest.first {
      if first == UInt8(ascii: "T"), !isTime {
        (isTime, rest) = (true, rest.dropFirst())
        if rest.isEmpty { return nil }
        continue
      }
      let whole = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
      rest = rest.dropFirst(whole.count)
      var digits = whole.prefix(0)
      if rest.first == UInt8(ascii: ".") {
        digits = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
        rest = rest.dropFirst(digits.count + 1)
      }
      guard let number = whole.isEmpty ? 0 : Int64(String(Substring(whole))), number < 1 << 32,
        whole.count + digits.count > 0, let unit = rest.popFirst(),
        let seconds = Self.seconds(in: unit, isTime: isTime, number)
      else { return nil }
      // More decimals than attoseconds have no effect.
      let fraction = String(Substring(digits.prefix(18)))
      let attoseconds = Int64(fraction + String(repeating: "0", count: 18 - fraction.utf8.count)) ?? 0
      guard digits.isEmpty || seconds == 1 else { return nil }
      self += Duration(secondsComponent: number * seconds, attosecondsComponent: attoseconds)
    }
  }

  /// The seconds of a unit.
  private static func seconds(in unit: UInt8, isTime: Bool, _ number: Int64) -> Int64? {
    switch (unit, isTime) {
    case (UInt8(ascii: "Y"), false), (UInt8(ascii: "M"), false): number == 0 ? 0 : nil
    case (UInt8(ascii: "D"), false): 86_400
    case (UInt8(ascii: "H"), true): 3600
    case (UInt8(ascii: "M"), true): 60
    case (UInt8(ascii: "S"), true): 1
    default: nil
    }
  }
}
