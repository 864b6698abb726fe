extension Defragmenter {
  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// Which tracks to take.
    public var tracks = TrackSelection()
    /// Whether a presentation that does not start at 0 begins with nothing for so long, instead of being moved to 0.
    public var keepsStart = false
    /// Whether edit lists are written. Without them tracks start together, and what edits would hide is presented.
    public var writesEdits = true
    /// Whether the movie box stands before the media data.
    public var isMovieFirst = true
    /// Whether events that lie between the fragments become a timed metadata track, instead of being left out.
    public var keepsEvents = false

    /// What most want: everything is kept, the presentation starts at 0, and the movie box stands first.
    public init() {}

    /// Whether samples have to be arranged anew even where a file is progressive already.
    var arrangesSamples: Bool { !tracks.items.isEmpty || !writesEdits || !isMovieFirst }
  }
}
