/// Channel counts for codec-specific channel masks, in which a bit can stand for one or two channels.
enum ChannelCounts {
  /// The channels of `acmod`, plus the LFE channel: ETSI TS 102 366, 4.4.2.3.
  static func count(_ mode: UInt8, _ hasLowFrequencies: Bool) -> Int {
    [2, 1, 2, 3, 3, 4, 4, 5][Int(mode & 7)] + (hasLowFrequencies ? 1 : 0)
  }

  /// The sample rate: ETSI TS 102 366, 4.4.1.3; 0 if the code means half of another rate.
  static func rate(_ code: UInt8) -> Int { [48000, 44100, 32000, 0][Int(code & 3)] }

  /// The channels that dependent substreams add, `chan_loc`: ETSI TS 102 366, F.6.2.13.
  static func count(dependent locations: UInt16) -> Int { sum([2, 2, 1, 1, 2, 2, 2, 1, 1], UInt32(locations)) }

  /// `presentation_channel_mask`: ETSI TS 103 190-2, table E.10.
  static func count(ac4 mask: UInt32) -> Int {
    sum([2, 1, 2, 2, 2, 2, 1, 2, 2, 1, 1, 1, 1, 2, 1, 1, 2, 2, 2], mask)
  }

  /// The channels of the largest presentation in `format_info`, which has up to 8 or 6: Dolby TrueHD (MLP) High-level
  /// Bitstream Description, 3.2.
  static func count(trueHD format: UInt32) -> Int {
    let weights = [2, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 1, 1]
    let (eight, six) = (format & 0x1fff, format >> 15 & 0x1f)
    return sum(weights, eight != 0 ? eight : six)
  }

  /// `ChannelLayout`: ETSI TS 102 114, table E-5.
  static func count(dts layout: UInt16) -> Int {
    sum([1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 2, 1, 2, 1, 2], UInt32(layout))
  }

  /// The sum of the weights of the bits that are set; the first weight belongs to the lowest bit.
  private static func sum(_ weights: [Int], _ bits: UInt32) -> Int {
    weights.indices.reduce(0) { $0 + (bits >> UInt32($1) & 1 == 1 ? weights[$1] : 0) }
  }
}
