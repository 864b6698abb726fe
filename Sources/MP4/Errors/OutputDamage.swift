import Bytes

/// How an output would be read differently from the plan.
enum OutputDamage: Equatable, Sendable {
  /// Nothing can be read, for this reason.
  case unreadable(MovieError)
  /// A box is damaged.
  case box(Diagnostic)
  /// There are several movies.
  case severalMovies
  /// There are movie fragments in a progressive file.
  case fragments
  /// The movie fragments differ from the planned ones.
  case otherFragments
  /// There are fragments that the inputs do not have.
  case addedFragments
  /// Fragments of an input are not found.
  case lostFragments
  /// The tracks differ.
  case otherTracks
  /// The samples differ.
  case otherSamples
  /// A problem with the samples of a track.
  case track(UInt32, TrackDamage)
  /// The movie fragment at an offset of an input is read differently.
  case joined(offset: Int, JoinedDamage)
  /// A fragment, counted from 0, is read differently from the plan.
  case fragment(Int, FragmentDamage)

  /// Problems with the samples of a track.
  enum TrackDamage: Equatable, Sendable {
    /// Its sample tables contradict each other or cannot be read.
    case tables(TableProblem)
    /// This number of samples is in no chunk.
    case noChunk(samples: Int)
    /// Samples are not in media data.
    case noMediaData
    /// Samples have no description.
    case noDescription
    /// Only one of the sizes and offsets of auxiliary information is present.
    case auxiliaryInformation
    /// A box about samples cannot be read.
    case box(FourCC)
  }

  /// Differences between a copied movie fragment and its source.
  enum JoinedDamage: Hashable, Sendable {
    /// It is not found.
    case notFound
    /// It has another sequence number.
    case sequenceNumber
    /// The samples or times differ.
    case samples
    /// Its data is in bytes that are not a box.
    case dataOutsideBoxes
    /// Its data is not in its file.
    case dataOfOthers
    /// Its data is at a different offset.
    case dataElsewhere
  }

  /// Differences between a written fragment and the plan.
  enum FragmentDamage: Hashable, Sendable {
    /// Boxes in it are damaged.
    case boxes
    /// A problem with the samples of a track.
    case track(UInt32, FragmentTrackDamage)
  }

  /// Differences between a track in a fragment and the plan. Samples are counted from 0.
  enum FragmentTrackDamage: Hashable, Sendable {
    /// The samples differ.
    case samples
    /// Its decode time cannot be written.
    case decodeTime
    /// It has a different sample description.
    case sampleDescription
    /// A sample has a different size, duration or flags.
    case sample(Int)
    /// The composition offset of a sample cannot be written.
    case compositionOffset(sample: Int)
    /// A sample has the data of other samples.
    case data(sample: Int)
    /// Its auxiliary information differs.
    case auxiliaryInformation
  }
}

extension OutputDamage: CustomStringConvertible {
  /// A sentence without the name of the file.
  var description: String {
    switch self {
    case .unreadable(let error): error.reason
    case .box(let diagnostic): diagnostic.text
    case .severalMovies: "there are several movies"
    case .fragments: "it contains movie fragments"
    case .otherFragments: "it contains different movie fragments"
    case .addedFragments: "it contains fragments that are not in the inputs"
    case .lostFragments: "some of its fragments are lost"
    case .otherTracks: "it has different tracks"
    case .otherSamples: "it has different samples"
    case .track(let id, let damage): "track \(id): \(damage)"
    case .joined(let offset, let damage): "the fragment at byte \(offset) \(damage)"
    case .fragment(let index, let damage): "fragment \(index + 1): \(damage)"
    }
  }
}

extension OutputDamage.TrackDamage: CustomStringConvertible {
  /// A sentence about the track.
  var description: String {
    switch self {
    case .tables(let problem): problem.description
    case .noChunk(let count): "\(count) samples are in no chunk"
    case .noMediaData: "samples are not in media data"
    case .noDescription: "samples have no description"
    case .auxiliaryInformation: "saiz or saio is missing"
    case .box(let type): "\(type) cannot be read"
    }
  }
}

extension OutputDamage.JoinedDamage: CustomStringConvertible {
  /// The problem, as a predicate.
  var description: String {
    switch self {
    case .notFound: "is not found"
    case .sequenceNumber: "has a different sequence number"
    case .samples: "has different samples or times"
    case .dataOutsideBoxes: "has data outside of boxes, which a join cannot keep"
    case .dataOfOthers: "has data that is missing from its file, so data of other files would be used"
    case .dataElsewhere: "refers to different data"
    }
  }
}

extension OutputDamage.FragmentDamage: CustomStringConvertible {
  /// A sentence about the fragment.
  var description: String {
    switch self {
    case .boxes: "it contains damaged boxes"
    case .track(let id, let damage): "track \(id): \(damage)"
    }
  }
}

extension OutputDamage.FragmentTrackDamage: CustomStringConvertible {
  /// A sentence about the track.
  var description: String {
    switch self {
    case .samples: "it has different samples"
    case .decodeTime: "its decode time cannot be written"
    case .sampleDescription: "it has a different sample description"
    case .sample(let index): "sample \(index + 1) would have a different size, duration or flags"
    case .compositionOffset(let index): "the composition offset of sample \(index + 1) cannot be written"
    case .data(let index): "sample \(index + 1) would have the data of other samples"
    case .auxiliaryInformation: "its auxiliary information would change"
    }
  }
}
