extension MPD {
  /// A media segment of a representation.
  public struct MediaSegment: Hashable, Sendable {
    /// Its URL, relative to the base URL; empty for that itself.
    public var uri: String
    /// Its byte range; `nil` for all bytes.
    public var range: Range<Int>?
    /// Its number.
    public var number: Int
    /// When it starts, in units of the media time.
    public var start: UInt64
    /// How long it lasts, in units of the media time.
    public var duration: UInt64
  }

  /// The segments of a representation.
  public struct SegmentSequence: Hashable, Sendable {
    /// The times of its media.
    public var timing = Timing()
    /// The init segment; `nil` if media segments can be read without one, or if it is in the same file.
    public var initialization: Location?
    /// The media segments in order.
    public var segments: [MediaSegment] = []
  }

  /// The maximum number of segments of a representation.
  public static let maxSegments = 1_000_000
}

extension MPD.Representation {
  /// Its segments; `nil` if they are parts of one file, with an index or not (`SegmentBase`).
  ///
  /// - Parameters:
  ///   - duration: The duration of its period, if it is known. Segments of equal duration fill it.
  ///   - elapsed: The time since the start of the period, if the presentation is live: segments of equal duration exist
  ///     up to this time.
  ///   - depth: How long these segments exist.
  /// - Throws: `MPDError` if they cannot be determined.
  public func segments(
    in duration: Duration?, elapsed: Duration? = nil, depth: Duration? = nil
  ) throws(MPDError) -> MPD.SegmentSequence? {
    var result = MPD.SegmentSequence()
    for timing in [segments.template?.timing, segments.list?.timing, segments.base?.timing] {
      if let timing, timing.timescale <= 0 { throw MPDError("its timescale is not positive") }
    }
    if let template = segments.template {
      guard let media = template.media else { throw MPDError("SegmentTemplate has no attribute 'media'") }
      result.timing = template.timing
      result.initialization = try template.initialization.map { (text) throws(MPDError) in
        MPD.Location(try uri(text, nil), nil)
      }
      let pattern = try MPD.Pattern(media, self)
      var last: Int?
      if let end = template.endNumber { last = end }
      let times: [MPD.MediaSegment]
      if let timeline = template.timeline {
        times = try timeline.segments(template.timing, from: template.startNumber, in: duration)
      } else {
        times = try template.timing.segments(
          of: template.duration, from: template.startNumber, in: duration, elapsed, depth, last: last)
      }
      result.segments = times.map { segment in
        var segment = segment
        segment.uri = pattern.text(segment)
        return segment
      }
      return result
    }
    guard let list = segments.list else { return nil }
    (result.timing, result.initialization) = (list.timing, list.initialization)
    let count = list.segmentURLs.count
    var times: [MPD.MediaSegment]
    if let timeline = list.timeline {
      times = try timeline.segments(list.timing, from: list.startNumber, in: duration)
    } else if let length = list.duration {
      times = try list.timing.segments(of: length, count: count, from: list.startNumber, in: duration)
    } else {
      // A single segment lasts as long as the period.
      guard count <= 1 else { throw MPDError("SegmentList has neither a duration nor a SegmentTimeline") }
      times = try list.timing.segments(of: list.timing.units(duration ?? .zero), count: count, from: 1, in: duration)
    }
    if times.count != count {
      throw MPDError("SegmentList has \(count) segments, but times of \(times.count)")
    }
    for (index, url) in list.segmentURLs.enumerated() {
      (times[index].uri, times[index].range) = (url.media ?? "", url.mediaRange)
    }
    result.segments = times
    return result
  }

  /// A template without identifiers that only segments have.
  private func uri(_ template: String, _ segment: MPD.MediaSegment?) throws(MPDError) -> String {
    try MPD.Pattern(template, self).text(segment)
  }
}

