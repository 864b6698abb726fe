import MP4Bytes

/// GoPro's metadata format, `gpmd` (https://github.com/gopro/gpmf-parser): nested elements, each with a key, a type,
/// the size of a value and the number of values.
struct GPMF {
  private struct Element {
    let key: FourCC
    let type: UInt8
    let size: Int
    let count: Int
    /// The bytes of its values, without padding.
    let payload: Range<Int>
    var isNested: Bool { type == 0 }
  }

  /// The elements with positions, and those that say when and how well they were measured.
  private static let located: Set<FourCC> = ["GPS5", "GPS9", "GPSU", "GPSF", "GPSP", "GPSA", "GLPI", "GPRI", "BPOS"]
  /// Elements that describe values, and are the last ones of a stream that has none.
  private static let descriptive: Set<FourCC> = [
    "TSMP", "STMP", "TICK", "TOCK", "TIMO", "EMPT", "MTRX", "ORIN", "ORIO", "QUAN", "VERS", "DVID", "GPSA", "FREE",
  ]
  /// The key of elements without meaning.
  private static let unused = Array("FREE".utf8)
  private static let headerSize = 8
  /// The most bytes of a label, and the most units and bytes of a unit. They are repeated for each value.
  private static let (labelLimit, unitLimit, unitSize) = (128, 32, 16)
  private static let depthLimit = 8

  private let bytes: [UInt8]
  private let duration: MediaTime
  /// Whether a stream has the positions of GPS5 with more details.
  private var hasDetails = false
  /// Whether all elements end within those that contain them.
  private(set) var isIntact = true

  /// The elements of a sample.
  init(_ bytes: [UInt8], lasting duration: MediaTime) { (self.bytes, self.duration) = (bytes, duration) }

  private mutating func elements(in range: Range<Int>) -> [Element] {
    var (elements, position) = ([Element](), range.lowerBound)
    while position + Self.headerSize <= range.upperBound {
      let header = bytes[position..<position + Self.headerSize]
      let key = FourCC(rawValue: UInt32(header.prefix(4).bigEndianNumber))
      // Zeros at the end are padding.
      if key.rawValue == 0 { break }
      let (size, count) = (Int(header[position + 5]), header.suffix(2).bigEndianNumber)
      let start = position + Self.headerSize
      guard size * count <= range.upperBound - start else {
        isIntact = false
        break
      }
      elements.append(
        Element(
          key: key, type: header[position + 4], size: size, count: count, payload: start..<start + size * count))
      position = start + (size * count + 3) & ~3
    }
    return elements
  }

  // MARK: Values

  /// Calls `body` with each value.
  mutating func forEachValue(_ body: (SampleValue) throws(MovieError) -> Void) throws(MovieError) {
    try read(bytes.indices, isStream: false, depth: 0, body)
  }

  private mutating func read(
    _ range: Range<Int>, isStream: Bool, depth: Int, _ body: (SampleValue) throws(MovieError) -> Void
  ) throws(MovieError) {
    guard depth < Self.depthLimit else {
      isIntact = false
      return
    }
    var context = Context()
    let elements = elements(in: range)
    // Of a stream, the last element has the values, and those before it describe them.
    let last = elements.last { !$0.isNested }?.payload.lowerBound
    if elements.contains(where: { $0.isNested && self.elements(in: $0.payload).contains { $0.key == "GPS9" } }) {
      hasDetails = true
    }
    for element in elements {
      if element.isNested {
        try read(element.payload, isStream: element.key == "STRM", depth: depth + 1, body)
        continue
      }
      let payload = bytes[element.payload]
      switch element.key {
      case "STNM": context.label = payload.prefix(Self.labelLimit).latinText
      case "SIUN", "UNIT":
        let units = rows(of: element).prefix(Self.unitLimit).map { bytes[$0].prefix(Self.unitSize).latinText }
        context.unit = units.allSatisfy { $0 == units.first } ? units.first : units.joined(separator: ",")
      case "SCAL": context.scale = numbers(of: element)
      case "TYPE": context.type = Self.expanded(payload)
      case "GPSU": context.utc = Self.time(payload)
      case "GPSF": context.fix = numbers(of: element).first.flatMap { Fix(number: $0) }
      case "GPSP": context.dilution = numbers(of: element).first.map { $0 / 100 }
      case "TMPC":
        if let degrees = numbers(of: element).first {
          let value = TelemetryValue.Measurement(name: "TMPC", label: nil, unit: "°C", numbers: [degrees])
          try body(SampleValue(value: .measurement(value)))
        }
      default:
        if isStream, element.payload.lowerBound == last, !Self.descriptive.contains(element.key) {
          try read(element, context, body)
        }
      }
    }
  }
  private typealias Fix = GeographicPosition.Fix

