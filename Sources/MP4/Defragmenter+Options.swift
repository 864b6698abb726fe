extension Defragmenter {
  /// The options of a defragmenter.
  public struct Options: Sendable {
    /// How the inputs are read.
    public var reading = ReadingOptions()
    /// Whether the movie box is before the media data.
    public var isMovieFirst = true
    /// The duration of the chunks in which tracks are interleaved, by decode time. `nil` keeps the order of the source,
    /// divides chunks longer than half a second, and interleaves several movies every half second. Times of 0 or less
    /// create a chunk for each sample.
    public var interleave: MediaTime?
    /// Whether the sample sizes of a track are written in 4, 8 or 16 bits (`stz2`) if all of them fit. Not all players
    /// read it.
    public var isCompact = false

    /// The default: everything is kept, the presentation starts at 0, and the movie box is first.
    public init() {}

    /// Whether samples must be rearranged even if a file is already progressive.
    var arrangesSamples: Bool {
      !reading.tracks.items.isEmpty || !reading.keepsEdits || !isMovieFirst || interleave != nil || isCompact
    }
  }
}
