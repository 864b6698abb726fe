/// Why the movie fragments of a source cannot be used as segments.
public enum SourceFragmentObstacle: Error, Equatable, Sendable {
  /// The tracks come from several inputs.
  case severalInputs
  /// The movie box is damaged.
  case damagedMovie(Diagnostic)
  /// The movie fragments have more tracks than selected.
  case otherTracks
  /// The movie box is after the first movie fragment.
  case movieAfterFragments
  /// Samples are not in separate movie fragments.
  case noFragments
  /// A problem with the fragments of a track.
  case track(UInt32, TrackProblem)
  /// A problem with the movie fragment at an offset of the source.
  case fragment(offset: Int, FragmentProblem)

  /// A problem with the fragments of a track.
  public enum TrackProblem: Hashable, Sendable {
    /// Its movie fragment is cut off.
    case cutOff
    /// Its movie box contains samples.
    case samplesInMovie
    /// Fragments are not in time order.
    case order
    /// Fragments overlap in time.
    case overlap
    /// The durations of samples are wrong.
    case durations
    /// A fragment has no decode time.
    case noDecodeTime
    /// The decode times restart.
    case restart
    /// It would be extended.
    case extended
  }

  /// A problem with a movie fragment.
  public enum FragmentProblem: Hashable, Sendable {
    /// It does not begin with a sync sample.
    case noSync
    /// The previous one is damaged.
    case damagedBefore
    /// It is damaged.
    case damaged
    /// Its data offsets are not relative to its start.
    case otherBase
    /// It is not followed by its media data.
    case dataElsewhere
  }
}

extension SourceFragmentObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .severalInputs: "its tracks come from several inputs"
    case .damagedMovie(let diagnostic): diagnostic.text
    case .otherTracks: "its movie fragments have more tracks than selected"
    case .movieAfterFragments: "its moov is after its first movie fragment"
    case .noFragments: "its samples are not in separate movie fragments"
    case .track(let id, let problem): "track \(id): \(problem)"
    case .fragment(let offset, .damagedBefore):
      "a damaged movie fragment precedes the one at byte \(offset)"
    case .fragment(let offset, let problem): "the movie fragment at byte \(offset) \(problem)"
    }
  }
}

extension SourceFragmentObstacle.TrackProblem: CustomStringConvertible {
  /// A sentence about the track.
  public var description: String {
    switch self {
    case .cutOff: "a movie fragment is cut off"
    case .samplesInMovie: "its moov has samples"
    case .order: "its movie fragments are not in time order"
    case .overlap: "movie fragments overlap in time"
    case .durations: "the durations of its samples are wrong"
    case .noDecodeTime: "a movie fragment has no decode time (tfdt)"
    case .restart: "the decode times of its movie fragments restart"
    case .extended: "its track would be extended"
    }
  }
}

extension SourceFragmentObstacle.FragmentProblem: CustomStringConvertible {
  /// The problem, as a predicate.
  public var description: String {
    switch self {
    case .noSync: "does not begin with a sync sample, as segments must"
    case .damagedBefore: "follows a damaged one"
    case .damaged: "is damaged"
    case .otherBase: "does not use data offsets relative to its start"
    case .dataElsewhere: "is not followed by its data"
    }
  }
}
