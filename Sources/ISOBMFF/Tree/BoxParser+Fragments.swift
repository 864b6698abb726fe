/// `decode` for what every movie fragment has, as concrete functions: other modules would call the generic one without
/// specialization, which is many times slower.
extension BoxParser {
  /// Decodes `tfhd`.
  package mutating func trackFragmentHeader(_ node: BoxNode)
    throws(IOError) -> Result<TrackFragmentHeaderBox, BoxError>
  { try decode(node, as: TrackFragmentHeaderBox.self) }

  /// Decodes `tfdt`.
  package mutating func trackFragmentDecodeTime(_ node: BoxNode)
    throws(IOError) -> Result<TrackFragmentDecodeTimeBox, BoxError>
  { try decode(node, as: TrackFragmentDecodeTimeBox.self) }

  /// Decodes `trun`.
  package mutating func trackRun(_ node: BoxNode) throws(IOError) -> Result<TrackRunBox, BoxError> {
    try decode(node, as: TrackRunBox.self)
  }

  /// Decodes `mfhd`.
  package mutating func movieFragmentHeader(_ node: BoxNode)
    throws(IOError) -> Result<MovieFragmentHeaderBox, BoxError>
  { try decode(node, as: MovieFragmentHeaderBox.self) }
}
