import ISOBMFF
import MP4Bytes

/// Audio sample descriptions. Those of QuickTime are longer and store the decoder configuration in a box of their own
/// (`wave`), which players of ISO files do not read.
extension QuickTimeConversion {
  /// The codecs that have the same name in ISO files, and the configuration box of each.
  private static let configurations: [FourCC: FourCC] = [
    "mp4a": "esds", "alac": "alac", "ac-3": "dac3", "ec-3": "dec3", "mlpa": "dmlp", "Opus": "dOps", "fLaC": "dfLa",
  ]

  /// The sample entry of compressed audio in ISO form; `nil` if it already has that form, or if the codec is not in
  /// `configurations`. ISO/IEC 14496-14:2020, 6.7.2.
  func configuredSound(_ entry: Box) throws(MovieError) -> Box? {
    guard let type = Self.configurations[entry.type], let old = try fields(of: entry, AudioSampleEntry.self) else {
      return nil
    }
    let wave = entry.first("wave")
    guard wave != nil || old.version1 != nil || old.version2 != nil else { return nil }
    guard let configuration = wave?.first(type) ?? entry.first(type) else { return nil }
    var sound = plain(old)
    let bits = old.version2.map { UInt16(clamping: $0.constBitsPerChannel) } ?? old.sampleSize
    if entry.type != "mp4a", [20, 24, 32].contains(bits) { sound.sampleSize = bits }
    var result = entry
    result.fields = .edited(sound)
    // The configurations of all these codecs declare the channel layout.
    let dropped: Set<FourCC> = ["wave", "chan", type]
    result.boxes = [configuration] + entry.boxes.filter { $0.hasHeader && !dropped.contains($0.type) }
    return result
  }

  /// The entry with the fields of ISO files. Version 2 stores the channel count and the rate in other, wider fields. A
  /// rate of 0 means that it does not fit; the media timescale declares it too.
  private func plain(_ old: AudioSampleEntry) -> AudioSampleEntry {
    var sound = AudioSampleEntry()
    sound.dataReferenceIndex = old.dataReferenceIndex
    if let more = old.version2 {
      sound.channelCount = UInt16(clamping: more.numAudioChannels)
      let rate = Double(bitPattern: more.audioSampleRate)
      sound.sampleRate = rate > 0 && rate < 65_536 ? UInt32(rate) << 16 : 0
    } else {
      (sound.channelCount, sound.sampleRate) = (old.channelCount, old.sampleRate)
    }
    return sound
  }

  /// The entry of audio that has another name in ISO files; `nil` if it has none. `sampleSize` is the common size of
  /// all samples, if there is one.
  func renamedSound(_ entry: Box, _ media: Media, sampleSize: UInt32?) throws(MovieError) -> Box? {
    guard let old = try fields(of: entry, AudioSampleEntry.self) else { return nil }
    if let pcm = try pcm(entry, old) { return try uncompressed(entry, old, pcm, sampleSize, media) }
    // With packets of one size, a sample would be a part of a packet.
    return entry.type == ".mp3" && sampleSize == nil ? mp3(entry, old) : nil
  }

  /// An entry for MP3 as in MPEG-4, without a decoder configuration. ISO/IEC 14496-1, 7.2.6.6.
  private func mp3(_ entry: Box, _ old: AudioSampleEntry) -> Box {
    var result = entry
    let sound = plain(old)
    var config = DecoderConfigDescriptor()
    // The lower rates belong to MPEG-2 audio.
    config.objectTypeIndication = sound.sampleRate >> 16 < 32_000 ? 0x69 : 0x6b
    var stream = ElementaryStreamDescriptor()
    stream.descriptors = [
      Descriptor(tag: 4, body: .decoderConfig(config)), Descriptor(tag: 6, body: .bytes([2])),
    ]
    var esds = ESDescriptorBox()
    esds.es = Descriptor(tag: 3, body: .elementaryStream(stream))
    result.type = "mp4a"
    result.fields = .edited(sound)
    result.boxes = [Box(esds)] + entry.boxes.filter { $0.hasHeader && !["wave", "chan"].contains($0.type) }
    return result
  }

  // MARK: Uncompressed audio

  /// The storage format of PCM audio.
  private struct PCM {
    var isFloat = false
    var isLittleEndian = false
    var bits: UInt8
  }

  /// The entry of uncompressed audio according to ISO/IEC 23003-5; `nil` for formats that it does not define, such as
  /// 8-bit samples.
  private func uncompressed(
    _ entry: Box, _ old: AudioSampleEntry, _ pcm: PCM, _ size: UInt32?, _ media: Media
  ) throws(MovieError) -> Box? {
    guard (pcm.isFloat ? [32, 64] : [16, 24, 32]).contains(pcm.bits) else { return nil }
    var sound = plain(old)
    guard sound.channelCount > 0 else { return nil }
    let frameSize = UInt32(pcm.bits / 8) * UInt32(sound.channelCount)
    if let packet = old.version2?.constBytesPerAudioPacket, packet != 0, packet != frameSize { return nil }
    if let size, !size.isMultiple(of: frameSize) { return nil }
    sound.sampleSize = UInt16(pcm.bits)
    var configuration = PCMConfigurationBox()
    configuration.formatFlags = pcm.isLittleEndian ? 1 : 0
    configuration.pcmSampleSize = pcm.bits
    var result = entry
    result.type = pcm.isFloat ? "fpcm" : "ipcm"
    result.boxes = [Box(configuration)] + entry.boxes.filter { $0.hasHeader && $0.type != "wave" }
    if let rate = highRate(old, media) {
      // ISO/IEC 14496-12:2022, 12.2.3. The field stays 0: readers that do not know `srat` then use the media timescale,
      // which is the rate. They would take a fraction of the rate for the rate itself.
      (sound.entryVersion, sound.sampleRate) = (1, 0)
      var box = SamplingRateBox()
      box.samplingRate = rate
      result.boxes.insert(Box(box), at: 0)
    }
    result.fields = .edited(sound)
    if let at = result.boxes.firstIndex(where: { $0.type == "chan" }),
      let layout = try fields(of: result.boxes[at], ChannelDescriptionBox.self)?.layout(of: Int(sound.channelCount))
    {
      result.boxes[at] = Box(layout)
    }
    return result
  }

