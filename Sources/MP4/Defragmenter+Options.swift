extension Defragmenter {
  /// What kind of file comes of a QuickTime movie.
  public enum OutputKind: Sendable {
    /// A QuickTime movie again.
    case asInput
    /// An ISO file (MP4): brands and descriptions of samples are those of ISO files, and what these have no name for is
    /// kept with a warning. The samples stay as they are.
    case iso
  }
  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// Which tracks to take.
    public var tracks = TrackSelection()
    /// Whether a presentation that does not start at 0 begins with nothing for so long, instead of being moved to 0.
    public var keepsStart = false
    /// Whether a movie fragment at the end of an input that is cut off is left out with all that there is of it.
    public var takesWholeFragments = false
    /// What is done where fragments declare different samples for the same times. Unless it is given, those that were
    /// declared last are used, and the others count as lost.
    public var overlaps: OverlapPolicy?
    /// Whether segments are used that the init before them does not seem to fit, instead of being left out.
    public var takesAllSegments = false
    /// Whether edit lists are written. Without them tracks start together, and what edits would hide is presented.
    public var writesEdits = true
    /// Whether the movie box stands before the media data.
    public var isMovieFirst = true
    /// Whether events that lie between the fragments become a timed metadata track, instead of being left out.
    public var keepsEvents = false
    /// How long the chunks are in which the tracks take turns, in the order of their decode times; `nil` keeps the
    /// interleave of the source, cuts what is longer than half a second, and puts movies together by half seconds. Times
    /// that are not positive count as the shortest: a chunk for each sample.
    public var interleave: MediaTime?
    /// Whether sizes of samples take 4, 8 or 16 bits in the tables (`stz2`) where all of a track fit. Not all players read it.
    public var isCompact = false
    /// What kind of file comes of a QuickTime movie; other movies stay what they are.
    public var outputKind = OutputKind.asInput

    /// What most want: everything is kept, the presentation starts at 0, and the movie box stands first.
    public init() {}

    /// Whether samples have to be arranged again even where a file is progressive already.
    var arrangesSamples: Bool {
      !tracks.items.isEmpty || !writesEdits || !isMovieFirst || interleave != nil || isCompact
    }
  }
}
