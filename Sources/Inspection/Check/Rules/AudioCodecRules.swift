import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// Audio codecs.
  static let audioCodecs: [Rule] = [
    .configuration("aac-esds", .mp4, ["mp4a": "esds"], "MPEG-4 audio sample entries have esds."),
    .entry("aac-object-type", .mp4, .error, ["mp4a"], "The object type in esds is an audio type.") { entry, report in
      guard let box = entry.configuration("esds", as: ESDescriptorBox.self) else { return }
      guard let config = box.decoderConfig else { return report.add(entry, "esds has no decoder configuration") }
      let type = config.objectTypeIndication
      if type == 0 || [0x20...0x24, 0x60...0x65, 0x6a...0x6a, 0x6c...0x6e].contains(where: { $0.contains(type) }) {
        report.add(entry, "objectTypeIndication is 0x\(String(type, radix: 16)), which is not an audio type")
      }
    },
    .entry("aac-configuration", .aac, .error, ["mp4a"], "The AAC configuration exists and can be read.") {
      entry, report in
      guard let box = entry.configuration("esds", as: ESDescriptorBox.self),
        box.decoderConfig?.objectTypeIndication == 0x40
      else { return }
      guard let bytes = box.decoderSpecificInfo, !bytes.isEmpty else {
        return report.add(entry, "esds has no AudioSpecificConfig")
      }
      guard let config = AudioSpecificConfig(bytes) else {
        return report.add(entry, "AudioSpecificConfig ends early, after \(counted(bytes.count, "byte"))")
      }
      if config.samplingFrequency == 0 {
        report.add(entry, "the sampling frequency of AudioSpecificConfig is reserved")
      }
    },
    .entry(
      "aac-channels", .aac, .warning, ["mp4a"], "The channel count in an AAC sample entry matches the configuration."
    ) {
      entry, report in
      guard let (fields, config) = entry.audioConfiguration else { return }
      // Many files declare 2 for any number of channels, and parametric stereo turns one channel into two.
      let own = Int(fields.channelCount)
      guard own != config.channelCount, own != 0, own != 2, config.channelCount > 0, !(config.hasPS && own == 1) else {
        return
      }
      report.add(entry, "channelcount is \(own), but \(config.channelCount) in AudioSpecificConfig")
    },
    .entry(
      "aac-sample-rate", .aac, .warning, ["mp4a"], "The sample rate in an AAC sample entry matches the configuration."
    ) { entry, report in
      guard let (fields, config) = entry.audioConfiguration else { return }
      let (own, other) = (Int(fields.sampleRate >> 16), config.samplingFrequency)
      // With SBR, the output has twice the sample rate of the core, whether that is declared or not.
      guard own > 0, other > 0, other < 0x1_0000, own != other, own * 2 != other, own != other * 2 else { return }
      report.add(entry, "samplerate is \(own), but \(other) in AudioSpecificConfig")
    },
    .track(
      "audio-timescale", .isobmff, .note, "The timescale of audio is its sample rate, so that times are exact."
    ) { track, movie, report in
      guard track.handler == "soun", let rate = track.sampleRate, rate > 0, track.timescale > 0,
        Int(track.timescale) % rate != 0, rate % Int(track.timescale) != 0 || rate / Int(track.timescale) > 2,
        let box = movie.box(of: track)
      else { return }
      report.add(box, "the timescale is \(track.timescale), but the sample rate is \(rate)")
    },
    .configuration(
      "dolby-configuration", .dolby, ["ac-3": "dac3", "ec-3": "dec3", "ac-4": "dac4"],
      "AC-3, E-AC-3 and AC-4 sample entries have their configuration box."),
    .entry("dolby-sample-rate", .dolby, .error, ["ac-3"], "The sample rate is valid for AC-3.") {
      entry, report in
      guard let box = entry.configuration("dac3", as: AC3SpecificBox.self) else { return }
      if box.fscod == 3 { report.add(entry, "fscod is 3, which is reserved") }
    },
    .configuration(
      "opus-configuration", .opus("4.3.1"), ["Opus": "dOps"], "Opus sample entries have dOps."),
    .entry("opus-version", .opus("4.3.2"), .error, ["Opus"], "The version of dOps is 0.") {
      entry, report in
      guard let box = entry.fields("dOps", as: OpusSpecificBox.self), box.version != 0 else { return }
      report.add(entry, "Version is \(box.version)")
    },
    .entry(
      "opus-sample-rate", .opus("4.3.1"), .warning, ["Opus"],
      "The sample rate in an Opus sample entry is 48000 Hz."
    ) {
      entry, report in
      guard let fields = entry.payload as? AudioSampleEntry, fields.sampleRate != 48_000 << 16 else { return }
      report.add(entry, "samplerate is \(fields.sampleRate >> 16)")
    },
    .configuration(
      "flac-configuration", .flac("3.3.1"), ["fLaC": "dfLa"], "FLAC sample entries have dfLa."),
    .entry("flac-stream-info", .flac("3.3.2"), .error, ["fLaC"], "The first metadata block of FLAC is STREAMINFO.") {
      entry, report in
      guard let box = entry.fields("dfLa", as: FLACSpecificBox.self) else { return }
      guard let first = box.metadataBlocks.first else { return report.add(entry, "dfLa has no metadata blocks") }
      if first.streamInfo == nil { report.add(entry, "the first metadata block is of type \(first.blockType)") }
    },
    .configuration(
      "alac-configuration", .alac, ["alac": "alac"], "Apple Lossless sample entries have their configuration."),
  ]
}

extension CheckedBox {
  /// The fields of an MPEG-4 audio entry in ISO layout, and its decoder configuration.
  var audioConfiguration: (AudioSampleEntry, AudioSpecificConfig)? {
    guard let fields = payload as? AudioSampleEntry, fields.version1 == nil, fields.version2 == nil,
      let box = self.fields("esds", as: ESDescriptorBox.self), box.decoderConfig?.objectTypeIndication == 0x40,
      let config = box.decoderSpecificInfo.flatMap({ AudioSpecificConfig($0) })
    else { return nil }
    return (fields, config)
  }
}