  /// What the elements before the values of a stream say about them.
  private struct Context {
    var label: String?
    var unit: String?
    var scale: [Double] = []
    var type: [UInt8] = []
    var utc: Int64?
    var fix: GeographicPosition.Fix?
    var dilution: Double?

    /// A number divided by its scale.
    func scaled(_ number: Double, _ index: Int) -> Double {
      let divisor = scale.isEmpty ? 1 : scale[index % scale.count]
      return divisor == 0 ? number : number / divisor
    }
  }

  /// Calls `body` with the values of a stream.
  private func read(_ element: Element, _ context: Context, _ body: (SampleValue) throws(MovieError) -> Void)
    throws(MovieError)
  {
    let types = element.type == UInt8(ascii: "?") ? context.type : [element.type]
    let (rows, label) = (rows(of: element), context.label.flatMap { $0.isEmpty ? nil : $0 })
    for (part, row) in rows.enumerated() {
      var numbers = self.numbers(in: row, types)
      guard !numbers.isEmpty, numbers.allSatisfy(\.isFinite) else { continue }
      for index in numbers.indices { numbers[index] = context.scaled(numbers[index], index) }
      var value: TelemetryValue?
      switch element.key {
      case "GPS5" where hasDetails: break
      case "GPS5": value = position(numbers, part, of: rows.count, context).map { .position($0) }
      case "GPS9": value = detailedPosition(numbers).map { .position($0) }
      default:
        let name = element.key.description
        value = .measurement(
          TelemetryValue.Measurement(name: name, label: label, unit: context.unit, numbers: numbers))
      }
      if let value { try body(SampleValue(value: value, part: part, parts: rows.count)) }
    }
  }

  /// GPS5: latitude, longitude, altitude, speed over ground and in space.
  private func position(_ numbers: [Double], _ part: Int, of parts: Int, _ context: Context) -> GeographicPosition? {
    guard numbers.count >= 5, var position = GeographicPosition(latitude: numbers[0], longitude: numbers[1]) else {
      return nil
    }
    (position.altitude, position.speed) = (numbers[2], numbers[3])
    (position.fix, position.dilution) = (context.fix, context.dilution)
    // The time is that of the first value.
    let microseconds = duration.converted(to: 1_000_000).value
    let (product, overflow) = microseconds.multipliedReportingOverflow(by: Int64(part))
    if !overflow { position.utc = context.utc.map { $0 &+ product / Int64(parts) } }
    return position
  }

  /// GPS9: as in GPS5, then days since 2000, seconds since midnight, DOP and fix.
  private func detailedPosition(_ numbers: [Double]) -> GeographicPosition? {
    guard numbers.count >= 9, var position = GeographicPosition(latitude: numbers[0], longitude: numbers[1]) else {
      return nil
    }
    (position.altitude, position.speed) = (numbers[2], numbers[3])
    position.utc = UTC.time(seconds: 946_684_800 + numbers[5] * 86_400 + numbers[6])
    (position.dilution, position.fix) = (numbers[7], Fix(number: numbers[8]))
    return position
  }

  /// `yymmddhhmmss.sss`.
  private static func time(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let digits = bytes.prefix { $0 != 0 }.filter { $0 != UInt8(ascii: ".") }.map { Int($0) - 0x30 }
    guard digits.count >= 12, digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
    func number(_ index: Int) -> Int { digits[index] * 10 + digits[index + 1] }
    let fraction = (12..<18).reduce(0) { $0 * 10 + ($1 < digits.count ? digits[$1] : 0) }
    return UTC.time(
      year: 2000 + number(0), month: number(2), day: number(4), hour: number(6), minute: number(8), second: number(10),
      microsecond: fraction)
  }

  // MARK: Numbers

  /// The range of each value.
  private func rows(of element: Element) -> [Range<Int>] {
    guard element.size > 0 else { return [] }
    return (0..<element.count).map { index in
      let start = element.payload.lowerBound + index * element.size
      return start..<start + element.size
    }
  }

