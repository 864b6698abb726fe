import ISOBMFF
import MP4Bytes

/// Tracks for the output of encoders: the sample entry, the size, the colors and the channels come from the headers of
/// the bitstream.
extension MovieWriter.Track {
  /// H.264, in samples with NAL unit lengths of four bytes.
  ///
  /// - Parameters:
  ///   - parameterSets: The sequence and picture parameter sets, and SPS extensions, without lengths and start codes.
  ///   - timescale: Units per second.
  /// - Throws: `MovieWriterError.unreadableHeader` if there are none, or if they are damaged.
  public static func avc(parameterSets: [[UInt8]], timescale: UInt32 = 90_000) throws(MovieWriterError) -> Self {
    try avc(parameterSets: parameterSets, timescale: timescale, areInSamples: false)
  }

  /// H.264, of which samples can have their own parameter sets.
  static func avc(
    parameterSets: [[UInt8]], timescale: UInt32, areInSamples: Bool, isQuickTime: Bool = false
  ) throws(MovieWriterError) -> Self {
    guard let configuration = AVCConfigurationBox(parameterSets: parameterSets),
      let first = configuration.sequenceParameterSets.first,
      let parameters = SequenceParameters(avc: first.nalUnit[...])
    else { throw .unreadableHeader("the parameter sets of H.264") }
    return try video(
      areInSamples ? "avc3" : "avc1", Box(configuration), parameters, timescale, isQuickTime: isQuickTime)
  }

  /// H.265, in samples with NAL unit lengths of four bytes.
  ///
  /// - Parameters:
  ///   - parameterSets: The video, sequence and picture parameter sets, and SEI messages for the whole stream, without
  ///     lengths and start codes.
  ///   - timescale: Units per second.
  /// - Throws: `MovieWriterError.unreadableHeader` if there are none, or if they are damaged.
  public static func hevc(parameterSets: [[UInt8]], timescale: UInt32 = 90_000) throws(MovieWriterError) -> Self {
    try hevc(parameterSets: parameterSets, timescale: timescale, areInSamples: false)
  }

  /// H.265, of which samples can have their own parameter sets.
  static func hevc(
    parameterSets: [[UInt8]], timescale: UInt32, areInSamples: Bool, isQuickTime: Bool = false
  ) throws(MovieWriterError) -> Self {
    guard var configuration = HEVCConfigurationBox(parameterSets: parameterSets),
      let first = configuration.arrays.first(where: { $0.nalUnitType == 33 })?.nalUnits.first,
      let parameters = SequenceParameters(hevc: first.bytes[...])
    else { throw .unreadableHeader("the parameter sets of H.265") }
    if areInSamples {
      for index in configuration.arrays.indices { configuration.arrays[index].isComplete = false }
    }
    return try video(
      areInSamples ? "hev1" : "hvc1", Box(configuration), parameters, timescale, isQuickTime: isQuickTime)
  }

  /// H.266, in samples with NAL unit lengths of four bytes, which can have their own parameter sets.
  static func vvc(
    parameterSets: [[UInt8]], timescale: UInt32, areInSamples: Bool
  ) throws(MovieWriterError) -> Self {
    guard var configuration = VVCConfigurationBox(parameterSets: parameterSets),
      let first = configuration.arrays.first(where: { $0.nalUnitType == 15 })?.nalUnits.first,
      let parameters = SequenceParameters(vvc: first.bytes[...])
    else { throw .unreadableHeader("the parameter sets of H.266, or they have subpictures, which are not supported;") }
    if areInSamples {
      for index in configuration.arrays.indices { configuration.arrays[index].isComplete = false }
    }
    return try video(areInSamples ? "vvi1" : "vvc1", Box(configuration), parameters, timescale)
  }

  /// AV1, in samples without temporal delimiters.
  ///
  /// - Parameters:
  ///   - sequenceHeader: The sequence header as an open bitstream unit with its size, as at the start of a keyframe;
  ///     metadata units can follow it.
  ///   - timescale: Units per second.
  /// - Throws: `MovieWriterError.unreadableHeader` if it is damaged.
  public static func av1(sequenceHeader: [UInt8], timescale: UInt32 = 90_000) throws(MovieWriterError) -> Self {
    guard let configuration = AV1CodecConfigurationBox(sequenceHeader: sequenceHeader),
      let parameters = SequenceParameters(av1: sequenceHeader[...])
    else { throw .unreadableHeader("the sequence header of AV1") }
    return try video("av01", Box(configuration), parameters, timescale)
  }

