import ISOBMFF
import MP4Bytes

/// The storage format of PCM audio: frames of one value for each channel.
struct PCMFormat: Sendable, Equatable {
  enum Kind: Sendable { case signed, unsigned, float, aLaw, muLaw }
  var kind: Kind
  var bits: Int
  var isLittleEndian: Bool
  var channelCount: Int
  var sampleRate: Int

  /// The number of bytes of a value.
  var width: Int { bits / 8 }
  /// The number of bytes of the values of all channels.
  var frameSize: Int { width * channelCount }

  init(_ kind: Kind, bits: Int, isLittleEndian: Bool = false, channelCount: Int, sampleRate: Int) {
    (self.kind, self.bits, self.isLittleEndian) = (kind, bits, isLittleEndian)
    (self.channelCount, self.sampleRate) = (channelCount, sampleRate)
  }

  /// The format of samples; `nil` unless they are packed, interleaved PCM.
  init?(_ configuration: DecoderConfiguration) {
    guard let entry = configuration.fields as? AudioSampleEntry, let sound = configuration.sound,
      1...Int(UInt16.max) ~= sound.channelCount, 1...Int(UInt32.max) ~= sound.sampleRate
    else { return nil }
    (channelCount, sampleRate) = (sound.channelCount, sound.sampleRate)
    let declared = entry.version2.map { Int($0.constBitsPerChannel) } ?? Int(entry.sampleSize)
    let isSwapped = configuration.box(AudioEndianBox.self).map { $0.littleEndian == 1 } ?? false
    switch configuration.codedFormat {
    case "sowt": (kind, bits, isLittleEndian) = (.signed, declared, true)
    case "twos": (kind, bits, isLittleEndian) = (.signed, declared, false)
    case "raw ", "NONE": (kind, bits, isLittleEndian) = (declared > 8 ? .signed : .unsigned, declared, false)
    case "in24": (kind, bits, isLittleEndian) = (.signed, 24, isSwapped)
    case "in32": (kind, bits, isLittleEndian) = (.signed, 32, isSwapped)
    case "fl32": (kind, bits, isLittleEndian) = (.float, 32, isSwapped)
    case "fl64": (kind, bits, isLittleEndian) = (.float, 64, isSwapped)
    case "alaw": (kind, bits, isLittleEndian) = (.aLaw, 8, true)
    case "ulaw": (kind, bits, isLittleEndian) = (.muLaw, 8, true)
    case "lpcm":
      guard let more = entry.version2, more.formatSpecificFlags & 32 == 0, more.constLPCMFramesPerAudioPacket <= 1
      else {
        return nil
      }
      let flags = more.formatSpecificFlags
      kind = flags & 1 != 0 ? .float : flags & 4 != 0 ? .signed : .unsigned
      (bits, isLittleEndian) = (declared, flags & 2 == 0)
    case "ipcm", "fpcm":
      guard let box = configuration.box(PCMConfigurationBox.self) else { return nil }
      kind = configuration.codedFormat == "fpcm" ? .float : .signed
      (bits, isLittleEndian) = (Int(box.pcmSampleSize), box.formatFlags & 1 != 0)
    default: return nil
    }
    let known: [Int] =
      switch kind {
      case .float: [32, 64]
      case .signed: [8, 16, 24, 32]
      case .unsigned, .aLaw, .muLaw: [8]
      }
    guard known.contains(bits) else { return nil }
    // Values can be stored in more bytes than they need.
    if let packet = entry.version2?.constBytesPerAudioPacket, packet != 0, Int(packet) != frameSize { return nil }
  }
}

/// PCM audio in a WAV or AIFF file.
struct PCMFile: Sendable, Equatable {
  let source: PCMFormat
  let isAIFF: Bool

  /// How values are converted.
  enum Change: Sendable, Equatable {
    case none
    /// The bytes of each value, which has this width, are reversed.
    case reversed(width: Int)
    /// 8-bit values are converted between signed and unsigned.
    case sign
  }

  /// The conversion: WAV has little-endian values and unsigned 8-bit ones, AIFF has big-endian values and signed 8-bit
  /// ones.
  var change: Change {
    if source.width == 1 {
      switch source.kind {
      case .signed: return isAIFF ? .none : .sign
      case .unsigned: return isAIFF ? .sign : .none
      case .float, .aLaw, .muLaw: return .none
      }
    }
    return source.isLittleEndian == isAIFF ? .reversed(width: source.width) : .none
  }

  /// The maximum number of bytes of audio in a file with 32-bit sizes.
  private static let limit = Int(UInt32.max) - 4096

  /// Whether the file can have this number of bytes of audio.
  func canHold(_ byteCount: Int) -> Bool { !isAIFF || byteCount <= Self.limit }

  /// The bytes before the audio.
  func header(byteCount: Int) -> [UInt8] { isAIFF ? aiff(byteCount) : wav(byteCount) }

