package import MP4Bytes

/// The purpose of file-level boxes. Boxes that can also be in other boxes, such as `meta` and `uuid`, are not included.
package enum FileBox: Sendable {
  case fileType, movie, fragment, randomAccess, media
  /// The start of a segment.
  case segmentType, index
  /// Part of the fragment after it: events and producer reference times.
  case event
  /// Free space.
  case space
  /// A preview image of a QuickTime file.
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

  /// The purpose of the first box of a file that starts with these bytes.
  package init?(startOf file: ArraySlice<UInt8>) {
    guard let type: UInt32 = file.raw.bigEndian(at: 4) else { return nil }
    self.init(FourCC(rawValue: type))
  }

  /// Whether it cannot contain samples.
  package var holdsNoMedia: Bool {
    switch self {
    case .media, .space, .preview: false
    default: true
    }
  }
}
