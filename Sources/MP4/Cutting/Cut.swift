public import MP4Bytes

/// Cuts parts out of a movie as one operation. A `MovieCutter` reads the movie first, to ask for its keyframes, frames
/// and timecodes, or to write several files.
public struct Cut: Sendable {
  /// The times between which parts are kept or removed.
  public enum Selection: Sendable, Equatable {
    /// The parts that are kept, in order. They are joined.
    case keeping([PresentationSpan])
    /// The parts that are removed, in order.
    case removing([PresentationSpan])
  }
  /// The parts.
  public var selection: Selection
  /// Whether each part starts at the last keyframe at or before the requested time.
  public var startsAtKeyframes = false
  /// How the inputs are read.
  public var reading = MovieCutter.reading

  /// Keeps or removes parts.
  public init(_ selection: Selection) { self.selection = selection }

  /// The cut for an output with this name: `.mp4` makes an ISO file of a QuickTime movie.
  public func writing(to name: String) -> Cut {
    var result = self
    result.reading = reading.writing(to: name)
    return result
  }

  /// Reads the movie and plans the file.
  ///
  /// - Throws: `MovieError` if there is nothing usable, if parts overlap or are not in order, or if nothing would be
  ///   presented.
  public func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> OutputPlan {
    let cutter = try MovieCutter(reading: inputs, reading, onProgress: onProgress)
    return try cutter.plan(cutter.parts(selection, atKeyframes: startsAtKeyframes).map(\.range))
  }
}

/// A part of a presentation; the end is exclusive.
public struct PresentationSpan: Sendable, Equatable {
  /// `nil` for the start of the presentation.
  public var start: MediaTime?
  /// `nil` for the end of the presentation.
  public var end: MediaTime?

  /// A part from `start` to `end`.
  public init(from start: MediaTime? = nil, to end: MediaTime? = nil) { (self.start, self.end) = (start, end) }
}

extension MovieCutter {
  /// A part of the presentation that a cut keeps.
  public struct Part: Sendable, Equatable {
    /// Its times.
    public var range: Range<MediaTime>
    /// The time at which it was to start.
    public var requestedStart: MediaTime
    /// Whether it starts at a keyframe because that was requested.
    public var isAtKeyframe = false

    /// A part that starts with the presentation or where the previous one ends.
    fileprivate init(at time: MediaTime) { (range, requestedStart) = (time..<time, time) }

    fileprivate init(at time: MediaTime, in cutter: MovieCutter, atKeyframe: Bool) {
      self.init(at: time)
      guard atKeyframe, time < cutter.duration else { return }
      isAtKeyframe = true
      let start = cutter.keyframe(before: time)
      range = start..<start
    }

    fileprivate func ending(at end: MediaTime) -> Part {
      var part = self
      part.range = range.lowerBound..<max(end, range.lowerBound)
      return part
    }
    /// The same, but not before the end of a previous part: a keyframe can be there.
    fileprivate func starting(notBefore time: MediaTime) -> Part {
      var part = self
      guard range.lowerBound < time else { return part }
      (part.range, part.isAtKeyframe) = (time..<time, false)
      return part
    }
  }

  /// The options of a cut: everything is kept, events between fragments as a timed metadata track.
  public static var reading: ReadingOptions {
    var options = ReadingOptions()
    options.keepsEvents = true
    return options
  }

  /// The parts that are kept.
  ///
  /// - Throws: `MovieError.impossible` if a part ends before it starts, if parts overlap or are not in order, or if
  ///   nothing would be kept.
  public func parts(_ selection: Cut.Selection, atKeyframes: Bool = false) throws(MovieError) -> [Part] {
    switch selection {
    case .keeping(let spans): try parts(keeping: spans, atKeyframes)
    case .removing(let spans): try parts(removing: spans, atKeyframes)
    }
  }

  /// Times are compared as requested, because keyframes are before them.
  private func parts(keeping spans: [PresentationSpan], _ atKeyframes: Bool) throws(MovieError) -> [Part] {
    var parts: [Part] = []
    for span in spans {
      let part = span.start.map { Part(at: $0, in: self, atKeyframe: atKeyframes) } ?? Part(at: MediaTime(0, 1))
      if let end = span.end, end <= part.requestedStart { throw .impossible(file: name, .emptyPart) }
      let previous = parts.last?.range.upperBound ?? min(part.range.lowerBound, part.requestedStart)
      guard part.requestedStart >= previous else { throw .impossible(file: name, .unorderedParts) }
      parts.append(part.starting(notBefore: previous).ending(at: span.end ?? duration))
    }
    return parts
  }

  private func parts(removing spans: [PresentationSpan], _ atKeyframes: Bool) throws(MovieError) -> [Part] {
    var (kept, next) = ([Part](), Part(at: MediaTime(0, 1)))
    for span in spans {
      let start = span.start ?? MediaTime(0, 1)
      let part = span.end.map { Part(at: $0, in: self, atKeyframe: atKeyframes) } ?? Part(at: duration)
      guard start >= next.requestedStart, start <= part.requestedStart else {
        throw .impossible(file: name, .unorderedParts)
      }
      if start > next.range.lowerBound { kept.append(next.ending(at: start)) }
      next = part.starting(notBefore: start)
    }
    if next.range.lowerBound < duration { kept.append(next.ending(at: duration)) }
    guard !kept.isEmpty else {
      let text = "all of its \(duration) would be removed"
      throw .impossible(file: name, Obstacle("nothing_kept", text))
    }
    return kept
  }

  /// The parts between these times, the start and the end of the presentation, for a file each.
  ///
  /// - Throws: `MovieError.impossible` if the times are not after the start, and in order.
  public func parts(splitAt times: [MediaTime], atKeyframes: Bool = false) throws(MovieError) -> [Part] {
    var parts = [Part(at: MediaTime(0, 1))]
    for time in times {
      let part = Part(at: time, in: self, atKeyframe: atKeyframes)
      guard let last = parts.last, part.range.lowerBound > last.range.lowerBound else {
        throw .impossible(file: name, .unorderedParts)
      }
      parts[parts.count - 1] = last.ending(at: part.range.lowerBound)
      parts.append(part)
    }
    parts[parts.count - 1] = parts[parts.count - 1].ending(at: duration)
    return parts
  }
}

extension Obstacle {
  static let unorderedParts = Obstacle(.unorderedParts, "the parts must be in order and cannot overlap")
  fileprivate static let emptyPart = Obstacle(.emptyPart, "a part ends before it starts, or has no length")
}
