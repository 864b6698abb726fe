import MP4Bytes

/// The text that DJI's drones write as subtitles: words and numbers, among them the position as
/// `GPS (longitude, latitude, number)` or as `[latitude: number] [longitude: number]`.
struct FlightText {
  /// A number after a word.
  private struct Entry {
    let name: String
    let number: Double
    let unit: String
    /// The bytes of the number.
    let range: Range<Int>
  }
  /// Words with a colon and a number that is a part of the position.
  private static let latitudes: Set<String> = ["latitude"]
  /// Early models misspell it.
  private static let longitudes: Set<String> = ["longitude", "longtitude"]
  private static let altitudes: Set<String> = ["altitude", "abs_alt"]
  private static let names = latitudes.union(longitudes).union(altitudes)

  private let bytes: [UInt8]
  private var entries: [Entry] = []
  /// The first numbers in parentheses after `GPS` and `HOME`, and the bytes in the parentheses.
  private var places: [(name: String, numbers: [Double], range: Range<Int>)] = []

  /// Reads the text in a sample. `text` is where it is.
  init(_ bytes: [UInt8], in text: Range<Int>) {
    self.bytes = bytes
    var position = text.lowerBound
    let end = text.upperBound
    while position < end {
      guard Self.isLetter(bytes[position]) else {
        position += 1
        continue
      }
      let start = position
      while position < end, Self.isLetter(bytes[position]) || bytes[position] == UInt8(ascii: ".") { position += 1 }
      let name = String(decoding: bytes[start..<position], as: UTF8.self)
      var next = position
      while next < end, next - position < 4, " :/\t".utf8.contains(bytes[next]) { next += 1 }
      if next < end, bytes[next] == UInt8(ascii: "("), name == "GPS" || name == "HOME" {
        position = readPlace(name, from: next + 1, to: end)
      } else if let (number, after) = number(at: next, end) {
        // Subtitles can be about a latitude.
        if Self.names.contains(name), !bytes[position..<next].contains(UInt8(ascii: ":")) {
          position = after
          continue
        }
        var unit = after
        while unit < end, Self.isLetter(bytes[unit]) || bytes[unit] == UInt8(ascii: "/") { unit += 1 }
        entries.append(
          Entry(
            name: name, number: number, unit: String(decoding: bytes[after..<unit], as: UTF8.self), range: next..<after)
        )
        position = unit
      }
    }
  }

  /// Reads numbers up to a parenthesis or the end of the line, and returns where that is.
  private mutating func readPlace(_ name: String, from start: Int, to end: Int) -> Int {
    var (numbers, position) = ([Double](), start)
    while position < end, bytes[position] != UInt8(ascii: ")"), bytes[position] != UInt8(ascii: "\n") {
      if let (value, after) = number(at: position, end) {
        if numbers.count < 3 { numbers.append(value) }
        position = after
      } else {
        position += 1
      }
    }
    if numbers.count >= 2 { places.append((name, numbers, start..<position)) }
    return position
  }

  private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte | 0x20 || byte == UInt8(ascii: "_") }

  /// A decimal number, or two of them with a slash between them, and its end.
  private func number(at start: Int, _ end: Int) -> (Double, end: Int)? {
    func decimal(_ start: Int) -> (Double, end: Int)? {
      var position = start
      if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") { position += 1 }
      let first = position
      while position < end, position - first < 32, 0x30...0x39 ~= bytes[position] || bytes[position] == 0x2e {
        position += 1
      }
      guard position > first else { return nil }
      // A comma or a point can follow a number.
      if bytes[position - 1] == 0x2e { position -= 1 }
      return Double(String(decoding: bytes[start..<position], as: UTF8.self)).map { ($0, position) }
    }
    guard let (value, after) = decimal(start) else { return nil }
    guard after < end, bytes[after] == UInt8(ascii: "/"), let (divisor, last) = decimal(after + 1), divisor != 0 else {
      return (value, after)
    }
    return (value / divisor, last)
  }

  // MARK: Values

  private func first(_ names: Set<String>) -> Entry? { entries.first { names.contains($0.name) } }

  /// The position; `nil` if the text has none, or if the receiver has none, for which it has zeros.
  private var position: GeographicPosition? {
    var position: GeographicPosition?
    if let own = places.first(where: { $0.name == "GPS" })?.numbers {
      position = GeographicPosition(latitude: own[1], longitude: own[0])
      // The third number is the altitude or the number of satellites, so the height above the start is used.
      position?.altitude = first(["H"])?.number
    } else if let latitude = first(Self.latitudes), let longitude = first(Self.longitudes) {
      position = GeographicPosition(latitude: latitude.number, longitude: longitude.number)
      position?.altitude = (first(["abs_alt"]) ?? first(["altitude"]))?.number
    }
    if position?.latitude == 0, position?.longitude == 0 { return nil }
    position?.speed = first(["H.S"])?.number
    return position
  }

  /// Whether the text has a position.
  private var hasPosition: Bool {
    !places.isEmpty || first(Self.latitudes) != nil && first(Self.longitudes) != nil
  }

  /// Calls `body` with each value, if the text has a position. Other text is not telemetry.
  func forEachValue(_ body: (SampleValue) throws(MovieError) -> Void) throws(MovieError) {
    guard hasPosition else { return }
    if let position { try body(SampleValue(value: .position(position))) }
    for entry in entries where !Self.names.contains(entry.name) {
      let unit = entry.unit.isEmpty ? nil : entry.unit
      let value = TelemetryValue.Measurement(name: entry.name, label: nil, unit: unit, numbers: [entry.number])
      try body(SampleValue(value: .measurement(value)))
    }
  }

  /// Removed numbers can show others that follow them.
  private static let passes = 4

  /// Overwrites the numbers of positions in a text with spaces.
  ///
  /// - Returns: Whether no position remains.
  static func removeLocations(_ result: inout [UInt8], in text: Range<Int>) -> Bool {
    for _ in 0..<passes {
      let own = FlightText(result, in: text)
      guard own.hasPosition else { return true }
      let entries = own.entries.filter { names.contains($0.name) }.map { entry in
        let end = result[entry.range.upperBound..<text.upperBound].firstIndex {
          !" :/\t+-.0123456789".utf8.contains($0)
        }
        return entry.range.lowerBound..<(end ?? text.upperBound)
      }
      for range in own.places.map(\.range) + entries {
        result.replaceSubrange(range, with: repeatElement(0x20, count: range.count))
      }
    }
    return !FlightText(result, in: text).hasPosition
  }
}
