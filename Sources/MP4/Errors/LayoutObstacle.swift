public import Bytes

/// Why boxes and media cannot be put into one file.
public enum LayoutObstacle: Error, Equatable, Sendable {
  /// The size of an input is not known.
  case unknownSize
  /// The places of chunks depend on the sizes of the boxes that say them, and no sizes fit.
  case chunksDoNotSettle
  /// The same for boxes that were edited.
  case offsetsDoNotSettle
  /// The offsets in a movie fragment take more bytes than it has for them.
  case largerFragment
  /// The data of a track run is more than 2 GB away from its movie fragment.
  case farData
  /// A part that an index (`sidx`) names is larger than it can say.
  case largeReference
  /// What an index (`sidx`) names is not after it.
  case referenceBefore
  /// A level that an `ssix` names is larger than it can say.
  case largeLevel
  /// A box goes on to the end of the file and is so large that its header has no room for its size.
  case endlessBox(FourCC, offset: Int)
  /// What is named by an offset cannot be followed to its new place.
  case lost(Notice)
  /// A reader would not find in the output what is meant, since the input is damaged; what it would find.
  case unreadable(OutputDamage)
  /// No movie box is left by edits.
  case noMovieLeft
  /// The movie that edits leave cannot be used; why.
  case unusableMovie(MovieError)
  /// Edits leave no sample of a track that had some and is still there.
  case noSamplesLeft(track: UInt32)
}

extension LayoutObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .unknownSize: "its size is unknown"
    case .chunksDoNotSettle: "its chunk offsets do not converge"
    case .offsetsDoNotSettle: "its offsets do not converge"
    case .largerFragment: "moof: its offsets need more bytes now"
    case .farData: "moof/traf/trun: its data is too far away now"
    case .largeReference: "sidx: a part of it is too large now"
    case .referenceBefore: "sidx: its references are no longer after it"
    case .largeLevel: "ssix: a level of a part is too large now"
    case .endlessBox(let type, let offset):
      "\(type) at byte \(offset) extends to the end of the file and is larger than 4 GiB, so nothing can follow it"
    case .lost(let notice): notice.text
    case .unreadable(let damage):
      "it is too damaged: the output would not have the planned samples (\(damage)); not written"
    case .noMovieLeft: "these edits would remove the moov box"
    case .noSamplesLeft(let track): "track \(track) would have no samples after these edits; remove its trak instead"
    case .unusableMovie(let error): "the movie could not be used after these edits: \(error.reason)"
    }
  }
}
