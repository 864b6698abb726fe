import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// Requirements of Media Source Extensions, and of playback in browsers and on phones.
  static let players: [Rule] = mediaSource + web

  private static let mediaSource: [Rule] = [
    .container(
      "mse-mvex", .mse("3"), .error, ["moov"], "An init segment has mvex.",
      mendedBy: .fragment
    ) { box, report in
      if box.first("mvex") == nil { report.add(box, "it has no mvex; browsers reject it") }
    }.explained(by: "iso-mvex-missing", "cmaf-mvex"),
    .container(
      "mse-header-samples", .mse("3"), .error, ["stbl"], "An init segment has no samples.", mendedBy: .fragment
    ) { box, report in
      let tables = box.tablesWithSamples.filter { $0 != "stsz" }
      if !tables.isEmpty { report.add(box, "its \(tables.joined(separator: ", ")) have entries") }
    }.explained(by: "cmaf-header-samples"),
    .container("mse-traf", .mse("4"), .error, ["moof"], "A movie fragment has at least one track fragment.") {
      box, report in
      if box.first("traf") == nil { report.add(box, "it has no traf") }
    },
    .container(
      "mse-tfdt", .mse("4"), .error, ["traf"], "A track fragment has tfdt.", mendedBy: .fragment
    ) { box, report in
      if box.first("tfdt") == nil { report.add(box, "it has no tfdt; browsers reject it") }
    }.explained(by: "cmaf-tfdt"),
    .container(
      "mse-relative-addressing", .mse("4"), .error, ["moof"],
      "Data offsets are relative to the start of the movie fragment.",
      mendedBy: .fragment
    ) { box, report in
      let fragments = box.all("traf")
      for fragment in fragments {
        guard let header = fragment.fields("tfhd", as: TrackFragmentHeaderBox.self) else { continue }
        if header.baseDataOffset != nil {
          report.add(fragment, "it has a base_data_offset; browsers reject it")
        } else if fragments.count > 1, header.flags & 0x2_0000 == 0 {
          report.add(fragment, "default-base-is-moof is not set, and there are \(fragments.count) track fragments")
        }
        if let run = fragment.first("trun"), let fields = run.payload as? TrackRunBox, fields.sampleCount > 0,
          fields.dataOffset == nil
        {
          report.add(run, "it has no data_offset")
        }
      }
    },
    .box("mse-edit-list", .mse("3"), .warning, ["elst"], "An edit list has a single edit, at normal speed.") {
      (list: EditListBox, box, report) in
      let entries = Array(list.entries)
      if entries.count > 1 { report.add(box, "it has \(entries.count) edits; browsers need to support only one") }
      if entries.contains(where: { $0.mediaRateInteger != 1 || $0.mediaRateFraction != 0 }) {
        report.add(box, "an edit does not have the speed 1")
      }
    }.explained(by: "iso-edit-rate", "cmaf-edit-list"),
    .container(
      "mse-tracks", .mse(nil), .error, ["moov"], "An init segment has at most one video track and one audio track."
    ) { box, report in
      guard box.first("mvex") != nil else { return }
      let handlers = box.all("trak").compactMap { $0.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType }
      for (handler, name) in [("vide", "video"), ("soun", "audio")] as [(FourCC, String)] {
        let count = handlers.count { $0 == handler }
        if count > 1 { report.add(box, "it has \(count) \(name) tracks; players in browsers refuse it or play one") }
      }
    },
    .movie("mse-segment-sync", .mse("5"), .warning, "In a media segment, each track starts with a sync sample.") {
      movie, report in
      for (file, fragment) in movie.fragments where fragment.isSegmentStart && file.kind == .segment {
        for track in file.tracks(of: fragment) where movie.handler(ofTrack: track.id) == "vide" {
          guard let flags = track.firstFlags, !flags.isSync else { continue }
          report.add(
            "its first sample is not a sync sample; after a seek, browsers drop all samples before the next one",
            path: track.path, offset: track.offset, file: file.name)
        }
      }
    }.explained(by: "cmaf-segment-sync"),
  ]

  private static let web: [Rule] = [
    .entry(
      "web-parameter-sets", .web, .warning, ["hev1", "dvhe", "avc3", "dvav"],
      "Parameter sets are in the sample entry, so that Apple players can open the file.",
      mendedBy: .renameSampleEntry
    ) { entry, report in
      let others: [FourCC: FourCC] = ["hev1": "hvc1", "dvhe": "dvh1", "avc3": "avc1", "dvav": "dva1"]
      guard let other = others[entry.codedFormat] else { return }
      report.add(entry, "the samples are \(entry.codedFormat); Safari and Apple devices need \(other)")
    },
    .entry(
      "web-h264-profile", .web, .warning, ["avc1", "avc3"],
      "H.264 is 8-bit 4:2:0, as browsers and phones require."
    ) { entry, report in
      guard let (own, _) = entry.profiles, [44, 110, 122, 244].contains(own.profile) else { return }
      let names = [44: "CAVLC 4:4:4 Intra", 110: "High 10", 122: "High 4:2:2", 244: "High 4:4:4 Predictive"]
      report.add(entry, "the profile is \(names[own.profile] ?? ""); few browsers and phones decode it")
    },
    .entry(
      "web-video-codec", .web, .warning, productionCodecs, "Browsers can decode the video codec."
    ) { entry, report in
      report.add(entry, "most browsers do not decode \(entry.codedFormat)")
    },
    .entry(
      "web-dolby-vision", .web, .warning, ["dvh1", "dvhe", "dav1", "hvc1", "hev1", "av01"],
      "Players without Dolby Vision show the right colors."
    ) { entry, report in
      let types: [FourCC] = ["dvcC", "dvvC", "dvwC"]
      let found = types.lazy.compactMap { entry.fields($0, as: DOVIConfigurationBox.self) }.first
      guard let box = found, box.dvBlSignalCompatibilityID == 0, box.dvProfile == 5 else { return }
      report.add(entry, "Dolby Vision profile \(box.dvProfile) has wrong colors in players that do not support it")
    },
    .entry("web-dolby-audio", .web, .note, ["ac-3", "ec-3", "ac-4"], "All browsers can decode the audio codec.") {
      entry, report in
      report.add(entry, "Chrome and Firefox usually do not decode \(entry.codedFormat)")
    },
    .entry("web-lossless-audio", .web, .note, ["alac"], "Lossless audio is FLAC, which all browsers decode.") {
      entry, report in
      report.add(entry, "only Safari decodes \(entry.codedFormat) everywhere")
    },
    .entry("web-pcm", .web, .note, pcmTypes, "Audio is compressed.") { entry, report in
      report.add(entry, "uncompressed audio (\(entry.codedFormat)) in MP4 files does not play in all browsers")
    },
    .entry(
      "web-he-aac", .web, .note, ["mp4a"], "HE-AAC is signaled explicitly."
    ) { entry, report in
      guard let (fields, config) = entry.audioConfiguration, config.audioObjectType == 2, !config.hasSBR,
        config.samplingFrequency > 0, Int(fields.sampleRate >> 16) == 2 * config.samplingFrequency
      else { return }
      report.add(
        entry,
        "samplerate is twice that of AudioSpecificConfig, which does not declare SBR; some players play at the lower "
          + "rate"
      )
    },
    .track(
      "web-priming", .web, .note, "An edit list hides AAC priming."
    ) { track, movie, report in
      guard !movie.isFragmented, track.edits.isEmpty, track.samples.count > 0,
        track.decoderConfigurations.contains(where: { $0.audioSpecificConfig?.audioObjectType == 2 }),
        let box = movie.box(of: track)
      else { return }
      report.add(box, "it has no edit list, so audio may be delayed by about 1,024 to 2,112 samples")
    },
    .box("web-edit-list", .web, .warning, ["elst"], "A single edit presents media; an empty edit can precede it.") {
      (list: EditListBox, box, report) in
      let count = list.entries.count { $0.mediaTime >= 0 }
      if count > 1 { report.add(box, "\(count) edits present media; some players ignore all but one") }
    }.explained(by: "cmaf-edit-list"),
    .box("web-rotation", .web, .note, ["tkhd"], "Video is rotated by a multiple of 90 degrees or not at all.") {
      (header: TrackHeaderBox, box, report) in
      guard box.parent?.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType == "vide" else { return }
      guard let rotation = header.matrix.rotation else {
        return report.add(box, "the matrix mirrors or skews the picture; many players ignore this")
      }
      if rotation % 9000 != 0 { report.add(box, "the matrix rotates the picture by \(rotation / 100) degrees") }
    },
    .box(
      "web-quicktime", .web, .warning, ["ftyp"], "A file for browsers has an MP4 brand, not only the QuickTime brand.",
      mendedBy: .defragment
    ) { (type: FileTypeBox, box, report) in
      guard type.majorBrand == "qt  ", type.compatibleBrands.allSatisfy({ $0 == "qt  " || $0.rawValue == 0 }) else {
        return
      }
      report.add(box, "it lists only qt; Firefox does not play QuickTime movies")
    },
  ]

  /// Codecs of cameras, codecs for editing, and codecs from before H.264.
  private static let productionCodecs: Set<FourCC> = [
    "apch", "apcn", "apcs", "apco", "ap4h", "ap4x", "aprn", "aprh", "AVdn", "AVdh", "mp4v", "jpeg", "mjpa", "mjpb",
    "mjp2", "dvc ", "dvcp", "dvpp", "dv5n", "dv5p", "dvh5", "dvh6", "s263", "h263", "SVQ1", "SVQ3", "rle ", "png ",
    "CFHD", "2vuy", "v210", "vc-1", "FFV1",
  ]
  private static let pcmTypes: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ipcm", "fpcm", "alaw", "ulaw",
  ]
}
