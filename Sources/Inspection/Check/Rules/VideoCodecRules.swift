import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// Video codecs.
  static let videoCodecs: [Rule] =
    nalVideo + [
      .configuration(
        "av1-configuration", .av1("2.3.1"), ["av01": "av1C"], "AV1 sample entries have av1C."),
      .entry("av1-version", .av1("2.3.4"), .error, ["av01"], "The version of av1C is 1.") {
        entry, report in
        guard let box = entry.fields("av1C", as: AV1CodecConfigurationBox.self), box.version != 1 else { return }
        report.add(entry, "version is \(box.version)")
      },
      .entry(
        "av1-header", .av1("2.3.4"), .error, ["av01"], "av1C matches the sequence header."
      ) {
        entry, report in
        guard let box = entry.fields("av1C", as: AV1CodecConfigurationBox.self),
          let header = SequenceProfile(av1: box.configOBUs[...])
        else { return }
        let chroma = box.monochrome ? 0 : box.chromaSubsamplingX ? box.chromaSubsamplingY ? 1 : 2 : 3
        let depth = box.highBitdepth ? box.twelveBit ? 12 : 10 : 8
        let fields = [
          ("seq_profile", Int(box.seqProfile), header.profile),
          ("seq_level_idx_0", Int(box.seqLevelIdx0), header.level),
          ("seq_tier_0", box.seqTier0 ? 1 : 0, header.isHighTier ? 1 : 0), ("the bit depth", depth, header.bitDepth),
        ]
        for (name, own, other) in fields where own != other {
          report.add(entry, "\(name) is \(own), but \(other) in the sequence header")
        }
        if chroma != header.chromaFormat {
          report.add(
            entry, "chroma is \(chromaName(chroma)), but \(chromaName(header.chromaFormat)) in the sequence header")
        }
      },
      .entry(
        "av1-picture-size", .av1("2.2.4"), .warning, ["av01"],
        "The size in an AV1 sample entry matches the sequence header."
      ) { entry, report in
        guard let box = entry.fields("av1C", as: AV1CodecConfigurationBox.self) else { return }
        entry.compareSize(with: [SequenceParameters(av1: box.configOBUs[...])], "sequence header", &report)
      },
      .configuration(
        "vp9-configuration", .vp9, ["vp08": "vpcC", "vp09": "vpcC"],
        "VP8 and VP9 sample entries have vpcC."
      ),
      .entry("vp9-profile", .vp9, .error, ["vp09"], "The bit depth and chroma format of VP9 are valid for its profile.")
      {
        entry, report in
        guard let box = entry.fields("vpcC", as: VPCodecConfigurationBox.self), box.version == 1 else { return }
        let isDeep = box.bitDepth > 8
        let hasMoreChroma = box.chromaSubsampling > 1
        if isDeep != (box.profile > 1) {
          report.add(entry, "profile is \(box.profile), but bitDepth is \(box.bitDepth)")
        }
        if hasMoreChroma != (box.profile & 1 == 1) {
          report.add(entry, "profile is \(box.profile), but chromaSubsampling is \(box.chromaSubsampling)")
        }
      },
    ]

  /// AVC, HEVC and VVC.
  private static let nalVideo: [Rule] = [
    .configuration(
      "nal-configuration", .nalVideo,
      [
        "avc1": "avcC", "avc2": "avcC", "avc3": "avcC", "avc4": "avcC", "dva1": "avcC", "dvav": "avcC", "hvc1": "hvcC",
        "hev1": "hvcC", "dvh1": "hvcC", "dvhe": "hvcC", "vvc1": "vvcC", "vvi1": "vvcC",
      ], "AVC, HEVC and VVC sample entries have a decoder configuration."),
    .entry(
      "nal-parameter-sets", .nalVideo, .error, ["avc1", "dva1", "hvc1", "dvh1", "vvc1"],
      "The sample entry contains parameter sets if its type does not allow them in samples."
    ) { entry, report in
      guard let sets = entry.parameterSetCounts else { return }
      for (name, count) in sets where count == 0 {
        report.add(entry, "it has no \(name) parameter set, and \(entry.codedFormat) does not allow them in samples")
      }
    },
    .entry(
      "nal-parameter-set-damaged", .nalVideo, .error, nalFormats, "Parameter sets can be read."
    ) { entry, report in
      let (sets, codec) = entry.parameterSets
      for (type, unit) in sets {
        let own = codec.type(unit[...])
        let name =
          type == codec.sequenceParameterSet ? "sequence" : type == codec.pictureParameterSet ? "picture" : "video"
        if own != type {
          report.add(
            entry, "a NAL unit of type \(own.map { "\($0)" } ?? "?") is among the \(name) parameter sets (\(type))")
        } else if type == codec.sequenceParameterSet,
          codec == .avc ? SequenceParameters(avc: unit[...]) == nil : SequenceParameters(hevc: unit[...]) == nil
        {
          report.add(entry, "the sequence parameter set of \(counted(unit.count, "byte")) cannot be read")
        }
      }
    },
    .entry(
      "nal-length-size", .nalVideo, .error, nalFormats, "NAL unit lengths have 1, 2 or 4 bytes."
    ) { entry, report in
      let size =
        entry.fields("avcC", as: AVCConfigurationBox.self)?.lengthSizeMinusOne
        ?? entry.fields("hvcC", as: HEVCConfigurationBox.self)?.lengthSizeMinusOne
        ?? entry.fields("vvcC", as: VVCConfigurationBox.self)?.lengthSizeMinusOne
      if size == 2 { report.add(entry, "lengthSizeMinusOne is 2") }
    },
    .entry(
      "nal-profile", .nalVideo, .warning, nalFormats, "The profile in the configuration matches the parameter sets."
    ) { entry, report in
      guard let (own, sets) = entry.profiles, !sets.isEmpty, !sets.contains(where: { $0.profile == own.profile }) else {
        return
      }
      report.add(entry, "the profile is \(own.profile), but \(sets[0].profile) in the sequence parameter set")
    },
    .entry(
      "nal-level", .nalVideo, .warning, nalFormats,
      "The level and tier in the configuration are at least those of the parameter sets."
    ) { entry, report in
      guard let (own, sets) = entry.profiles, let highest = sets.max(by: { $0.level < $1.level }) else { return }
      if own.level < highest.level {
        report.add(entry, "the level is \(own.level), but \(highest.level) in the sequence parameter set")
      }
      if !own.isHighTier, sets.contains(where: \.isHighTier) {
        report.add(entry, "the tier is Main, but High in the sequence parameter set")
      }
    },
    .entry(
      "nal-compatibility", .nalVideo, .warning, ["avc1", "avc3", "dva1", "dvav"],
      "Constraint flags that are set in the AVC configuration are also set in all sequence parameter sets."
    ) { entry, report in
      guard let (own, sets) = entry.profiles,
        let other = sets.first(where: { own.compatibility & ~$0.compatibility > 0 })
      else { return }
      report.add(
        entry, "profile_compatibility is \(own.compatibility), but \(other.compatibility) in the sequence parameter set"
      )
    },
    .entry(
      "nal-chroma", .nalVideo, .warning, nalFormats,
      "The chroma format and bit depth in the configuration match the parameter sets."
    ) { entry, report in
      // AVC configurations often lack them.
      if let box = entry.fields("avcC", as: AVCConfigurationBox.self), box.highProfile == nil { return }
      guard let (own, sets) = entry.profiles, let set = sets.first else { return }
      if !sets.contains(where: { $0.chromaFormat == own.chromaFormat }) {
        report.add(
          entry,
          "chroma is \(chromaName(own.chromaFormat)), but \(chromaName(set.chromaFormat)) in the sequence parameter set"
        )
      }
      let isSame = sets.contains { $0.bitDepth == own.bitDepth && $0.chromaBitDepth == own.chromaBitDepth }
      if !isSame {
        report.add(
          entry,
          "the bit depth is \(own.bitDepth) and \(own.chromaBitDepth), but \(set.bitDepth) and \(set.chromaBitDepth) "
            + "in the sequence parameter set")
      }
    },
    .entry(
      "nal-picture-size", .nalVideo, .warning, nalFormats,
      "The size in the sample entry matches the cropped pictures."
    ) { entry, report in
      let sets = entry.sequenceSets
      entry.compareSize(
        with: sets.avc.map { SequenceParameters(avc: $0[...]) } + sets.hevc.map { SequenceParameters(hevc: $0[...]) },
        "sequence parameter set", &report)
    },
    .entry(
      "nal-colour", .nalVideo, .warning, nalFormats,
      "The colors in colr match those in the parameter sets."
    ) { entry, report in
      let sets = entry.sequenceSets
      let first =
        sets.avc.first.flatMap { SequenceParameters(avc: $0[...]) }
        ?? sets.hevc.first.flatMap { SequenceParameters(hevc: $0[...]) }
      guard let stream = first?.colour, let box = entry.colours else { return }
      let codes = [
        ("colour_primaries", box.colourPrimaries, stream.primaries),
        ("transfer_characteristics", box.transferCharacteristics, stream.transferCharacteristics),
        ("matrix_coefficients", box.matrixCoefficients, stream.matrixCoefficients),
      ]
      for (name, own, other) in codes where own != other && own != 2 && other != 2 {
        report.add(entry, "\(name) of colr is \(own), but \(other) in the sequence parameter set")
      }
      if box.colourType == "nclx", box.fullRangeFlag != stream.isFullRange {
        report.add(
          entry,
          "the range of colr is \(box.fullRangeFlag ? "full" : "limited"), but the sequence parameter set differs")
      }
    },
    .entry(
      "nal-hvc1-complete", .nalVideo, .warning, ["hvc1", "dvh1"],
      "An hvc1 sample entry declares its parameter set arrays as complete."
    ) { entry, report in
      guard let box = entry.fields("hvcC", as: HEVCConfigurationBox.self) else { return }
      let types = box.arrays.filter { 32...34 ~= $0.nalUnitType && !$0.isComplete }.map { "\($0.nalUnitType)" }
      if !types.isEmpty {
        report.add(entry, "array_completeness of NAL_unit_type \(types.joined(separator: ", ")) is 0")
      }
    },
  ]

  private static let nalFormats: Set<FourCC> = [
    "avc1", "avc3", "dva1", "dvav", "hvc1", "hev1", "dvh1", "dvhe", "vvc1", "vvi1",
  ]

  private static func chromaName(_ format: Int) -> String { ["gray", "4:2:0", "4:2:2", "4:4:4"][format & 3] }
}
