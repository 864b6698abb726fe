public import Bytes

/// Why sample entries cannot be renamed.
public enum SampleEntryObstacle: Error, Equatable, Sendable {
  /// This is not a name for sample entries.
  case unknown(FourCC)
  /// No track has a sample entry that can get the name; the existing ones.
  case none(FourCC, to: FourCC, known: [FourCC])
  /// The parameter sets of a track contradict each other, or cannot be read.
  case parameterSets(track: UInt32, FourCC, FourCC)
}

extension SampleEntryObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .unknown(let name): "sample entries cannot be renamed to \(name)"
    case .none(let old, let new, let known):
      "no track has a sample entry \(old) that can be renamed to \(new); there are "
        + (known.isEmpty ? "none" : known.map(\.description).joined(separator: ", "))
    case .parameterSets(let track, let old, let new):
      "track \(track) cannot be renamed to \(new): parameter sets in its samples contradict each other or its "
        + "\(old) entry, or cannot be read"
    }
  }
}
