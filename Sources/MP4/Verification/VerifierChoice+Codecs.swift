import ISOBMFF
import MP4Bytes

extension VerifierChoice {
  /// The verifier for a sample description; `nil` if there is none for its format, or if its samples are encrypted.
  init?(_ configuration: DecoderConfiguration, _ track: Track, decodes: Bool) {
    guard configuration.format == configuration.codedFormat else { return nil }
    if let (codec, lengthSize) = configuration.unitLengths {
      self.init(configuration, codec, lengthSize, track, decodes: decodes)
      return
    }
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch (configuration.format, descriptor?.decoderConfig?.objectTypeIndication) {
    case ("mp4a", 0x40):
      guard let syntax = descriptor?.decoderSpecificInfo.flatMap({ AACSyntax(Array($0)) }) else { return nil }
      let verifier = AACVerifier(syntax)
      self.init(.anywhere) { verifier }
    case ("mp4a", 0x69), ("mp4a", 0x6b), (".mp3", _):
      self.init(.anywhere, limits: [.sound(codec: "MPEG audio")]) { MPEGAudioVerifier() }
    case ("ac-3", _), ("ec-3", _), ("mp4a", 0xa5), ("mp4a", 0xa6): self.init(.anywhere) { DolbyVerifier() }
    case ("fLaC", _): self.init(.anywhere) { FLACVerifier() }
    case ("Opus", _):
      guard let box = configuration.box(OpusSpecificBox.self) else { return nil }
      let verifier = OpusVerifier(
        streamCount: Int(box.channelMappingTable.streamCount), timescale: track.timescale)
      self.init(.anywhere, limits: [.sound(codec: "Opus")]) { verifier }
    case ("av01", _):
      guard let box = configuration.box(AV1CodecConfigurationBox.self) else { return nil }
      let verifier = AV1Verifier(box.configOBUs[...])
      self.init(.sync { _ in true }, limits: [.pictures(codec: "AV1", isDecodable: false)]) { verifier }
    case ("vp09", _):
      self.init(.sync { _ in true }, limits: [.pictures(codec: "VP9", isDecodable: false)]) { VP9Verifier() }
    case ("apch", _), ("apcn", _), ("apcs", _), ("apco", _), ("ap4h", _), ("ap4x", _):
      self.init(.anywhere, limits: [.pictures(codec: "ProRes", isDecodable: false)]) { ProResVerifier() }
    case ("jpeg", _), ("mjpg", _), ("mp4v", 0x6c):
      self.init(.anywhere, limits: [.pictures(codec: "JPEG", isDecodable: false)]) { JPEGVerifier() }
    case ("tx3g", _): self.init(.anywhere, isCompressed: false) { TimedTextVerifier() }
    case ("wvtt", _): self.init(.anywhere, isCompressed: false) { WebVTTVerifier() }
    case ("stpp", _): self.init(.anywhere, isCompressed: false) { MarkupVerifier() }
    case ("tmcd", _):
      guard let format = (configuration.fields as? TimecodeSampleEntry).flatMap(TimecodeFormat.init) else { return nil }
      self.init(.anywhere, isCompressed: false) { TimecodeVerifier(format: format) }
    default:
      guard let format = PCMFormat(configuration), let verifier = PCMVerifier(format) else { return nil }
      self.init(.anywhere, isCompressed: false) { verifier }
      frameSize = format.frameSize
    }
  }

  private init(
    _ configuration: DecoderConfiguration, _ codec: NALUnits.Codec, _ lengthSize: Int, _ track: Track, decodes: Bool
  ) {
    // Parameter sets in samples can be those of later pictures.
    let start = (try? track.samples.first?.bytes(4096)) ?? []
    let hasSets = ["avc3", "avc4", "hev1", "dvhe", "dvav"].contains(configuration.format)
    let needsSets = hasSets || NALSample.hasPictureSet(start[...], codec, lengthSize)
    @Sendable func isStart(_ bytes: ArraySlice<UInt8>, _ isRandomAccess: (ArraySlice<UInt8>) -> Bool) -> Bool {
      (!needsSets || NALSample.hasPictureSet(bytes, codec, lengthSize)) && isRandomAccess(bytes)
    }
    let limits: [MediaLimit] =
      switch codec {
      case .avc: decodes ? [] : [.pictures(codec: "H.264", isDecodable: true)]
      case .hevc: decodes ? [] : [.pictures(codec: "H.265", isDecodable: true)]
      case .vvc: [.pictures(codec: "H.266", isDecodable: false)]
      }
    switch codec {
    case .avc:
      let verifier = AVCVerifier(configuration, lengthSize: lengthSize, decodes: decodes)
      self.init(.sync { isStart($0) { AVCVerifier.startsSequence($0, lengthSize: lengthSize) } }, limits: limits) {
        verifier
      }
    case .hevc:
      let verifier = HEVCVerifier(configuration, lengthSize: lengthSize, decodes: decodes)
      self.init(.sync { isStart($0) { HEVCVerifier.startsSequence($0, lengthSize: lengthSize) } }, limits: limits) {
        verifier
      }
    case .vvc:
      self.init(.anywhere, limits: limits) { VVCVerifier(lengthSize: lengthSize) }
    }
    hasUniqueBlocks = true
  }
}
