import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Records

/// Compares two movies property by property: sizes, bit rates, codecs, picture sizes, GOPs and so on. Use it to compare
/// encodes of the same source.
public struct SummaryComparison: Sendable {
  /// The properties of the movies, then those of each pair of tracks.
  public private(set) var properties: [ComparedProperty] = []
  private let names: (String, String)

  /// Whether all properties are equal.
  public var isSame: Bool { properties.allSatisfy(\.isSame) }

  /// Compares two movies. Tracks are matched as in `SampleComparison`. Of the media, only what `MovieSummary` needs is
  /// read.
  public init(_ movie: Movie, _ other: Movie) throws(MovieError) {
    names = (movie.name, other.name)
    let (summary, otherSummary) = (try MovieSummary(movie), try MovieSummary(other))
    add(summary.properties, otherSummary.properties)
    let summaries = Dictionary(zip(movie.tracks.map(\.id), summary.tracks)) { first, _ in first }
    let otherSummaries = Dictionary(zip(other.tracks.map(\.id), otherSummary.tracks)) { first, _ in first }
    for (track, otherTrack) in movie.trackPairs(with: other) {
      add(
        track.flatMap { track in summaries[track.id].map { ($0, track) } },
        otherTrack.flatMap { track in otherSummaries[track.id].map { ($0, track) } })
    }
  }

  private mutating func add(
    _ values: [PropertyValue], _ others: [PropertyValue], _ tracks: (UInt32?, UInt32?) = (nil, nil),
    kind: String? = nil
  ) {
    // Repeated properties, such as artists, are compared in order.
    var rest = others
    func add(_ name: String, _ value: PropertyValue?, _ other: PropertyValue?) -> ComparedProperty? {
      if value?.text == nil, other?.text == nil { return nil }
      let amounts = value?.amount.flatMap { amount in other?.amount.map { (amount, $0) } }
      return ComparedProperty(
        name: name, track: tracks.0, otherTrack: tracks.1, kind: kind, value: value?.text, otherValue: other?.text,
        amounts: amounts)
    }
    var found: [ComparedProperty?] = []
    for value in values {
      let other = rest.firstIndex { $0.name == value.name }.map { rest.remove(at: $0) }
      found.append(add(value.name, value, other))
    }
    found += rest.map { add($0.name, nil, $0) }
    properties += found.compactMap(\.self)
  }

  private mutating func add(_ track: (TrackSummary, Track)?, _ other: (TrackSummary, Track)?) {
    let (ids, kind) = ((track?.0.id, other?.0.id), track?.0.kind ?? other?.0.kind)
    guard let track, let other else {
      let words = { (track: (TrackSummary, Track)?) in track.map { "\($0.0.codecName)" } }
      properties.append(
        ComparedProperty(
          name: "track", track: ids.0, otherTrack: ids.1, kind: kind, value: words(track), otherValue: words(other),
          amounts: nil))
      return
    }
    add(track.0.properties, other.0.properties, ids, kind: kind)
    if track.0.samples.groups == nil, other.0.samples.groups == nil { return }
    let (times, otherTimes) = KeyframeTimes.differing(track.1, other.1)
    properties.append(
      ComparedProperty(
        name: "keyframe times", track: ids.0, otherTrack: ids.1, kind: kind,
        value: KeyframeTimes.words(times, hasOthers: !otherTimes.isEmpty),
        otherValue: KeyframeTimes.words(otherTimes, hasOthers: !times.isEmpty), amounts: nil))
  }

  /// Writes a record for each property.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    try ComparedProperty.write(properties, format, to: sink)
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(ComparedProperty.schema).write(to: sink)
  }

  // MARK: Text

  /// A table of the properties that differ, and the names of the others; empty if all are equal.
  public var text: String {
    if isSame { return "" }
    var rows: [[String]] = [["", names.0.printable, names.1.printable]]
    var titles: Set<Int> = []
    var last: (UInt32?, UInt32?) = (nil, nil)
    for property in properties where !property.isSame {
      let ids = (property.track, property.otherTrack)
      if ids != last {
        titles.insert(rows.count)
        rows.append([title(of: property)])
        last = ids
      }
      let change = property.change.map { "\($0 < 0 ? "-" : "+")\(Quantity.decimal(UInt64($0.magnitude), 1)) %" }
      rows.append(
        [(ids == (nil, nil) ? "" : "  ") + property.name, property.value ?? "-", property.otherValue ?? "-"]
          + (change.map { [$0] } ?? []))
    }
    let widths = (0..<3).map { column in
      rows.indices.filter { !titles.contains($0) }.map { rows[$0][column].count }.max() ?? 0
    }
    let lines = rows.map { row in
      row.indices.map { column in
        let isLast = column == row.count - 1
        return row[column] + String(repeating: " ", count: isLast ? 0 : widths[column] - row[column].count)
      }.joined(separator: "  ")
    }
    return (lines + sameLines).map { $0 + "\n" }.joined()
  }

  private func title(of property: ComparedProperty) -> String {
    let other = property.otherTrack.map { "\($0) in \(names.1.printable)" }
    let id = property.track.map { id in
      property.otherTrack == id ? "\(id)" : "\(id) (\(other ?? "only in \(names.0.printable)"))"
    }
    return "track \(id ?? "\(property.otherTrack ?? 0) (only in \(names.1.printable))"), \(property.kind ?? "")"
  }

  /// The equal properties: a line for the movies and one for each pair of tracks.
  private var sameLines: [String] {
    var lines: [(ids: (UInt32?, UInt32?), words: [String])] = []
    for property in properties where property.isSame {
      let ids = (property.track, property.otherTrack)
      if lines.last.map({ $0.ids != ids }) ?? true { lines.append((ids, [])) }
      lines[lines.count - 1].words.append(property.name)
    }
    return lines.map { line in
      "the same\(line.ids.0.map { " in track \($0)" } ?? ""): \(line.words.joined(separator: ", "))"
    }
  }
}

/// The presentation times of keyframes that only one of two tracks has.
private enum KeyframeTimes {
  /// Smaller differences are ignored, because timescales may differ.
  private static let tolerance = MediaTime(1, 200)

  static func differing(_ track: Track, _ other: Track) -> ([MediaTime], [MediaTime]) {
    func times(_ track: Track) -> [MediaTime] {
      track.samples.lazy.filter(\.isSync).compactMap(\.presentationTime).sorted()
    }
    let (times, otherTimes) = (times(track), times(other))
    var (here, there): ([MediaTime], [MediaTime]) = ([], [])
    var (place, otherPlace) = (0, 0)
    while place < times.count, otherPlace < otherTimes.count {
      let (time, otherTime) = (times[place], otherTimes[otherPlace])
      if time + tolerance < otherTime {
        here.append(time)
        place += 1
      } else if otherTime + tolerance < time {
        there.append(otherTime)
        otherPlace += 1
      } else {
        (place, otherPlace) = (place + 1, otherPlace + 1)
      }
    }
    return (here + times[place...], there + otherTimes[otherPlace...])
  }

  /// The number of times, and the first one.
  static func words(_ times: [MediaTime], hasOthers: Bool) -> String {
    guard let first = times.first else { return hasOthers ? "no others" : "the same" }
    return times.count == 1 ? "one other, \(first.clock)" : "\(times.count) others, from \(first.clock)"
  }
}
