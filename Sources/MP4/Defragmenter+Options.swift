extension Defragmenter {
  /// The kind of file that is written for a QuickTime movie.
  public enum OutputKind: Sendable {
    /// A QuickTime movie.
    case asInput
    /// An ISO file (MP4): brands and sample descriptions are converted, and those without an ISO equivalent are
    /// kept with a warning. Samples do not change.
    case iso
  }
  /// The options of a defragmenter.
  public struct Options: Sendable {
    /// The tracks to use.
    public var tracks = TrackSelection()
    /// Whether a presentation that does not start at 0 gets an empty edit of that duration, instead of being moved to
    /// 0.
    public var keepsStart = false
    /// Whether a movie fragment that is cut off at the end of an input is omitted as a whole.
    public var takesWholeFragments = false
    /// How to handle fragments that declare different samples for the same times. If it is `nil`, the samples declared
    /// last are used, and the others count as data loss.
    public var overlaps: OverlapPolicy?
    /// Whether to use segments that do not seem to match the preceding init segment, instead of omitting them.
    public var takesAllSegments = false
    /// Whether edit lists are written. Without them, tracks start together, and hidden media is presented.
    public var writesEdits = true
    /// Whether the movie box is before the media data.
    public var isMovieFirst = true
    /// Whether events between the fragments become a timed metadata track instead of being omitted.
    public var keepsEvents = false
    /// The duration of the chunks in which tracks are interleaved, by decode time. `nil` keeps the order of the source,
    /// divides chunks longer than half a second, and interleaves several movies every half second. Times of 0 or less
    /// create a chunk for each sample.
    public var interleave: MediaTime?
    /// Whether the sample sizes of a track are written in 4, 8 or 16 bits (`stz2`) if all of them fit. Not all players
    /// read it.
    public var isCompact = false
    /// The kind of file that is written for a QuickTime movie; other movies do not change.
    public var outputKind = OutputKind.asInput

    /// The default: everything is kept, the presentation starts at 0, and the movie box is first.
    public init() {}

    /// Whether samples must be rearranged even if a file is already progressive.
    var arrangesSamples: Bool {
      !tracks.items.isEmpty || !writesEdits || !isMovieFirst || interleave != nil || isCompact
    }
  }
}
