/// Why the movie fragments of a source cannot be segments as they are.
public enum SourceFragmentObstacle: Error, Equatable, Sendable {
  /// The tracks come from several inputs.
  case severalInputs
  /// The movie box is damaged.
  case damagedMovie(Notice)
  /// The movie fragments have more tracks than are wanted.
  case otherTracks
  /// The movie box is after the first movie fragment.
  case movieAfterFragments
  /// Samples are not in movie fragments, or not in movie fragments of their own.
  case noFragments
  /// Something is wrong with the fragments of a track.
  case track(UInt32, TrackProblem)
  /// Something is wrong with the movie fragment at a byte of the source.
  case fragment(offset: Int, FragmentProblem)

  /// What is wrong with the fragments of a track.
  public enum TrackProblem: Hashable, Sendable {
    /// Its movie fragment is cut off.
    case cutOff
    /// It has samples in its movie box.
    case samplesInMovie
    /// Fragments are not in the order of time.
    case order
    /// Fragments overlap in time.
    case overlap
    /// The durations of samples are wrong.
    case durations
    /// A fragment does not say when its samples are decoded.
    case noDecodeTime
    /// The decode times start over.
    case restart
    /// It is made longer than the source has it.
    case extended
  }

  /// What is wrong with a movie fragment.
  public enum FragmentProblem: Hashable, Sendable {
    /// It does not begin with a sync sample.
    case noSync
    /// One before it is damaged.
    case damagedBefore
    /// It is damaged itself.
    case damaged
    /// Its offsets are not counted from its own start.
    case otherBase
    /// Its media data is not after it.
    case dataElsewhere
  }
}

extension SourceFragmentObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .severalInputs: "its tracks come from several inputs"
    case .damagedMovie(let notice): notice.text
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
  /// What it is or does not do.
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