  /// The bytes after the audio: chunks are padded to an even size.
  func trailer(byteCount: Int) -> [UInt8] { byteCount.isMultiple(of: 2) ? [] : [0] }

  // MARK: WAV

  /// A header according to Multimedia Programming Interface and Data Specifications 1.0, or with 64-bit sizes according
  /// to EBU Tech 3306.
  private func wav(_ byteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func put(_ text: String) { bytes += Array(text.utf8) }
    func put(_ number: some FixedWidthInteger) {
      var rest = number
      for _ in 0..<number.bitWidth / 8 {
        bytes.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }
    // Players expect the extended form for more than 16 bits, 2 channels or 48 kHz.
    let isExtended =
      source.kind != .aLaw && source.kind != .muLaw
      && (source.bits > 16 || source.channelCount > 2 || source.sampleRate > 48000)
    let tag: UInt16 =
      switch source.kind {
      case .signed, .unsigned: 1
      case .float: 3
      case .aLaw: 6
      case .muLaw: 7
      }
    let frames = byteCount / source.frameSize
    let formatSize = isExtended ? 40 : tag == 1 ? 16 : 18
    let factSize = tag == 1 ? 0 : 12
    let padded = byteCount + byteCount % 2
    let size = 4 + 8 + formatSize + factSize + 8 + padded
    let isLarge = byteCount > Self.limit
    put(isLarge ? "RF64" : "RIFF")
    put(isLarge ? UInt32.max : UInt32(size))
    put("WAVE")
    if isLarge {
      put("ds64")
      put(UInt32(28))
      put(UInt64(size + 36))
      put(UInt64(byteCount))
      put(UInt64(frames))
      put(UInt32(0))
    }
    put("fmt ")
    put(UInt32(formatSize))
    put(isExtended ? 0xfffe : tag)
    put(UInt16(source.channelCount))
    put(UInt32(source.sampleRate))
    put(UInt32(clamping: source.sampleRate.multipliedReportingOverflow(by: source.frameSize).partialValue))
    put(UInt16(clamping: source.frameSize))
    put(UInt16(source.bits))
    if isExtended {
      put(UInt16(22))
      put(UInt16(source.bits))
      // The speakers of 1 or 2 channels; for more channels, none are assigned, because their order may differ.
      put(UInt32(source.channelCount == 1 ? 4 : source.channelCount == 2 ? 3 : 0))
      put(UInt32(tag))
      bytes += [0, 0, 16, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
    } else if tag != 1 {
      put(UInt16(0))
    }
    if tag != 1 {
      put("fact")
      put(UInt32(4))
      put(UInt32(clamping: frames))
    }
    put("data")
    put(isLarge ? UInt32.max : UInt32(byteCount))
    return bytes
  }

  // MARK: AIFF

  /// A header according to Audio Interchange File Format 1.3, or AIFF-C for floating point and for A-law and μ-law.
  private func aiff(_ byteCount: Int) -> [UInt8] {
    var writer = ByteWriter()
    func put(_ text: String) { writer.bytes += Array(text.utf8) }
    let type: String? =
      switch source.kind {
      case .signed, .unsigned: nil
      case .float: source.bits == 32 ? "fl32" : "fl64"
      case .aLaw: "alaw"
      case .muLaw: "ulaw"
      }
    let commonSize = type == nil ? 18 : 24
    let padded = byteCount + byteCount % 2
    put("FORM")
    writer.integer(UInt32(clamping: 4 + (type == nil ? 0 : 12) + 8 + commonSize + 16 + padded))
    put(type == nil ? "AIFF" : "AIFC")
    if type != nil {
      put("FVER")
      writer.integer(UInt32(4))
      writer.integer(UInt32(0xa280_5140))
    }
    put("COMM")
    writer.integer(UInt32(commonSize))
    writer.integer(UInt16(source.channelCount))
    writer.integer(UInt32(clamping: byteCount / source.frameSize))
    writer.integer(UInt16(source.bits))
    // 80-bit floating point.
    let rate = UInt64(source.sampleRate)
    writer.integer(UInt16(16383 + 63 - rate.leadingZeroBitCount))
    writer.integer(rate << UInt64(rate.leadingZeroBitCount))
    if let type {
      put(type)
      writer.integer(UInt16(0))
    }
    put("SSND")
    writer.integer(UInt32(clamping: byteCount + 8))
    writer.integer(UInt64(0))
    return writer.bytes
  }
}

extension PCMFile.Change {
  /// Converts `bytes`, which are whole values.
  func apply(to bytes: inout [UInt8]) {
    switch self {
    case .none: break
    case .sign: for index in bytes.indices { bytes[index] ^= 0x80 }
    case .reversed(let width):
      var start = 0
      while start + width <= bytes.count {
        var (low, high) = (start, start + width - 1)
        while low < high {
          bytes.swapAt(low, high)
          (low, high) = (low + 1, high - 1)
        }
        start += width
      }
    }
  }
}
