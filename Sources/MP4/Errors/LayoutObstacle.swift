public import Bytes

/// Why boxes and media cannot be combined into one file.
public enum LayoutObstacle: Error, Equatable, Sendable {
  /// The size of an input is unknown.
  case unknownSize
  /// Chunk offsets and the sizes of the boxes that contain them depend on each other, and do not converge.
  case chunksDoNotSettle
  /// Offsets and the sizes of edited boxes depend on each other, and do not converge.
  case offsetsDoNotSettle
  /// The offsets in a movie fragment do not fit into their fields.
  case largerFragment
  /// The data of a track run is more than 2 GB away from its movie fragment.
  case farData
  /// A part referenced by an index (`sidx`) is too large for it.
  case largeReference
  /// A part referenced by an index (`sidx`) is not after it.
  case referenceBefore
  /// A level referenced by an `ssix` is too large for it.
  case largeLevel
  /// A box extends to the end of the file and is too large for its header to declare its size.
  case endlessBox(FourCC, offset: Int)
  /// The target of an offset cannot be tracked to its new position.
  case lost(Diagnostic)
  /// Because the input is damaged, a reader would not find the planned samples in the output; what it would find.
  case unreadable(OutputDamage)
  /// The edits remove the movie box.
  case noMovieLeft
  /// The edited movie cannot be used, for this reason.
  case unusableMovie(MovieError)
  /// Samples whose data is missing would be read from other bytes of the larger file.
  case foundSamples(track: UInt32)
  /// The edits remove all samples of a track that remains.
  case noSamplesLeft(track: UInt32)
  /// The edits leave this number of samples without data.
  case lostSamples(Int)
  /// The edits give two tracks the same ID.
  case sameTrackID(UInt32)
}

extension LayoutObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .unknownSize: "its size is unknown"
    case .chunksDoNotSettle: "its chunk offsets do not converge"
    case .offsetsDoNotSettle: "its offsets do not converge"
    case .largerFragment: "moof: its offsets now need more bytes"
    case .farData: "moof/traf/trun: its data is now too far away"
    case .largeReference: "sidx: a part of it is now too large"
    case .referenceBefore: "sidx: its references are no longer after it"
    case .largeLevel: "ssix: a level of a part is now too large"
    case .endlessBox(let type, let offset):
      "\(type) at byte \(offset) extends to the end of the file and is larger than 4 GiB, so nothing can follow it"
    case .lost(let diagnostic): diagnostic.text
    case .unreadable(let damage):
      "the damage is too severe: the output would not have the planned samples (\(damage)); not written"
    case .noMovieLeft: "these edits would remove the moov box"
    case .noSamplesLeft(let track): "track \(track) would have no samples after these edits; remove its trak instead"
    case .lostSamples(let count):
      "\(counted(count, "sample")) would have no data after these edits"
    case .sameTrackID(let id): "two tracks would have the ID \(id) after these edits"
    case .foundSamples(let track):
      "samples of track \(track) have no data, and after these edits would refer to other bytes; repair the file first"
    case .unusableMovie(let error): "the movie could not be used after these edits: \(error.reason)"
    }
  }
}
