/// Samples and tracks of telemetry, built after the specifications of their formats.
public enum TelemetryBytes {
  // MARK: GPMF

  /// An element of GPMF with values of one type, and padding.
  public static func gpmf(_ key: String, _ type: String, size: Int, _ values: [UInt8]...) -> [UInt8] {
    let bytes = values.flatMap { $0 }
    let count = size == 0 ? 0 : bytes.count / size
    let header = ascii(key) + [type.utf8.first ?? 0, UInt8(size)] + big(UInt16(count))
    return header + bytes + zeros((4 - bytes.count % 4) % 4)
  }

  /// An element with other elements.
  public static func gpmf(_ key: String, _ elements: [UInt8]...) -> [UInt8] {
    gpmf(key, "\0", size: 4, elements.flatMap { $0 })
  }

  /// An element with text.
  public static func gpmf(_ key: String, text: String) -> [UInt8] {
    // Latin-1.
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return gpmf(key, "c", size: bytes.count, bytes)
  }

  /// Two positions at 50.1 N, 8.6 W and a second later, three accelerations, and a temperature.
  public static func goPro(second: Int) -> [UInt8] {
    let scale = gpmf("SCAL", "l", size: 4, [10_000_000, 10_000_000, 1000, 1000, 100].flatMap { big(Int32($0)) })
    let places: [[Int32]] = [
      [501_000_000, -86_000_000, 112_500, 3250, 330], [501_000_010, -86_000_020, 112_600, 3000, 310],
    ]
    let positions = gpmf(
      "STRM", gpmf("STNM", text: "GPS (Lat., Long., Alt., 2D speed, 3D speed)"),
      gpmf("GPSF", "L", size: 4, big(UInt32(3))),
      gpmf("GPSU", "U", size: 16, ascii("24022912300\(second).250")), gpmf("GPSP", "S", size: 2, big(UInt16(215))),
      gpmf("UNIT", "c", size: 3, ascii("degdegm\0\0m/sm/s")), scale,
      gpmf("GPS5", "l", size: 20, places.flatMap { $0.flatMap { big($0) } }))
    let axes: [Int16] = [4180, -418, 0, 2090, 418, 1, 418, 0, -1]
    let accelerations = gpmf(
      "STRM", gpmf("STNM", text: "Accelerometer"), gpmf("TMPC", "f", size: 4, big(Float(47.5).bitPattern)),
      gpmf("SIUN", text: "m/s\u{b2}"), gpmf("SCAL", "s", size: 2, big(Int16(418))),
      gpmf("ACCL", "s", size: 6, axes.flatMap { big($0) }))
    return gpmf(
      "DEVC", gpmf("DVID", "L", size: 4, big(UInt32(1))), gpmf("DVNM", text: "Camera"), accelerations, positions)
  }

  /// A position in the form of later cameras, beside the same one in the earlier form: 2024-02-29 12:30:05.25.
  public static var goProDetailed: [UInt8] {
    let days = 8825
    let place: [UInt8] =
      [Int32(-337_000_000), 1_512_000_000, -2500, 1200, 130, Int32(days), 45_005_250].flatMap { big($0) }
      + big(UInt16(180)) + big(UInt16(2))
    let scale = [10_000_000, 10_000_000, 1000, 1000, 100, 1, 1000, 100, 1].flatMap { big(Int32($0)) }
    let old = gpmf("STRM", gpmf("GPS5", "l", size: 20, [1, 2, 3, 4, 5].flatMap { big(Int32($0)) }))
    let new = gpmf(
      "STRM", gpmf("TYPE", text: "lllllllSS"), gpmf("SCAL", "l", size: 4, scale), gpmf("GPS9", "?", size: 32, place))
    return gpmf("DEVC", old, new)
  }

  // MARK: Camera Motion Metadata

  /// A packet of a type; numbers are little-endian.
  public static func camm(_ type: UInt8, _ payload: [UInt8]...) -> [UInt8] { [0, 0, type, 0] + payload.flatMap { $0 } }
  /// A little-endian number.
  public static func little(_ number: Float) -> [UInt8] { big(number.bitPattern).reversed() }
  /// A little-endian number.
  public static func little(_ number: Double) -> [UInt8] { big(number.bitPattern).reversed() }

  /// A position with 3D fix, 112.5 m high, moving 3 m/s east and 4 m/s north. `time` is in seconds.
  public static func cammPosition(time: Double, latitude: Double, longitude: Double) -> [UInt8] {
    camm(
      6, little(time), [3, 0, 0, 0], little(latitude), little(longitude),
      [112.5, 2.5, 4.5, 3, 4, -0.5, 0.25].flatMap { little(Float($0)) })
  }

  // MARK: Sony

