public import MP4
public import MP4Bytes
package import MP4Records

/// A report on two movies side by side, with their tracks on one timeline, as one self-contained page.
public struct ComparisonReport: Sendable {
  /// The properties of both.
  public let comparison: SummaryComparison
  /// The movies: A and B. Their tracks are on the same time axis.
  let sides: [FileReport]
  /// The tracks of both, pairs of matching tracks together.
  let tracks: [TrackReport]

  /// Reads, checks and examines two movies, each from its inputs. `onProgress` is called with the number of bytes read
  /// and checked, and returns whether to continue.
  ///
  /// - Throws: `MovieError` as `FileReport`.
  public init(
    reading sources: [any ByteSource], and others: [any ByteSource], _ check: Check = Check(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    let (movie, result) = try check.movie(reading: sources, onProgress: onProgress)
    let done = sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let (other, otherResult) = try check.movie(reading: others) { onProgress(done + $0) }
    comparison = try SummaryComparison(movie, other)
    let (times, otherTimes) = (FileReport.times(of: movie), FileReport.times(of: other))
    let trackCount = movie.tracks.count + other.tracks.count
    let axis = TimeAxis(
      min(times.start, otherTimes.start), max(times.end, otherTimes.end), limit: FileReport.binLimit(trackCount))
    let (first, second) = (
      try FileReport(
        movie, result, captions: check.captions, as: .init(letter: "A", trackCount: trackCount, axis: axis, offset: 0)),
      try FileReport(
        other, otherResult, captions: check.captions,
        as: .init(letter: "B", trackCount: trackCount, axis: axis, offset: done))
    )
    sides = [first, second]
    tracks = movie.trackPairs(with: other).flatMap { track, other in
      [(track, first), (other, second)].compactMap { track, side in
        side.tracks.first { $0.summary.id == track?.id }
      }
    }
  }

  /// The findings of both, the most severe first.
  public var findings: [ReportFinding] {
    let all = sides.flatMap(\.findings)
    return all.enumerated().sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map(\.element)
  }

  /// The repairs and losses of both.
  package var diagnostics: [Diagnostic] { sides.flatMap(\.summary.diagnostics) }

  /// Whether each meets the specification; empty without one.
  public var specified: [Specification.Result] { sides.compactMap(\.specified) }

  /// Writes the page: HTML with inline style and script.
  public func write(to sink: any ByteSink) throws(IOError) { try sink.write(Array(page.utf8)) }

  private var page: String {
    // The charts are those of a report on one file with the tracks of both.
    let charts = ReportPage(
      FileReport(
        summary: sides[0].summary, findings: findings, scope: nil, events: [], eventCount: 0, axis: sides[0].axis,
        map: sides[0].map, tracks: tracks, specified: nil, limits: []))
    var names = sides.map { side in side.summary.name.split(separator: "/").last.map(String.init) ?? "" }
    if names[0] == names[1] { names = ["A", "B"] }
    return ReportPage.page(
      names.joined(separator: " and "), findings.map(\.severity), nil,
      [
        differences, specification(0), specification(1), charts.timeline, charts.rates, charts.frames,
        charts.composition,
        ReportPage.findings(findings, besides: nil),
      ].compactMap(\.self), self)
  }

  /// Whether a movie meets the specification; `nil` without one.
  private func specification(_ side: Int) -> ReportPage.Section? {
    let section = ReportPage(sides[side]).specification
    return section.map { section in
      let letter = ["A", "B"][side]
      return ReportPage.Section(id: "\(section.id)-\(letter)", title: "\(section.title): \(letter)", body: section.body)
    }
  }

  /// The properties of both, with those that differ first.
  private var differences: ReportPage.Section {
    let files = zip(["A", "B"], sides).map { "\($0): \($1.summary.name)" }
    func rows(_ properties: [ComparedProperty]) -> [[String]] {
      properties.map { property in
        let ids = [property.track, property.otherTrack].map { $0.map(String.init) ?? "–" }
        let track = property.kind.map { "\($0) \(ids[0] == ids[1] ? ids[0] : "\(ids[0]) / \(ids[1])")" }
        return [
          property.name, track ?? "–", property.value ?? "–", property.otherValue ?? "–",
          property.change.map { "\($0 < 0 ? "−" : "+")\(Quantity.decimal(UInt64($0.magnitude), 1)) %" } ?? "",
        ].map { "<bdi>\($0.printable.escapedForHTML)</bdi>" }
      }
    }
    let columns = ["Property", "Track", "A", "B", "Change"]
    let different = comparison.properties.filter { !$0.isSame }
    let equal = comparison.properties.filter(\.isSame)
    var body = ReportPage.lines(files)
    body +=
      different.isEmpty
      ? "<p>All properties are equal.</p>\n"
      : ReportPage.table("Different properties", columns, numbers: [4], rows(different))
    if !equal.isEmpty {
      body += "<details><summary>\(counted(equal.count, "equal property", "equal properties"))</summary>\n"
      body += ReportPage.table("Equal properties", columns, numbers: [4], rows(equal)) + "</details>\n"
    }
    return ReportPage.Section(id: "differences", title: "Differences", body: body)
  }
}

extension ComparisonReport: Record {
  package static let summary = "The values of the page."
  package static let members: [RecordMember<Self>] = [
    RecordMember("summary", "the tracks, in the order of the charts") { ComparedTracks(tracks: $0.tracks) },
    RecordMember("differences", "the properties of both, as written by `mp4tool diff --summary`") {
      $0.comparison.properties
    },
    RecordMember("axis", "the time axis of the charts") { $0.sides[0].axis },
    RecordMember("map", "the inputs of both, one after another") { report in
      let offset = report.sides[0].map.byteCount
      return ComparedInputs(starts: report.sides[0].map.starts + report.sides[1].map.starts.map { $0 + offset })
    },
    RecordMember("tracks", "the values of the charts for each track") { $0.tracks },
    RecordMember("findings", "the findings") { $0.findings },
  ]
}

/// The tracks of both movies.
private struct ComparedTracks: Record {
  static let summary = "The tracks of both movies."
  let tracks: [TrackReport]
  static let members: [RecordMember<Self>] = [
    RecordMember("tracks", "the tracks, as written by `mp4tool info`") { $0.tracks.map(\.summary) }
  ]
}

/// The inputs of both movies.
private struct ComparedInputs: Record {
  static let summary = "The inputs of both movies."
  let starts: [Int]
  static let members: [RecordMember<Self>] = [
    RecordMember("input_starts", "the start of each input, if all inputs are concatenated") { $0.starts }
  ]
}
