package import Bytes

/// What the boxes are for that files consist of. Others that a file can hold, such as `meta` and `uuid`, other boxes
/// hold, too.
package enum FileBox: Sendable {
  case fileType, movie, fragment, randomAccess, media
  /// What segments begin with.
  case segmentType, index
  /// What belongs to the fragment after it: events and times of the producer.
  case event
  /// Room for others.
  case space
  /// A picture of a QuickTime file.
  case preview

  package init?(_ type: FourCC) {
    switch type {
    case "ftyp": self = .fileType
    case "moov": self = .movie
    case "moof": self = .fragment
    case "mfra": self = .randomAccess
    case "mdat": self = .media
    case "styp": self = .segmentType
    case "sidx", "ssix": self = .index
    case "emsg", "prft": self = .event
    case "free", "skip", "wide": self = .space
    case "pnot": self = .preview
    default: return nil
    }
  }

  /// What the first box of a file is for, which starts with these bytes.
  package init?(startOf file: ArraySlice<UInt8>) {
    guard let type: UInt32 = file.raw.bigEndian(at: 4) else { return nil }
    self.init(FourCC(rawValue: type))
  }

  /// Whether no sample can lie in it.
  package var holdsNoMedia: Bool {
    switch self {
    case .media, .space, .preview: false
    default: true
    }
  }
}
