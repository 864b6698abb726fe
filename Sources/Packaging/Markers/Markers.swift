public import MP4
public import MP4HLS

extension Packager {
  /// What happens at certain times of a presentation. Times count from its start.
  public struct Markers: Sendable, Equatable {
    /// Breaks for advertisements. Segments start at the first sync sample at or after both of their ends.
    public var adBreaks: [Range<MediaTime>] = []
    /// Other media that players present instead of this one, or in between.
    public var interstitials: [Interstitial] = []
    /// Whether splice messages (SCTE 35) of the inputs become date ranges, with segments that start there.
    public var usesSplices = true
    /// Further date ranges, which playlists contain as they are. Those with splice information replace the splice
    /// messages of the inputs.
    public var dateRanges: [DateRange] = []
    /// The date and time of the start. Without it, presentations with date ranges start with 1970.
    public var date: DateTime?

    /// The splice messages of the inputs.
    public init() {}

    /// Keeps the date and the date ranges of a presentation that starts at `start`; with another ``date``, they move.
    public mutating func keep(_ ranges: [DateRange], from start: DateTime) {
      let start = start
      let shift = (date ?? start).sinceEpoch - start.sinceEpoch
      date = date ?? start
      dateRanges += ranges.map { range in
        var own = range
        own.start = range.start.map { $0 + shift }
        own.end = range.end.map { $0 + shift }
        return own
      }
    }
  }

  /// Media that players present at a time: an interstitial of HLS.
  public struct Interstitial: Sendable, Equatable {
    /// When it starts.
    public var time: MediaTime
    /// The URI of its multivariant playlist, or of a list of assets in JSON.
    public var uri: String
    /// Whether the URI is that of a list.
    public var isList = false
    /// How long it lasts; `nil` if unknown.
    public var duration: MediaTime?
    /// How much of the presentation it replaces; `nil` for its own duration.
    public var resumeOffset: MediaTime?
    /// What users cannot do: `SKIP` or `JUMP`.
    public var restrictions: [String] = []
    /// Whether it is presented only once.
    public var isOnce = false

    /// The media at `uri`, presented at `time`.
    public init(at time: MediaTime, uri: String) { (self.time, self.uri) = (time, uri) }
  }
}
