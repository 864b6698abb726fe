import Bytes
import HLS
public import MP4

/// The events of a presentation: those of its media, and those in its playlists.
extension EventListing {
  /// Collects the events of the first variant with its renditions. Events that several of these have are listed once.
  public init(_ movies: PresentationMovies) throws(MovieError) {
    var (found, diagnostics) = ([TimelineEvent](), [Diagnostic]())
    for part in movies.parts {
      let own = try EventListing(part.movie)
      diagnostics += own.diagnostics
      for var event in own.events {
        event.time = event.time.map { $0 + part.shift }
        let segment = event.source.flatMap { part.segment(ofSource: $0) } ?? event.time.flatMap { part.segment(at: $0) }
        event.place = TimelineEvent.Place(playlist: part.playlist.name, line: segment?.line)
        found.append(event)
      }
    }
    for playlist in movies.playlists { found += PlaylistDates(playlist).dateRanges }
    if let first = movies.playlists.first { found += PlaylistDates(first).changes }
    var seen: Set<TimelineEvent.Identity> = []
    self.init(sorting: found.filter { seen.insert($0.identity).inserted }, diagnostics)
  }
}

extension TimelineEvent {
  /// The place of an event in a presentation.
  struct Place: Sendable {
    let playlist: String
    let line: Int?
  }

  /// The properties by which an event is recognized in several playlists.
  fileprivate struct Identity: Hashable {
    let kind: Kind
    let time: MediaTime?
    let duration: MediaTime?
    let scheme: String?
    let value: String?
    let id: UInt32?
    let summary: String
    let details: [String]
    let payload: [UInt8]
  }
  fileprivate var identity: Identity {
    Identity(
      kind: kind, time: time, duration: duration, scheme: scheme, value: value, id: id, summary: summary,
      details: details.map { "\($0.name)=\($0.value)" }, payload: payload)
  }
}

/// The events that a media playlist declares.
private struct PlaylistDates {
  private let playlist: InspectedPlaylist
  /// The segments with a date.
  private let dated: [(date: DateTime, segment: ResolvedSegment)]

  init(_ playlist: InspectedPlaylist) {
    self.playlist = playlist
    dated = playlist.segments.compactMap { segment in
      segment.declared.programDateTime.map { ($0, segment.declared) }
    }
  }

  /// Smaller differences between dates are rounding errors.
  private static let allowedDifference = Duration.milliseconds(100)

  private func event(_ kind: TimelineEvent.Kind, at time: Duration?, _ summary: String, line: Int) -> TimelineEvent {
    var event = TimelineEvent(kind, at: time.map(MediaTime.init), summary)
    event.place = TimelineEvent.Place(playlist: playlist.name, line: line)
    return event
  }

  /// Discontinuities, the first date, and dates that do not continue the previous ones.
  var changes: [TimelineEvent] {
    guard let media = playlist.playlist else { return [] }
    var (events, line) = ([TimelineEvent](), media.header.count)
    var (next, hasDate) = (DateTime?.none, false)
    for (segment, own) in zip(media.segments, playlist.segments) {
      let start = own.declared.start
      for (index, written) in segment.lines.enumerated() {
        switch written.content {
        case .tag(.discontinuity, _):
          events.append(event(.discontinuity, at: start, "discontinuity", line: line + index + 1))
        case .tag(.programDateTime, .date(let date)):
          // Times before the first date are calculated back from it.
          let jump = hasDate ? next.map { date.sinceEpoch - $0.sinceEpoch } : nil
          hasDate = true
          if let jump, jump.magnitude <= Self.allowedDifference { continue }
          let words = jump.map { jump in
            let direction = jump > .zero ? "later" : "earlier"
            return " (\(MediaTime(jump.magnitude)) \(direction) than the duration of the preceding segments)"
          }
          var found = event(.programDateTime, at: start, "date \(date)" + (words ?? ""), line: line + index + 1)
          found.details = [TimelineEvent.Detail("EXT-X-PROGRAM-DATE-TIME", date)]
          events.append(found)
        default: break
        }
      }
      line += segment.lines.count
      next = own.declared.programDateTime.map { $0 + own.declared.duration }
    }
    return events
  }

  /// Date ranges, at their start; those that only signal their end (SCTE35-IN) are at the end.
  var dateRanges: [TimelineEvent] {
    guard let media = playlist.playlist else { return [] }
    var (events, line) = ([TimelineEvent](), 0)
    for lines in [media.header] + media.segments.map(\.lines) + [media.trailer] {
      for written in lines {
        line += 1
        guard case .tag(.dateRange, .attributes(let list)) = written.content else { continue }
        events.append(event(DateRange(attributes: list), line: line))
      }
    }
    return events
  }

  private func event(_ range: DateRange, line: Int) -> TimelineEvent {
    let messages = ["SCTE35-CMD", "SCTE35-OUT", "SCTE35-IN"]
    let declared = range.duration ?? range.end.flatMap { end in range.start.map { end.sinceEpoch - $0.sinceEpoch } }
    // An end before the start is a playlist error, not a duration.
    let duration = declared.flatMap { $0 < .zero ? nil : $0 }
    var words = "date range \"\(range.id)\"" + (range.classIdentifier.map { " of class \($0)" } ?? "")
    var (details, payload) = ([TimelineEvent.Detail](), [UInt8]())
    for attribute in range.attributes.attributes {
      details.append(TimelineEvent.Detail(attribute.name, attribute.string))
      guard messages.contains(attribute.name), let bytes = bytes(of: attribute.name, in: range) else { continue }
      let message = EventPayload(bytes[...], scheme: "urn:scte:scte35:2013:bin")
      words += "; \(attribute.name): \(message.summary)"
      details += message.details.map { detail in
        TimelineEvent.Detail("\(attribute.name).\(detail.name)", label: detail.label, detail.value, detail.meaning)
      }
      if !message.isComplete { payload += bytes }
    }
    let endsOnly = range.scte35In != nil && range.scte35Out == nil && range.scte35Command == nil
    let start = range.start.map { endsOnly ? $0 + (duration ?? .zero) : $0 }
    var found = event(.dateRange, at: start.flatMap(time), words, line: line)
    found.duration = endsOnly ? nil : (duration ?? range.plannedDuration).map(MediaTime.init)
    (found.scheme, found.details, found.payload) = (range.classIdentifier, details, payload)
    return found
  }

  private func bytes(of name: String, in range: DateRange) -> [UInt8]? {
    switch name {
    case "SCTE35-CMD": range.scte35Command
    case "SCTE35-OUT": range.scte35Out
    default: range.scte35In
    }
  }

  /// The presentation time of a date: in the segment that has it, or extrapolated from the first or the last one.
  private func time(of date: DateTime) -> Duration? {
    let own =
      dated.last { $0.date <= date && date < $0.date + $0.segment.duration }
      ?? (dated.first.map { date < $0.date } == true ? dated.first : dated.last { $0.date <= date })
    return own.map { $0.segment.start + (date.sinceEpoch - $0.date.sinceEpoch) }
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
