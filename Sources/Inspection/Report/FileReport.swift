import ISOBMFF
public import MP4
public import MP4Bytes
import MP4Packaging
package import MP4Records

/// A report on a movie, with charts of its bytes, times and samples, as one self-contained page.
public struct FileReport: Sendable {
  /// The summary.
  public let summary: MovieSummary
  /// Repairs, data loss, violated rules, and stalls, the most severe first.
  public let findings: [ReportFinding]
  /// What was checked, such as `the structure, and 412 of 31,000 samples`; `nil` without a check.
  public let scope: String?
  /// The first events.
  public let events: [TimelineEvent]
  /// The total number of events.
  package let eventCount: Int
  /// The time axis of the charts.
  package let axis: TimeAxis
  /// The use of its bytes.
  package let map: ByteMap
  /// Its tracks; only the first ``trackLimit`` have charts.
  package let tracks: [TrackReport]

  /// The number of tracks with charts.
  package static let trackLimit = 40
  /// The maximum number of events that are shown.
  package static let eventLimit = 500
  /// The number of bins in the charts of a track, which limits the total number of all tracks.
  static func binLimit(_ trackCount: Int) -> Int { max(60, min(600, 2400 / max(1, trackCount))) }
  /// Whether it meets the specification; `nil` without one.
  public let specified: Specification.Result?
  /// The kinds of damage that were not looked for; empty if the media was not verified.
  public let limits: [String]
}

extension FileReport {
  /// Reads, checks and examines a movie. `onProgress` is called with the number of bytes read and checked, and returns
  /// whether to continue.
  ///
  /// - Throws: `MovieError` if there is no movie, or nothing usable; or `io` if `onProgress` returned false.
  public init(
    reading sources: [any ByteSource], _ check: Check = Check(), onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    let (movie, result) = try check.movie(reading: sources, onProgress: onProgress)
    try self.init(movie, result, captions: check.captions, as: nil)
  }

  /// Examines a movie; `check` is the result of checking it. Of its media, only what `MovieSummary` needs is read; of
  /// the boxes of its inputs, only the headers.
  public init(_ movie: Movie, check: CheckResult? = nil) throws(MovieError) {
    try self.init(movie, check, captions: .start, as: nil)
  }

  /// A movie that is compared with another one.
  struct Side {
    /// The letter in the labels of its tracks.
    let letter: String
    /// The number of tracks of both movies.
    let trackCount: Int
    let axis: TimeAxis
    /// The number of bytes of the movie before it.
    let offset: Int
  }

  init(_ movie: Movie, _ check: CheckResult?, captions: CaptionSearch, as side: Side?) throws(MovieError) {
    summary = try FileSummary.summary(of: movie, captions: captions)
    (scope, limits, specified) = (check?.scope, check?.limits ?? [], check?.specified.first)
    map = try io(ByteMap(movie.sources, movie.tracks, summary.images))
    let events = try EventListing(movie).events
    (self.events, eventCount) = (Array(events.prefix(Self.eventLimit)), events.count)
    var findings = Self.findings(movie, check, map)
    for index in findings.indices { findings[index].movie = side?.letter }
    self.findings = findings
    let limit = Self.binLimit(side?.trackCount ?? movie.tracks.count)
    // Times of lost samples at the end are included, unless they would make everything else too small.
    let (start, end) = Self.times(of: movie)
    let lost = findings.flatMap(\.places).map(\.upperBound).max() ?? end
    let axis = side?.axis ?? TimeAxis(start, lost - end < end - start ? max(end, lost) : end, limit: limit)
    self.axis = axis
    let starts = map.starts.map { $0 + (side?.offset ?? 0) }
    tracks = movie.tracks.indices.prefix(Self.trackLimit).map { [summary] index in
      TrackReport(
        movie.tracks[index], summary.tracks[index], axis,
        fragments: summary.fragmentCount > 0 ? movie.fragmentStarts(ofTrack: index) : [], starts: starts, limit: limit,
        file: side?.letter)
    }
  }

  /// When the first track starts, and when the last one ends.
  static func times(of movie: Movie) -> (start: MediaTime, end: MediaTime) {
    let starts = movie.tracks.map { $0.presentedTimes?.lowerBound ?? MediaTime(0, 1) }
    let ends = zip(movie.tracks, starts).map { track, start in
      max(start + track.mediaDuration, track.presentedTimes?.upperBound ?? start)
    }
    // A presentation starts at 0 even if its tracks start later.
    let start = min(starts.min() ?? MediaTime(0, 1), MediaTime(0, 1))
    return (start, ends.max() ?? start)
  }

  private static func findings(_ movie: Movie, _ check: CheckResult?, _ map: ByteMap) -> [ReportFinding] {
    let stalls = StallListing(movie).stalls.map { stall in
      let samples = movie.tracks.first { $0.id == stall.track }?.samples
      let sample = stall.sample.flatMap { number in samples.flatMap { $0.count >= number ? $0[number - 1] : nil } }
      return ReportFinding(stall, file: sample?.source.name ?? movie.name)
    }
    let checked = check?.merged.findings.compactMap(ReportFinding.init) ?? []
    // Findings and diagnostics about damage at the same offset are merged; the rule is more informative, unless it is
    // about samples.
    let repairs = movie.diagnostics.map { ReportFinding($0, movie.tracks) }.filter { repair in
      !repair.places.isEmpty || repair.offset == nil
        || !checked.contains {
          $0.offset == repair.offset && $0.file == repair.file && $0.severity <= repair.severity
        }
    }
    var findings = repairs + stalls + checked
    for index in findings.indices {
      guard let offset = findings[index].offset,
        let source = movie.sources.firstIndex(where: { $0.name == findings[index].file })
      else { continue }
      findings[index].position = map.starts[source] + offset
    }
    return findings.enumerated().sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map(\.element)
  }

  /// Writes the page: HTML with inline style and script.
  public func write(to sink: any ByteSink) throws(IOError) { try sink.write(Array(ReportPage(self).text.utf8)) }
}

extension Check {
  /// Reads a movie, and checks it.
  func movie(
    reading sources: [any ByteSource], onProgress: @escaping (Int) -> Bool
  ) throws(MovieError) -> (Movie, CheckResult) {
    var result = CheckResult()
    let checked = try io(run(onParts: sources, .wholeTrack, into: &result, onProgress: onProgress)).movie
    // Data that a check cannot read is one of its findings; here it is an error.
    if let checked { return (checked, result) }
    return (try Movie(reading: sources), result)
  }
}

extension FileReport: Record {
  package static let summary = "The values of the page."
  package static let members: [RecordMember<Self>] = [
    RecordMember("summary", "the summary, as written by `mp4tool info`") { $0.summary },
    RecordMember("axis", "the time axis of the charts") { $0.axis },
    RecordMember("map", "the byte map") { $0.map },
    RecordMember("tracks", "the values of the charts for each track") { $0.tracks },
    RecordMember("events", "the first 500 events, as listed by `mp4tool events`") { report in
      report.events.map(ReportEvent.init)
    },
    RecordMember("checked", "what was checked, as a phrase; missing without a check") { $0.scope },
    RecordMember("not_looked_for", "the kinds of damage that were not looked for; missing without `--deep`") {
      $0.limits.isEmpty ? nil : $0.limits
    },
    RecordMember("specified", "whether the file meets the specification; missing without `--spec`") { $0.specified },
    RecordMember("findings", "the findings") { $0.findings },
  ]
}
