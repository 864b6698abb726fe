public import Bytes

/// Why files cannot be concatenated.
public enum ConcatenationObstacle: Error, Equatable, Sendable {
  /// The tracks of the inputs differ: one phrase for each difference.
  case different([String])
  /// The inputs differ only in the names of their sample entries, such as `hvc1` and `hev1`: one phrase for each
  /// difference, and the name in the first input.
  case sampleEntries([String], name: FourCC)
  /// No 32-bit timescale expresses all times of a track exactly; the timescales of the inputs.
  case timescales(track: Int, [UInt32])
  /// The auxiliary information of the samples of a track has different formats.
  case auxiliaryInformation(track: Int)
  /// The times of a track become too large.
  case tooLong(track: Int)
  /// The file starts with an open GOP of H.264, after which its pictures would be presented in the wrong order.
  case openGOP(track: Int)
}

extension ConcatenationObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .different(let texts), .sampleEntries(let texts, _):
      texts.prefix(5).joined(separator: "; ") + (texts.count > 5 ? "; and \(texts.count - 5) more" : "")
    case .timescales(let track, let timescales):
      "track \(track): no 32-bit timescale expresses all times exactly; the files have the timescales "
        + timescales.map(String.init).joined(separator: ", ")
    case .auxiliaryInformation(let track):
      "track \(track): its samples have auxiliary information in a different format than the preceding ones"
    case .tooLong(let track): "track \(track): its times would be too large"
    case .openGOP(let track):
      "track \(track): it starts with an open GOP and cannot follow the previous file: H.264 decoders cannot start "
        + "again there, and would present its pictures in the wrong order; it must start with an IDR picture"
    }
  }
}
