/// What a stream of a program is, according to the table of the program: ISO/IEC 13818-1, table 2-34, and the
/// descriptors and identifiers of ETSI EN 300 468, ATSC A/53 and SMPTE RA.
enum StreamKind: Equatable {
  /// H.264, H.265, H.266, and MPEG-1 or MPEG-2.
  case video(ElementaryStreamFormat)
  case audio(ElementaryStreamFormat)
  /// Timed metadata (ID3).
  case metadata
  /// Splice information (SCTE 35).
  case splices
  /// Encrypted by the method SAMPLE-AES of HLS.
  case encrypted
  /// A stream of another kind, which is omitted; its name.
  case other(String)

  /// A stream whose format its table does not say.
  static let privateData = Self.other("private data")
  /// Whether its times are continuous.
  var isMedia: Bool {
    switch self {
    case .video, .audio, .encrypted: true
    case .metadata, .splices: false
    case .other: self == .privateData
    }
  }

  init(_ stream: ProgramTables.Stream) {
    switch stream.type {
    case 0x01, 0x02: self = .video(.mpeg2)
    case 0x03, 0x04: self = .audio(.mp3)
    case 0x0f: self = .audio(.adts)
    case 0x10: self = .other("MPEG-4 Visual")
    case 0x11: self = .audio(.latm)
    case 0x15:
      self = stream.registration == "ID3 " || stream.descriptor(0x26) != nil ? .metadata : .other("metadata")
    case 0x1b: self = .video(.h264)
    case 0x24: self = .video(.h265)
    case 0x33: self = .video(.h266)
    case 0x81: self = .audio(.ac3)
    case 0x84 where stream.registration == nil, 0x87: self = .audio(.eac3)
    case 0x86: self = .splices
    case 0xc1, 0xc2, 0xcf, 0xdb: self = .encrypted
    case 0x06: self = Self.format(ofPrivate: stream)
    default: self = .other("stream type 0x\(String(stream.type, radix: 16))")
    }
  }

  private static func format(ofPrivate stream: ProgramTables.Stream) -> StreamKind {
    switch stream.registration {
    case "AC-3": return .audio(.ac3)
    case "EAC3": return .audio(.eac3)
    case "HEVC": return .video(.h265)
    case "Opus": return .other("Opus")
    case "AV01": return .other("AV1")
    default: break
    }
    for descriptor in stream.descriptors {
      switch descriptor.tag {
      case 0x6a: return .audio(.ac3)
      case 0x7a: return .audio(.eac3)
      case 0x7c: return .audio(.adts)
      case 0x56: return .other("teletext")
      case 0x59: return .other("DVB subtitles")
      default: break
      }
    }
    return privateData
  }
}
