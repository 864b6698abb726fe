public import ISOBMFF
public import MP4Bytes

/// Why a movie cannot be written from samples. Data that has already been written does not change; after `io`, the
/// writer cannot be used.
public enum MovieWriterError: Error, Sendable {
  /// The sink failed.
  case io(IOError)
  /// A sample or a sample description of another movie cannot be read.
  case source(MovieError)
  /// A box cannot be written, such as a sample entry.
  case box(BoxError)
  /// A track or sample of another movie is encrypted, which this writer does not carry over.
  case encrypted
  /// The edit list of a track of another movie has several parts or another speed.
  case editList
  /// Appending after `finish()`, or after an error of the sink.
  case finished
  /// Adding a track after the movie box was written.
  case tooLateForTrack
  /// The movie has no track.
  case noTracks
  /// There is no track with this index.
  case noTrack(Int)
  /// The track has no sample entry with this number.
  case noSampleEntry(Int, track: Int)
  /// A sample is too large for a 32-bit size.
  case sampleTooLarge(byteCount: Int, track: Int)
  /// A time is not a multiple of the track's time unit, is negative, or is out of range.
  case time(MediaTime, track: Int)
  /// The samples of a fragment exceed 2 GB.
  case fragmentTooLarge
  /// A header of an encoder cannot be read; what it is.
  case unreadableHeader(String)
  /// MP4 has no such format; what it is.
  case unsupportedFormat(String)
  /// The bytes are no whole number of PCM frames.
  case partialFrame(byteCount: Int, track: Int)
  /// Bytes without a time are appended to a track that does not have PCM.
  case notFrames(track: Int)
  /// The language tag of a track is not valid.
  case language(String)
  /// Cues are appended to a track with other samples.
  case notText(track: Int)
  /// Cues need more bytes than the samples of a text track can have.
  case tooMuchText(track: Int)
  /// A sample is decoded before the previous one of its track.
  case unordered(MediaTime, track: Int)
  /// Samples of one track have presentation times and durations.
  case otherTimes(track: Int)
}

extension MovieWriterError: CustomStringConvertible {
  /// A sentence with the problem.
  public var description: String {
    switch self {
    case .io(let error): error.description
    case .source(let error): error.description
    case .box(let error): "a box cannot be written: \(error)"
    case .encrypted: "the track is encrypted; only clear samples can be written"
    case .editList: "the edit list of the track has several parts or a speed other than 1"
    case .finished: "the movie is finished; samples cannot be added"
    case .tooLateForTrack: "moov is already written; tracks must be added earlier"
    case .noTracks: "the movie has no track"
    case .noTrack(let track): "there is no track \(track)"
    case .noSampleEntry(let entry, let track): "track \(track) has no sample entry \(entry)"
    case .sampleTooLarge(let byteCount, let track):
      "track \(track): a sample has \(byteCount) bytes; at most \(UInt32.max) are possible"
    case .time(let time, let track):
      "track \(track): \(time.value)/\(time.timescale) s is negative, too long, or not a multiple of the track's time "
        + "unit"
    case .unreadableHeader(let header): "\(header) cannot be read"
    case .unsupportedFormat(let format): "\(format) cannot be written to MP4"
    case .partialFrame(let byteCount, let track):
      "track \(track): \(counted(byteCount, "byte")) are no whole number of frames"
    case .notFrames(let track): "track \(track) does not have PCM; its samples need times or durations"
    case .language(let tag): "'\(tag)' is not a language tag such as 'en' or 'pt-BR'"
    case .notText(let track): "track \(track) is no text track, to which cues can be appended"
    case .tooMuchText(let track): "track \(track): the cues that are shown at one time are too long for a sample"
    case .unordered(let time, let track):
      "track \(track): the sample at \(time) is decoded before the previous one; with B-frames, give decode times"
    case .otherTimes(let track): "track \(track): its samples must all have presentation times, or all durations"
    case .fragmentTooLarge: "a fragment has more than 2 GB, which offsets cannot express"
    }
  }
}
