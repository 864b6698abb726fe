import Bytes
import MP4

/// The events of the input.
extension ReportPage {
  private static let eventRowLimit = 200

  /// Events on a row of the timeline; `nil` if none has a time.
  static func row(of events: [TimelineEvent], _ axis: TimeAxis) -> ReportChart? {
    func x(_ time: MediaTime) -> Double { axis.position(of: time.seconds) * 1000 }
    let marks = events.compactMap { event -> String? in
      guard let time = event.time else { return nil }
      var path = ReportPath()
      let end = event.duration.map { x(time + $0) } ?? x(time)
      path.bar(x(time), max(end - x(time), 2), from: 22, to: 78)
      let words = "\(time.clock) \(event.kind.rawValue): \(event.summary)"
      return path.element("bar event use-otherTracks", title: words.printable.escapedForHTML)
    }
    guard !marks.isEmpty, axis.binCount > 0 else { return nil }
    var chart = ReportChart(kind: "events", label: "Events by time", drawing: marks.joined())
    (chart.caption, chart.height) = ("<b>Events</b> \(counted(marks.count, "event"))", "row")
    return chart
  }

  /// The list of the first of `count` events.
  static func list(of events: [TimelineEvent], count: Int) -> Section? {
    guard !events.isEmpty else { return nil }
    let rows = events.prefix(eventRowLimit).map { event in
      [
        event.time?.clock ?? "–", event.kind.rawValue, event.track.map(String.init) ?? "–",
        event.duration.map { "\($0)" } ?? "–", "<bdi>\(event.summary.printable.escapedForHTML)</bdi>",
      ]
    }
    return Section(
      id: "events", title: "Events",
      body: table("Events", ["Time", "Kind", "Track", "Lasts", "What"], numbers: [], rows)
        + more(than: eventRowLimit, of: count, "event"))
  }
}

/// An event on the page, with the values of `mp4tool events`.
struct ReportEvent: Record {
  static let summary = "An event at a time of the presentation."
  let event: TimelineEvent
  static let members: [RecordMember<Self>] = [
    RecordMember("track", "the ID of its track; missing if it is not in a track") { $0.event.track.map(Int.init) },
    RecordMember("kind", "its kind") { $0.event.kind.rawValue },
    RecordMember("seconds", "its presentation time; missing if unknown") { $0.event.time },
    RecordMember("duration_seconds", "its duration; missing if unknown") { $0.event.duration },
    RecordMember("summary", "the event in one line of text") { $0.event.summary },
  ]
}
