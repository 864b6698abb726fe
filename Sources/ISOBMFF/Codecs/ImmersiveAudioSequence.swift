import MP4Bytes

/// The contents of the descriptors of immersive audio: IAMF 1.1.0, 3.
struct ImmersiveAudioSequence {
  /// The minimum profile of a decoder.
  var primaryProfile = 0
  /// Another profile that the sequence conforms to.
  var additionalProfile = 0
  /// The codec of the substreams: `Opus`, `mp4a`, `fLaC` or `ipcm`.
  var codec: FourCC?
  /// The sample rate in Hz; 0 if unknown.
  var sampleRate = 0
  /// The number of channels of the largest audio element; 0 if unknown.
  var channelCount = 0

  /// Reads descriptors, which start with the sequence header.
  init?(_ units: ArraySlice<UInt8>) {
    let units = OpenBitstreamUnit.all(in: units, hasTrimming: true)
    guard let header = units.first, header.type == 31, header.payload.starts(with: Array("iamf".utf8)) else {
      return nil
    }
    var r = BitReader(header.payload.dropFirst(4))
    (primaryProfile, additionalProfile) = (r.bits(8), r.bits(8))
    if r.isBroken { return nil }
    for unit in units {
      if unit.type == 0, codec == nil { readCodec(unit.payload) }
      if unit.type == 1 { channelCount = max(channelCount, Self.channels(ofElement: unit.payload)) }
    }
  }

  /// 3.5, codec_config(), with the start of the decoder configuration.
  private mutating func readCodec(_ bytes: ArraySlice<UInt8>) {
    var r = BitReader(bytes)
    _ = r.leb128()
    let code = FourCC(rawValue: UInt32(r.bits(32)))
    _ = r.leb128()
    r.skip(16)
    if r.isBroken { return }
    codec = code
    var info = BitReader(r.rest)
    switch code {
    case "Opus": sampleRate = 48000
    case "fLaC":
      info.skip(32 + 80)
      sampleRate = info.bits(20)
    case "ipcm":
      info.skip(16)
      sampleRate = info.bits(32)
    case "mp4a": sampleRate = Self.mpeg4(r.rest)?.samplingFrequency ?? 0
    default: return
    }
    if info.isBroken { sampleRate = 0 }
  }

  /// The configuration in a DecoderConfigDescriptor.
  private static func mpeg4(_ bytes: ArraySlice<UInt8>) -> AudioSpecificConfig? {
    var coder = FieldCoder(reading: bytes, base: 0, context: BoxContext(), sink: nil)
    var descriptor = Descriptor(tag: 4, body: .bytes([]))
    do throws(BoxError) { try coder.descriptor(&descriptor) } catch { return nil }
    guard case .decoderConfig(let config) = descriptor.body else { return nil }
    return config.specificInfo.flatMap { AudioSpecificConfig($0) }
  }

  /// 3.6, audio_element(): the channels of the largest layout, or of the ambisonics sphere.
  private static func channels(ofElement bytes: ArraySlice<UInt8>) -> Int {
    var r = BitReader(bytes)
    _ = r.leb128()
    let kind = r.bits(3)
    r.skip(5)
    _ = r.leb128()
    r.skipNumbers(r.leb128())
    for _ in 0..<min(r.leb128(), r.bitsLeft) where !r.isBroken { r.skipParameter() }
    if kind == 1 {
      _ = r.leb128()
      let count = r.bits(8)
      return r.isBroken ? 0 : count
    }
    let counts = [1, 2, 6, 8, 10, 8, 10, 12, 6, 2]
    var largest = 0
    let layers = r.bits(3)
    r.skip(5)
    for _ in 0..<(kind == 0 ? layers : 0) {
      let layout = r.bits(4)
      let hasGain = r.flag()
      r.skip(3 + 16 + (hasGain ? 24 : 0))
      if !r.isBroken, counts.indices.contains(layout) { largest = max(largest, counts[layout]) }
    }
    return largest
  }
}

extension BitReader {
  fileprivate mutating func skipNumbers(_ count: Int) { for _ in 0..<count where !isBroken { _ = leb128() } }

  /// The definition of a parameter: IAMF 1.1.0, 3.6.1.
  fileprivate mutating func skipParameter() {
    let kind = leb128()
    guard kind == 1 || kind == 2 else {
      _ = bytes(leb128())
      return
    }
    skipNumbers(2)
    if bits(8) & 0x80 == 0 {
      _ = leb128()
      if leb128() == 0 { skipNumbers(leb128()) }
    }
    // Demixing parameters have default values.
    if kind == 1 { skip(16) }
  }
}
