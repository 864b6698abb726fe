public import Bytes

/// Why sample entries cannot be renamed.
public enum SampleEntryObstacle: Error, Equatable, Sendable {
  /// Sample entries cannot get this name.
  case unknown(FourCC)
  /// No track has a sample entry that can get the name; the existing ones.
  case none(FourCC, to: FourCC, known: [FourCC])
  /// The parameter sets in the sample entry of a track are not all, or this cannot be found out.
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
      "track \(track) cannot be renamed to \(new): its samples have parameter sets that its \(old) entry lacks, or its "
        + "parameter sets cannot be read"
    }
  }
}