  private static func video(
    _ type: FourCC, _ configuration: Box, _ parameters: SequenceParameters, _ timescale: UInt32,
    isQuickTime: Bool = false
  ) throws(MovieWriterError) -> Self {
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (UInt16(clamping: parameters.width), UInt16(clamping: parameters.height))
    var boxes = [configuration]
    if let colour = parameters.colour {
      var colr = ColourInformationBox()
      (colr.colourPrimaries, colr.transferCharacteristics) = (colour.primaries, colour.transferCharacteristics)
      (colr.matrixCoefficients, colr.fullRangeFlag) = (colour.matrixCoefficients, colour.isFullRange)
      if isQuickTime { colr.colourType = "nclc" }
      boxes.append(Box(colr))
    }
    var width = UInt64(parameters.width) << 16
    if let aspect = parameters.pixelAspectRatio, aspect.width != aspect.height {
      var pasp = PixelAspectRatioBox()
      (pasp.hSpacing, pasp.vSpacing) = (UInt32(aspect.width), UInt32(aspect.height))
      boxes.append(Box(pasp))
      width = width * UInt64(aspect.width) / UInt64(aspect.height)
    }
    var track = try Self(Box(entry, type: type, boxes: boxes), timescale: timescale, handler: "vide")
    track.header.width = UInt32(clamping: width)
    track.isQuickTime = isQuickTime
    return track
  }

  // MARK: Audio

  /// AAC, in samples without ADTS headers. The timescale is the sample rate.
  ///
  /// - Parameter configuration: The AudioSpecificConfig: ISO/IEC 14496-3, 1.6.2.1.
  /// - Throws: `MovieWriterError.unreadableHeader` if it is damaged.
  public static func aac(audioSpecificConfig configuration: [UInt8]) throws(MovieWriterError) -> Self {
    try aac(audioSpecificConfig: configuration, isQuickTime: false)
  }

  /// AAC, for an ISO file or for QuickTime.
  static func aac(
    audioSpecificConfig configuration: [UInt8], isQuickTime: Bool
  ) throws(MovieWriterError) -> Self {
    guard let sound = AudioSpecificConfig(configuration), sound.samplingFrequency > 0 else {
      throw .unreadableHeader("the AudioSpecificConfig of AAC")
    }
    return try mpeg4(
      objectType: 0x40, configuration, channels: sound.channelCount, rate: sound.samplingFrequency,
      isQuickTime: isQuickTime)
  }

  /// Audio with an object type of MPEG-4, and a configuration if its frames do not declare it.
  static func mpeg4(
    objectType: UInt8, _ configuration: [UInt8]? = nil, channels: Int, rate: Int, isQuickTime: Bool = false
  ) throws(MovieWriterError) -> Self {
    var esds = ESDescriptorBox()
    var config = DecoderConfigDescriptor()
    config.objectTypeIndication = objectType
    config.descriptors = configuration.map { [Descriptor(tag: 5, body: .decoderSpecificInfo($0))] } ?? []
    var stream = ElementaryStreamDescriptor()
    stream.descriptors = [
      Descriptor(tag: 4, body: .decoderConfig(config)), Descriptor(tag: 6, body: .bytes([2])),
    ]
    esds.es = Descriptor(tag: 3, body: .elementaryStream(stream))
    guard isQuickTime else { return try audio("mp4a", Box(esds), channels: channels, rate: rate) }
    // QuickTime File Format, Sound Sample Description (Version 1) and `siDecompressionParam`.
    var sound = AudioSampleEntry()
    (sound.channelCount, sound.sampleRate) = (UInt16(clamping: channels), rate > 65_535 ? 0 : UInt32(rate) << 16)
    var more = AudioSampleEntry.SoundDescriptionV1()
    (more.samplesPerPacket, more.bytesPerSample) = (1024, 2)
    (sound.entryVersion, sound.version1, sound.preDefined) = (1, more, -2)
    let wave = Box(
      "wave",
      boxes: [
        Box("frma", bytes: Array("mp4a".utf8)), Box("mp4a", bytes: [0, 0, 0, 0]), Box(esds),
        Box(FourCC(rawValue: 0), bytes: []),
      ])
    var track = try Self(Box(sound, type: "mp4a", boxes: [wave]), timescale: UInt32(clamping: rate), handler: "soun")
    track.isQuickTime = true
    return track
  }

