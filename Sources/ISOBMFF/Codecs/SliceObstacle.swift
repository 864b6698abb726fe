/// Why the header of a slice of AVC or HEVC cannot be read.
package enum SliceObstacle: Error, Sendable {
  /// There is no picture parameter set with this number, or it is not readable.
  case pictureSet(Int)
  /// There is no sequence parameter set with this number, or it is not readable.
  case sequenceSet(Int)
  /// It uses features that are not parsed.
  case unsupported
  /// The header has an impossible number of references, or extends past the end of the slice.
  case broken
}
