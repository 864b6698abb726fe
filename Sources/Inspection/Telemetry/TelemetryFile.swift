public import MP4
public import MP4Bytes
import MP4Records

/// The format of a file with telemetry.
public enum TelemetryFileFormat: String, Sendable, CaseIterable {
  /// GPS Exchange Format 1.1.
  case gpx
  /// KML 2.2.
  case kml
  /// A table of all values.
  case csv
  /// A list of all values.
  case json
}

/// The telemetry of a movie as a file: all values (CSV, JSON), or the positions of each track (GPX, KML).
public struct TelemetryFile: Sendable {
  /// Diagnostics about samples that cannot be read completely.
  public let diagnostics: [Diagnostic]
  /// The number of bytes that `write` writes.
  public let byteCount: Int
  /// The number of written positions and measurements.
  public let entryCount: Int
  fileprivate let content: Content

  fileprivate enum Content {
    case list(TelemetryListing, RecordFormat)
    case route(TelemetryRoute)
  }

  /// Reads the telemetry of a movie once, so that its problems are known before anything is written.
  ///
  /// - Throws: `MovieError` if it has none, or no positions for a format that consists of positions.
  public init(_ movie: Movie, as format: TelemetryFileFormat) throws(MovieError) {
    let telemetry = try Telemetry(movie)
    var routes = [RouteSummary](repeating: RouteSummary(), count: telemetry.trackCount)
    var (count, diagnostics) = (0, [Diagnostic]())
    for index in 0..<telemetry.trackCount {
      diagnostics += try telemetry.forEachEntry(ofTrack: index) { entry in
        count += 1
        if case .position(let position) = entry.value, position.isKnown { routes[index].add(position) }
      }
    }
    guard count > 0 else { throw .impossible(file: movie.name, Obstacle("no_telemetry", "it has no telemetry")) }
    switch format {
    case .csv: content = .list(try TelemetryListing(movie), .csv)
    case .json: content = .list(try TelemetryListing(movie), .json)
    case .gpx, .kml:
      count = routes.reduce(0) { $0 + $1.count }
      guard count > 0 else {
        throw .impossible(file: movie.name, Obstacle("no_positions", "its telemetry has no positions"))
      }
      content = .route(TelemetryRoute(telemetry, routes, isKML: format == .kml))
    }
    (entryCount, self.diagnostics) = (count, diagnostics)
    let counter = ByteCounter()
    try content.write(to: counter)
    byteCount = counter.position
  }

  /// Writes the file.
  public func write(to sink: any ByteSink) throws(MovieError) { try content.write(to: sink) }
}

extension TelemetryFile.Content {
  fileprivate func write(to sink: any ByteSink) throws(MovieError) {
    switch self {
    case .list(let listing, let format): try listing.write(format, to: sink)
    case .route(let route): try route.write(to: sink)
    }
  }
}

/// Counts bytes.
private final class ByteCounter: ByteSink {
  let name = ""
  private(set) var position = 0
  func write(_ bytes: RawSpan) { position += bytes.byteCount }
  func copy(_ range: Range<Int>, of source: any ByteSource) { position += range.count }
}

/// What is known about all positions of a track.
private struct RouteSummary {
  var count = 0
  var (haveTimes, haveAltitudes) = (true, true)

  mutating func add(_ position: GeographicPosition) {
    count += 1
    haveTimes = haveTimes && position.utc != nil
    haveAltitudes = haveAltitudes && position.altitude != nil
  }
}

/// The positions of each track as GPX or KML.
private struct TelemetryRoute {
  private let telemetry: Telemetry
  private let routes: [RouteSummary]
  private let isKML: Bool

  init(_ telemetry: Telemetry, _ routes: [RouteSummary], isKML: Bool) {
    (self.telemetry, self.routes, self.isKML) = (telemetry, routes, isKML)
  }

