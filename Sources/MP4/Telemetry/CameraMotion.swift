import MP4Bytes

/// Camera Motion Metadata, `camm` (Google, https://developers.google.com/streetview/publish/camm-spec): packets of
/// little-endian numbers. A sample has one packet; some cameras write several.
enum CameraMotion {
  private struct Packet {
    let type: Int
    let payload: Range<Int>
  }
  /// The size of the payload of each type, after two reserved bytes and the type.
  private static let sizes = [12, 8, 12, 12, 12, 24, 56, 12]
  /// 6 January 1980.
  private static let epoch = 315_964_800.0

  /// The packets of a sample, and whether all of it was read.
  private static func packets(of bytes: [UInt8]) -> (packets: [Packet], isIntact: Bool) {
    var (packets, position) = ([Packet](), 0)
    while position < bytes.count {
      guard position + 4 <= bytes.count else { return (packets, false) }
      let type = bytes[position + 2..<position + 4].littleEndian
      guard sizes.indices.contains(type), sizes[type] <= bytes.count - position - 4 else { return (packets, false) }
      packets.append(Packet(type: type, payload: position + 4..<position + 4 + sizes[type]))
      position += 4 + sizes[type]
    }
    return (packets, true)
  }

  /// Calls `body` with each value. `creation` is the creation time of the movie in seconds since 1970, if it is known.
  ///
  /// - Returns: Whether the sample is not damaged.
  static func forEachValue(of bytes: [UInt8], created creation: Int?, _ body: (SampleValue) throws(MovieError) -> Void)
    throws(MovieError) -> Bool
  {
    let (packets, isIntact) = packets(of: bytes)
    for packet in packets {
      for value in values(of: packet, in: bytes, creation) { try body(SampleValue(value: value)) }
    }
    return isIntact
  }

  private static func values(of packet: Packet, in bytes: [UInt8], _ creation: Int?) -> [TelemetryValue] {
    func word(_ distance: Int) -> UInt32 {
      UInt32(truncatingIfNeeded: bytes[(packet.payload.lowerBound + distance)...].prefix(4).littleEndian)
    }
    func float(_ distance: Int) -> Double { TelemetryNumber.double(Float(bitPattern: word(distance))) }
    func double(_ distance: Int) -> Double {
      Double(bitPattern: UInt64(word(distance)) | UInt64(word(distance + 4)) << 32)
    }
    func measurement(_ name: String, _ unit: String?, _ numbers: [Double]) -> [TelemetryValue] {
      guard numbers.allSatisfy(\.isFinite) else { return [] }
      return [.measurement(TelemetryValue.Measurement(name: name, label: nil, unit: unit, numbers: numbers))]
    }
    func nanoseconds(_ name: String, _ distance: Int) -> [TelemetryValue] {
      measurement(name, "ns", [Double(Int32(bitPattern: word(distance)))])
    }
    let axes = { [float(0), float(4), float(8)] }
    switch packet.type {
    case 0: return measurement("angle_axis", "rad", axes())
    case 1: return nanoseconds("pixel_exposure_time", 0) + nanoseconds("rolling_shutter_skew_time", 4)
    case 2: return measurement("gyro", "rad/s", axes())
    case 3: return measurement("acceleration", "m/s²", axes())
    case 4: return measurement("local_position", nil, axes())
    case 5:
      guard var position = GeographicPosition(latitude: double(0), longitude: double(8)) else { return [] }
      position.altitude = known(double(16))
      return [.position(position)]
    case 6:
      guard var position = GeographicPosition(latitude: double(12), longitude: double(20)) else { return [] }
      position.utc = time(double(0), creation)
      position.fix = GeographicPosition.Fix(dimensions: Int(word(8)))
      (position.altitude, position.accuracy) = (known(float(28)), known(float(32)))
      let (east, north) = (float(40), float(44))
      position.speed = known((east * east + north * north).squareRoot())
      return [.position(position)]
    default: return measurement("magnetic_field", "µT", axes())
    }
  }

  private static func known(_ number: Double) -> Double? { number.isFinite ? number : nil }

  /// The time of a number of seconds since the epoch of GPS. Some cameras count from 1970 instead: then the creation
  /// time of the movie is nearer.
  private static func time(_ seconds: Double, _ creation: Int?) -> Int64? {
    guard seconds.isFinite else { return nil }
    let gps = seconds + epoch
    if let creation, (Double(creation) - seconds).magnitude < (Double(creation) - gps).magnitude {
      return UTC.time(seconds: seconds)
    }
    // GPS time has no leap seconds: 17 from July 2015, 18 from 2017.
    return UTC.time(seconds: gps - (gps < 1_483_228_818 ? 17 : 18))
  }

  /// Overwrites positions with zeros, and thus also says that there is none.
  ///
  /// - Returns: Whether the sample was understood up to its end.
  static func removeLocations(_ bytes: inout [UInt8]) -> Bool {
    let (packets, isIntact) = packets(of: bytes)
    for packet in packets where packet.type == 5 || packet.type == 6 {
      bytes.replaceSubrange(packet.payload, with: repeatElement(0, count: packet.payload.count))
    }
    return isIntact
  }
}