  /// An item of acquisition metadata.
  public static func rtmd(_ tag: UInt16, _ payload: [UInt8]...) -> [UInt8] {
    let payload = payload.flatMap { $0 }
    return big(tag) + big(UInt16(payload.count)) + payload
  }
  /// Numbers with denominators.
  public static func rationals(_ numbers: (UInt32, UInt32)...) -> [UInt8] {
    numbers.flatMap { big($0.0) + big($0.1) }
  }

  /// A position at 33° 52′ 30″ S, 151° 12′ 36″ E, f/2.8, 1/50 s, ISO 640, and axes.
  public static var sony: [UInt8] {
    let label: [UInt8] = [6, 14, 0x2b, 0x34, 2, 0x53, 1, 1, 12, 2, 1, 1, 1, 1, 0, 0]
    let lens = rtmd(0x8000, big(UInt16(53_368)))
    let camera =
      rtmd(0x8109, rationals((1, 50))) + rtmd(0x810a, big(UInt16(600))) + rtmd(0x810b, big(UInt16(640)))
      + rtmd(0xe44b, big(UInt32(3)), big(UInt32(2)), [100, -200, 300].flatMap { big(Int16($0)) })
      + rtmd(0x8500, [2, 2, 0, 0]) + rtmd(0x8501, ascii("S\0"))
      + rtmd(0x8502, rationals((33, 1), (52, 1), (30_000, 1000))) + rtmd(0x8503, ascii("E\0"))
      + rtmd(0x8504, rationals((151, 1), (12, 1), (36_000, 1000)))
      + rtmd(0x8507, rationals((12, 1), (30, 1), (5250, 1000))) + rtmd(0x8509, ascii("A\0"))
      + rtmd(0x850a, ascii("3\0")) + rtmd(0x8512, ascii("WGS-84\0")) + rtmd(0x851d, ascii("2024:02:29\0"))
    return big(UInt16(28)) + zeros(26) + label + rtmd(0x8300, lens) + label + rtmd(0x8300, camera)
  }

  // MARK: DJI

  /// The text of early drones.
  public static let flight =
    "F/3.5, SS 1000, ISO 100, EV -0.5, GPS (8.6499, 53.1665, 18), D 24.26m, H 6.00m, H.S 2.10m/s, V.S -0.50m/s \n"
  /// The text of later drones.
  public static let bracketedFlight =
    "<font size=\"36\">FrameCnt : 1, DiffTime : 33ms\n2019-08-07 21:42:57,173,312\n[iso : 100] [shutter : 1/500.0] "
    + "[color_md : default] [latitude: -33.875] [longtitude: 151.21] [rel_alt: 1.300 abs_alt: 99.5] </font>"
  /// A sample of text.
  public static func text(_ text: String) -> [UInt8] { big(UInt16(text.utf8.count)) + ascii(text) }

  // MARK: Files

  /// A sample entry without fields of its own.
  public static func entry(_ type: String, _ boxes: [UInt8]...) -> [UInt8] {
    box(type, zeros(6), big(UInt16(1)), boxes.flatMap { $0 })
  }
  /// The sample entry of 3GPP timed text.
  public static let textEntry = entry("tx3g", zeros(30), box("ftab", zeros(2)))
  /// The sample entry of QuickTime metadata with a location and a number.
  public static let metadataEntry: [UInt8] = {
    func key(_ number: UInt8, _ name: String, _ type: UInt32) -> [UInt8] {
      box(
        "\0\0\0" + String(Unicode.Scalar(number)), box("keyd", ascii("mdta" + name)), box("dtyp", zeros(4), big(type)))
    }
    let location = key(1, "com.apple.quicktime.location.ISO6709", 1)
    return entry("mebx", box("keys", location, key(2, "com.example.tilt", 66)))
  }()

  /// A movie with only such a track: samples of half a second.
  public static func movie(
    _ entry: [UInt8], handler: String = "meta", _ samples: [[UInt8]], edits: [UInt8] = [], metadata: [UInt8] = []
  ) -> [UInt8] {
    var track = ProgressiveTrack()
    (track.id, track.handler, track.entry, track.samples) = (1, handler, entry, samples)
    let header = fullBox(
      "mvhd", big(UInt32(3_791_968_200)), zeros(4), big(UInt32(1000)), big(UInt32(samples.count * 500)),
      big(UInt32(0x1_0000)), big(UInt16(0x100)), zeros(10), unityMatrix, zeros(24), big(UInt32(2)))
    let start = box("ftyp", ascii("isom"), zeros(4), ascii("isom"))
    let size = start.count + box("moov", header, edits, metadata).count
    // A chunk offset counts the box around the track.
    let trak = box("trak", track.boxes(addedToBytes: size), edits)
    return start + box("moov", header, metadata, trak) + box("mdat", samples.flatMap(\.self))
  }
}
