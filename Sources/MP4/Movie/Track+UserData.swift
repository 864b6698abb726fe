import ISOBMFF
import MP4Bytes

/// User data of a picture, such as closed captions.
package struct PictureUserData {
  /// Where the data is.
  package enum Carriage {
    /// A message registered by ITU-T T.35 (SEI) of H.264 or H.265; the data begins with the country code.
    case message
    /// User data of MPEG-2 video; the data begins after the start code.
    case startCode
  }
  /// Where it is.
  package let carriage: Carriage
  /// When the picture is presented, in the timescale of the track, relative to the start of the presentation.
  package let time: Int64
  /// The data, which can extend beyond its end in MPEG-2 video.
  package let data: ArraySlice<UInt8>
}

extension Track {
  /// Whether pictures of the track can have user data that `forEachUserData` reads.
  package var canHaveUserData: Bool {
    handler == "vide" && decoderConfigurations.contains { UserDataSyntax($0) != nil }
  }

  /// Calls `body` for the user data of the presented samples, in decoding order, until it returns false. Of H.264 and
  /// H.265, only the sizes of NAL units, and messages, are read.
  ///
  /// - Parameter end: Samples that are presented later are skipped; `nil` reads all.
  package func forEachUserData(before end: MediaTime?, _ body: (PictureUserData) -> Bool) throws(MovieError) {
    let syntaxes = decoderConfigurations.map(UserDataSyntax.init)
    guard !samples.isEmpty, syntaxes.contains(where: { $0 != nil }) else { return }
    let limit = end.map { $0.converted(to: timescale).value } ?? .max
    var window = ByteWindow(samples[0].source, readAhead: 1024)
    for sample in samples {
      // Samples are decoded before they are presented, by less than this.
      if let end, sample.relativeDecodeTime > end + MediaTime(seconds: 10) { return }
      guard syntaxes.indices.contains(sample.descriptionIndex - 1), let syntax = syntaxes[sample.descriptionIndex - 1],
        let time = sample.presentationTime?.converted(to: timescale).value, time < limit
      else { continue }
      if window.source !== sample.source { window = ByteWindow(sample.source, readAhead: 1024) }
      let range = sample.offset..<sample.offset + sample.size
      let isWanted = try io(
        syntax.forEachUserData(in: range, &window) { carriage, data in
          body(PictureUserData(carriage: carriage, time: time, data: data))
        })
      guard isWanted else { return }
    }
  }
}

/// How the samples of a sample description contain user data.
private enum UserDataSyntax {
  case units(NALUnits.Codec, lengthSize: Int)
  case startCodes

  init?(_ configuration: DecoderConfiguration) {
    if let (codec, lengthSize) = configuration.nalUnits {
      self = .units(codec, lengthSize: lengthSize)
    } else if StartCodeVideo(configuration)?.format == .mpeg2 {
      self = .startCodes
    } else {
      return nil
    }
  }

  /// The largest message with captions has fewer than 120 bytes; others can be in the same unit before it.
  private static let largestUnit = 1 << 16
  /// A picture has its user data before its first slice, and the second field after the first one.
  private static let largestPicture = 1 << 24

  /// Calls `body` for the user data of a sample; returns whether to continue.
  func forEachUserData(
    in sample: Range<Int>, _ window: inout ByteWindow,
    _ body: (PictureUserData.Carriage, ArraySlice<UInt8>) -> Bool
  ) throws(IOError) -> Bool {
    switch self {
    case .units(let codec, let lengthSize):
      var at = sample.lowerBound
      while sample.upperBound - at > lengthSize {
        let head = try window.slice(at: at, count: min(lengthSize + codec.headerSize, sample.upperBound - at))
        guard head.count > lengthSize else { return true }
        let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
        at += lengthSize
        guard length <= sample.upperBound - at else { return true }
        if let type = codec.type(head.dropFirst(lengthSize)), codec.isMessage(type), length <= Self.largestUnit {
          let unit = try window.slice(at: at, count: length)
          for data in NALUnits.registeredUserData(in: unit, codec) where !body(.message, data) { return false }
        }
        at += length
      }
    case .startCodes:
      let bytes = try window.slice(at: sample.lowerBound, count: min(sample.count, Self.largestPicture))
      var (index, zeroCount) = (bytes.startIndex, 0)
      while index < bytes.endIndex {
        let byte = bytes[index]
        index += 1
        if zeroCount >= 2, byte == 1, index < bytes.endIndex, bytes[index] == 0xb2,
          !body(.startCode, bytes[(index + 1)...])
        {
          return false
        }
        zeroCount = byte == 0 ? zeroCount + 1 : 0
      }
    }
    return true
  }
}
