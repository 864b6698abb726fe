extension Defragmenter {
  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// How long the chunks are in which the tracks take turns, in the order of their decode times; `nil` keeps the
    /// interleave of the source and cuts what is longer than half a second. Times that are not positive count as the
    /// shortest: a chunk for each sample.
    public var interleave: MediaTime?

    /// Whether sizes of samples take 4, 8 or 16 bits in the tables (`stz2`) where all of a track fit. Not all players read it.
    public var isCompact = false

    /// What most want: everything is kept, and the presentation starts at 0.
    public init() {}

    /// Whether the sample tables change even of a file that is progressive already.
    var arrangesSamples: Bool { interleave != nil || isCompact }
  }
}
