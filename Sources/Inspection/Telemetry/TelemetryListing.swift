public import MP4
public import MP4Bytes
public import MP4Records

/// The positions and measurements in the telemetry tracks of a movie, as a list.
public struct TelemetryListing: Sendable {
  private let telemetry: Telemetry

  /// Lists the telemetry of a movie. Samples are only read when the list is written, one at a time.
  public init(_ movie: Movie) throws(MovieError) { telemetry = try Telemetry(movie) }

  /// Writes the values of each track.
  ///
  /// - Returns: Diagnostics about samples that cannot be read completely.
  @discardableResult
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(MovieError) -> [Diagnostic] {
    var output = RecordOutput<Telemetry.Entry>(format, to: sink)
    let diagnostics = try telemetry.forEachEntry { (entry) throws(MovieError) in
      do throws(IOError) { try output.write(entry) } catch { throw .io(error) }
    }
    do throws(IOError) { try output.finish() } catch { throw .io(error) }
    return diagnostics
  }

  /// Writes a line for each value.
  ///
  /// - Returns: Diagnostics about samples that cannot be read completely.
  @discardableResult
  public func writeText(to sink: any ByteSink) throws(MovieError) -> [Diagnostic] {
    var table = TextTable(to: sink)
    var isEmpty = true
    let diagnostics = try telemetry.forEachEntry { entry in
      isEmpty = false
      table.line(EventListing.printable("\(entry.time?.clock ?? "unknown")  \(entry.words) [track \(entry.track)]"))
    }
    if isEmpty { table.line("no telemetry") }
    do throws(IOError) { try table.finish() } catch { throw .io(error) }
    return diagnostics
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(Telemetry.Entry.schema).write(to: sink)
  }
}

extension Telemetry.Entry {
  fileprivate var position: GeographicPosition? { if case .position(let position) = value { position } else { nil } }
  fileprivate var measurement: TelemetryValue.Measurement? {
    if case .measurement(let measurement) = value { measurement } else { nil }
  }

  fileprivate var words: String {
    switch value {
    case .measurement(let value):
      let numbers = value.numbers.map(\.shortText).joined(separator: " ")
      return value.name + "  " + numbers + (value.unit.map { " \($0)" } ?? "") + (value.label.map { " (\($0))" } ?? "")
    case .position(let value):
      let words = [
        "latitude \(value.latitude.shortText)", "longitude \(value.longitude.shortText)",
        value.altitude.map { "altitude \($0.shortText) m" },
        value.speed.map { "speed \($0.shortText) m/s" }, value.utcText, value.fix.map { "fix \($0.rawValue)" },
        value.dilution.map { "DOP \($0.shortText)" }, value.accuracy.map { "accuracy \($0.shortText) m" },
      ]
      return "position  " + words.compactMap(\.self).joined(separator: ", ")
    }
  }
}

extension Telemetry.Entry: Record {
  package static let summary = "A position or measurement at a time of the presentation."
  package static let members: [RecordMember<Telemetry.Entry>] = [
    RecordMember("track", "the ID of its track") { Int($0.track) },
    RecordMember("format", "the format of its track: `gpmd`, `camm`, `rtmd`, `mebx` or `text`") { $0.format.rawValue },
    RecordMember("presentation_seconds", "its presentation time in seconds; missing if an edit list hides it") {
      $0.time
    },
    RecordMember("name", "`position`, or the name of the series in its format, such as `ACCL`") {
      $0.measurement?.name ?? "position"
    },
    RecordMember("label", "the name of the series that the file declares; missing if it declares none") {
      $0.measurement?.label
    },
    RecordMember("latitude", "degrees, positive in the north; only of positions") { $0.position?.latitude },
    RecordMember("longitude", "degrees, positive in the east; only of positions") { $0.position?.longitude },
    RecordMember("altitude_meters", "the altitude of a position; missing if unknown") { $0.position?.altitude },
    RecordMember("speed_meters_per_second", "the speed over ground; missing if unknown") { $0.position?.speed },
    RecordMember("utc", "the time of a position in ISO 8601; missing if unknown") { $0.position?.utcText },
    RecordMember("fix", "`none`, `2d` or `3d`; missing if unknown") { $0.position?.fix?.rawValue },
    RecordMember("dilution_of_precision", "the DOP of a position; missing if unknown") { $0.position?.dilution },
    RecordMember("accuracy_meters", "the horizontal accuracy of a position; missing if unknown") {
      $0.position?.accuracy
    },
    RecordMember("unit", "the unit of `values`, or the units separated by commas; missing if unknown") {
      $0.measurement?.unit
    },
    RecordMember("values", "the numbers of a measurement; in CSV, separated by spaces") {
      $0.measurement.map { NumberList(numbers: $0.numbers) }
    },
  ]
}

/// Numbers with one column in CSV.
private struct NumberList: RecordValue {
  let numbers: [Double]

  static var schema: RecordSchema { [Double].schema }
  func write(to json: inout JSONWriter) { numbers.write(to: &json) }
  func writeCell(to text: inout TextBuffer) {
    for (index, number) in numbers.enumerated() {
      if index > 0 { text.byte(0x20) }
      number.writeCell(to: &text)
    }
  }
}
