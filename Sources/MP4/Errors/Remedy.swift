public import MP4Bytes

/// What a program can do about an error: another operation, or an option of the same one.
public enum Remedy: Hashable, Sendable {
  /// A `Recovery`, if a recording was interrupted.
  case recover
  /// A `Recovery` with an intact file from the same device, recorded with the same settings.
  case recoverWithReference
  /// A `Defragmenter` writes a file that supports the operation.
  case defragment
  /// A `Fragmenter` writes a fragmented file.
  case fragment
  /// A `Fragmenter` writes a fragmented file of each track.
  case fragmentTrack
  /// The program that writes the stream must write it as fragments.
  case streamFragments
  /// The HLS presentation can be saved as one file.
  case savePresentation
  /// A `Concatenator` for complete movies.
  case concatenate
  /// `Concatenator.allowsDifferent`.
  case allowDifferences
  /// ``MovieEditor/renamingSampleEntries(to:)``.
  case renamingSampleEntries(to: FourCC)
  /// The same, to the name that fits the contents.
  case renameSampleEntry
  /// Another file, not a change in place.
  case writeNewFile
  /// Another file, with the other tracks.
  case writeOtherTracks
  /// A separate extraction for each track.
  case extractEachTrack
  /// A ``TrackExtraction`` of unchanged samples.
  case extractRaw
  /// A ``Decryption``, or a ``TrackExtraction`` of unchanged samples.
  case decrypt
  /// An excerpt of all matching boxes.
  case extractAllBoxes
  /// References of playlists outside of their folder or site can be allowed.
  case allowOutside
  /// ``ElementaryStream/Options/frameRate``.
  case setFrameRate
}
