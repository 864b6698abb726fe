/// Decoder configurations of AC-3 and E-AC-3 from the headers of frames.
extension AC3SpecificBox {
  /// The configuration for a frame that starts with these bytes; `nil` if they are not valid. ETSI TS 102 366, 4.3.
  package init?(frame: [UInt8]) {
    var r = BitReader(frame[...])
    r.skip(32)
    self.init()
    (fscod, bitRateCode) = (UInt8(r.bits(2)), UInt8(r.bits(6) >> 1))
    (bsid, bsmod, acmod) = (UInt8(r.bits(5)), UInt8(r.bits(3)), UInt8(r.bits(3)))
    if acmod & 1 != 0, acmod != 1 { r.skip(2) }
    if acmod & 4 != 0 { r.skip(2) }
    if acmod == 2 { r.skip(2) }
    lfeon = r.flag()
    if r.isBroken || fscod > 2 { return nil }
  }
  /// The number of channels.
  package var channelCount: Int { ChannelCounts.count(acmod, lfeon) }
  /// Samples per second.
  package var sampleRate: Int { ChannelCounts.rate(fscod) }
}

extension EC3SpecificBox {
  /// The configuration for a sample whose frames start with these bytes: independent substreams, each followed by its
  /// dependent ones. `nil` if they are not valid.
  ///
  /// - Parameter bitRate: In bits per second.
  package init?(substreams: [[UInt8]], bitRate: Int) {
    self.init()
    dataRate = UInt16(clamping: bitRate / 1000)
    independentSubstreams = []
    for bytes in substreams {
      guard let frame = EnhancedAC3Frame(bytes) else { return nil }
      if let objects = frame.objectCount { (complexityIndexTypeA, hasExtensionTypeA) = (objects, true) }
      if !frame.isDependent {
        independentSubstreams.append(frame.substream)
      } else if let last = independentSubstreams.indices.last {
        independentSubstreams[last].numDepSub += 1
        independentSubstreams[last].chanLoc |= frame.channelLocations
      }
    }
    if independentSubstreams.isEmpty { return nil }
  }
  /// The number of channels of the first program.
  package var channelCount: Int {
    independentSubstreams.first.map {
      ChannelCounts.count($0.acmod, $0.lfeon) + ChannelCounts.count(dependent: $0.numDepSub > 0 ? $0.chanLoc : 0)
    } ?? 0
  }
}

/// The header of an E-AC-3 frame: ETSI TS 102 366, E.1.2.2.
package struct EnhancedAC3Frame {
  /// Its properties, if it is an independent substream.
  package private(set) var substream = EC3SpecificBox.IndependentSubstream()
  /// Whether it adds channels to the independent substream before it.
  package let isDependent: Bool
  /// The channels that it adds, as in `chan_loc`.
  private(set) var channelLocations: UInt16 = 0
  /// The number of Dolby Atmos objects, if there are any.
  private(set) var objectCount: UInt8?
  /// Samples per second.
  package let sampleRate: Int

  /// Reads the start of a frame; `nil` if it is not valid or too short.
  package init?(_ bytes: [UInt8]) {
    var r = BitReader(bytes[...])
    r.skip(16)
    let type = r.bits(2)
    r.skip(3 + 11)
    let rate = r.bits(2)
    let blockCode = r.bits(2)
    let blockCount = rate == 3 ? 6 : [1, 2, 3, 6][blockCode]
    let mode = r.bits(3)
    let hasLowFrequencies = r.flag()
    let identification = r.bits(5)
    guard type < 3, rate < 3 || blockCode < 3, 11...16 ~= identification else { return nil }
    sampleRate = rate < 3 ? [48000, 44100, 32000][rate] : [24000, 22050, 16000][blockCode]
    isDependent = type == 1
    (substream.fscod, substream.bsid) = (UInt8(rate), UInt8(identification))
    (substream.acmod, substream.lfeon) = (UInt8(mode), hasLowFrequencies)
    let isDual = mode == 0
    for _ in 0..<(isDual ? 2 : 1) {
      r.skip(5)
      if r.flag() { r.skip(8) }
    }
    if isDependent, r.flag() {
      let map = UInt16(r.bits(16))
      for bit in 0..<8 as Range<UInt16> { channelLocations |= (map >> (10 - bit) & 1) << bit }
      channelLocations |= (map >> 1 & 1) << 8
    }
    if r.flag() { Self.skipMixing(&r, type, mode, hasLowFrequencies, blockCount) }
    if r.flag() {
      substream.bsmod = UInt8(r.bits(3))
      r.skip(2 + (mode == 2 ? 4 : mode >= 6 ? 2 : 0))
      for _ in 0..<(isDual ? 2 : 1) where r.flag() { r.skip(8) }
      if rate < 3 { r.skip(1) }
    }
    if type == 0, blockCount != 6 { r.skip(1) }
    if type == 2, blockCount == 6 || r.flag() { r.skip(6) }
    // Additional information: the objects of Dolby Atmos (TS 103 420, 8.3).
    if r.flag(), r.bits(6) > 0 {
      r.skip(7)
      if r.flag() { objectCount = UInt8(r.bits(8)) }
    }
    if r.isBroken { return nil }
  }

  /// Skips the metadata about mixing.
  private static func skipMixing(
    _ r: inout BitReader, _ type: Int, _ mode: Int, _ hasLowFrequencies: Bool, _ blockCount: Int
  ) {
    if mode > 2 { r.skip(2) }
    if mode & 1 != 0, mode > 2 { r.skip(6) }
    if mode & 4 != 0 { r.skip(6) }
    if hasLowFrequencies, r.flag() { r.skip(5) }
    guard type == 0 else { return }
    let programs = mode == 0 ? 2 : 1
    for _ in 0..<programs + 1 where r.flag() { r.skip(6) }
    switch r.bits(2) {
    case 1: r.skip(5)
    case 2: r.skip(12)
    case 3: r.skip((r.bits(5) + 2) * 8)
    default: break
    }
    if mode < 2 { for _ in 0..<programs where r.flag() { r.skip(14) } }
    guard r.flag() else { return }
    if blockCount == 1 { return r.skip(5) }
    for _ in 0..<blockCount where r.flag() { r.skip(5) }
  }
}
