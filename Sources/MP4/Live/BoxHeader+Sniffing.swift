import ISOBMFF
import MP4Bytes

/// Recognizes boxes among other bytes while the end of the file is unknown.
extension BoxHeader {
  /// The largest box that is buffered until it is complete.
  private static let heldLimit: UInt64 = 32 << 20
  /// The size limits of boxes between fragments, for known and for unknown types.
  private static let (knownLimit, unknownLimit): (UInt64, UInt64) = (16 << 20, 64 << 10)
  /// The number of bytes needed to recognize the start of a fragment.
  static let beginningSize = 16
  /// The largest `ftyp` or `styp` that is searched for among other bytes, plus the header of the box after it.
  static let longestBeginning = 256 + 8

  /// Whether the box is delivered as a whole.
  var isHeld: Bool {
    switch FileBox(type) {
    case .fileType, .movie, .fragment, .event: true
    default: false
    }
  }

  /// Whether these bytes, which begin with the header, may be a box of a file.
  func isPlausible(_ bytes: ArraySlice<UInt8>) -> Bool {
    if type == "mdat" { return form == .toEnd || declaredSize >= UInt64(headerSize) }
    guard form != .toEnd, declaredSize >= UInt64(headerSize) else { return false }
    if isHeld {
      guard declaredSize <= Self.heldLimit else { return false }
      guard type == "moof", let inside: UInt32 = bytes.raw.bigEndian(at: headerSize + 4) else { return true }
      return inside == FourCC("mfhd").rawValue
    }
    if FileBox(type) != nil || type == "uuid" || type == "meta" { return declaredSize <= Self.knownLimit }
    let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> $0) }
    return declaredSize <= Self.unknownLimit && letters.allSatisfy { (0x20..<0x7f).contains($0) }
  }

  /// Whether a fragment, or boxes that belong to one, start there.
  static func beginsFragment(_ bytes: ArraySlice<UInt8>) -> Bool {
    let span = bytes.raw
    guard let size: UInt32 = span.bigEndian(at: 0), let type: UInt32 = span.bigEndian(at: 4), size >= 8 else {
      return false
    }
    switch FileBox(FourCC(rawValue: type)) {
    case .fragment: return span.bigEndian(at: 12) == FourCC("mfhd").rawValue
    case .segmentType, .fileType: return UInt64(size) < UInt64(longestBeginning)
    case .index, .event, .randomAccess: return size <= 1 << 20
    default: return false
    }
  }

  /// The first position in `start..<end` where a file or a fragment certainly starts, and enough bytes follow to be
  /// sure.
  static func beginning(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
    let (ftyp, styp) = (FourCC("ftyp").rawValue, FourCC("styp").rawValue)
    let (moov, moof) = (FourCC("moov").rawValue, FourCC("moof").rawValue)
    var index = start
    while index < end {
      guard let word: UInt32 = bytes.bigEndian(at: index + 4) else { return nil }
      switch word {
      case moof where inside(bytes, index) == FourCC("mfhd").rawValue,
        moov where inside(bytes, index) == FourCC("mvhd").rawValue:
        return index
      case ftyp where follower(bytes, index).map { $0 == "moov" || $0 == "free" } == true,
        styp where follower(bytes, index).map { [.fragment, .index, .event].contains(FileBox($0)) } == true:
        return index
      default: index += 1
      }
    }
    return nil
  }

  /// The type of the first box in the box at `index`.
  private static func inside(_ bytes: RawSpan, _ index: Int) -> UInt32? {
    guard let size: UInt32 = bytes.bigEndian(at: index), size >= 16, size <= heldLimit else { return nil }
    return bytes.bigEndian(at: index + 12)
  }
  /// The type of the box after the small box at `index`.
  private static func follower(_ bytes: RawSpan, _ index: Int) -> FourCC? {
    guard let size: UInt32 = bytes.bigEndian(at: index), size >= 16, size <= longestBeginning - 8,
      let type: UInt32 = bytes.bigEndian(at: index + Int(size) + 4)
    else { return nil }
    return FourCC(rawValue: type)
  }
}
