public import Bytes
import ISOBMFF
public import MP4

/// What a movie is, and charts of its bytes, times and samples, as one page that needs nothing else.
public struct FileReport: Sendable {
  /// What it is.
  public let summary: MovieSummary
  /// Repairs, losses, broken rules, and places where playback may stop; the worst come first.
  public let findings: [ReportFinding]
  /// The first of the things that happen in it.
  public let events: [TimelineEvent]
  /// How many there are.
  package let eventCount: Int
  /// The times of the charts.
  package let axis: TimeAxis
  /// What its bytes are for.
  package let map: ByteMap
  /// Its tracks; those after the first ``trackLimit`` have no charts.
  package let tracks: [TrackReport]

  /// The number of tracks with charts.
  package static let trackLimit = 40
  /// The number of events that are shown.
  package static let eventLimit = 500
  /// The number of bins in the charts of a track: what is shown of all tracks is bounded.
  private static func binLimit(_ trackCount: Int) -> Int { max(60, min(600, 2400 / max(1, trackCount))) }

  /// Reads and checks a movie, and examines it.
  ///
  /// - Throws: `MovieError` if there is no movie, or nothing usable.
  public init(reading sources: [any ByteSource], _ check: Check = Check()) throws(MovieError) {
    var result = CheckResult()
    let checked: Movie?
    do throws(IOError) { checked = try check.run(onParts: sources, into: &result).movie } catch { throw .io(error) }
    // What a check cannot read is a finding of it; here it is an error.
    if let checked {
      try self.init(checked, check: result)
    } else {
      try self.init(Movie(reading: sources), check: result)
    }
  }

  /// Examines a movie, of which `check` found something. Of its media, what `MovieSummary` reads is read; of the boxes
  /// of its inputs, the headers.
  public init(_ movie: Movie, check: CheckResult? = nil) throws(MovieError) {
    summary = try FileSummary.summary(of: movie)
    do throws(IOError) { map = try ByteMap(movie.sources, movie.tracks, summary.images) } catch { throw .io(error) }
    let events = try EventListing(movie).events
    (self.events, eventCount) = (Array(events.prefix(Self.eventLimit)), events.count)
    let starts = movie.tracks.map { $0.presentedTimes?.lowerBound ?? MediaTime(0, 1) }
    let ends = zip(movie.tracks, starts).map { track, start in
      max(start + track.mediaDuration, track.presentedTimes?.upperBound ?? start)
    }
    findings = Self.findings(movie, check, map)
    let limit = Self.binLimit(movie.tracks.count)
    let first = starts.min() ?? MediaTime(0, 1)
    // A progressive movie starts at 0 even if its tracks start later.
    let start = summary.layout == .progressive ? min(first, MediaTime(0, 1)) : first
    let end = ends.max() ?? start
    // What is lost at the end has its place too, if it does not make all else too small to see.
    let lost = findings.flatMap(\.places).map(\.upperBound).max() ?? end
    let axis = TimeAxis(start, lost - end < end - start ? max(end, lost) : end, limit: limit)
    self.axis = axis
    tracks = movie.tracks.indices.prefix(Self.trackLimit).map { [summary, map] index in
      TrackReport(
        movie.tracks[index], summary.tracks[index], axis, fragments: movie.fragmentStarts(ofTrack: index),
        starts: map.starts, limit: limit)
    }
  }

  private static func findings(_ movie: Movie, _ check: CheckResult?, _ map: ByteMap) -> [ReportFinding] {
    let stalls = StallListing(movie).stalls.map { stall in
      let samples = movie.tracks.first { $0.id == stall.track }?.samples
      let sample = stall.sample.flatMap { number in samples.flatMap { $0.count >= number ? $0[number - 1] : nil } }
      return ReportFinding(stall, file: sample?.source.name ?? movie.name)
    }
    let checked = check?.findings.compactMap(ReportFinding.init) ?? []
    // Damage at one byte is the same damage; the rule says more about it, unless it is about samples.
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

  /// Writes the page: HTML with style and script in it.
  public func write(to sink: any ByteSink) throws(IOError) { try sink.write(Array(ReportPage(self).text.utf8)) }
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
    RecordMember("findings", "the findings") { $0.findings },
  ]
}
