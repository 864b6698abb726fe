import ISOBMFF
import MP4
import MP4Bytes
import MP4DASH
import MP4HLS

/// The markers of a presentation: date ranges of playlists, events of a manifest, and where segments have to start.
struct TimedMarkers {
  /// The date and time of the start, if playlists have dates.
  private(set) var date: DateTime?
  private(set) var dateRanges: [DateRange] = []
  /// The times at which segments start.
  private(set) var breaks: [MediaTime] = []
  /// The breaks that the media does not contain as event messages, for a manifest.
  private var declared: [Splice] = []
  /// The media time of the start of the presentation.
  var mediaStart = MediaTime(0, 1)
  private(set) var diagnostics: [Diagnostic] = []

  init(_ movies: [Movie], _ options: Packager.Options) {
    let markers = options.markers
    let hasSplices = markers.dateRanges.contains { $0.isSplice }
    var splices = markers.usesSplices && !hasSplices ? found(in: movies) : []
    var own: [Splice] = []
    for (index, range) in markers.adBreaks.enumerated() {
      func splice(_ kind: Splice.Kind, _ time: MediaTime, _ duration: MediaTime?) -> Splice {
        Splice(kind, number: index + 1, at: time, mediaTime: time + options.timeOffset, duration: duration)
      }
      own.append(splice(.out, range.lowerBound, range.upperBound - range.lowerBound))
      own.append(splice(.in, range.upperBound, nil))
    }
    splices += own
    guard !splices.isEmpty || !markers.interstitials.isEmpty || markers.date != nil else { return }
    let start = markers.date ?? DateTime(sinceEpoch: .zero)
    date = start
    dateRanges = markers.dateRanges
    for range in dateRanges where range.isSplice {
      guard let time = range.start.map({ MediaTime($0.sinceEpoch - start.sinceEpoch, timescale: 1_000_000) }),
        time.value >= 0
      else {
        continue
      }
      breaks.append(time)
      if let duration = range.duration ?? range.plannedDuration {
        breaks.append(time + MediaTime(duration, timescale: 1_000_000))
      }
    }
    add(splices)
    for (index, interstitial) in markers.interstitials.enumerated() {
      dateRanges.append(range(interstitial, id: "interstitial-\(index + 1)"))
    }
    breaks = Set(breaks + markers.interstitials.map(\.time)).sorted()
    declared = own
  }

  /// The splice messages between the fragments of movies.
  private mutating func found(in movies: [Movie]) -> [Splice] {
    var result: [Splice] = []
    for movie in movies {
      for event in movie.eventMessages {
        guard event.message.schemeIDURI.bytes.starts(with: "urn:scte:scte35:".utf8) else { continue }
        guard let splice = Splice(event.message.messageData, at: event.time) else {
          let text = "the splice message at \(event.time) cannot be read; it is not in the playlists"
          diagnostics.append(Diagnostic(.warning, movie.name, text))
          continue
        }
        // The inputs of a bit rate ladder have the same messages.
        if !result.contains(where: { $0.bytes == splice.bytes && $0.time == splice.time }) { result.append(splice) }
      }
    }
    return result.sorted { $0.time < $1.time }
  }

  /// Adds a date range for each break and for each other message: draft-pantos-hls-rfc8216bis, 4.4.5.1.1.
  private mutating func add(_ splices: [Splice]) {
    var ends = splices.filter { $0.kind == .in }
    for (index, splice) in splices.enumerated() where splice.kind != .in {
      var range = DateRange(id: id("splice-\(splice.eventID ?? UInt64(index + 1))"), start: date(at: splice.time))
      breaks.append(splice.time)
      if splice.kind == .out {
        range.scte35Out = splice.bytes
        range.plannedDuration = splice.duration.map { Duration($0) }
        if let at = ends.firstIndex(where: { $0.eventID == splice.eventID && $0.time > splice.time }) {
          let end = ends.remove(at: at)
          range.duration = Duration(end.time - splice.time)
          range.scte35In = end.bytes
          breaks.append(end.time)
        } else if let duration = splice.duration {
          breaks.append(splice.time + duration)
        }
      } else {
        range.scte35Command = splice.bytes
      }
      dateRanges.append(range)
    }
    // Ends of breaks that start earlier.
    for splice in ends {
      var range = DateRange(id: id("splice-in-\(splice.eventID ?? 0)"), start: date(at: splice.time))
      range.scte35In = splice.bytes
      breaks.append(splice.time)
      dateRanges.append(range)
    }
  }

