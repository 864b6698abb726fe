import MP4Bytes

/// The parameters of audio codecs, and of other codecs with MPEG-4 object types, in a codecs string.
extension DecoderConfiguration {
  /// `nil` if it is not an audio codec, or has no parameters.
  var soundParameters: [String]? {
    switch codedFormat {
    case "mp4a": mpeg4Parameters
    case "ac-4": box(AC4SpecificBox.self).flatMap(Self.ac4)
    case "mha1", "mha2", "mhm1", "mhm2":
      // The profile and level: ISO/IEC 23008-3, 20.4.
      box(MHAConfigurationBox.self).map { ["0x" + Self.hexadecimal($0.profileLevelIndication, 2)] }
    case "iamf": box(IAConfigurationBox.self).flatMap { ImmersiveAudioSequence($0.configOBUs[...]) }.flatMap(Self.iamf)
    // The coder type: T/AI 109.6.
    case "av3a": box(AVS3AudioConfigurationBox.self).map { [Self.hexadecimal($0.audioCodecID, 2)] }
    default: nil
    }
  }

  /// The object type: for MPEG-4 audio with that of its configuration, for MPEG-4 video with profile and level. RFC
  /// 6381, 3.3.
  ///
  /// For audio with SBR or parametric stereo, the object type of that extension is used, however the configuration
  /// declares it, so that a player knows the requirements.
  var mpeg4Parameters: [String]? {
    guard let stream = box(ESDescriptorBox.self), let type = stream.decoderConfig?.objectTypeIndication else {
      return nil
    }
    let code = Self.hexadecimal(type, 2)
    switch type {
    case 0x40: return [code] + (audioSpecificConfig.map { [String($0.signalledObjectType)] } ?? [])
    case 0x20:
      // A visual object sequence starts with its start code, followed by profile and level.
      let info = stream.decoderSpecificInfo ?? []
      guard info.starts(with: [0, 0, 1, 0xb0]), info.count >= 5 else { return [code] }
      return [code, String(info[4])]
    default: return [code]
    }
  }

  /// The version of the stream, and the version and decoder compatibility of the first presentation: ETSI TS 103 190-2,
  /// E.13.
  private static func ac4(_ box: AC4SpecificBox) -> [String]? {
    var (version, compatibility) = (UInt8(0), UInt8(0))
    if let first = box.presentations.first {
      (version, compatibility) = (first.presentationVersion, first.mdcompat)
    } else {
      // In the older layout, a presentation starts with five bits for its kind and these three bits.
      guard box.ac4DSIVersion == 0, let byte = box.presentationData.first else { return nil }
      compatibility = byte & 7
    }
    return [box.bitstreamVersion, version, compatibility].map { hexadecimal($0, 2) }
  }

  /// Both profiles, and the codec of the substreams: IAMF 1.1.0, 6.3.
  private static func iamf(_ audio: ImmersiveAudioSequence) -> [String]? {
    guard let codec = audio.codec else { return nil }
    var parts = [decimal(audio.primaryProfile, 3), decimal(audio.additionalProfile, 3), escaped(codec)]
    if codec == "mp4a" { parts += ["40", "2"] }
    return parts
  }
}
