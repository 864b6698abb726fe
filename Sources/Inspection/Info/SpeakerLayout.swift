import ISOBMFF
import MP4Bytes

/// Common names of speaker layouts.
enum SpeakerLayout {
  /// The layouts of ISO/IEC 23091-3 by number, as used in AAC, MPEG-H and `chnl`.
  private static let configurations: [Int: String] = [
    1: "mono", 2: "stereo", 3: "3.0", 4: "4.0", 5: "5.0", 6: "5.1", 7: "7.1 front", 8: "dual mono", 9: "3.0 rear",
    10: "quad", 11: "6.1", 12: "7.1", 13: "22.2", 14: "5.1.2", 16: "5.1.4", 19: "7.1.4", 20: "9.1.4",
  ]
  /// The layouts of QuickTime and Core Audio that have one name; the low 16 bits of a tag are the number of channels.
  private static let tags: [UInt32: String] = [
    100: "mono", 101: "stereo", 102: "stereo for headphones", 103: "matrix stereo", 104: "mid/side stereo",
    105: "XY stereo", 106: "binaural", 107: "ambisonic B-format", 108: "quad", 113: "3.0", 114: "3.0", 115: "4.0",
    116: "4.0", 117: "5.0", 118: "5.0", 119: "5.0", 120: "5.0", 121: "5.1", 122: "5.1", 123: "5.1", 124: "5.1",
    125: "6.1", 126: "7.1 front", 127: "7.1 front", 128: "7.1", 129: "7.1 front", 131: "3.0 rear", 132: "quad",
    133: "2.1", 136: "3.1", 137: "4.1", 139: "6.0", 140: "7.0", 141: "6.0", 142: "6.1", 143: "7.0", 148: "7.0 front",
    183: "7.1", 184: "5.1.2", 192: "7.1.4", 193: "9.1.6", 194: "5.1.2", 195: "5.1.4", 196: "7.1.2",
  ]
  /// For codecs with one layout for each number of channels: Opus, FLAC and Apple Lossless.
  private static let counts = [
    1: "mono", 2: "stereo", 3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1",
  ]
  /// The channel modes of AC-3, without and with an LFE channel: ETSI TS 102 366, 4.4.2.3.
  private static let modes = [
    ("dual mono", "dual mono and LFE"), ("mono", "1.1"), ("stereo", "2.1"), ("3.0", "3.1"), ("3.0 rear", "3.1 rear"),
    ("4.0", "4.1"), ("quad", "4.1"), ("5.0", "5.1"),
  ]
  /// The channel modes of AC-4: ETSI TS 103 190-2, table 79. Those from 11 to 14 also count height channels.
  private static let ac4Modes = [
    "mono", "stereo", "3.0", "5.0", "5.1", "7.0", "7.1", "7.0 front", "7.1 front", "5.0.2", "5.1.2", "7.0.4", "7.1.4",
    "9.0.4", "9.1.4", "22.2",
  ]

  /// The name for a number of ISO/IEC 23091-3.
  static func name(configuration: Int) -> String? { configurations[configuration] }
  /// The name for a QuickTime tag.
  static func name(tag: UInt32) -> String? { tags[tag >> 16] }
  /// The name for a bitmap of QuickTime, whose lowest bit is the left channel.
  static func name(bitmap: UInt32) -> String? {
    [
      0x4: "mono", 0x3: "stereo", 0xb: "2.1", 0x7: "3.0", 0xf: "3.1", 0x33: "quad", 0x37: "5.0", 0x3f: "5.1",
      0x603: "quad", 0x607: "5.0", 0x60f: "5.1", 0x637: "7.0", 0x63f: "7.1", 0xf7: "7.0 front", 0xff: "7.1 front",
      0x13f: "6.1", 0x107: "4.0",
    ][bitmap]
  }
  /// The name for a number of channels.
  static func name(count: Int) -> String? { counts[count] }

  /// The name for an AC-3 mode and the channels that dependent substreams add (ETSI TS 102 366, F.6.2.13), whose lowest
  /// bit is Lc and Rc.
  static func name(mode: UInt8, hasLowFrequencies: Bool, added: UInt16 = 0) -> String? {
    let names = modes[Int(mode & 7)]
    let base = hasLowFrequencies ? names.1 : names.0
    guard added != 0 else { return base }
    guard mode & 7 == 7 else { return nil }
    let low = hasLowFrequencies ? 1 : 0
    switch added {
    case 1 << 1: return "7.\(low)"
    case 1 << 2: return "6.\(low)"
    case 1 << 0, 1 << 5: return "7.\(low) front"
    case 1 << 4: return "7.\(low)"
    case 1 << 6: return "5.\(low).2"
    case 1 << 6 | 1 << 1: return "7.\(low).2"
    default: return nil
    }
  }

