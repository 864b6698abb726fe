import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The headers of movies and tracks.
  static let movieBoxes: [Rule] = [
    .box(
      "iso-mvhd-timescale", .isobmff, .error, ["mvhd"], "The timescale of a movie is not 0.", mendedBy: .defragment
    ) { (header: MovieHeaderBox, box, report) in
      if header.timescale == 0 { report.add(box, "timescale is 0") }
    },
    .box("iso-mvhd-rate", .isobmff, .warning, ["mvhd"], "The playback rate of a movie is 1.") {
      (header: MovieHeaderBox, box, report) in
      if header.rate != 0x1_0000 {
        report.add(box, "rate is \(header.rate) (16.16); players ignore it or play at that speed")
      }
    },
    .box(
      "iso-next-track-id", .isobmff, .warning, ["mvhd"], "next_track_ID is larger than all track IDs.",
      mendedBy: .defragment
    ) { (header: MovieHeaderBox, box, report) in
      guard header.nextTrackID != .max, let movie = box.parent else { return }
      let ids = movie.all("trak").compactMap { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID }
      if let largest = ids.max(), header.nextTrackID <= largest {
        report.add(box, "next_track_ID is \(header.nextTrackID), but there is a track \(largest)")
      }
    },
    .box("iso-track-id-zero", .isobmff, .error, ["tkhd"], "Track IDs are not 0.", mendedBy: .defragment) {
      (header: TrackHeaderBox, box, report) in
      if header.trackID == 0 { report.add(box, "track_ID is 0") }
    },
    .container(
      "iso-track-id-twice", .isobmff, .error, ["moov"], "Track IDs are unique.", mendedBy: .defragment
    ) {
      box, report in
      var seen: Set<UInt32> = []
      for track in box.all("trak") {
        guard let header = track.first("tkhd"), let id = (header.payload as? TrackHeaderBox)?.trackID else { continue }
        if !seen.insert(id).inserted { report.add(header, "another track also has the ID \(id)") }
      }
    },
    .container("iso-movie-no-tracks", .isobmff, .warning, ["moov"], "A movie has tracks.") { box, report in
      if box.first("trak") == nil, box.first("cmov") == nil { report.add(box, "it has no trak") }
    },
    .container(
      "iso-track-none-enabled", .isobmff, .warning, ["moov"],
      "At least one track of a movie with pictures or sound is enabled."
    ) {
      box, report in
      // Subtitles in a file of their own are selected by other means.
      let handlers = box.all("trak").compactMap { $0.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType }
      guard handlers.contains(where: { ["vide", "soun"].contains($0) }) else { return }
      let headers = box.all("trak").compactMap { $0.fields("tkhd", as: TrackHeaderBox.self) }
      if !headers.isEmpty, headers.allSatisfy({ $0.flags & 1 == 0 }) {
        report.add(box, "no track is enabled; some players present nothing")
      }
    },
    .box("iso-visual-size", .isobmff, .warning, ["tkhd"], "The width and height of video tracks are not 0.") {
      (header: TrackHeaderBox, box, report) in
      guard box.parent?.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType == "vide" else { return }
      if header.width == 0 || header.height == 0 { report.add(box, "width or height is 0") }
    },
    .track(
      "iso-track-shape", .isobmff, .warning,
      "The aspect ratio in the track header matches the pictures, with or without pasp and clap applied."
    ) { track, movie, report in
      guard track.handler == "vide", track.isEnabled, let box = movie.box(of: track)?.first("tkhd"),
        let header = box.payload as? TrackHeaderBox, header.width > 0, header.height > 0
      else { return }
      let pictures = track.decoderConfigurations.compactMap(\.pictures)
      let shapes = pictures.flatMap(\.shapes)
      var shape = Double(header.width) / Double(header.height)
      // Some writers declare the size of rotated pictures.
      if track.isRotated, shapes.contains(where: { abs(1 / shape / $0 - 1) < 0.05 }) { shape = 1 / shape }
      guard let first = pictures.first, !shapes.isEmpty, !shapes.contains(where: { abs(shape / $0 - 1) < 0.05 }) else {
        return
      }
      let (own, shown) = ("\(header.width >> 16)x\(header.height >> 16)", first.shownSize())
      report.add(
        box,
        "the track is \(own), but its pictures are \(shown.width)x\(shown.height); players that use the track size "
          + "distort them")
    }.explained(by: "nal-picture-size", "iso-pasp", "iso-clap"),
    .box("iso-audio-volume", .isobmff, .note, ["tkhd"], "The volume of audio tracks is not 0.") {
      (header: TrackHeaderBox, box, report) in
      guard box.parent?.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType == "soun" else { return }
      if header.volume == 0 { report.add(box, "volume is 0; some players are silent then") }
    },
    .box("iso-matrix", .isobmff, .error, ["tkhd", "mvhd"], "The matrix does not collapse the picture to a line.") {
      (payload: TrackHeaderBox, box, report) in
      let values = payload.matrix.values.map(Int64.init)
      // a·d − b·c, in 64 bits without overflow for any values.
      if values[0] * values[4] == values[1] * values[3] {
        report.add(box, "the matrix collapses the picture to a line")
      }
    },
    .box("iso-mdhd-timescale", .isobmff, .error, ["mdhd"], "The timescale of the media is not 0.") {
      (header: MediaHeaderBox, box, report) in
      if header.timescale == 0 { report.add(box, "timescale is 0, so times have no unit") }
    },
    .box("iso-language", .isobmff, .warning, ["mdhd"], "A language is a three-letter code or a QuickTime code.") {
      (header: MediaHeaderBox, box, report) in
      let code = header.language.rawValue
      let letters = [10, 5, 0].map { UInt8(code >> UInt16($0) & 31) + 0x60 }
      guard code >= 0x400, code != 0x7fff, !letters.allSatisfy({ (0x61...0x7a).contains($0) }) else { return }
      report.add(box, "language is 0x\(String(code, radix: 16)), which is not a three-letter code")
    },
    .box("iso-hdlr-pre-defined", .isobmff, .note, ["hdlr"], "The first field of a handler is 0 in MP4 files.") {
      (handler: HandlerBox, box, report) in
      guard handler.preDefined.rawValue != 0, !box.file.brands.contains("qt  ") else { return }
      report.add(box, "pre_defined is \(handler.preDefined), as in QuickTime movies")
    },
    .container("iso-media-header", .isobmff, .error, ["minf"], "The media header box matches the handler.") {
      box, report in
      guard let handler = box.parent?.fields("hdlr", as: HandlerBox.self)?.handlerType else { return }
      let expected: [FourCC: FourCC] = ["vide": "vmhd", "soun": "smhd", "hint": "hmhd", "subt": "sthd"]
      if let type = expected[handler], box.first(type) == nil {
        report.add(box, "the handler is \(handler), but there is no \(type)")
      }
    },
    .box("iso-vmhd-flags", .isobmff, .note, ["vmhd"], "The flags of the video media header are 1.") {
      (header: VideoMediaHeaderBox, box, report) in
      if header.flags != 1 { report.add(box, "flags are \(header.flags)") }
    },
    .container("iso-dref-empty", .isobmff, .error, ["dref"], "There is at least one data reference.") { box, report in
      if box.boxes.isEmpty { report.add(box, "it has no entries, so the samples cannot be located") }
    },
    .container(
      "iso-data-elsewhere", .isobmff, .error, ["url ", "urn ", "alis"],
      "The file contains its own media data."
    ) {
      box, report in
      guard box.parent?.type == "dref", let payload = box.payload as? any FullBoxPayload, payload.flags & 1 == 0 else {
        return
      }
      report.add(box, "the media data is in another file")
    },
    .container("iso-stsd-empty", .isobmff, .error, ["stsd"], "A track has at least one sample description.") {
      box, report in
      if box.boxes.isEmpty { report.add(box, "it has no sample entries") }
    },
    .container("iso-data-reference", .isobmff, .error, ["stsd"], "Sample entries use an existing data reference.") {
      box, report in
      guard let count = box.enclosing("minf")?.first("dinf", "dref")?.boxes.count else { return }
      for entry in box.boxes {
        let index: UInt16? =
          switch entry.payload {
          case let payload as SampleEntry: payload.dataReferenceIndex
          case let payload as VisualSampleEntry: payload.dataReferenceIndex
          case let payload as AudioSampleEntry: payload.dataReferenceIndex
          default: nil
          }
        if let index, index == 0 || Int(index) > count {
          report.add(entry, "data_reference_index is \(index), but there \(count == 1 ? "is" : "are") \(count)")
        }
      }
    },
    .box("iso-entry-size", .isobmff, .error, [], "The width and height of a video sample entry are not 0.") {
      (entry: VisualSampleEntry, box, report) in
      if box.parent?.type == "stsd", entry.width == 0 || entry.height == 0 { report.add(box, "width or height is 0") }
    },
    .box(
      "iso-entry-channels", .isobmff, .warning, [],
      "The channel count and sample rate of an audio sample entry are not 0."
    ) {
      (entry: AudioSampleEntry, box, report) in
      guard box.parent?.type == "stsd", entry.version1 == nil, entry.version2 == nil else { return }
      if entry.channelCount == 0 { report.add(box, "channelcount is 0") }
      if entry.sampleRate == 0, !box.hasOtherSampleRate { report.add(box, "samplerate is 0") }
    },
    .container("iso-reference", .isobmff, .error, ["tref"], "Track references refer to existing tracks.") {
      box, report in
      guard let movie = box.enclosing("moov") else { return }
      let ids = Set(movie.all("trak").compactMap { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID })
      for reference in box.boxes {
        guard let table = reference.payload as? TrackReferenceTypeBox else { continue }
        for id in table.trackIDs where id != 0 && !ids.contains(id) {
          report.add(reference, "there is no track \(id)")
        }
      }
    },
    .box("iso-edit-rate", .isobmff, .warning, ["elst"], "Edits play at normal speed or show a single picture.") {
      (list: EditListBox, box, report) in
      for (number, edit) in list.entries.enumerated()
      where edit.mediaRateFraction != 0 || ![0, 1].contains(edit.mediaRateInteger) {
        report.add(box, "entry \(number + 1) does not have the speed 1; most players play it at normal speed")
      }
    },
    .box("iso-edit-empty-list", .isobmff, .warning, ["elst"], "An edit list is not empty.") {
      (list: EditListBox, box, report) in
      if list.entries.isEmpty { report.add(box, "it has no entries") }
    },
    .box("iso-edit-empty-last", .isobmff, .warning, ["elst"], "The last edit presents media.") {
      (list: EditListBox, box, report) in
      if let last = Array(list.entries).last, last.mediaTime == -1 { report.add(box, "the last edit is empty") }
    },
    .box("iso-edit-media-time", .isobmff, .error, ["elst"], "The media time of an edit is -1 or more.") {
      (list: EditListBox, box, report) in
      for (number, edit) in list.entries.enumerated() where edit.mediaTime < -1 {
        report.add(box, "media_time of entry \(number + 1) is \(edit.mediaTime)")
      }
    },
    .track("iso-edit-outside", .isobmff, .error, "Edits start inside the media.") { track, movie, report in
      // The last pictures may be reordered, and fragments may follow.
      let ends = track.samples.suffix(50).map { $0.compositionTime + $0.duration }
      guard !movie.isFragmented, let end = ends.max(), let box = movie.box(of: track)?.first("edts", "elst") else {
        return
      }
      for (number, edit) in track.edits.enumerated() where edit.mediaTime >= 0 {
        let start = MediaTime(edit.mediaTime, track.timescale)
        if start >= end { report.add(box, "entry \(number + 1) starts at \(start) of the media, which ends at \(end)") }
      }
    },
    .box("iso-pasp", .isobmff, .error, ["pasp"], "The pixel aspect ratio has no zeros.") {
      (aspect: PixelAspectRatioBox, box, report) in
      if aspect.hSpacing == 0 || aspect.vSpacing == 0 { report.add(box, "hSpacing or vSpacing is 0") }
    },
    .box("iso-clap", .isobmff, .error, ["clap"], "The clean aperture is not empty, and its denominators are not 0.") {
      (aperture: CleanApertureBox, box, report) in
      let divisors = [
        aperture.cleanApertureWidthD, aperture.cleanApertureHeightD, aperture.horizOffD, aperture.vertOffD,
      ]
      if divisors.contains(0) { return report.add(box, "a denominator is 0") }
      if aperture.cleanApertureWidthN == 0 || aperture.cleanApertureHeightN == 0 { report.add(box, "it is empty") }
    },
  ]
}

extension PictureFormat {
  /// The possible aspect ratios: of the full picture or the clean aperture, with or without the pixel aspect ratio.
  fileprivate var shapes: [Double] {
    var sizes = [(Double(width), Double(height))]
    if let part = cleanAperture {
      sizes.append(
        (
          Double(part.width.numerator) / Double(part.width.denominator),
          Double(part.height.numerator) / Double(part.height.denominator)
        ))
    }
    let aspect = pixelAspect.map { Double($0.numerator) / Double($0.denominator) } ?? 1
    return sizes.flatMap { [$0 / $1, $0 * aspect / $1] }.filter { $0.isFinite && $0 > 0 }
  }
}

extension CheckedBox {
  /// Whether an audio sample entry has a box with a sample rate that does not fit into 16 bits.
  fileprivate var hasOtherSampleRate: Bool {
    ["srat", "dfLa", "dOps", "mhaC", "dac4", "ddts", "iacb", "pcmC", "wave", "alac", "esds"].contains {
      first($0) != nil
    }
  }
}
