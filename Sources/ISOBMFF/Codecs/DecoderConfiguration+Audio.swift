import Bytes

/// Decoded audio.
package struct SoundFormat: Hashable, Sendable {
  /// The number of channels; for object-based audio, that of the bed that every decoder plays. 0 if unknown.
  package var channelCount: Int
  /// Samples per second; 0 if unknown.
  package var sampleRate: Int
  /// The number of objects and bed channels that Dolby Atmos adds to Enhanced AC-3 by joint object coding.
  package var jointObjectCount: Int?

  /// The value of the CHANNELS attribute of HTTP Live Streaming: the number of channels, or the number of objects with
  /// their coding, such as `16/JOC`: draft-pantos-hls-rfc8216bis, 4.4.6.1, and, for Dolby Atmos, Apple's HLS Authoring
  /// Specification. `nil` if the number is unknown.
  package var channels: String? {
    if let jointObjectCount { return "\(jointObjectCount)/JOC" }
    return channelCount > 0 ? String(channelCount) : nil
  }
}

extension DecoderConfiguration {
  /// The audio of the samples; `nil` if the samples are not audio.
  ///
  /// Sample entries often declare 2 channels regardless of the actual number (ISO/IEC 14496-12 required that for a long
  /// time), and cannot declare sample rates above 65,535 Hz. Therefore the decoder configuration takes precedence. MPEG
  /// audio layers and DTS in `mp4a` have none, and the entry may be wrong; only the samples declare the actual values.
  package var sound: SoundFormat? {
    guard var format = soundOfEntry else { return nil }
    configure(&format)
    return format
  }

  /// The same, ignoring values that only the entry declares. For PCM audio, the entry is the only configuration.
  package var configuredSound: SoundFormat? {
    guard let entry = soundOfEntry else { return nil }
    var format = SoundFormat(channelCount: 0, sampleRate: 0)
    if Self.uncompressed.contains(codedFormat) { format = entry }
    // The entry of this codec has a 32-bit rate, because the configuration has none.
    if fields is MLPSampleEntry { format.sampleRate = entry.sampleRate }
    configure(&format)
    return format
  }

  /// PCM formats.
  private static let uncompressed: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ipcm", "fpcm", "alaw", "ulaw",
  ]

  /// Uses the values of the decoder configuration.
  private func configure(_ format: inout SoundFormat) {
    switch codedFormat {
    case "mp4a":
      guard let config = audioSpecificConfig else { break }
      format.set(config.channelCount, config.samplingFrequency)
    case "ac-3":
      guard let box = box(AC3SpecificBox.self) else { break }
      format.set(ChannelCounts.count(box.acmod, box.lfeon), ChannelCounts.rate(box.fscod))
    case "ec-3": readEnhancedAC3(&format)
    case "ac-4":
      guard let box = box(AC4SpecificBox.self) else { break }
      format.set(
        box.presentations.first.map { ChannelCounts.count(ac4: $0.channelMask) } ?? 0, box.fsIndex == 0 ? 44100 : 48000)
    case "mlpa":
      guard let box = box(MLPSpecificBox.self) else { break }
      format.set(ChannelCounts.count(trueHD: box.formatInfo), 0)
    case "Opus":
      // A decoder outputs 48 kHz, regardless of the input rate: Opus in ISOBMFF 0.8.1, 4.3.2.
      format.set(box(OpusSpecificBox.self).map { Int($0.outputChannelCount) } ?? 0, 48000)
    case "fLaC":
      guard let info = box(FLACSpecificBox.self)?.metadataBlocks.first?.streamInfo else { break }
      format.set(Int(info.channelsMinusOne) + 1, Int(info.sampleRate))
    case "alac":
      guard let box = box(ALACSpecificBox.self) else { break }
      format.set(Int(box.numChannels), Int(box.sampleRate))
    case "dtsc", "dtsh", "dtsl", "dtse", "dts+", "dts-":
      guard let box = box(DTSSpecificBox.self) else { break }
      format.set(ChannelCounts.count(dts: box.channelLayout), Int(box.samplingFrequency))
    case "dtsx", "dtsy":
      guard let box = box(DTSUHDSpecificBox.self) else { break }
      format.set(box.channelMask.nonzeroBitCount, 0)
    case "mha1", "mha2", "mhm1", "mhm2":
      guard let box = box(MHAConfigurationBox.self) else { break }
      format.set(AudioSpecificConfig.channels(configuration: Int(box.referenceChannelLayout)), 0)
    case "iamf":
      guard let audio = box(IAConfigurationBox.self).flatMap({ ImmersiveAudioSequence($0.configOBUs[...]) }) else {
        break
      }
      format.set(audio.channelCount, audio.sampleRate)
    default: format.set(layoutCount, 0)
    }
  }

  /// The format that the entry itself declares, in the layouts of ISO and of QuickTime.
  private var soundOfEntry: SoundFormat? {
    if let entry = fields as? MLPSampleEntry {
      return SoundFormat(channelCount: Int(entry.channelCount), sampleRate: Int(entry.sampleRate))
    }
    guard let entry = fields as? AudioSampleEntry else { return nil }
    if let more = entry.version2 {
      let rate = Int(exactly: Double(bitPattern: more.audioSampleRate).rounded())
      return SoundFormat(channelCount: Int(more.numAudioChannels), sampleRate: rate.map { max(0, $0) } ?? 0)
    }
    let rate = box(SamplingRateBox.self).map { Int($0.samplingRate) }
    return SoundFormat(channelCount: Int(entry.channelCount), sampleRate: rate ?? Int(entry.sampleRate >> 16))
  }

  /// The number of channels of PCM audio according to `chnl`: ISO/IEC 14496-12:2022, 12.2.4; 0 if it does not declare
  /// one. QuickTime's `chan` only assigns the channels that the entry declares.
  private var layoutCount: Int {
    guard let layout = box(ChannelLayoutBox.self), layout.streamStructure & 1 != 0 else { return 0 }
    if layout.definedLayout == 0 { return layout.speakers.count }
    let omitted = layout.omittedChannelsMap?.nonzeroBitCount ?? 0
    return max(0, AudioSpecificConfig.channels(configuration: Int(layout.definedLayout)) - omitted)
  }

  /// The first independent substream is the program, together with its dependent substreams: ETSI TS 102 366, F.6.
  private func readEnhancedAC3(_ format: inout SoundFormat) {
    guard let box = box(EC3SpecificBox.self), let first = box.independentSubstreams.first else { return }
    let more = first.numDepSub > 0 ? ChannelCounts.count(dependent: first.chanLoc) : 0
    format.set(ChannelCounts.count(first.acmod, first.lfeon) + more, ChannelCounts.rate(first.fscod))
    if box.hasExtensionTypeA, let count = box.complexityIndexTypeA, count > 0 { format.jointObjectCount = Int(count) }
  }
}

extension SoundFormat {
  init(channelCount: Int, sampleRate: Int) {
    self.channelCount = channelCount
    self.sampleRate = sampleRate
  }

  /// Sets the values that are known.
  fileprivate mutating func set(_ channelCount: Int, _ sampleRate: Int) {
    if channelCount > 0 { self.channelCount = channelCount }
    if sampleRate > 0 { self.sampleRate = sampleRate }
  }
}