  /// Opus. The timescale is 48000, and the pre-skip is trimmed.
  ///
  /// - Parameter header: The identification header, which begins with `OpusHead`: RFC 7845, 5.1.
  /// - Throws: `MovieWriterError.unreadableHeader` if it is damaged.
  public static func opus(header: [UInt8]) throws(MovieWriterError) -> Self {
    guard header.starts(with: "OpusHead".utf8), header.count >= 19, header[9] > 0, header[8] < 16,
      header[18] == 0 || header.count >= 21 + Int(header[9])
    else { throw .unreadableHeader("the identification header of Opus") }
    func little(_ offset: Int, _ count: Int) -> UInt32 {
      header[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    var configuration = OpusSpecificBox()
    (configuration.outputChannelCount, configuration.preSkip) = (header[9], UInt16(little(10, 2)))
    configuration.inputSampleRate = little(12, 4)
    configuration.outputGain = Int16(truncatingIfNeeded: little(16, 2))
    configuration.channelMappingFamily = header[18]
    if header[18] != 0 {
      configuration.channelMappingTable.streamCount = header[19]
      configuration.channelMappingTable.coupledCount = header[20]
      configuration.channelMappingTable.channelMapping = Array(header[21..<21 + Int(header[9])])
    }
    var track = try audio("Opus", Box(configuration), channels: Int(header[9]), rate: 48_000)
    track.trim = MediaTime(Int64(configuration.preSkip), 48_000)
    return track
  }

  /// FLAC. The timescale is the sample rate.
  ///
  /// - Parameter streamInfo: The contents of the STREAMINFO block: RFC 9639, 8.2.
  /// - Throws: `MovieWriterError.unreadableHeader` if it is damaged.
  public static func flac(streamInfo: [UInt8]) throws(MovieWriterError) -> Self {
    let payload = [0, 0, 0, 0, 0x80, 0, 0, 34] + streamInfo
    guard streamInfo.count == 34, let configuration = try? FLACSpecificBox(decoding: payload[...]),
      let info = configuration.metadataBlocks.first?.streamInfo, info.sampleRate > 0
    else { throw .unreadableHeader("the STREAMINFO block of FLAC") }
    return try audio(
      "fLaC", Box(configuration), channels: Int(info.channelsMinusOne) + 1, rate: Int(info.sampleRate),
      bits: UInt16(info.bitsPerSampleMinusOne) + 1)
  }

  /// Uncompressed audio: any number of frames at once, each with a value for every channel. The timescale is the sample
  /// rate.
  ///
  /// Frames last one unit. Where appended frames start later than the previous ones end, the last of these lasts
  /// longer; where they start earlier, they follow immediately.
  ///
  /// - Parameters:
  ///   - bits: The width of signed integers, 16, 24 or 32, or of floating point, 32 or 64.
  ///   - isFloat: Whether values are floating point.
  ///   - isLittleEndian: Whether the first byte of a value is its lowest one.
  ///   - sampleRate: Frames per second.
  ///   - channelCount: The number of channels.
  /// - Throws: `MovieWriterError.unsupportedFormat` if MP4 has no such format.
  public static func pcm(
    bits: Int, isFloat: Bool = false, isLittleEndian: Bool = true, sampleRate: UInt32, channelCount: Int
  ) throws(MovieWriterError) -> Self {
    guard (isFloat ? [32, 64] : [16, 24, 32]).contains(bits), sampleRate > 0,
      1...Int(UInt16.max) ~= channelCount
    else {
      throw .unsupportedFormat(
        "PCM with \(bits) bits, \(counted(channelCount, "channel")) and a sample rate of \(sampleRate)")
    }
    var configuration = PCMConfigurationBox()
    (configuration.formatFlags, configuration.pcmSampleSize) = (isLittleEndian ? 1 : 0, UInt8(bits))
    var track = try audio(
      isFloat ? "fpcm" : "ipcm", Box(configuration), channels: channelCount, rate: Int(sampleRate), bits: UInt16(bits),
      declaresRate: true)
    track.frameByteCount = bits / 8 * channelCount
    return track
  }

  static func audio(
    _ type: FourCC, _ configuration: Box, channels: Int, rate: Int, bits: UInt16 = 16, declaresRate: Bool = false
  ) throws(MovieWriterError) -> Self {
    var entry = AudioSampleEntry()
    (entry.channelCount, entry.sampleSize) = (UInt16(clamping: channels), bits)
    // The field has 16 bits; for higher rates, decoders read that of the configuration, or of `srat`.
    entry.sampleRate = rate > 65_535 ? 0 : UInt32(rate) << 16
    var boxes = [configuration]
    if declaresRate, entry.sampleRate == 0 {
      var box = SamplingRateBox()
      box.samplingRate = UInt32(clamping: rate)
      boxes.insert(Box(box), at: 0)
      entry.entryVersion = 1
    }
    var track = try Self(Box(entry, type: type, boxes: boxes), timescale: UInt32(clamping: rate), handler: "soun")
    // ISO/IEC 14496-12:2022, 12.2.3: an entry of version 1 requires version 1 of `stsd`.
    track.descriptionVersion = UInt8(entry.entryVersion)
    return track
  }
}
