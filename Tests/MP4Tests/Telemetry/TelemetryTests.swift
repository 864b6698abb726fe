import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Telemetry")
struct TelemetryTests {
  private typealias Bytes = TelemetryBytes

  private func entries(_ file: [UInt8]) throws -> (entries: [Telemetry.Entry], diagnostics: [Diagnostic]) {
    var entries: [Telemetry.Entry] = []
    let movie = try Movie(reading: [MemorySource(file, name: "in.mp4")])
    let diagnostics = try Telemetry(movie).forEachEntry { entries.append($0) }
    return (entries, diagnostics)
  }
  private func values(_ file: [UInt8]) throws -> [TelemetryValue] {
    let found = try entries(file)
    #expect(found.diagnostics == [])
    return found.entries.map(\.value)
  }
  private func position(
    _ latitude: Double, _ longitude: Double, altitude: Double? = nil, speed: Double? = nil, utc: String? = nil,
    fix: GeographicPosition.Fix? = nil, dilution: Double? = nil, accuracy: Double? = nil
  ) throws -> TelemetryValue {
    var position = try #require(GeographicPosition(latitude: latitude, longitude: longitude))
    (position.altitude, position.speed, position.fix) = (altitude, speed, fix)
    (position.dilution, position.accuracy) = (dilution, accuracy)
    if let utc {
      let digits = utc.split { !$0.isNumber }.map { Int($0) ?? 0 }
      position.utc = UTC.time(
        year: digits[0], month: digits[1], day: digits[2], hour: digits[3], minute: digits[4], second: digits[5],
        microsecond: digits[6] * 1000)
      #expect(position.utcText == utc)
    }
    return .position(position)
  }
  private func measurement(_ name: String, _ numbers: [Double], _ unit: String? = nil, _ label: String? = nil)
    -> TelemetryValue
  {
    .measurement(TelemetryValue.Measurement(name: name, label: label, unit: unit, numbers: numbers))
  }

  // MARK: Formats

