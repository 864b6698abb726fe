import ISOBMFF

/// How NAL units are distinguished, of the codecs whose samples consist of them.
enum AnnexBCodec: Sendable, Equatable {
  case h264
  case h265
  case h266

  /// The number of bytes of the header of a unit.
  var headerSize: Int { self == .h264 ? 1 : 2 }

  /// The type in the header of a unit.
  func type(_ unit: ArraySlice<UInt8>) -> Int? {
    guard let first = unit.first else { return nil }
    switch self {
    case .h264: return Int(first & 0x1f)
    case .h265: return Int(first >> 1 & 0x3f)
    // The type is in the second byte: ISO/IEC 23090-3, 7.3.1.2.
    case .h266: return unit.dropFirst().first.map { Int($0 >> 3) }
    }
  }

  /// Whether a unit of this type is a parameter set. Those of H.266 begin with operating points and end with adaptation
  /// parameter sets before pictures.
  func isParameterSet(_ type: Int) -> Bool {
    switch self {
    case .h264: type == 7 || type == 8
    case .h265: 32...34 ~= type
    case .h266: 12...17 ~= type
    }
  }

  /// Whether a unit of this type is a slice of a picture, or the header of a picture, which H.266 has before slices.
  func isSlice(_ type: Int) -> Bool {
    switch self {
    case .h264: 1...5 ~= type
    case .h265: 0...31 ~= type
    case .h266: 0...11 ~= type || type == 19
    }
  }

  /// Whether decoding can start with a picture that has a slice of this type.
  func isRandomAccess(_ type: Int) -> Bool {
    switch self {
    case .h264: type == 5
    case .h265: 16...23 ~= type
    case .h266: 7...9 ~= type
    }
  }

  /// Whether a unit of this type cannot come before a picture: messages after it.
  func isSuffix(_ type: Int) -> Bool {
    switch self {
    case .h264: false
    case .h265: type == 40
    case .h266: type == 24
    }
  }
}
