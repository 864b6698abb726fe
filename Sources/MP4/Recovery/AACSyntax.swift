import ISOBMFF

/// Finds the size of AAC frames by parsing them, because they have neither sync words nor sizes.
///
/// The whole AAC LC syntax is parsed and validated: ISO/IEC 14496-3, 4.4.2. SBR and parametric stereo are in fill
/// elements.
struct AACSyntax: Sendable {
  private let long: [Int]
  private let short: [Int]
  /// The number of channels; 0 if unknown.
  private var channels: Int
  /// The possible values of the first byte of a frame without its lowest bit: the element ID and tag.
  var firstBytes: Set<UInt8> = []

  /// The syntax for a DecoderSpecificInfo; `nil` unless it is AAC LC with frames of 1024 samples.
  init?(_ configuration: [UInt8]) {
    guard let common = AudioSpecificConfig(configuration), common.audioObjectType == 2 else { return nil }
    var r = MediaBits(configuration[...])
    let type = r.bits(5)
    var index = r.bits(4)
    if index == 15 { index = Self.index(ofFrequency: r.bits(24)) }
    let channels = r.bits(4)
    if type == 5 || type == 29 {
      if r.bits(4) == 15 { r.skip(24) }
      guard r.bits(5) == 2 else { return nil }
    }
    // Frames of 960 samples have different scale factor bands.
    guard !r.flag(), !r.isPastEnd, let bands = AACCodebook.bands(frequencyIndex: index) else { return nil }
    (long, short) = (bands.long, bands.short)
    self.channels = channels < 8 ? [0, 1, 2, 3, 4, 5, 6, 8][channels] : 0
  }

  /// The syntax for frames with any number of channels.
  var withAnyChannels: AACSyntax {
    var result = self
    result.channels = 0
    return result
  }

  private static func index(ofFrequency frequency: Int) -> Int {
    let limits = [92017, 75132, 55426, 46009, 37566, 27713, 23004, 18783, 13856, 11502, 9391, 0]
    return limits.firstIndex { frequency >= $0 } ?? 11
  }

  /// The windows of a channel.
  private struct Windows {
    var isShort = false
    var bandCount = 0
    /// The number of windows in each group.
    var groups = [1]
  }