  /// The name for the channels of an AC-4 presentation; `nil` if it has objects, or is of the first version.
  static func name(of presentation: AC4Presentation) -> String? {
    let mode = Int(presentation.channelMode)
    guard presentation.isDecoded, presentation.isChannelCoded, ac4Modes.indices.contains(mode) else { return nil }
    guard (11...14).contains(mode) else { return ac4Modes[mode] }
    let back = (mode >= 13 ? 7 : 5) + (presentation.has4BackChannels ? 2 : 0)
    let top = min(Int(presentation.topChannelPairs), 2) * 2
    return "\(back).\(mode % 2 == 0 ? 1 : 0)" + (top > 0 ? ".\(top)" : "")
  }
}

extension DecoderConfiguration {
  /// The speaker layout, such as `stereo` or `5.1`, else the number of channels; `nil` if unknown.
  package var speakers: String? {
    guard let count = sound?.channelCount, count > 0 else { return nil }
    return layoutName ?? (count <= 2 ? SpeakerLayout.name(count: count) : nil) ?? "\(count) channels"
  }

  private var layoutName: String? {
    switch codedFormat {
    case "ac-3":
      if let box = box(AC3SpecificBox.self) {
        return SpeakerLayout.name(mode: box.acmod, hasLowFrequencies: box.lfeon)
      }
    case "ec-3":
      if let first = box(EC3SpecificBox.self)?.independentSubstreams.first { return first.speakers }
    case "ac-4":
      if let first = box(AC4SpecificBox.self)?.presentations.first { return SpeakerLayout.name(of: first) }
    case "mha1", "mha2", "mhm1", "mhm2":
      if let box = box(MHAConfigurationBox.self) {
        return SpeakerLayout.name(configuration: Int(box.referenceChannelLayout))
      }
    case "alac", "fLaC", "Opus": return (sound?.channelCount).flatMap(SpeakerLayout.name(count:))
    default: break
    }
    if let config = audioSpecificConfig {
      // Parametric stereo turns one channel into two.
      if config.hasPS { return config.channelCount == 2 ? "stereo" : nil }
      return config.channelConfiguration == 0
        ? nil : SpeakerLayout.name(configuration: config.channelConfiguration)
    }
    if let box = box(ChannelLayoutBox.self), box.streamStructure & 1 != 0, box.omittedChannelsMap ?? 0 == 0 {
      return SpeakerLayout.name(configuration: Int(box.definedLayout))
    }
    return box(ChannelDescriptionBox.self).flatMap {
      $0.layoutTag == 0x10000 ? SpeakerLayout.name(bitmap: $0.bitmap) : SpeakerLayout.name(tag: $0.layoutTag)
    }
  }

  /// Phrases for the programs in a stream of E-AC-3 or AC-4; empty for other codecs, and for a single program that the
  /// layout describes.
  package var presentations: [String] {
    if let box = box(EC3SpecificBox.self), codedFormat == "ec-3" {
      let streams = box.independentSubstreams
      let joint = sound?.jointObjectCount.map { "Dolby Atmos (JOC), complexity \($0)" }
      if streams.count == 1, joint == nil, streams[0].numDepSub == 0, streams[0].bsmod == 0 { return [] }
      return streams.enumerated().map { number, stream in
        ([stream.speakers ?? "\(stream.addedNames.count) more speakers"] + stream.words
          + (number == 0 ? [joint].compactMap(\.self) : [])).joined(separator: ", ")
      }
    }
    guard let box = box(AC4SpecificBox.self), codedFormat == "ac-4" else { return [] }
    return box.presentations.map { presentation in
      guard presentation.isDecoded else { return "version \(presentation.presentationVersion)" }
      var words: [String] = []
      if let name = SpeakerLayout.name(of: presentation) {
        words.append(name)
      } else if presentation.presentationVersion > 0, !presentation.isChannelCoded {
        words.append("objects")
      }
      if let id = presentation.presentationID { words.append("ID \(id)") }
      return (words + ["version \(presentation.presentationVersion), level \(presentation.mdcompat)"])
        .joined(separator: ", ")
    }
  }
}

extension EC3SpecificBox.IndependentSubstream {
  /// The speakers, including those that its dependent substreams add.
  fileprivate var speakers: String? {
    SpeakerLayout.name(mode: acmod, hasLowFrequencies: lfeon, added: numDepSub > 0 ? chanLoc : 0)
  }

  /// The speakers that dependent substreams add.
  fileprivate var addedNames: [String] {
    let names = ["Lc/Rc", "Lrs/Rrs", "Cs", "Ts", "Lsd/Rsd", "Lw/Rw", "Lvh/Rvh", "Cvh", "LFE2"]
    return numDepSub == 0 ? [] : names.indices.filter { chanLoc >> $0 & 1 == 1 }.map { names[$0] }
  }

  /// Its purpose, and its dependent substreams.
  fileprivate var words: [String] {
    let services = [
      "", "music and effects", "visually impaired", "hearing impaired", "dialogue", "commentary", "emergency",
      "voice over",
    ]
    var words = bsmod == 0 ? [] : [services[Int(bsmod & 7)]]
    if numDepSub > 0 {
      words.append("\(counted(numDepSub, "dependent substream")) with \(addedNames.joined(separator: ", "))")
    }
    return words
  }
}
