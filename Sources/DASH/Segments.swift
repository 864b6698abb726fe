extension MPD {
  /// The segments of a representation, in at most one of three forms: 5.3.9.
  public struct Segments: Hashable, Sendable {
    /// A file with an index.
    public var base: SegmentBase?
    /// A list of URLs and byte ranges.
    public var list: SegmentList?
    /// A template for URLs.
    public var template: SegmentTemplate?

    public init() {}
    mutating func elements(_ coder: inout ElementCoder) {
      coder.child("SegmentBase", &base)
      coder.child("SegmentList", &list)
      coder.child("SegmentTemplate", &template)
    }
  }

  /// A URL, a byte range, or a byte range of a URL; without a URL, that of `BaseURL`.
  public struct Location: ManifestElement {
    /// The URL.
    public var sourceURL: String?
    /// The byte range.
    public var range: Range<Int>?

    public init() {}
    /// A byte range of a file.
    public init(_ sourceURL: String?, _ range: Range<Int>?) { (self.sourceURL, self.range) = (sourceURL, range) }
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("sourceURL", &sourceURL)
      coder.attribute("range", &range)
    }
  }

  /// A segment of a list: 5.3.9.3.
  public struct SegmentURL: ManifestElement {
    /// Its URL; without it, that of `BaseURL`.
    public var media: String?
    /// Its byte range.
    public var mediaRange: Range<Int>?

    public init() {}
    /// A byte range of a file.
    public init(_ media: String?, _ mediaRange: Range<Int>?) { (self.media, self.mediaRange) = (media, mediaRange) }
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("media", &media)
      coder.attribute("mediaRange", &mediaRange)
    }
  }

  /// The times of media.
  public struct Timing: Hashable, Sendable {
    /// Units per second of all times.
    public var timescale = 1
    /// The media time at which the period starts.
    public var presentationTimeOffset: UInt64 = 0

    public init() {}
    mutating func attributes(_ coder: inout ElementCoder) {
      coder.attribute("timescale", &timescale, default: 1)
      coder.attribute("presentationTimeOffset", &presentationTimeOffset, default: 0)
    }
  }

  /// One file that contains all segments, and an index of them: 5.3.9.2.
  public struct SegmentBase: ManifestElement {
    /// The times of its media.
    public var timing = Timing()
    /// The byte range of the index (`sidx`).
    public var indexRange: Range<Int>?
    /// The init segment.
    public var initialization: Location?

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      timing.attributes(&coder)
      coder.attribute("indexRange", &indexRange)
      coder.child("Initialization", &initialization)
    }
  }

  /// A list of segments: 5.3.9.3.
  public struct SegmentList: ManifestElement {
    /// The times of its media.
    public var timing = Timing()
    /// The duration of each segment, without a timeline.
    public var duration: UInt64?
    /// The number of the first segment.
    public var startNumber = 1
    /// The init segment.
    public var initialization: Location?
    /// The times of segments.
    public var timeline: SegmentTimeline?
    /// The segments.
    public var segmentURLs: [SegmentURL] = []

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      timing.attributes(&coder)
      coder.attribute("duration", &duration)
      coder.attribute("startNumber", &startNumber, default: 1)
      coder.child("Initialization", &initialization)
      coder.child("SegmentTimeline", &timeline)
      coder.children("SegmentURL", &segmentURLs)
    }
  }

  /// Segments with constructed URLs: 5.3.9.4.
  public struct SegmentTemplate: ManifestElement {
    /// The times of its media.
    public var timing = Timing()
    /// The duration of each segment, without a timeline.
    public var duration: UInt64?
    /// The number of the first segment.
    public var startNumber = 1
    /// The number of the last segment.
    public var endNumber: Int?
    /// The URL of media segments, with identifiers such as `$Number$`.
    public var media: String?
    /// The URL of the init segment, with identifiers.
    public var initialization: String?
    /// The times of segments.
    public var timeline: SegmentTimeline?

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      timing.attributes(&coder)
      coder.attribute("duration", &duration)
      // ffmpeg up to 5.1 and some others take 0 for the default.
      coder.attribute("startNumber", &startNumber)
      coder.attribute("endNumber", &endNumber)
      coder.attribute("media", &media)
      coder.attribute("initialization", &initialization)
      coder.child("SegmentTimeline", &timeline)
    }
  }

  /// The times of segments: 5.3.9.6.
  public struct SegmentTimeline: ManifestElement {
    /// A run of segments of equal duration.
    public struct Run: ManifestElement {
      /// The start of the first one; `nil` for the end of the run before, or 0.
      public var start: UInt64?
      /// The duration of each one.
      public var duration: UInt64 = 0
      /// The number of segments after the first one; -1 for all up to the next run or the end of the period.
      public var repeatCount = 0

      public init() {}
      mutating func fields(_ coder: inout ElementCoder) {
        coder.attribute("t", &start)
        coder.attribute("d", &duration)
        coder.attribute("r", &repeatCount, default: 0)
      }
    }
    /// The runs, in order.
    public var runs: [Run] = []

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) { coder.children("S", &runs) }

    /// Segments that start at `times`, each up to the next one; the last time is the end of the last segment. Without
    /// `hasRepeats`, every segment is a run: GStreamer 1.22 uses one URL of a list for all segments of a run.
    public init(_ times: [UInt64], hasRepeats: Bool = true) {
      for (start, end) in zip(times, times.dropFirst()) {
        let duration = end > start ? end - start : 0
        if hasRepeats, let last = runs.last, last.duration == duration, duration > 0 {
          runs[runs.count - 1].repeatCount += 1
          continue
        }
        var run = Run()
        // After a segment without a duration, the next one may start earlier.
        run.start = runs.isEmpty || runs.last?.duration == 0 ? start : nil
        run.duration = duration
        runs.append(run)
      }
    }
  }
}