  /// A sample rate that does not fit into the 16 bits of an entry: that of version 2, or the media timescale if the
  /// field is 0 or has only the lower bits.
  private func highRate(_ old: AudioSampleEntry, _ media: Media) -> UInt32? {
    if let more = old.version2 {
      let rate = Double(bitPattern: more.audioSampleRate)
      return rate > Double(UInt16.max) && rate <= Double(UInt32.max) ? UInt32(exactly: rate) : nil
    }
    let (field, timescale) = (old.sampleRate >> 16, media.timescale)
    return timescale > UInt16.max && (field == 0 || field == timescale & 0xffff) ? timescale : nil
  }

  private func pcm(_ entry: Box, _ old: AudioSampleEntry) throws(MovieError) -> PCM? {
    // Only these formats declare their byte order in `wave`; without `enda` they are big-endian.
    let order = try fields(of: entry.first("wave", "enda") ?? entry.first("enda"), AudioEndianBox.self)
    let isLittle = order.map { $0.littleEndian == 1 } ?? false
    switch entry.type {
    case "sowt": return PCM(isLittleEndian: true, bits: UInt8(clamping: old.sampleSize))
    case "twos": return PCM(bits: UInt8(clamping: old.sampleSize))
    case "in24": return PCM(isLittleEndian: isLittle, bits: 24)
    case "in32": return PCM(isLittleEndian: isLittle, bits: 32)
    case "fl32": return PCM(isFloat: true, isLittleEndian: isLittle, bits: 32)
    case "fl64": return PCM(isFloat: true, isLittleEndian: isLittle, bits: 64)
    default: break
    }
    guard let more = old.version2, more.constLPCMFramesPerAudioPacket <= 1 else { return nil }
    let flags = more.formatSpecificFlags
    // Unsigned integers and planar channels have no name in ISO files.
    guard flags & 1 != 0 || flags & 4 != 0, flags & 32 == 0 else { return nil }
    return PCM(
      isFloat: flags & 1 != 0, isLittleEndian: flags & 2 == 0, bits: UInt8(clamping: more.constBitsPerChannel))
  }
}

extension ChannelDescriptionBox {
  /// The same layout in ISO files; `nil` if it cannot be expressed.
  fileprivate func layout(of channelCount: Int) -> ChannelLayoutBox? {
    guard let positions, positions.count == channelCount else { return nil }
    var result = ChannelLayoutBox()
    result.speakers = positions.map { position in
      var speaker = ChannelLayoutBox.Speaker()
      speaker.speakerPosition = position
      return speaker
    }
    return result
  }

  /// The speaker positions as codes of ISO/IEC 23091-3.
  private var positions: [UInt8]? {
    var labels: [UInt32]
    switch layoutTag >> 16 {
    case 0: labels = descriptions.map(\.label)
    case 1: labels = (0..<32).filter { bitmap >> $0 & 1 != 0 }.map { $0 + 1 }
    default:
      guard let names = Self.layouts[layoutTag >> 16] else { return nil }
      labels = names
    }
    var result: [UInt8] = []
    for label in labels {
      guard let position = Self.positions[label] else { return nil }
      result.append(position)
    }
    return result
  }

  /// The position of each Core Audio channel label that both standards define.
  private static let positions: [UInt32: UInt8] = [
    1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 10, 10: 11, 11: 12, 33: 8, 34: 9, 35: 15, 36: 16, 37: 26, 42: 2,
  ]

  /// The channel labels of the numbered layouts, in channel order.
  private static let layouts: [UInt32: [UInt32]] = [
    100: [3], 101: [1, 2], 113: [1, 2, 3], 114: [3, 1, 2], 115: [1, 2, 3, 9], 116: [3, 1, 2, 9],
    117: [1, 2, 3, 5, 6], 118: [1, 2, 5, 6, 3], 119: [1, 3, 2, 5, 6], 120: [3, 1, 2, 5, 6],
    121: [1, 2, 3, 4, 5, 6], 122: [1, 2, 5, 6, 3, 4], 123: [1, 3, 2, 5, 6, 4], 124: [3, 1, 2, 5, 6, 4],
    125: [1, 2, 3, 4, 5, 6, 9], 126: [1, 2, 3, 4, 5, 6, 7, 8], 127: [3, 7, 8, 1, 2, 5, 6, 4],
    128: [1, 2, 3, 4, 5, 6, 33, 34], 131: [1, 2, 9], 132: [1, 2, 5, 6],
  ]
}