  @Test("GPMF: values are scaled, and spread over the duration of their sample")
  func goPro() throws {
    let file = Bytes.movie(Bytes.entry("gpmd"), [Bytes.goPro(second: 1), Bytes.goPro(second: 2)])
    let found = try entries(file)
    #expect(found.diagnostics == [] && found.entries.count == 12)
    #expect(found.entries.allSatisfy { $0.track == 1 && $0.format == .gpmf })
    let label = "Accelerometer"
    #expect(
      found.entries.prefix(6).map(\.value) == [
        measurement("TMPC", [47.5], "°C"), measurement("ACCL", [10, -1, 0], "m/s²", label),
        measurement("ACCL", [5, 1, 1 / 418], "m/s²", label), measurement("ACCL", [1, 0, -1 / 418], "m/s²", label),
        try position(
          50.1, -8.6, altitude: 112.5, speed: 3.25, utc: "2024-02-29T12:30:01.250Z", fix: .threeDimensional,
          dilution: 2.15),
        try position(
          50.100001, -8.600002, altitude: 112.6, speed: 3, utc: "2024-02-29T12:30:01.500Z", fix: .threeDimensional,
          dilution: 2.15),
      ])
    let times = found.entries.map(\.time)
    #expect(
      times.prefix(6) == [
        MediaTime(0, 1), MediaTime(0, 1), MediaTime(500, 3000), MediaTime(1000, 3000), MediaTime(0, 1),
        MediaTime(250, 1000),
      ])
    #expect(times[6] == MediaTime(500, 1000) && times[11] == MediaTime(750, 1000))
  }

  @Test("GPMF: GPS9 has its own time, and replaces GPS5")
  func goProDetailed() throws {
    #expect(
      try values(Bytes.movie(Bytes.entry("gpmd"), [Bytes.goProDetailed])) == [
        try position(
          -33.7, 151.2, altitude: -2.5, speed: 1.2, utc: "2024-02-29T12:30:05.250Z", fix: .twoDimensional,
          dilution: 1.8)
      ])
  }

  @Test("GPMF: all types of numbers, structures, and what is not a number")
  func goProTypes() throws {
    func stream(_ elements: [UInt8]...) -> [UInt8] { Bytes.gpmf("STRM", elements.flatMap { $0 }) }
    let types: [(String, Int, [UInt8], [Double])] = [
      ("b", 1, [0xff], [-1]), ("B", 1, [0xff], [255]), ("s", 2, big(Int16(-2)), [-2]),
      ("S", 2, big(UInt16(65_535)), [65_535]),
      ("l", 8, big(Int32(-3)) + big(Int32(4)), [-3, 4]), ("L", 4, big(UInt32.max), [4_294_967_295]),
      ("j", 8, big(Int64(-5)), [-5]), ("J", 8, big(UInt64(6)), [6]), ("f", 4, big(Float(0.1).bitPattern), [0.1]),
      ("d", 8, big(0.25.bitPattern), [0.25]), ("q", 4, big(Int32(-98_304)), [-1.5]), ("Q", 8, big(Int64(6 << 31)), [3]),
    ]
    let streams = types.flatMap { stream(Bytes.gpmf("DATA", $0.0, size: $0.1, $0.2)) }
    let structure = stream(
      Bytes.gpmf("TYPE", text: "Bs[2]"), Bytes.gpmf("SCAL", "s", size: 2, [1, 10, 0].flatMap { big(Int16($0)) }),
      Bytes.gpmf("CPLX", "?", size: 5, [7], big(Int16(25)), big(Int16(-4))))
    // Letters, numbers that are not finite, streams without values, values without a size, and unused bytes.
    let others =
      stream(Bytes.gpmf("FACE", "F", size: 4, ascii("none"))) + stream(Bytes.gpmf("TEXT", text: "words"))
      + stream(Bytes.gpmf("NANF", "f", size: 4, big(Float.nan.bitPattern)))
      + stream(Bytes.gpmf("TSMP", "L", size: 4, big(UInt32(1)))) + stream(Bytes.gpmf("ZERO", "L", size: 0))
      + stream(Bytes.gpmf("FREE", "L", size: 4, zeros(4))) + stream()
      + stream(Bytes.gpmf("TYPE", text: "s[x]"), Bytes.gpmf("CPLX", "?", size: 2, [1, 2])) + zeros(12)
    #expect(
      try values(Bytes.movie(Bytes.entry("gpmd"), [Bytes.gpmf("DEVC", streams, structure, others)]))
        == types.map { measurement("DATA", $0.3) } + [measurement("CPLX", [7, 2.5, -4])])
    // Positions that do not exist.
    let nowhere = stream(Bytes.gpmf("GPS5", "l", size: 20, [91, 0, 0, 0, 0].flatMap { big(Int32($0)) }))
    #expect(try values(Bytes.movie(Bytes.entry("gpmd"), [Bytes.gpmf("DEVC", nowhere)])) == [])
  }

  @Test("Camera Motion Metadata: all types, alone and together")
  func cameraMotion() throws {
    let axes = [0.5, -1, 0.1].flatMap { Bytes.little(Float($0)) }
    let vectors: [(UInt8, String, String?)] = [
      (0, "angle_axis", "rad"), (2, "gyro", "rad/s"), (3, "acceleration", "m/s²"), (4, "local_position", nil),
      (7, "magnetic_field", "µT"),
    ]
    let exposure = Bytes.camm(1, big(Int32(20_000_000)).reversed(), big(Int32(-1)).reversed())
    // 2024-02-29 12:30:05.25, without leap seconds: 18 more seconds.
    let gps = 1_709_209_805.25 - 315_964_800 + 18
    let samples =
      vectors.map { Bytes.camm($0.0, axes) } + [
        exposure, Bytes.camm(5, Bytes.little(-33.5), Bytes.little(151.25), Bytes.little(12.5)),
        Bytes.cammPosition(time: gps, latitude: 50.1, longitude: -8.6) + Bytes.camm(2, axes),
        // Some cameras count from 1970, which is nearer to the creation time of the movie.
        Bytes.cammPosition(time: 1_709_209_805.25, latitude: 1, longitude: 2),
        Bytes.camm(5, Bytes.little(Double.nan), Bytes.little(0.0), Bytes.little(0.0)),
      ]
    let utc = "2024-02-29T12:30:05.250Z"
    let vector = { (name: String, unit: String?) in measurement(name, [0.5, -1, 0.1], unit) }
    #expect(
      try values(Bytes.movie(Bytes.entry("camm"), samples)) == vectors.map { vector($0.1, $0.2) } + [
        measurement("pixel_exposure_time", [20_000_000], "ns"), measurement("rolling_shutter_skew_time", [-1], "ns"),
        try position(-33.5, 151.25, altitude: 12.5),
        try position(50.1, -8.6, altitude: 112.5, speed: 5, utc: utc, fix: .threeDimensional, accuracy: 2.5),
        vector("gyro", "rad/s"),
        try position(1, 2, altitude: 112.5, speed: 5, utc: utc, fix: .threeDimensional, accuracy: 2.5),
      ])
  }

  @Test("Acquisition metadata of Sony's cameras")
  func sony() throws {
    let found = try values(Bytes.movie(Bytes.entry("rtmd"), [Bytes.sony]))
    #expect(
      found.first
        == (try position(-33.875, 151.21, utc: "2024-02-29T12:30:05.250Z", fix: .threeDimensional)))
    guard case .measurement(let iris)? = found.dropFirst().first else { return #expect(Bool(false), "\(found)") }
    // 2 to the power of 8 - 53368 / 8192, computed with bc.
    #expect(iris.name == "iris_f_number" && (iris.numbers[0] - 2.799_853_9).magnitude < 1e-6, "\(iris.numbers)")
    #expect(
      found.dropFirst(2) == [
        measurement("exposure_time", [0.02], "s"), measurement("camera_master_gain", [6], "dB"),
        measurement("iso_sensitivity", [640]), measurement("accelerometer", [100, -200, 300]),
      ])
  }

  @Test("QuickTime timed metadata: numbers, and locations as text")
  func timedMetadata() throws {
    func item(_ key: UInt32, _ value: [UInt8]) -> [UInt8] { big(UInt32(8 + value.count)) + big(key) + value }
    let places = ["+50.1000-008.6000+112.5/", "-3352.5+15112.75/", "-335230+1511236CRSWGS_84/", "no place"]
    let samples =
      places.map { item(1, ascii($0)) } + [item(2, big(Int16(-7))) + item(9, [1]), item(2, [1, 2, 3]), []]
    #expect(
      try values(Bytes.movie(Bytes.metadataEntry, samples)) == [
        try position(50.1, -8.6, altitude: 112.5), try position(-33.875, 151.2125), try position(-33.875, 151.21),
        measurement("com.example.tilt", [-7]),
      ])
  }

  @Test("Text of drones, and text that is not telemetry")
  func text() throws {
    let texts = [
      Bytes.flight, Bytes.bracketedFlight, "GPS (3 letters), latitude 5, longitude 6",
      "HOME(8.5,53.0) GPS(8.5,53.25,7)\nISO:100",
      "[latitude: 0.000000] [longitude: 0.000000]", "",
    ]
    let found = try values(Bytes.movie(Bytes.textEntry, handler: "sbtl", texts.map(Bytes.text)))
    #expect(
      found == [
        try position(53.1665, 8.6499, altitude: 6, speed: 2.1), measurement("F", [3.5]), measurement("SS", [1000]),
        measurement("ISO", [100]), measurement("EV", [-0.5]), measurement("D", [24.26], "m"),
        measurement("H", [6], "m"), measurement("H.S", [2.1], "m/s"), measurement("V.S", [-0.5], "m/s"),
        try position(-33.875, 151.21, altitude: 99.5), measurement("FrameCnt", [1]),
        measurement("DiffTime", [33], "ms"), measurement("iso", [100]), measurement("shutter", [0.002]),
        measurement("rel_alt", [1.3]), try position(53.25, 8.5), measurement("ISO", [100]),
      ])
  }

  @Test("Edit lists are applied to the values of a sample")
  func edits() throws {
    // Nothing for 0.25 s, then the media from 0.25 s on, for 0.5 s.
    let edits = box(
      "edts",
      fullBox(
        "elst", big(UInt32(2)),
        [(250, -1), (500, 250)].flatMap { duration, media in
          big(UInt32(duration)) + big(Int32(media)) + big(UInt32(0x1_0000))
        }))
    let samples = [Bytes.goPro(second: 1), Bytes.goPro(second: 2)]
    let found = try entries(Bytes.movie(Bytes.entry("gpmd"), samples, edits: edits)).entries
    // The temperature is that of the whole sample.
    let expected: [MediaTime?] = [
      MediaTime(1, 4), nil, nil, MediaTime(1000, 3000), nil, MediaTime(1, 4),
      MediaTime(1, 2), MediaTime(1, 2), MediaTime(2000, 3000), nil, MediaTime(1, 2), nil,
    ]
    #expect(found.map(\.time) == expected, "\(found.map(\.time))")
  }

  // MARK: Damage

  private static let samples: [(entry: [UInt8], sample: [UInt8])] = [
    (Bytes.entry("gpmd"), Bytes.goPro(second: 1)), (Bytes.entry("gpmd"), Bytes.goProDetailed),
    (Bytes.entry("camm"), Bytes.cammPosition(time: 1, latitude: 2, longitude: 3)), (Bytes.entry("rtmd"), Bytes.sony),
    (Bytes.metadataEntry, big(UInt32(14)) + big(UInt32(1)) + ascii("+01+02")),
    (Bytes.textEntry, Bytes.text(Bytes.flight)), (Bytes.textEntry, Bytes.text(Bytes.bracketedFlight)),
  ]

  @Test("Damaged samples are reported, and others are read", arguments: samples.indices)
  func damage(index: Int) throws {
    let (entry, sample) = Self.samples[index]
    var random = SplitMix64(seed: UInt64(index))
    var samples = (0..<sample.count).map { Array(sample[..<$0]) }
    for _ in 0..<200 {
      var damaged = sample
      for _ in 0...Int.random(in: 0...3, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      samples.append(damaged)
    }
    let whole = try entries(Bytes.movie(entry, [sample])).entries.map(\.value)
    let found = try entries(Bytes.movie(entry, samples + [sample]))
    #expect(found.entries.suffix(whole.count).map(\.value) == whole && !whole.isEmpty)
    #expect(found.diagnostics.isEmpty == (entry == Bytes.textEntry), "\(found.diagnostics)")
    #expect(found.diagnostics.allSatisfy { $0.severity == .error })
    // Without its locations, a sample that was understood has none.
    for sample in samples {
      let file = Bytes.movie(entry, [sample])
      let plan = try MovieEditor(MemorySource(file)).stripping(.location).plan()
      let sink = MemorySink()
      try plan.write(to: sink)
      #expect(sink.bytes.count == file.count)
      if plan.severity ?? .note < .warning {
        #expect(try entries(sink.bytes).entries.allSatisfy { !Self.isPosition($0.value) })
      }
    }
  }
  private static func isPosition(_ value: TelemetryValue) -> Bool {
    if case .position(let position) = value { position.isKnown } else { false }
  }

  @Test("Elements are read to a limited depth, and large samples not at all")
  func limits() throws {
    var nested = Bytes.goPro(second: 1)
    for _ in 0..<10 { nested = Bytes.gpmf("DEVC", nested) }
    let found = try entries(Bytes.movie(Bytes.entry("gpmd"), [nested, zeros(1 << 20 + 1), Bytes.goPro(second: 1)]))
    #expect(found.entries.count == 6)
    #expect(
      found.diagnostics.map(\.text) == [
        "track 1: 1 sample is larger than 1 MiB; skipped", "track 1: 1 sample is damaged; the rest of each is skipped",
      ])
  }

  @Test("Names and units that are repeated for each value are short")
  func names() throws {
    let long = [UInt8](repeating: 0x61, count: 65_500)
    let stream = Bytes.gpmf(
      "STRM", Bytes.gpmf("STNM", "c", size: 1, long), Bytes.gpmf("UNIT", "c", size: 1, long + [0x62]),
      Bytes.gpmf("DATA", "b", size: 1, zeros(60_000)))
    let found = try values(Bytes.movie(Bytes.entry("gpmd"), [Bytes.gpmf("DEVC", "\0", size: 4, stream)]))
    let label = String(repeating: "a", count: 128)
    #expect(found.count == 60_000 && found.last == measurement("DATA", [0], "a", label))
  }

  // MARK: Removing locations

  @Test("Locations in samples are overwritten, and everything else stays", arguments: samples.indices)
  func stripped(index: Int) throws {
    let (entry, sample) = Self.samples[index]
    let isText = entry == Bytes.textEntry
    let isOnce = isText || index == 3
    let file = Bytes.movie(entry, [sample, [], isOnce ? sample : sample + sample])
    let plan = try MovieEditor(MemorySource(file, name: "in.mp4")).stripping(.location).plan()
    #expect(plan.diagnostics == [])
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes.count == file.count)
    let (before, after) = (try entries(file).entries.map(\.value), try entries(sink.bytes).entries.map(\.value))
    #expect(before.contains(where: Self.isPosition) && !after.contains(where: Self.isPosition))
    let isOther = { (value: TelemetryValue) in if case .measurement = value { true } else { false } }
    // Text without a position is not telemetry.
    #expect(isText || before.filter(isOther) == after.filter(isOther))
    // Again, there is nothing to remove.
    let again = try MovieEditor(MemorySource(sink.bytes)).stripping(.location).plan()
    #expect(again.diagnostics.map(\.text) == ["no location was found"])

    // In place: until the last write, the samples can be read, and then none has a location.
    let change = try MovieEditor(MemorySource(file)).stripping(.location).planInPlace()
    let recorder = InPlaceRecorder()
    try change.write(to: recorder)
    #expect(recorder.finished(file) == sink.bytes)
    #expect(recorder.events.count(where: \.isCommit) == 1)
    for state in recorder.interruptions(of: file) {
      #expect(state.bytes.count == file.count)
      #expect(try entries(state.bytes).diagnostics == [])
      if state.isFinished { #expect(state.bytes == sink.bytes) }
    }
  }

  @Test("Locations in samples and in user data are removed in place together")
  func strippedWithTag() throws {
    let tag: [UInt8] =
      big(UInt32(20)) + [0xa9] + ascii("xyz") + big(UInt16(8)) + big(UInt16(0x15c7)) + ascii("+01+002/")
    let file = Bytes.movie(Bytes.entry("gpmd"), [Bytes.goPro(second: 1)], metadata: box("udta", tag))
    let change = try MovieEditor(MemorySource(file)).stripping(.location).planInPlace()
    let recorder = InPlaceRecorder()
    try change.write(to: recorder)
    let finished = recorder.finished(file)
    #expect(!(try entries(finished).entries.map(\.value).contains(where: Self.isPosition)))
    #expect(!finished.indices.contains { finished[$0...].starts(with: ascii("+01+002/")) })
    let fills = recorder.events.prefix { if case .overwrite = $0 { true } else { false } }
    #expect(!fills.isEmpty && recorder.events[fills.count] == .synchronize)
  }

  @Test("What may still contain a location is a warning")
  func kept() throws {
    let file = Bytes.movie(Bytes.entry("djmd"), [[1, 2, 3]])
    let plan = try MovieEditor(MemorySource(file)).stripping(.location).plan()
    #expect(plan.diagnostics.map(\.text) == ["the samples of track 1 (djmd) may include locations; not removed"])
    let damaged = Bytes.movie(Bytes.entry("camm"), [[0, 0, 99, 0]])
    let other = try MovieEditor(MemorySource(damaged)).stripping(.location).plan()
    let text = "the samples of track 1 may include locations; not removed, because 1 sample is damaged or too large"
    #expect(other.diagnostics.map(\.text) == [text])
  }
}
