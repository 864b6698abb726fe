/// The decoder configuration of MPEG-4 audio: ISO/IEC 14496-3, 1.6.2.1.
package struct AudioSpecificConfig: Hashable, Sendable {
  /// The audio object type: 2 is AAC LC, 34 is MPEG-1 layer 3, 39 is AAC-ELD, 42 is USAC (xHE-AAC).
  ///
  /// For audio extended by SBR or parametric stereo, it is the type of the core.
  package var audioObjectType: Int
  /// Whether a decoder extends the bandwidth by spectral band replication (HE-AAC); `false` if only the samples declare
  /// it.
  package var hasSBR = false
  /// Whether a decoder derives two channels from one by parametric stereo (HE-AAC v2).
  package var hasPS = false
  /// The output sampling rate of a decoder.
  package var samplingFrequency: Int
  /// The sampling rate before spectral band replication, and the number of samples in a frame at that rate.
  package private(set) var (coreFrequency, frameLength) = (0, 1024)
  /// The number of output channels of a decoder; 0 if unknown.
  package var channelCount: Int
  /// The channel configuration of ISO/IEC 23091-3; 0 if the layout is declared elsewhere.
  package var channelConfiguration: Int

  /// The object type for codecs strings: 29 with parametric stereo, 5 with SBR, otherwise that of the core.
  package var signalledObjectType: Int { hasPS ? 29 : hasSBR && audioObjectType == 2 ? 5 : audioObjectType }

  /// Reads the contents of a DecoderSpecificInfo; `nil` if they are too short.
  package init?(_ bytes: some Sequence<UInt8>) {
    var count = 0
    self.init(bytes, bitCount: &count)
  }

  /// The same, with the number of bits of a configuration without extensions that old decoders ignore.
  init?(_ bytes: some Sequence<UInt8>, bitCount: inout Int) {
    let bytes = Array(bytes)
    var r = BitReader(bytes[...])
    audioObjectType = r.audioObjectType()
    samplingFrequency = r.samplingFrequency(indexBits: 4)
    coreFrequency = samplingFrequency
    channelConfiguration = r.bits(4)
    channelCount = Self.channels(configuration: channelConfiguration)
    if audioObjectType == 5 || audioObjectType == 29 {
      (hasSBR, hasPS) = (true, audioObjectType == 29)
      samplingFrequency = r.samplingFrequency(indexBits: 4)
      audioObjectType = r.audioObjectType()
      if audioObjectType == 22 {
        channelConfiguration = r.bits(4)
        channelCount = Self.channels(configuration: channelConfiguration)
      }
    }
    if r.isBroken { return nil }
    var rest = r
    switch audioObjectType {
    case 1...4, 6, 7, 17, 19...23: readGeneral(&rest, &bitCount)
    case 39: readLowDelay(&rest)
    case 42: readUnified(&rest)
    default: return
    }
    if hasPS, channelCount == 1 { channelCount = 2 }
  }

  /// The number of channels of a channel configuration of ISO/IEC 23091-3, which includes those of AAC; 0 if it is
  /// declared elsewhere.
  static func channels(configuration: Int) -> Int {
    let counts = [0, 1, 2, 3, 4, 5, 6, 8, 2, 3, 4, 7, 8, 24, 8, 12, 10, 12, 14, 12, 14]
    return counts.indices.contains(configuration) ? counts[configuration] : 0
  }

  /// GASpecificConfig, 4.4.1, and the extension that follows it and that old decoders ignore, 1.6.6.
  private mutating func readGeneral(_ r: inout BitReader, _ bitCount: inout Int) {
    frameLength = r.flag() ? 960 : 1024
    if r.flag() { r.skip(14) }
    let isExtended = r.flag()
    if channelCount == 0 { channelCount = r.programChannels() }
    if audioObjectType == 6 || audioObjectType == 20 { r.skip(3) }
    if isExtended {
      if audioObjectType == 22 { r.skip(16) }
      if [17, 19, 20, 23].contains(audioObjectType) { r.skip(3) }
      r.skip(1)
    }
    if audioObjectType >= 17 { r.skip(2) }
    bitCount = r.position
    guard !hasSBR, !r.isBroken, r.bitsLeft >= 16, r.bits(11) == 0x2b7, r.audioObjectType() == 5, r.flag() else {
      return
    }
    let frequency = r.samplingFrequency(indexBits: 4)
    if r.isBroken { return }
    (hasSBR, samplingFrequency) = (true, frequency)
    if r.bitsLeft >= 12, r.bits(11) == 0x548 { hasPS = r.flag() }
  }

  /// ELDSpecificConfig, 4.6.20. It includes SBR.
  private mutating func readLowDelay(_ r: inout BitReader) {
    r.skip(4)
    guard r.flag() else { return }
    hasSBR = true
    if r.flag() { samplingFrequency *= 2 }
  }

  /// UsacConfig: ISO/IEC 23003-3, 5.2.
  private mutating func readUnified(_ r: inout BitReader) {
    let frequency = r.samplingFrequency(indexBits: 5)
    r.skip(3)
    let configuration = r.bits(5)
    let count = configuration == 0 ? r.escaped(5, 8, 16) : Self.channels(configuration: configuration)
    if !r.isBroken { (samplingFrequency, channelCount) = (frequency, count) }
  }
}

extension BitReader {
  /// 1.6.2.1, GetAudioObjectType.
  fileprivate mutating func audioObjectType() -> Int {
    let type = bits(5)
    return type == 31 ? 32 + bits(6) : type
  }

  /// A sampling frequency by its index or, after an index of all ones, in full; 0 for a reserved index.
  fileprivate mutating func samplingFrequency(indexBits: Int) -> Int {
    let index = bits(indexBits)
    if index == 1 << indexBits - 1 { return bits(24) }
    let frequencies = [
      96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350, 0, 0,
      // USAC frequencies: ISO/IEC 23003-3, table 67.
      57600, 51200, 40000, 38400, 34150, 28800, 25600, 20000, 19200, 17075, 14400, 12800, 9600,
    ]
    return frequencies.indices.contains(index) ? frequencies[index] : 0
  }

  /// The number of channels in a program_config_element: 4.4.1.1.
  fileprivate mutating func programChannels() -> Int {
    skip(4 + 2 + 4)
    let speakers = [bits(4), bits(4), bits(4)].reduce(0, +)
    let (lowCount, dataCount, couplingCount) = (bits(2), bits(3), bits(4))
    if flag() { skip(4) }
    if flag() { skip(4) }
    if flag() { skip(3) }
    var channels = lowCount
    for _ in 0..<speakers {
      channels += flag() ? 2 : 1
      skip(4)
    }
    skip(4 * lowCount + 4 * dataCount + 5 * couplingCount)
    align()
    skip(8 * bits(8))
    return isBroken ? 0 : channels
  }

  /// A number in up to three groups of bits. A group of all ones means that another group follows: ISO/IEC 23003-3,
  /// 5.2.
  fileprivate mutating func escaped(_ first: Int, _ second: Int, _ third: Int) -> Int {
    var value = bits(first)
    guard value == 1 << first - 1 else { return value }
    let more = bits(second)
    value += more
    return more == 1 << second - 1 ? value + bits(third) : value
  }
}
