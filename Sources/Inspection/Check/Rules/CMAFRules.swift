import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// CMAF tracks: their headers, their fragments and their segments.
  static let cmaf: [Rule] =
    cmafHeaders + cmafFragments + [
      .movie("cmaf-decode-time-continuous", .cmaf, .error, "Each segment starts at the end of the previous one.") {
        movie, report in
        var ends: [UInt32: (time: UInt64, file: String)] = [:]
        let timescales = movie.timescales
        for file in movie.files {
          var seen: Set<UInt32> = []
          for track in file.trackFragments {
            let start = track.decodeTime ?? ends[track.id]?.time ?? 0
            if seen.insert(track.id).inserted, let end = ends[track.id], end.time != start,
              let timescale = timescales[track.id], timescale > 0
            {
              let isLater = start > end.time
              let jump = MediaTime(Int64(clamping: isLater ? start - end.time : end.time - start), timescale)
              report.add(
                "starts \(jump) \(isLater ? "after" : "before") the end of \(end.file)", path: track.path + "/tfdt",
                offset: track.offset, file: file.name)
            }
            ends[track.id] = (start &+ track.duration, file.name)
          }
        }
      }.explained(by: "iso-decode-time", "iso-decode-gap"),
      .movie("cmaf-segment-sync", .cmaf, .error, "Video segments start with a sync sample.") { movie, report in
        for (file, fragment) in movie.fragments where fragment.isSegmentStart && !file.isChunk {
          for track in file.tracks(of: fragment) where movie.handler(ofTrack: track.id) == "vide" {
            guard let flags = track.firstFlags, !flags.isSync else { continue }
            report.add("its first sample is not a sync sample", path: track.path, offset: track.offset, file: file.name)
          }
        }
      },
      .file("cmaf-segment-type", .cmaf, .note, "A styp box lists a CMAF brand.") {
        file, report in
        guard file.kind == .segment, file.places.first?.type == "styp" else { return }
        if file.brands.allSatisfy({ !["cmfs", "cmff", "cmfl"].contains($0) }), let box = file.boxes.first {
          report.add(box, "it lists none of cmfs, cmff and cmfl")
        }
      },
      .file(
        "cmaf-event-place", .cmaf, .error,
        "Event messages (emsg) and producer reference times (prft) precede a "
          + "movie fragment."
      ) {
        file, report in
        guard let last = file.fragments.last else { return }
        for box in file.boxes where ["emsg", "prft"].contains(box.type) && box.node.header.offset > last.offset {
          report.add(box, "no movie fragment follows it in the file")
        }
      },
    ]

  private static let cmafHeaders: [Rule] = [
    .movie("cmaf-brand", .cmaf, .error, "The file type of a CMAF header lists the brand cmfc or cmf2.") {
      movie, report in
      guard let file = movie.file, file.brands.allSatisfy({ !["cmfc", "cmf2"].contains($0) }) else { return }
      report.add("it lists neither cmfc nor cmf2", path: file.first("ftyp")?.path, offset: 0, file: file.name)
    },
    .container(
      "cmaf-one-track", .cmaf, .error, ["moov"], "A CMAF header has one track.",
      mendedBy: .fragmentTrack
    ) { box, report in
      let count = box.all("trak").count
      if count != 1 { report.add(box, "it has \(counted(count, "track"))") }
    },
    .container(
      "cmaf-mvex", .cmaf, .error, ["moov"], "A CMAF header has mvex.", mendedBy: .fragment
    ) { box, report in
      if box.first("mvex") == nil { report.add(box, "it has no mvex") }
    }.explained(by: "iso-mvex-missing"),
    .container(
      "cmaf-header-samples", .cmaf, .error, ["stbl"], "A CMAF header has no samples.", mendedBy: .fragment
    ) { box, report in
      let tables = box.tablesWithSamples
      if !tables.isEmpty { report.add(box, "its \(tables.joined(separator: ", ")) have entries") }
    },
    .container("cmaf-header-duration", .cmaf, .warning, ["moov"], "The durations in a CMAF header are 0.") {
      box, report in
      let movie = box.first("mvhd")
      if let fields = movie?.payload as? MovieHeaderBox, fields.duration != 0, let movie {
        report.add(movie, "duration is \(fields.duration)")
      }
      for track in box.all("trak") {
        if let table = track.first("tkhd"), let fields = table.payload as? TrackHeaderBox, fields.duration != 0 {
          report.add(table, "duration is \(fields.duration)")
        }
        if let table = track.first("mdia", "mdhd"), let fields = table.payload as? MediaHeaderBox, fields.duration != 0
        {
          report.add(table, "duration is \(fields.duration)")
        }
      }
    },
    .box(
      "cmaf-header-volume", .cmaf, .warning, ["mvhd"],
      "The volume and the matrix in a CMAF header have their default values."
    ) {
      (header: MovieHeaderBox, box, report) in
      if header.volume != 0x100 { report.add(box, "volume is \(header.volume) (8.8)") }
      if header.matrix != .identity { report.add(box, "the matrix is not the identity") }
    },
    .container("cmaf-header-order", .cmaf, .warning, ["moov"], "In a CMAF header, mvhd is the first box in moov.") {
      box, report in
      if let first = box.boxes.first, first.type != "mvhd" { report.add(box, "it starts with \(first.type)") }
    },
    .box("cmaf-edit-list", .cmaf, .error, ["elst"], "A CMAF track has at most one edit, which skips media.") {
      (list: EditListBox, box, report) in
      if list.entries.count > 1 { report.add(box, "it has \(list.entries.count) edits") }
      if list.entries.contains(where: { $0.mediaTime < 0 }) { report.add(box, "it has an empty edit") }
    },
    .movie("cmaf-cmf2-edit", .cmaf, .error, "Video with the brand cmf2 has no edit list.") { movie, report in
      guard let file = movie.file, file.brands.contains("cmf2") else { return }
      for track in movie.tracks where track.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType == "vide" {
        if let list = track.first("edts", "elst") { report.add(list, "video with the brand cmf2 has an edit list") }
      }
    },
    .container("cmaf-entry-version", .cmaf, .error, ["stsd"], "The version of the sample descriptions is 0.") {
      box, report in
      if let fields = box.payload as? any FullBoxPayload, fields.version != 0 {
        report.add(box, "version is \(fields.version)")
      }
    },
    .box("cmaf-scheme", .cmaf, .error, ["schm"], "Encrypted CMAF tracks use cenc or cbcs.") {
      (scheme: SchemeTypeBox, box, report) in
      guard box.parent?.type == "sinf", scheme.schemeType != "cenc", scheme.schemeType != "cbcs" else { return }
      report.add(box, "scheme_type is \(scheme.schemeType)")
    },
  ]

  private static let cmafFragments: [Rule] = [
    .container(
      "cmaf-traf-one", .cmaf, .error, ["moof"], "A CMAF movie fragment has one track fragment.",
      mendedBy: .fragment
    ) { box, report in
      let count = box.all("traf").count
      if count != 1 { report.add(box, "it has \(counted(count, "track fragment"))") }
    },
    .container(
      "cmaf-trun-one", .cmaf, .warning, ["traf"], "A CMAF track fragment has one trun.",
      mendedBy: .fragment
    ) { box, report in
      let count = box.all("trun").count
      if count != 1 { report.add(box, "it has \(counted(count, "run"))") }
    },
    .container(
      "cmaf-tfdt", .cmaf, .error, ["traf"], "A CMAF track fragment has tfdt.", mendedBy: .fragment
    ) { box, report in
      if box.first("tfdt") == nil { report.add(box, "it has no tfdt") }
    },
    .box(
      "cmaf-base", .cmaf, .error, ["tfhd"], "Data offsets in CMAF are relative to the start of the movie fragment.",
      mendedBy: .fragment
    ) { (header: TrackFragmentHeaderBox, box, report) in
      if header.baseDataOffset != nil { report.add(box, "it has a base_data_offset") }
      if header.flags & 0x2_0000 == 0 { report.add(box, "default-base-is-moof is not set") }
    },
    .file("cmaf-data-offset", .cmaf, .error, "The samples of a fragment are in the media data after it.") {
      file, report in
      let media = file.places.filter { $0.type == "mdat" }
      var next = 0
      for fragment in file.fragments {
        while next < media.count, media[next].offset < fragment.end { next += 1 }
        for track in file.tracks(of: fragment) where track.byteCount > 0 && track.addressing.flags & 1 == 0 {
          guard let offset = track.addressing.dataOffset else {
            report.add("its first run has no data_offset", path: track.path, offset: track.offset)
            continue
          }
          let place = fragment.offset + Int(offset)
          let candidates = media[next...].prefix { $0.offset <= place }
          guard !candidates.contains(where: { $0.payload.contains(place) }) else { continue }
          report.add(
            "data_offset is \(offset), to byte \(place), which is not in the mdat after it", path: track.path,
            offset: track.offset)
        }
      }
    }.explained(by: "iso-mdat-missing", "iso-run-media"),
    .file("cmaf-mdat-next", .cmaf, .error, "The mdat of a fragment follows its moof directly.") {
      file, report in
      let places = file.places
      for (index, place) in places.enumerated() where place.type == "moof" {
        let next = index + 1 < places.count ? places[index + 1].type : nil
        guard next != "mdat" else { continue }
        report.add(
          "\(next?.description ?? "nothing") follows it instead of mdat", path: place.path, offset: place.offset)
      }
    }.explained(by: "iso-box-size", "iso-mdat-missing"),
    .movie("cmaf-cmf2-offsets", .cmaf, .error, "Video with the brand cmf2 has composition offsets of version 1.") {
      movie, report in
      guard let file = movie.file, file.brands.contains("cmf2") else { return }
      for (file, fragment) in movie.fragments {
        for track in file.tracks(of: fragment)
        where track.hasUnsignedOffsets && movie.handler(ofTrack: track.id) == "vide" {
          report.add(
            "its composition offsets are of version 0", path: track.path, offset: track.offset, file: file.name)
        }
      }
    },
    .movie("cmaf-fragment-duration", .cmaf, .error, "The duration of a fragment with samples is not 0.") {
      movie, report in
      for (file, fragment) in movie.fragments {
        for track in file.tracks(of: fragment) where track.sampleCount > 0 && track.duration == 0 {
          report.add(
            "its \(counted(track.sampleCount, "sample lasts", "samples last")) 0", path: track.path,
            offset: track.offset, file: file.name)
        }
      }
    },
    .container("cmaf-senc", .cmaf, .error, ["traf"], "Sample encryption information is in senc.") { box, report in
      guard box.first("senc") == nil, let sizes = box.first("saiz"),
        let fields = sizes.payload as? SampleAuxiliaryInformationSizesBox,
        ["cenc", "cbcs"].contains(fields.auxInfoType ?? "cenc")
      else { return }
      report.add(box, "it has saiz, but no senc")
    },
  ]
}

extension CheckedBox {
  /// The names of the non-empty boxes of a sample table.
  var tablesWithSamples: [String] {
    var names: [String] = []
    if let times = fields("stts", as: TimeToSampleBox.self), !times.entries.isEmpty { names.append("stts") }
    if let chunks = fields("stsc", as: SampleToChunkBox.self), !chunks.entries.isEmpty { names.append("stsc") }
    if let sizes = fields("stsz", as: SampleSizeBox.self), sizes.sampleCount > 0 { names.append("stsz") }
    if let offsets = fields("stco", as: ChunkOffsetBox.self), !offsets.offsets.isEmpty { names.append("stco") }
    if let offsets = fields("co64", as: ChunkLargeOffsetBox.self), !offsets.offsets.isEmpty { names.append("co64") }
    return names
  }
}

extension CheckedFile {
  /// Whether it is a part of a segment, so that decoding need not start there.
  fileprivate var isChunk: Bool {
    first("styp") != nil && brands.contains("cmfl") && !brands.contains("cmfs") && !brands.contains("cmff")
  }
}

extension CheckedMovie {
  /// The handler of a track.
  func handler(ofTrack id: UInt32) -> FourCC? {
    let track = tracks.first { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID == id }
    return track?.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType
  }
}
