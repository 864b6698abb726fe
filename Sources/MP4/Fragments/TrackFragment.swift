/// The samples of one track in one movie fragment.
struct TrackFragment: Sendable {
  /// Which of the sources it is in.
  var source: Int
  /// Which movie fragment of all sources it is in, in the order of the files.
  var fragment: Int
  /// Which track of the movie.
  var track: Int
  /// The decode time that it declares, if it does.
  var declaredTime: UInt64?
  /// Whether the declared time has 32 bits and may have wrapped.
  var isNarrowTime = false
  /// Which sample description, counted from 1.
  var descriptionIndex: UInt32
  /// Its runs in the store.
  var runs: Range<Int>
  /// The number of samples.
  var sampleCount = 0
  /// The sum of the durations.
  var duration: UInt64 = 0
  /// What else it says of its samples.
  var information = FragmentInformation()

  /// Adds the run behind its last one.
  mutating func append(_ run: Int, of store: RunStore) {
    runs = runs.lowerBound..<(run + 1)
    sampleCount += store.runs[run].count
    duration &+= store.duration(of: store.runs[run], first: store.runs[run].count)
  }
}

/// A movie fragment as a whole.
struct FragmentHeader: Sendable {
  var source: Int
  /// Where the box starts.
  var offset: Int
  var sequenceNumber: UInt32
  /// Where the box of a movie fragment ends.
  var end = Int.max
}