  /// The size of the frame at the start of `bytes`; `nil` if there is none.
  func byteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    var r = MediaBits(bytes)
    var found = 0
    while !r.isPastEnd {
      switch r.bits(3) {
      case 0, 3:
        r.skip(4)
        guard channel(&r, nil) else { return nil }
        found += 1
      case 1:
        r.skip(4)
        guard pair(&r) else { return nil }
        found += 2
      case 4:
        r.skip(4)
        let isAligned = r.flag()
        var count = r.bits(8)
        if count == 255 { count += r.bits(8) }
        if isAligned { r.align() }
        r.skip(8 * count)
      case 5:
        r.skip(4)
        guard Self.skipConfiguration(&r) else { return nil }
      case 6:
        var count = r.bits(4)
        if count == 15 { count += r.bits(8) - 1 }
        r.skip(8 * count)
      case 7:
        // With parametric stereo, the core has one channel.
        guard !r.isPastEnd, found > 0, channels == 0 || found == channels else { return nil }
        r.align()
        return r.position / 8
      default: return nil
      }
      if channels > 0, found > channels { return nil }
    }
    return nil
  }

  /// program_config_element, which tells the channels of a frame.
  private static func skipConfiguration(_ r: inout MediaBits) -> Bool {
    guard r.bits(2) == 1, r.bits(4) < 13 else { return false }
    let speakers = r.bits(4) + r.bits(4) + r.bits(4)
    let (lowCount, dataCount, couplingCount) = (r.bits(2), r.bits(3), r.bits(4))
    for size in [4, 4, 3] where r.flag() { r.skip(size) }
    r.skip(5 * speakers + 4 * lowCount + 4 * dataCount + 5 * couplingCount)
    r.align()
    r.skip(8 * r.bits(8))
    return speakers > 0 && !r.isPastEnd
  }

  private func pair(_ r: inout MediaBits) -> Bool {
    guard r.flag() else { return channel(&r, nil) && channel(&r, nil) }
    guard let windows = windows(&r) else { return false }
    switch r.bits(2) {
    case 1: r.skip(windows.groups.count * windows.bandCount)
    case 3: return false
    default: break
    }
    return channel(&r, windows) && channel(&r, windows)
  }

  /// ics_info.
  private func windows(_ r: inout MediaBits) -> Windows? {
    guard !r.flag() else { return nil }
    var windows = Windows()
    windows.isShort = r.bits(2) == 2
    r.skip(1)
    if windows.isShort {
      windows.bandCount = r.bits(4)
      let grouping = r.bits(7)
      for bit in stride(from: 6, through: 0, by: -1) {
        if grouping >> bit & 1 == 1 {
          windows.groups[windows.groups.count - 1] += 1
        } else {
          windows.groups.append(1)
        }
      }
      return windows.bandCount <= short.count ? windows : nil
    }
    windows.bandCount = r.bits(6)
    // AAC LC does not have prediction.
    return windows.bandCount <= long.count && !r.flag() ? windows : nil
  }

  /// individual_channel_stream.
  private func channel(_ r: inout MediaBits, _ common: Windows?) -> Bool {
    let gain = r.bits(8)
    guard let windows = common ?? windows(&r), let books = sections(&r, windows), scales(&r, books, gain) else {
      return false
    }
    if r.flag() {
      guard !windows.isShort else { return false }
      let count = r.bits(2) + 1
      guard r.bits(6) < long.count else { return false }
      r.skip(9 * count)
    }
    if r.flag() {
      guard noiseShaping(&r, windows) else { return false }
    }
    return !r.flag() && !r.isPastEnd && spectrum(&r, windows, books)
  }

  /// The codebook of each scale factor band of each group.
  private func sections(_ r: inout MediaBits, _ windows: Windows) -> [UInt8]? {
    var books: [UInt8] = []
    let (bits, escape) = windows.isShort ? (3, 7) : (5, 31)
    for group in 1...windows.groups.count {
      while books.count < group * windows.bandCount {
        let book = r.bits(4)
        var (length, part) = (0, 0)
        repeat {
          part = r.bits(bits)
          length += part
        } while part == escape && !r.isPastEnd
        guard book != 12, !r.isPastEnd, books.count + length <= group * windows.bandCount else { return nil }
        for _ in 0..<length { books.append(UInt8(book)) }
      }
    }
    return books
  }

  /// The scale factors.
  private func scales(_ r: inout MediaBits, _ books: [UInt8], _ gain: Int) -> Bool {
    let codebook = AACCodebook.scaleFactors
    var scale = gain
    var hasNoise = false
    for book in books where book != 0 {
      if book == 13, !hasNoise {
        hasNoise = true
        r.skip(9)
        continue
      }
      let difference = codebook.read(&r) - 60
      guard book < 13 else { continue }
      scale += difference
      guard 0...255 ~= scale else { return false }
    }
    return !r.isPastEnd
  }

  /// tns_data.
  private func noiseShaping(_ r: inout MediaBits, _ windows: Windows) -> Bool {
    for _ in 0..<(windows.isShort ? 8 : 1) {
      let count = r.bits(windows.isShort ? 1 : 2)
      guard count > 0 else { continue }
      let resolution = r.bits(1)
      for _ in 0..<count {
        r.skip(windows.isShort ? 4 : 6)
        let order = r.bits(windows.isShort ? 3 : 5)
        guard order <= (windows.isShort ? 7 : 12) else { return false }
        guard order > 0 else { continue }
        r.skip(1)
        let compression = r.bits(1)
        r.skip(order * (3 + resolution - compression))
      }
    }
    return !r.isPastEnd
  }

  /// spectral_data.
  private func spectrum(_ r: inout MediaBits, _ windows: Windows, _ books: [UInt8]) -> Bool {
    let widths = windows.isShort ? short : long
    let codebooks = AACCodebook.spectral
    var next = 0
    for group in windows.groups {
      for band in 0..<windows.bandCount {
        let book = Int(books[next])
        next += 1
        guard 1...11 ~= book else { continue }
        let codebook = codebooks[book]
        for _ in 0..<widths[band] * group / (book < 5 ? 4 : 2) {
          let following = codebook.read(&r)
          guard following > 0 else { continue }
          r.skip(following % 3 + (book < 5 ? following / 3 * 3 : 0))
          if book == 11 {
            for _ in 0..<following / 3 {
              var ones = 0
              while r.flag() {
                ones += 1
                if ones > 8 { return false }
              }
              r.skip(ones + 4)
            }
          }
        }
        if r.isPastEnd { return false }
      }
    }
    return true
  }
}
