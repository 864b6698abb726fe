/// Finds where boxes go on after bytes that are none: garbage between fragments, a hole of zeros, a wrong size.
struct Resynchronization {
  /// Where the source or the part of it that is read ends; `Int.max` when that is not known.
  let end: Int
  /// Whether only movie fragments count, as inside what claims to be media data.
  var onlyFragments = false

  /// How many places are looked at with one reading: few at first, since boxes often go on soon.
  private static let steps = (first: 1 << 8, most: 1 << 16)

  /// The first place from `start` on where a file-level box is plausible, or `nil`.
  func nextBox(from start: Int, _ window: inout ByteWindow) throws(IOError) -> Int? {
    var at = start
    var step = Self.steps.first
    while at < end {
      // Candidates at the end of a piece are looked at with the next one.
      let bytes = try window.slice(at: at, count: min(step + 15, end - at))
      let span = bytes.raw
      let last = max(0, min(step, bytes.count - 15))
      var index = 0
      while index < last {
        if isPlausible(span, index, at: at + index) { return at + index }
        // A hole can be many gigabytes long; no type has a zero byte in it.
        index += span.isZero(at: index, count: 64) ? 60 : 1
      }
      if bytes.count < step + 15 { return nil }
      at += step
      step = min(step * 4, Self.steps.most)
    }
    return nil
  }

  private func isPlausible(_ bytes: RawSpan, _ index: Int, at offset: Int) -> Bool {
    guard let code: UInt32 = bytes.bigEndian(at: index + 4) else { return false }
    let type = FourCC(rawValue: code)
    let inside: FourCC?
    switch type {
    case "moof": inside = "mfhd"
    case "moov" where !onlyFragments: inside = "mvhd"
    case "mfra" where !onlyFragments: inside = "tfra"
    case "ftyp" where !onlyFragments: inside = nil
    case "mdat", "styp", "sidx", "free", "emsg", "prft": inside = nil
    default: return false
    }
    if onlyFragments, type != "moof" { return false }
    guard let size: UInt32 = bytes.bigEndian(at: index), size >= 8, offset + Int(size) <= end else { return false }
    guard let inside else { return true }
    return bytes.bigEndian(at: index + 12) == inside.rawValue
  }
}

extension RawSpan {
  /// Whether `count` bytes from `offset` on, a multiple of 8, are there and zero.
  fileprivate func isZero(at offset: Int, count: Int) -> Bool {
    for at in stride(from: offset, to: offset + count, by: 8) {
      guard let word: UInt64 = bigEndian(at: at), word == 0 else { return false }
    }
    return true
  }
}
