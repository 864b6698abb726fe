import BoxCatalog
import ISOBMFF
import MP4Bytes

/// Common names of codecs.
extension DecoderConfiguration {
  /// The name of the codec with profile and level, if known: `H.264 High@3.1`, `AAC LC`.
  package var name: String {
    if let name = videoName ?? audioName ?? uncompressedName ?? Self.otherNames[codedFormat] { return name }
    let handler: FourCC? = fields is AudioSampleEntry ? "soun" : fields is VisualSampleEntry ? "vide" : nil
    let context = BoxContext(parent: "stsd", handler: handler)
    let entry = BoxRegistry.standard.definition(of: codedFormat, in: context)
    // A guessed entry does not provide a name.
    guard let entry, !entry.isGuess else { return codedFormat == "unci" ? "uncompressed" : codedFormat.description }
    return entry.info.name.description
  }

  private static let otherNames: [FourCC: String] = [
    "tx3g": "3GPP timed text", "text": "QuickTime text", "stpp": "TTML", "wvtt": "WebVTT",
    "sbtt": "text subtitles", "c608": "CEA-608 captions", "c708": "CEA-708 captions", "tmcd": "timecode",
    "mebx": "timed metadata", "mett": "text metadata", "metx": "XML metadata", "urim": "URI metadata",
    "evte": "event messages", "raw ": "uncompressed video", "uncv": "uncompressed video",
  ]

  private var videoName: String? {
    if let box = box(AVCConfigurationBox.self) {
      return "H.264" + Self.profile(Self.profile(of: box), Self.level(of: box))
    }
    if let box = box(HEVCConfigurationBox.self) {
      let name =
        "H.265"
        + Self.profile(
          ValueNames.hevcProfiles.name(of: UInt64(box.generalProfileIDC)),
          ValueNames.hevcLevels.name(of: UInt64(box.generalLevelIDC)))
      return name + (box.generalTierFlag ? " high tier" : "")
    }
    if let box = box(VVCConfigurationBox.self) {
      let profile = box.profile?.profileTierLevel
      return "H.266"
        + Self.profile(
          profile.flatMap { ValueNames.vvcProfiles.name(of: UInt64($0.generalProfileIDC)) },
          profile.flatMap { ValueNames.vvcLevels.name(of: UInt64($0.generalLevelIDC)) })
    }
    if let box = box(AV1CodecConfigurationBox.self) {
      let names = ["Main", "High", "Professional"]
      let profile = Int(box.seqProfile)
      return "AV1"
        + Self.profile(
          names.indices.contains(profile) ? names[profile] : nil,
          ValueNames.av1Levels.name(of: UInt64(box.seqLevelIdx0)))
    }
    if let box = box(VPCodecConfigurationBox.self) {
      let name = codedFormat == "vp08" ? "VP8" : "VP9"
      return "\(name) profile \(box.profile)" + (box.level > 0 ? "@\(box.level / 10).\(box.level % 10)" : "")
    }
    return codedFormat == "mp4v" ? mpeg4VideoName : nil
  }

  /// The format that the object type declares: ISO/IEC 14496-1, 7.2.6.6.2, and the MP4 Registration Authority.
  private var mpeg4VideoName: String {
    switch box(ESDescriptorBox.self)?.decoderConfig?.objectTypeIndication {
    case 0x21: "H.264"
    case 0x60: "MPEG-2 Simple"
    case 0x61: "MPEG-2 Main"
    case 0x62: "MPEG-2 SNR"
    case 0x63: "MPEG-2 Spatial"
    case 0x64: "MPEG-2 High"
    case 0x65: "MPEG-2 4:2:2"
    case 0x6a: "MPEG-1 video"
    case 0x6c: "JPEG"
    case 0x6d: "PNG"
    case 0x6e: "JPEG 2000"
    default: "MPEG-4 Visual"
    }
  }

  private static func profile(_ profile: String?, _ level: String?) -> String {
    guard let profile else { return level.map { " level \($0)" } ?? "" }
    return " \(profile)" + (level.map { "@\($0)" } ?? "")
  }

  /// The profile, refined by its constraint flags: ISO/IEC 14496-10, A.2.
  private static func profile(of box: AVCConfigurationBox) -> String? {
    let flags = box.profileCompatibility
    switch box.avcProfileIndication {
    case 66 where flags & 0x40 != 0: return "Constrained Baseline"
    case 100 where flags & 0x0c == 0x0c: return "Constrained High"
    case 100 where flags & 0x08 != 0: return "Progressive High"
    case 110 where flags & 0x10 != 0: return "High 10 Intra"
    case 122 where flags & 0x10 != 0: return "High 4:2:2 Intra"
    case 244 where flags & 0x10 != 0: return "High 4:4:4 Intra"
    case let number: return ValueNames.avcProfiles.name(of: UInt64(number))
    }
  }

  /// In the older profiles, level 1b is 1.1 with a flag: ISO/IEC 14496-10, A.3.
  private static func level(of box: AVCConfigurationBox) -> String? {
    let isOld = [66, 77, 88].contains(box.avcProfileIndication)
    if isOld, box.avcLevelIndication == 11, box.profileCompatibility & 0x10 != 0 { return "1b" }
    return ValueNames.avcLevels.name(of: UInt64(box.avcLevelIndication))
  }