  func write(to sink: any ByteSink) throws(MovieError) {
    var table = TextTable(to: sink)
    table.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    table.line(isKML ? Self.kmlStart : Self.gpxStart)
    for index in routes.indices where routes[index].count > 0 {
      if isKML { try writeKML(index, to: &table) } else { try writeGPX(index, to: &table) }
    }
    table.line(isKML ? "</Document>\n</kml>" : "</gpx>")
    do throws(IOError) { try table.finish() } catch { throw .io(error) }
  }

  private func forEachPosition(_ index: Int, _ body: (GeographicPosition) -> Void) throws(MovieError) {
    try telemetry.forEachEntry(ofTrack: index) { entry in
      if case .position(let position) = entry.value, position.isKnown { body(position) }
    }
  }

  // MARK: GPX

  /// The speed is not a part of GPX 1.1; Garmin's extension has it.
  private static let gpxStart =
    "<gpx version=\"1.1\" creator=\"mp4tool\" xmlns=\"http://www.topografix.com/GPX/1/1\" "
    + "xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\">"

  private func writeGPX(_ index: Int, to table: inout TextTable) throws(MovieError) {
    table.line("<trk>\n<name>track \(telemetry.trackID(index))</name>\n<trkseg>")
    try forEachPosition(index) { position in
      // Exactly 180 degrees is the meridian of -180.
      let longitude = position.longitude == 180 ? -180 : position.longitude
      var line = "<trkpt lat=\"\(Self.decimal(position.latitude))\" lon=\"\(Self.decimal(longitude))\">"
      if let altitude = position.altitude { line += "<ele>\(Self.decimal(altitude))</ele>" }
      if let time = position.utcText { line += "<time>\(time)</time>" }
      if let fix = position.fix { line += "<fix>\(fix.rawValue)</fix>" }
      if let dilution = position.dilution { line += "<hdop>\(Self.decimal(dilution))</hdop>" }
      if let speed = position.speed {
        line += "<extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>\(Self.decimal(speed))</gpxtpx:speed>"
        line += "</gpxtpx:TrackPointExtension></extensions>"
      }
      table.line(line + "</trkpt>")
    }
    table.line("</trkseg>\n</trk>")
  }

  // MARK: KML

  private static let kmlStart =
    "<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\">\n<Document>"

  /// A track if all positions have times, otherwise a line.
  private func writeKML(_ index: Int, to table: inout TextTable) throws(MovieError) {
    let route = routes[index]
    let mode = route.haveAltitudes ? "absolute" : "clampToGround"
    func altitude(_ position: GeographicPosition, _ separator: String) -> String {
      route.haveAltitudes ? position.altitude.map { separator + Self.decimal($0) } ?? "" : ""
    }
    table.line("<Placemark>\n<name>track \(telemetry.trackID(index))</name>")
    if route.haveTimes {
      table.line("<gx:Track>\n<altitudeMode>\(mode)</altitudeMode>")
      try forEachPosition(index) { position in table.line("<when>\(position.utcText ?? "")</when>") }
      try forEachPosition(index) { position in
        let place = "\(Self.decimal(position.longitude)) \(Self.decimal(position.latitude))\(altitude(position, " "))"
        table.line("<gx:coord>\(place)</gx:coord>")
      }
      table.line("</gx:Track>")
    } else {
      table.line("<LineString>\n<altitudeMode>\(mode)</altitudeMode>\n<coordinates>")
      try forEachPosition(index) { position in
        table.line("\(Self.decimal(position.longitude)),\(Self.decimal(position.latitude))\(altitude(position, ","))")
      }
      table.line("</coordinates>\n</LineString>")
    }
    table.line("</Placemark>")
  }

  /// A number without an exponent, which XML Schema does not allow in decimals; small ones have nine decimal places.
  private static func decimal(_ number: Double) -> String {
    let text = number.shortText
    guard text.utf8.contains(UInt8(ascii: "e")) else { return text }
    guard number.magnitude < 1 else { return String(Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)) }
    return (number < 0 ? "-0." : "0.") + padded(Int((number.magnitude * 1e9).rounded()), 9)
  }
}
