import ISOBMFF
import MP4Bytes

/// MPEG-1, MPEG-2 or MPEG-4 Visual, whose samples have start codes: ISO/IEC 11172-2, 13818-2 and 14496-2.
struct StartCodeVideo: Sendable, Equatable {
  let format: ElementaryStreamFormat
  /// The headers of the sample entry, which decoders need before the first picture.
  private let headers: [UInt8]

  /// Whether an entry is one of those for MPEG-2 in QuickTime movies: HDV, XDCAM and IMX have many.
  private static func isMPEG2(_ type: FourCC) -> Bool {
    let families: Set<FourCC> = ["hdv ", "xdv ", "xd5 ", "xdh ", "mx3 ", "mx4 ", "mx5 "]
    return ["mpg2", "mp2v", "m2v1"].contains(type)
      || families.contains(FourCC(rawValue: type.rawValue & 0xffff_ff00 | UInt32(UInt8(ascii: " "))))
  }

  /// The stream of samples; `nil` for other codecs.
  init?(_ configuration: DecoderConfiguration) {
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch configuration.codedFormat {
    case "mp4v":
      switch descriptor?.decoderConfig?.objectTypeIndication {
      case 0x20: format = .mpeg4
      case 0x60, 0x61, 0x62, 0x63, 0x64, 0x65: format = .mpeg2
      case 0x6a: format = .mpeg1
      default: return nil
      }
    case "mpeg", "mp1v", "m1v1", "m1v ": format = .mpeg1
    case let type where Self.isMPEG2(type): format = .mpeg2
    default: return nil
    }
    let bytes = descriptor?.decoderSpecificInfo ?? []
    // Other contents are not headers.
    headers = bytes.starts(with: [0, 0, 1]) ? Array(bytes) : []
  }

  /// Calls `body` for each part of a sample. Before a sample at which decoding can start, the headers of the sample
  /// entry are inserted, unless the sample has its own.
  func forEachPart(
    of sample: Range<Int>, in window: inout ByteWindow, isStart: Bool,
    _ body: (SampleFraming.Part) throws(IOError) -> Void
  ) throws(IOError) {
    if isStart, !headers.isEmpty,
      !startsWithHeaders(try window.slice(at: sample.lowerBound, count: min(4, sample.count)))
    {
      try body(.bytes(headers))
    }
    try body(.range(sample))
  }

  private func startsWithHeaders(_ start: ArraySlice<UInt8>) -> Bool {
    guard start.starts(with: [0, 0, 1]), start.count == 4, let code = start.last else { return false }
    // A sequence header; or a visual object sequence, a visual object, a video object or its layer.
    return format == .mpeg4 ? code == 0xb0 || code == 0xb5 || code < 0x30 : code == 0xb3
  }
}