  private var audioName: String? {
    switch codedFormat {
    case "mp4a": return mpeg4Name
    case "mlpa": return "Dolby TrueHD"
    case "iamf": return "IAMF"
    case "ac-3": return "AC-3"
    case "ec-3": return sound?.jointObjectCount == nil ? "E-AC-3" : "E-AC-3 with Dolby Atmos"
    case "ac-4": return "AC-4"
    case "Opus": return "Opus"
    case "fLaC": return "FLAC"
    case "alac": return "Apple Lossless"
    case ".mp3": return "MP3"
    default: return nil
    }
  }

  /// The number type, width and byte order of PCM.
  var uncompressedName: String? {
    guard let entry = fields as? AudioSampleEntry else { return nil }
    let (bits, little, big) = (Int(entry.sampleSize), "little endian", "big endian")
    func pcm(_ bits: Int, _ kind: String, _ order: String) -> String {
      "PCM \(bits) bits \(kind)" + (bits > 8 ? ", \(order)" : "")
    }
    switch codedFormat {
    case "twos": return pcm(bits, "signed", big)
    case "sowt": return pcm(bits, "signed", little)
    case "raw ", "NONE": return bits > 8 ? pcm(bits, "signed", big) : pcm(bits, "unsigned", big)
    case "in24", "in32", "fl32", "fl64":
      let order = number("littleEndian", of: "enda") == 1 ? little : big
      let width = [("in24", 24), ("in32", 32), ("fl32", 32), ("fl64", 64)].first { $0.0 == codedFormat.description }?.1
      return pcm(width ?? bits, codedFormat.description.hasPrefix("fl") ? "floating point" : "signed", order)
    case "lpcm":
      guard let more = entry.version2 else { return nil }
      let flags = more.formatSpecificFlags
      let kind = flags & 1 != 0 ? "floating point" : flags & 4 != 0 ? "signed" : "unsigned"
      return pcm(Int(more.constBitsPerChannel), kind, flags & 2 != 0 ? big : little)
    case "ipcm", "fpcm":
      guard let flags = number("format_flags", of: "pcmC"), let bits = number("PCM_sample_size", of: "pcmC") else {
        return nil
      }
      return pcm(Int(bits), codedFormat == "fpcm" ? "floating point" : "signed", flags & 1 != 0 ? little : big)
    default: return nil
    }
  }

  private func number(_ field: String, of box: FourCC) -> Int64? {
    payload(of: box, registry: .standard)?[field]?.number
  }

  private var mpeg4Name: String? {
    if let config = audioSpecificConfig {
      let names = [
        1: "AAC Main", 2: "AAC LC", 3: "AAC SSR", 4: "AAC LTP", 5: "HE-AAC", 29: "HE-AAC v2", 23: "AAC LD",
        34: "MP3", 36: "MPEG-4 ALS", 39: "AAC ELD", 42: "xHE-AAC",
      ]
      return names[config.signalledObjectType] ?? "MPEG-4 audio, object type \(config.signalledObjectType)"
    }
    switch box(ESDescriptorBox.self)?.decoderConfig?.objectTypeIndication {
    case 0x66, 0x67, 0x68: return "MPEG-2 AAC"
    case 0x69, 0x6b: return "MP3"
    case 0xa5: return "AC-3"
    case 0xa6: return "E-AC-3"
    case 0xa9, 0xaa, 0xab, 0xac: return "DTS"
    case 0xad: return "Opus"
    case 0xdd: return "Vorbis"
    default: return nil
    }
  }

  /// How HE-AAC is signalled: ISO/IEC 14496-3, 1.6.5; `nil` for other codecs.
  package var extensionSignalling: String? {
    guard let config = audioSpecificConfig, config.hasSBR, [2, 5, 29].contains(config.signalledObjectType),
      let first = box(ESDescriptorBox.self)?.decoderSpecificInfo?.first
    else { return nil }
    return [5, 29].contains(first >> 3) ? "hierarchical" : "backward compatible"
  }

  /// The chroma subsampling, such as `4:2:0`, of the parameter sets, which decoders use; without them, that of the
  /// configuration, which repeats them. `nil` if unknown.
  package var chroma: String? {
    let format: Int? =
      if let profile = sequenceProfile {
        profile.chromaFormat
      } else if let box = box(AVCConfigurationBox.self) {
        box.highProfile.map { Int($0.chromaFormat) } ?? ([66, 77, 88].contains(box.avcProfileIndication) ? 1 : nil)
      } else if let box = box(HEVCConfigurationBox.self) {
        Int(box.chromaFormatIDC)
      } else if let profile = box(VVCConfigurationBox.self)?.profile {
        Int(profile.chromaFormatIDC)
      } else if let box = box(AV1CodecConfigurationBox.self) {
        box.monochrome ? 0 : box.chromaSubsamplingX ? box.chromaSubsamplingY ? 1 : 2 : 3
      } else if let box = box(VPCodecConfigurationBox.self) {
        [0, 1].contains(box.chromaSubsampling) ? 1 : box.chromaSubsampling == 2 ? 2 : 3
      } else {
        nil
      }
    return format.map(Self.chromaName)
  }

  /// The name of a chroma format: 0 `4:0:0`, 1 `4:2:0`, 2 `4:2:2`, 3 `4:4:4`.
  static func chromaName(_ format: Int) -> String { ["4:0:0", "4:2:0", "4:2:2", "4:4:4"][format & 3] }
}
