import MP4Bytes

/// Acquisition metadata of Sony's cameras, `rtmd` (SMPTE RDD 18): a header, then sets of items with a tag and a size.
/// The items for positions are those of Exif.
struct AcquisitionMetadata {
  private struct Item {
    let tag: Int
    let payload: Range<Int>
  }
  /// The tag of an item with items.
  private static let set = 0x8300
  /// The start of the universal label before a set, which has 16 bytes and no size.
  private static let label = 0x060e
  /// The tags of the GPS directory of Exif, after this number.
  private static let location = 0x8500
  private static let locations = 0x8500...0x851f

  private let bytes: [UInt8]
  private var items: [Item] = []
  /// Whether all items end within the sample.
  private(set) var isIntact = true

  /// The items of a sample.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.isEmpty { return }
    guard bytes.count >= 2, bytes.prefix(2).bigEndianNumber >= 2 else {
      isIntact = false
      return
    }
    var position = bytes.prefix(2).bigEndianNumber
    while position + 4 <= bytes.count {
      let tag = bytes[position..<position + 2].bigEndianNumber
      // Zeros at the end are padding.
      if tag == 0 { return }
      if tag == Self.label {
        position += 16
        continue
      }
      let size = bytes[position + 2..<position + 4].bigEndianNumber
      position += 4
      if tag == Self.set { continue }
      guard size <= bytes.count - position else {
        isIntact = false
        return
      }
      items.append(Item(tag: tag, payload: position..<position + size))
      position += size
    }
    if position > bytes.count { isIntact = false }
  }

  /// Calls `body` with each value.
  func forEachValue(_ body: (SampleValue) throws(MovieError) -> Void) throws(MovieError) {
    if let position { try body(SampleValue(value: .position(position))) }
    for item in items {
      guard let value = measurement(of: item), value.numbers.allSatisfy(\.isFinite) else { continue }
      try body(SampleValue(value: .measurement(value)))
    }
  }

  private func measurement(of item: Item) -> TelemetryValue.Measurement? {
    let payload = bytes[item.payload]
    func value(_ name: String, _ unit: String?, _ number: Double?) -> TelemetryValue.Measurement? {
      number.map { TelemetryValue.Measurement(name: name, label: nil, unit: unit, numbers: [$0]) }
    }
    /// An array: the number of its elements, their size, and the elements.
    func axes(_ name: String) -> TelemetryValue.Measurement? {
      guard payload.count >= 10 else { return nil }
      let numbers = stride(from: 8, to: payload.count - 1, by: 2).compactMap { distance in
        payload.integer(distance, as: Int16.self).map { Double($0) }
      }
      return TelemetryValue.Measurement(name: name, label: nil, unit: nil, numbers: numbers)
    }
    let short = payload.integer(0, as: UInt16.self).map { Double($0) }
    switch item.tag {
    case 0x8000: return value("iris_f_number", nil, short.map { Self.powerOfTwo(8 * (1 - $0 / 65_536)) })
    case 0x8109: return value("exposure_time", "s", payload.rational())
    case 0x810a: return value("camera_master_gain", "dB", short.map { $0 / 100 })
    case 0x810b: return value("iso_sensitivity", nil, short)
    case 0xe43b: return axes("pitch_roll_yaw")
    case 0xe44b: return axes("accelerometer")
    default: return nil
    }
  }

  /// 2 to the power of a number from 0 to 8. The standard library has no function for it.
  private static func powerOfTwo(_ exponent: Double) -> Double {
    let whole = exponent.rounded(.down)
    // The Taylor series of e to the power of x, for x below 1.
    let x = (exponent - whole) * 0.693_147_180_559_945_3
    var (sum, term) = (1.0, 1.0)
    for index in 1...20 {
      term *= x / Double(index)
      sum += term
    }
    return Double(sign: .plus, exponent: Int(whole), significand: sum)
  }

  // MARK: Positions

  private var position: GeographicPosition? {
    func payload(_ tag: Int) -> ArraySlice<UInt8>? {
      items.first { $0.tag == Self.location + tag }.map { bytes[$0.payload] }
    }
    guard let latitude = payload(2)?.degrees, let longitude = payload(4)?.degrees,
      let north = payload(1)?.first, let east = payload(3)?.first,
      var position = GeographicPosition(
        latitude: north == UInt8(ascii: "S") ? -latitude : latitude,
        longitude: east == UInt8(ascii: "W") ? -longitude : longitude)
    else { return nil }
    position.altitude = payload(6)?.rational().map { payload(5)?.first == 1 ? -$0 : $0 }
    position.speed = payload(13)?.rational().flatMap { speed in
      switch payload(12)?.first {
      case UInt8(ascii: "M"): speed * 1609.344 / 3600
      case UInt8(ascii: "N"): speed * 1852 / 3600
      case UInt8(ascii: "K"): speed / 3.6
      default: nil
      }
    }
    position.dilution = payload(11)?.rational()
    position.fix = payload(10)?.first.flatMap { GeographicPosition.Fix(dimensions: Int($0) - 0x30) }
    // V: the receiver has no position.
    if payload(9)?.first == UInt8(ascii: "V") { position.fix = GeographicPosition.Fix.none }
    position.utc = payload(29).flatMap { date in payload(7).flatMap { Self.time(date, $0) } }
    return position
  }

  /// The time of a date such as `2024:02:29`, and hours, minutes and seconds.
  private static func time(_ date: ArraySlice<UInt8>, _ clock: ArraySlice<UInt8>) -> Int64? {
    let parts = date.latinText.split(separator: ":").map { Int($0) ?? 0 }
    guard parts.count == 3, let hour = clock.rational(), let minute = clock.rational(8),
      let second = clock.rational(16), hour < 24, minute < 60, second < 61
    else { return nil }
    let day = UTC.time(year: parts[0], month: parts[1], day: parts[2], hour: 0, minute: 0, second: 0)
    return day.map { $0 + Int64(((hour * 3600 + minute * 60 + second) * 1_000_000).rounded()) }
  }

  /// Overwrites the values of positions with zeros.
  ///
  /// - Returns: Whether the sample was understood up to its end.
  static func removeLocations(_ bytes: inout [UInt8]) -> Bool {
    let metadata = AcquisitionMetadata(bytes)
    for item in metadata.items where locations.contains(item.tag) {
      bytes.replaceSubrange(item.payload, with: repeatElement(0, count: item.payload.count))
    }
    return metadata.isIntact
  }
}