extension MPD.Timing {
  /// A duration in units of the media time, rounded.
  func units(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, isLarge) = UInt64(seconds).multipliedReportingOverflow(by: UInt64(max(timescale, 0)))
    let part = (Double(attoseconds) / 1e18 * Double(timescale)).rounded()
    return isLarge ? .max : whole &+ UInt64(part)
  }

  /// Segments of equal duration in a period.
  fileprivate func segments(
    of length: UInt64?, from number: Int, in period: Duration?, _ elapsed: Duration?, _ depth: Duration?, last: Int?
  ) throws(MPDError) -> [MPD.MediaSegment] {
    guard let length, length > 0 else {
      throw MPDError("SegmentTemplate has neither a duration nor a SegmentTimeline")
    }
    let available = elapsed.map { min(units($0) / length, UInt64(Int.max)) }
    let all = period.map { (units($0) + length - 1) / length } ?? available
    var end = min(all ?? 0, available ?? .max)
    if let last { end = min(end, UInt64(max(0, last - number + 1))) }
    guard all != nil || last != nil else {
      throw MPDError("the number of segments is unknown, because the period has no duration")
    }
    var first: UInt64 = 0
    if elapsed != nil, let depth { first = end - min(end, units(depth) / length + 1) }
    guard end - first <= MPD.maxSegments else {
      throw MPDError("a representation has over \(MPD.maxSegments) segments")
    }
    return try segments(of: length, count: Int(end - first), from: number, skipping: Int(first), in: period)
  }

  /// A number of segments of equal duration; the last one ends with the period.
  fileprivate func segments(
    of length: UInt64, count: Int, from number: Int, skipping first: Int = 0, in period: Duration?
  ) throws(MPDError) -> [MPD.MediaSegment] {
    let end = period.map(units)
    var result: [MPD.MediaSegment] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      let (time, isLarge) = UInt64(first + index).multipliedReportingOverflow(by: length)
      let (start, isLater) = time.addingReportingOverflow(presentationTimeOffset)
      guard !isLarge, !isLater, case let (own, tooLarge) = number.addingReportingOverflow(first + index), !tooLarge
      else {
        throw MPDError("the times of segments are too large")
      }
      let duration = end.map { min(length, $0 > time ? $0 - time : 0) } ?? length
      result.append(MPD.MediaSegment(uri: "", range: nil, number: own, start: start, duration: duration))
    }
    return result
  }
}

extension MPD.SegmentTimeline {
  /// Its segments.
  fileprivate func segments(
    _ timing: MPD.Timing, from number: Int, in period: Duration?
  ) throws(MPDError) -> [MPD.MediaSegment] {
    var (result, time): ([MPD.MediaSegment], UInt64) = ([], 0)
    for (index, run) in runs.enumerated() {
      if let start = run.start { time = start }
      var count = UInt64(max(run.repeatCount, 0)) + 1
      if run.repeatCount < 0 {
        // Up to the next run, or the end of the period.
        let next = index + 1 < runs.count ? runs[index + 1].start : nil
        let (end, isLarge) = timing.presentationTimeOffset.addingReportingOverflow(period.map(timing.units) ?? 0)
        guard let end = next ?? (period == nil || isLarge ? nil : end), run.duration > 0 else {
          throw MPDError("the number of segments is unknown, because the period has no duration")
        }
        count = end > time ? (end - time + run.duration - 1) / run.duration : 0
      }
      guard count <= MPD.maxSegments - result.count else {
        throw MPDError("a representation has over \(MPD.maxSegments) segments")
      }
      for _ in 0..<count {
        let (own, isLarge) = number.addingReportingOverflow(result.count)
        let (end, isLater) = time.addingReportingOverflow(run.duration)
        guard !isLarge, !isLater else { throw MPDError("the times of segments are too large") }
        result.append(MPD.MediaSegment(uri: "", range: nil, number: own, start: time, duration: run.duration))
        time = end
      }
    }
    return result
  }
}

extension MPD {
  /// A template for URLs (5.3.9.4.4): text, and values with a minimum number of digits.
  fileprivate struct Pattern {
    private enum Part {
      case text(String)
      case number(width: Int)
      case time(width: Int)
    }
    private var parts: [Part] = []

    init(_ template: String, _ representation: MPD.Representation) throws(MPDError) {
      let pieces = template.split(separator: "$", omittingEmptySubsequences: false)
      guard pieces.count % 2 == 1 else { throw MPDError("a '$' is missing in the template '\(template)'") }
      for (index, piece) in pieces.enumerated() {
        guard index % 2 == 1 else {
          parts.append(.text(String(piece)))
          continue
        }
        let halves = piece.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var width = 1
        if halves.count == 2 {
          guard let digits = Int(halves[1].dropFirst().dropLast()), halves[1].first == "0", halves[1].last == "d",
            digits < 40
          else { throw MPDError("the format of '$\(piece)$' in a template is not valid; it is like '%05d'") }
          width = digits
        }
        switch halves.first ?? "" {
        case "": parts.append(.text("$"))
        case "RepresentationID": parts.append(.text(representation.id))
        case "Bandwidth": parts.append(.text(Self.padded(String(representation.bandwidth), width)))
        case "Number": parts.append(.number(width: width))
        case "Time": parts.append(.time(width: width))
        default: throw MPDError("the identifier '$\(piece)$' in a template is not supported")
        }
      }
    }

    /// The URL of a segment.
    func text(_ segment: MPD.MediaSegment?) -> String {
      var result = ""
      for part in parts {
        switch part {
        case .text(let text): result += text
        case .number(let width): result += Self.padded(String(segment?.number ?? 0), width)
        case .time(let width): result += Self.padded(String(segment?.start ?? 0), width)
        }
      }
      return result
    }

    private static func padded(_ digits: String, _ width: Int) -> String {
      String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
  }
}
