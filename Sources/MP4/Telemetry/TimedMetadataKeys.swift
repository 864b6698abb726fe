import ISOBMFF
import MP4Bytes

/// QuickTime timed metadata, `mebx` (QuickTime File Format, Timed metadata): a sample has items, whose keys the sample
/// entry declares.
struct TimedMetadataKeys {
  private struct Key {
    let name: String
    /// The well-known type of its values; `nil` for others.
    let type: Int?
    var isLocation: Bool {
      let letters = name.utf8.map { $0 | 0x20 }
      return ["location", "gps"].map { Array($0.utf8) }.contains { word in
        letters.indices.contains { letters[$0...].starts(with: word) }
      }
    }
  }
  private struct Item {
    let key: Key
    let payload: Range<Int>
  }
  /// The maximum size of a key, which is repeated for each value.
  private static let limit = 256

  private var keys: [UInt32: Key] = [:]

  /// Whether samples can contain locations.
  var haveLocations: Bool { keys.values.contains(where: \.isLocation) }

  /// Reads the keys of a sample entry.
  init(of entry: Box, in source: any ByteSource) throws(MovieError) {
    for declaration in entry.first("keys")?.boxes ?? [] {
      guard let name = declaration.first("keyd")?.header?.payload, name.count <= Self.limit else { continue }
      // A namespace, then the name.
      let text = String(decoding: try io(source.bytes(in: name)).dropFirst(4), as: UTF8.self)
      var type: Int?
      if let box = declaration.first("dtyp")?.header?.payload, box.count == 8 {
        let bytes = try io(source.bytes(in: box))
        if bytes.prefix(4).allSatisfy({ $0 == 0 }) { type = bytes[4...].bigEndianNumber }
      }
      keys[declaration.type.rawValue] = Key(name: text, type: type)
    }
  }

  private func items(of bytes: [UInt8]) -> (items: [Item], isIntact: Bool) {
    var (items, position) = ([Item](), 0)
    while position < bytes.count {
      guard let size: UInt32 = bytes[position...].integer(0), let number: UInt32 = bytes[position...].integer(4),
        size >= 8, Int(size) <= bytes.count - position
      else { return (items, false) }
      let payload = position + 8..<position + Int(size)
      if let key = keys[number] { items.append(Item(key: key, payload: payload)) }
      position = payload.upperBound
    }
    return (items, true)
  }

  /// Calls `body` with each value. Text is only read if it is a position.
  ///
  /// - Returns: Whether the sample is not damaged.
  func forEachValue(of bytes: [UInt8], _ body: (SampleValue) throws(MovieError) -> Void) throws(MovieError) -> Bool {
    let (items, isIntact) = items(of: bytes)
    for item in items {
      let payload = bytes[item.payload]
      if item.key.type == 1, item.key.isLocation {
        let text = String(decoding: payload, as: UTF8.self)
        if let position = GeographicPosition(iso6709: text) { try body(SampleValue(value: .position(position))) }
        continue
      }
      let numbers = Self.numbers(payload, item.key.type)
      guard !numbers.isEmpty, numbers.allSatisfy(\.isFinite) else { continue }
      let value = TelemetryValue.Measurement(name: item.key.name, label: nil, unit: nil, numbers: numbers)
      try body(SampleValue(value: .measurement(value)))
    }
    return isIntact
  }

  /// The numbers of a well-known type; none for other types.
  private static func numbers(_ bytes: ArraySlice<UInt8>, _ type: Int?) -> [Double] {
    func number<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> [Double] {
      guard bytes.count == MemoryLayout<T>.size, let value: T = bytes.integer(0) else { return [] }
      return [Double(value)]
    }
    func floats() -> [Double] {
      stride(from: 0, to: bytes.count, by: 4).compactMap { distance in
        bytes.integer(distance, as: UInt32.self).map { TelemetryNumber.double(Float(bitPattern: $0)) }
      }
    }
    func doubles() -> [Double] {
      stride(from: 0, to: bytes.count, by: 8).compactMap { distance in
        bytes.integer(distance, as: UInt64.self).map { Double(bitPattern: $0) }
      }
    }
    switch (type, bytes.count) {
    case (21, 1), (65, _): return number(Int8.self)
    case (21, 2), (66, _): return number(Int16.self)
    case (21, 4), (67, _): return number(Int32.self)
    case (21, 8), (74, _): return number(Int64.self)
    case (22, 1), (75, _): return number(UInt8.self)
    case (22, 2), (76, _): return number(UInt16.self)
    case (22, 4), (77, _): return number(UInt32.self)
    case (22, 8), (78, _): return number(UInt64.self)
    case (23, 4), (70, 8), (71, 8), (72, 16): return floats()
    case (24, 8), (79, 72): return doubles()
    default: return []
    }
  }

  /// Overwrites locations: text with spaces, other values with zeros.
  ///
  /// - Returns: Whether the sample was understood up to its end.
  func removeLocations(_ bytes: inout [UInt8]) -> Bool {
    let (items, isIntact) = items(of: bytes)
    for item in items where item.key.isLocation {
      let byte: UInt8 = item.key.type == 1 ? 0x20 : 0
      bytes.replaceSubrange(item.payload, with: repeatElement(byte, count: item.payload.count))
    }
    return isIntact
  }
}

extension GeographicPosition {
  /// A position such as `+48.8577+002.2950+035.000/` (ISO 6709): degrees, and also minutes and seconds if there are
  /// more digits before the point.
  init?(iso6709 text: String) {
    var numbers: [(text: Substring, digits: Int)] = []
    var rest = text[...]
    while let sign = rest.first, sign == "+" || sign == "-" {
      let end = rest.dropFirst().firstIndex { !($0.isASCII && $0.isNumber) && $0 != "." } ?? rest.endIndex
      let number = rest[..<end]
      numbers.append((number, number.dropFirst().prefix { $0 != "." }.count))
      rest = rest[end...]
    }
    guard numbers.count >= 2, let latitude = Self.degrees(numbers[0], 2), let longitude = Self.degrees(numbers[1], 3)
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
    if numbers.count > 2 { altitude = Double(numbers[2].text) }
  }

  private static func degrees(_ number: (text: Substring, digits: Int), _ width: Int) -> Double? {
    guard let value = Double(number.text) else { return nil }
    let size = value.magnitude
    let whole = size.rounded(.down)
    let degrees: Double
    switch number.digits - width {
    case 2:
      let part = (whole / 100).rounded(.down)
      degrees = (part * 60 + size - part * 100) / 60
    case 4:
      let (part, minutes) = ((whole / 10_000).rounded(.down), (whole / 100).rounded(.down))
      degrees = (part * 3600 + (minutes - part * 100) * 60 + size - minutes * 100) / 3600
    default: degrees = size
    }
    return number.text.first == "-" ? -degrees : degrees
  }
}