  private func id(_ base: String) -> String {
    var (id, number) = (base, 2)
    while dateRanges.contains(where: { $0.id == id }) {
      id = "\(base)-\(number)"
      number += 1
    }
    return id
  }

  /// An interstitial: draft-pantos-hls-rfc8216bis, D.
  private func range(_ interstitial: Packager.Interstitial, id: String) -> DateRange {
    var range = DateRange(id: id, start: date(at: interstitial.time))
    range.classIdentifier = "com.apple.hls.interstitial"
    range.duration = interstitial.duration.map { Duration($0) }
    if interstitial.isOnce { range.cue = "ONCE" }
    range.attributes[interstitial.isList ? "X-ASSET-LIST" : "X-ASSET-URI", .string] = interstitial.uri
    range.attributes["X-RESUME-OFFSET", .signedSeconds] = interstitial.resumeOffset.map { Duration($0) }
    if !interstitial.restrictions.isEmpty {
      range.attributes["X-RESTRICT", .string] = interstitial.restrictions.joined(separator: ",")
    }
    return range
  }

  /// The date and time of a time in the presentation.
  func date(at time: MediaTime) -> DateTime {
    let start = date ?? DateTime(sinceEpoch: .zero)
    // Not all players read more decimals.
    let milliseconds = time.converted(to: 1000).value
    return DateTime(sinceEpoch: start.sinceEpoch + .milliseconds(milliseconds), zone: start.zone)
  }

  /// Sets the date of the first segment of a plan, whose samples can start before the presentation, such as audio
  /// priming, and adds the date ranges.
  func mark(_ segments: inout [Segment], of plan: FragmentPlan, hasRanges: Bool) {
    let first = MediaTime(plan.presentationTimes.first ?? 0, plan.timescale)
    mark(&segments, from: first - mediaStart, hasRanges: hasRanges)
  }
  /// The same for segments that start at a time.
  func mark(_ segments: inout [Segment], from start: MediaTime, hasRanges: Bool) {
    guard date != nil, !segments.isEmpty else { return }
    segments[0].programDateTime = date(at: start)
    if hasRanges { segments[0].dateRanges = dateRanges }
  }

  /// How far segments start from the breaks, if they do not start there.
  func distances(_ plan: FragmentPlan, _ name: String) -> [Diagnostic] {
    let starts = plan.segments.map { segment in
      // Leading pictures are presented before the sync sample.
      guard let track = segment.tracks.first(where: { $0.index == plan.reference }) else { return segment.start }
      let leading = track.firstSample.presentationTime &- track.earliestPresentationTime
      return segment.start + MediaTime(max(0, leading), plan.timescale)
    }
    let end = plan.segments.last.map { $0.start + $0.duration }
    return breaks.compactMap { time in
      if let end, time > end {
        return Diagnostic(.warning, name, "the marker at \(time) is after the end of the presentation, at \(end)")
      }
      guard let next = starts.first(where: { $0 >= time }) else {
        return Diagnostic(.note, name, "no segment starts at the marker at \(time): no sync sample follows it")
      }
      let distance = next - time
      guard distance.converted(to: 1000).value > 0 else { return nil }
      let text = "the segment of the marker at \(time) starts \(distance) later, at the next sync sample"
      return Diagnostic(.note, name, text)
    }
  }
}

extension TimedMarkers {
  /// Breaks as splice information, for a period that starts at `start`: ANSI/SCTE 214-1, 6.7.
  func eventStreams(from start: MediaTime) -> [MPD.EventStream] {
    guard !declared.isEmpty else { return [] }
    var stream = MPD.EventStream()
    (stream.scheme, stream.timescale) = ("urn:scte:scte35:2014:xml+bin", Int(Splice.timescale))
    stream.events = declared.enumerated().map { index, splice in
      var event = MPD.Event()
      // Players take events with the same ID for one.
      event.id = index + 1
      event.presentationTime = max(0, Int((splice.time - start).converted(to: Splice.timescale).value))
      event.duration = splice.duration.map { Int($0.converted(to: Splice.timescale).value) }
      event.signal = MPD.SpliceSignal([base64Text(splice.bytes)])
      return event
    }
    return [stream]
  }
}

extension DateRange {
  /// Whether it has splice information.
  fileprivate var isSplice: Bool { self.scte35Out != nil || self.scte35In != nil || self.scte35Command != nil }
}
