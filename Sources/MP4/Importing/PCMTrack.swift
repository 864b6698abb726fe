import ISOBMFF
import MP4Bytes

extension PCMFormat {
  /// A track with this audio, whose timescale is the sample rate.
  ///
  /// ISO files have signed integers of 16, 24 and 32 bits, and floating point (ISO/IEC 23003-5). QuickTime movies also
  /// have 8 bits, A-law and μ-law.
  func track(isQuickTime: Bool, of file: String) throws(MovieError) -> MovieWriter.Track {
    if isQuickTime { return try entry(of: file) { () throws(MovieWriterError) in try quickTimeTrack() } }
    let name: String? =
      switch kind {
      case .aLaw: "A-law"
      case .muLaw: "μ-law"
      case .signed, .unsigned: bits == 8 ? "8-bit PCM" : nil
      case .float: nil
      }
    if let name {
      let text =
        "\(name) has no sample entry in MP4, whose PCM has 16, 24 or 32 bits (ISO/IEC 23003-5); a QuickTime movie "
        + "(.mov) can have it, unless another input is an MP4 file or a stream that is written as MP4"
      throw .impossible(file: file, Obstacle("quicktime_only", text))
    }
    return try entry(of: file) { () throws(MovieWriterError) in
      try .pcm(
        bits: bits, isFloat: kind == .float, isLittleEndian: isLittleEndian,
        sampleRate: UInt32(clamping: sampleRate), channelCount: channelCount)
    }
  }

  /// QuickTime File Format, Sound Sample Descriptions: version 0 for values of at most 16 bits, version 1 for A-law and
  /// μ-law, and version 2 for all others and for high rates.
  private func quickTimeTrack() throws(MovieWriterError) -> MovieWriter.Track {
    let known =
      switch kind {
      case .float: [32, 64]
      case .signed: [8, 16, 24, 32]
      case .unsigned, .aLaw, .muLaw: [8]
      }
    let isCompanded = kind == .aLaw || kind == .muLaw
    let isHigh = sampleRate > Int(UInt16.max)
    guard known.contains(bits), 1...Int(UInt16.max) ~= channelCount, 1...Int(UInt32.max) ~= sampleRate,
      !isCompanded || !isHigh
    else {
      throw .unsupportedFormat(
        "PCM with \(bits) bits, \(counted(channelCount, "channel")) and a sample rate of \(sampleRate)")
    }
    var sound = AudioSampleEntry()
    (sound.channelCount, sound.sampleRate) = (UInt16(channelCount), UInt32(truncatingIfNeeded: sampleRate) << 16)
    var type: FourCC =
      switch kind {
      case .unsigned: "raw "
      case .aLaw: "alaw"
      case .muLaw: "ulaw"
      case .signed, .float: isLittleEndian && bits > 8 ? "sowt" : "twos"
      }
    if isCompanded {
      var more = AudioSampleEntry.SoundDescriptionV1()
      (more.samplesPerPacket, more.bytesPerPacket) = (1, 1)
      (more.bytesPerFrame, more.bytesPerSample) = (UInt32(channelCount), 2)
      (sound.entryVersion, sound.version1) = (1, more)
    } else if isHigh || bits > 16 {
      type = "lpcm"
      var more = AudioSampleEntry.SoundDescriptionV2()
      (more.audioSampleRate, more.numAudioChannels) = (Double(sampleRate).bitPattern, UInt32(channelCount))
      more.constBitsPerChannel = UInt32(bits)
      // Floating point, big-endian, signed; packed.
      more.formatSpecificFlags =
        (kind == .float ? 1 : 0) | (isLittleEndian || bits == 8 ? 0 : 2) | (kind == .signed ? 4 : 0) | 8
      (more.constBytesPerAudioPacket, more.constLPCMFramesPerAudioPacket) = (UInt32(frameSize), 1)
      (sound.entryVersion, sound.version2) = (2, more)
      // The values that version 2 requires in the fields of version 0.
      (sound.channelCount, sound.sampleSize, sound.preDefined, sound.sampleRate) = (3, 16, -2, 1 << 16)
    } else {
      sound.sampleSize = UInt16(bits)
    }
    var track = try MovieWriter.Track(Box(sound, type: type, boxes: []), timescale: UInt32(sampleRate), handler: "soun")
    (track.frameByteCount, track.isQuickTime) = (frameSize, true)
    return track
  }
}
