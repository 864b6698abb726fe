package import Bytes

/// `decode` as concrete functions for the boxes of every movie fragment: other modules would call the generic function
/// unspecialized, which is many times slower.
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

  /// The decode time at the start of the run after a `tfdt` or `trun`, if it is known.
  mutating func decodeTime(after node: BoxNode) throws(IOError) -> UInt64? {
    if node.type == "tfdt" {
      guard case .success(let box) = try trackFragmentDecodeTime(node) else { return nil }
      return box.baseMediaDecodeTime
    }
    guard let time = node.context.decodeTime, case .success(let run) = try trackRun(node),
      let duration = run.duration(ofSamples: node.context.sampleDefaults.duration)
    else { return nil }
    let (end, overflow) = time.addingReportingOverflow(duration)
    return overflow ? nil : end
  }

  /// Decodes `mfhd`.
  package mutating func movieFragmentHeader(_ node: BoxNode)
    throws(IOError) -> Result<MovieFragmentHeaderBox, BoxError>
  { try decode(node, as: MovieFragmentHeaderBox.self) }
}
