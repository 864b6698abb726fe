/// A level of a codec, such as 4.1.
public struct CodecLevel: Sendable, Hashable {
  /// The number before the dot.
  public var major: UInt8
  /// The number after the dot.
  public var minor: UInt8

  /// A level such as `4`, `4.0` or `5.1`; `nil` if no codec has it.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let major = UInt8(parts[0]),
      let minor = parts.count == 1 ? 0 : UInt8(parts[1]),
      (1...7).contains(major), minor <= 3
    else { return nil }
    (self.major, self.minor) = (major, minor)
  }

  /// `level_idc` of AVC: ISO/IEC 14496-10, table A-1.
  package var avc: UInt8 { major * 10 + minor }
  /// `general_level_idc` of HEVC: ISO/IEC 23008-2, A.4.
  package var hevc: UInt8 { major * 30 + minor * 3 }
  /// `seq_level_idx` of AV1, which starts with level 2.0: A.3.
  package var av1: Int? { major >= 2 ? Int(major - 2) * 4 + Int(minor) : nil }
}

extension CodecLevel: CustomStringConvertible {
  /// A text such as `4.1`.
  public var description: String { "\(major).\(minor)" }
}