  private func numbers(of element: Element) -> [Double] {
    rows(of: element).flatMap { numbers(in: $0, [element.type]) }
  }

  /// The numbers of a value, of which `types` are repeated; none if some of it is not a number.
  private func numbers(in row: Range<Int>, _ types: [UInt8]) -> [Double] {
    guard !types.isEmpty else { return [] }
    var (numbers, position) = ([Double](), row.lowerBound)
    while position < row.upperBound {
      let rest = bytes[position..<row.upperBound]
      guard let (number, size) = Self.number(rest, types[numbers.count % types.count]) else { return [] }
      numbers.append(number)
      position += size
    }
    return numbers
  }

  /// The number at the start of `bytes`; `nil` for other types than numbers.
  private static func number(_ bytes: ArraySlice<UInt8>, _ type: UInt8) -> (Double, size: Int)? {
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> (Double, size: Int)? {
      bytes.integer(0, as: T.self).map { (Double($0), MemoryLayout<T>.size) }
    }
    switch type {
    case UInt8(ascii: "b"): return integer(Int8.self)
    case UInt8(ascii: "B"): return integer(UInt8.self)
    case UInt8(ascii: "s"): return integer(Int16.self)
    case UInt8(ascii: "S"): return integer(UInt16.self)
    case UInt8(ascii: "l"): return integer(Int32.self)
    case UInt8(ascii: "L"): return integer(UInt32.self)
    case UInt8(ascii: "j"): return integer(Int64.self)
    case UInt8(ascii: "J"): return integer(UInt64.self)
    case UInt8(ascii: "f"):
      return bytes.integer(0, as: UInt32.self).map { (TelemetryNumber.double(Float(bitPattern: $0)), 4) }
    case UInt8(ascii: "d"): return bytes.integer(0, as: UInt64.self).map { (Double(bitPattern: $0), 8) }
    case UInt8(ascii: "q"): return bytes.integer(0, as: Int32.self).map { (Double($0) / 65_536, 4) }
    case UInt8(ascii: "Q"): return bytes.integer(0, as: Int64.self).map { (Double($0) / 4_294_967_296, 8) }
    default: return nil
    }
  }

  /// The types of a structure, in which `f[3]` is the same as `fff`. A structure has at most 255 bytes.
  private static func expanded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var (types, rest) = ([UInt8](), text.prefix { $0 != 0 })
    while let type = rest.popFirst(), types.count < 255 {
      guard rest.first == UInt8(ascii: "[") else {
        types.append(type)
        continue
      }
      rest = rest.dropFirst()
      var count = 0
      while let digit = rest.popFirst(), digit != UInt8(ascii: "]") {
        guard 0x30...0x39 ~= digit else { return [] }
        count = min(count * 10 + Int(digit) - 0x30, 255)
      }
      types += repeatElement(type, count: count)
    }
    return Array(types.prefix(255))
  }

  // MARK: Locations

  /// Replaces the elements with positions by unused ones of the same size.
  ///
  /// - Returns: Whether the sample was understood up to its end.
  static func removeLocations(_ bytes: inout [UInt8]) -> Bool {
    var reader = GPMF(bytes, lasting: MediaTime(0, 1))
    reader.removeLocations(in: bytes.indices, depth: 0, &bytes)
    return reader.isIntact
  }

  private mutating func removeLocations(in range: Range<Int>, depth: Int, _ result: inout [UInt8]) {
    guard depth < Self.depthLimit else {
      isIntact = false
      return
    }
    for element in elements(in: range) {
      if element.isNested {
        removeLocations(in: element.payload, depth: depth + 1, &result)
      } else if Self.located.contains(element.key) {
        let start = element.payload.lowerBound - Self.headerSize
        result.replaceSubrange(start..<start + 4, with: Self.unused)
        result.replaceSubrange(element.payload, with: repeatElement(0, count: element.payload.count))
      }
    }
  }
}

extension GeographicPosition.Fix {
  /// The fix of this number.
  fileprivate init?(number: Double) {
    guard let dimensions = Int(exactly: number) else { return nil }
    self.init(dimensions: dimensions)
  }
}

enum TelemetryNumber {
  /// The shortest number that is nearest to `number`, so that 0.1 stays 0.1.
  static func double(_ number: Float) -> Double {
    number.isFinite ? Double(number.description) ?? Double(number) : Double(number)
  }
}
