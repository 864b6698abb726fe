import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// Movie fragments, segments and their indexes.
  static let fragments: [Rule] = [
    .movie("iso-mvex-missing", .isobmff, .error, "The moov of a fragmented file has mvex.") { movie, report in
      guard let box = movie.box, !movie.isFragmented, let first = movie.fragments.first else { return }
      report.add(box, "it has no mvex, but \(first.fragment.path) of \(first.file.name) follows")
    },
    .movie("iso-trex-missing", .isobmff, .error, "Each track of a fragmented movie has trex.") {
      movie, report in
      guard let box = movie.box?.first("mvex") else { return }
      let known = Set(box.all("trex").compactMap { ($0.payload as? TrackExtendsBox)?.trackID })
      for track in movie.tracks {
        guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID, !known.contains(id) else { continue }
        report.add(box, "it has no trex for track \(id)")
      }
    },
    .box("iso-trex-track", .isobmff, .error, ["trex"], "trex refers to an existing track.") {
      (extends: TrackExtendsBox, box, report) in
      guard let movie = box.enclosing("moov") else { return }
      let ids = movie.all("trak").compactMap { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID }
      if !ids.contains(extends.trackID) { report.add(box, "there is no track \(extends.trackID)") }
    },
    .movie("iso-traf-track", .isobmff, .error, "Fragments use tracks that moov declares.") {
      movie, report in
      guard movie.box != nil else { return }
      let ids = Set(movie.tracks.compactMap { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID })
      for (file, fragment) in movie.fragments {
        for track in file.tracks(of: fragment) where !ids.contains(track.id) {
          report.add("there is no track \(track.id)", path: track.path, offset: track.offset, file: file.name)
        }
      }
    },
    .movie(
      "iso-traf-description", .isobmff, .error, "Fragments use existing sample descriptions."
    ) {
      movie, report in
      var counts: [UInt32: Int] = [:]
      for track in movie.tracks {
        guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID else { continue }
        counts[id] = track.first("mdia", "minf", "stbl", "stsd")?.boxes.count
      }
      for (file, fragment) in movie.fragments {
        for track in file.tracks(of: fragment) {
          guard let count = counts[track.id], track.description == 0 || Int(track.description) > count else { continue }
          report.add(
            "sample_description_index is \(track.description), but there \(count == 1 ? "is" : "are") \(count)",
            path: track.path, offset: track.offset, file: file.name)
        }
      }
    },
    .movie("iso-sequence-number", .isobmff, .warning, "The sequence numbers of movie fragments increase.") {
      movie, report in
      for file in movie.files {
        var last: UInt32?
        for fragment in file.fragments {
          guard let number = fragment.sequenceNumber else { continue }
          if let last, number <= last {
            report.add(
              "sequence_number is \(number), but the previous fragment has \(last)", path: fragment.path,
              offset: fragment.offset, file: file.name)
          }
          last = number
        }
      }
    },
    .movie(
      "iso-decode-time", .isobmff, .error,
      "A fragment does not start before the end of the previous fragment of its track.",
      mendedBy: .defragment
    ) { movie, report in
      for (jump, track, file) in movie.timeBreaks where jump.seconds < MediaTime(0, 1) {
        report.add(
          "starts \(jump.words) before the end of the previous fragment", path: track.path + "/tfdt",
          offset: track.offset, file: file.name)
      }
    },
    .movie(
      "iso-decode-gap", .isobmff, .warning, "There are no gaps between the fragments of a track.",
      mendedBy: .defragment
    ) { movie, report in
      for (jump, track, file) in movie.timeBreaks where jump.seconds > MediaTime(0, 1) {
        report.add(
          "starts \(jump.words) after the end of the previous fragment", path: track.path + "/tfdt",
          offset: track.offset, file: file.name)
      }
    },
    .box(
      "iso-trun-offset", .isobmff, .warning, ["tfhd"], "Data offsets of fragments point inside the file.",
      mendedBy: .defragment
    ) { (header: TrackFragmentHeaderBox, box, report) in
      guard let offset = header.baseDataOffset, offset > UInt64(box.file.size) else { return }
      report.add(box, "base_data_offset is \(offset), after the end of the file")
    },
    .file(
      "iso-sidx-size", .isobmff, .error, "The subsegments of a segment index end inside the file, at the end of a box."
    ) {
      file, report in
      // An index can be in a separate file.
      guard !file.fragments.isEmpty else { return }
      for box in file.boxes {
        guard let index = box.payload as? SegmentIndexBox else { continue }
        let start = UInt64(box.node.header.end) &+ index.firstOffset
        let end = index.references.reduce(start) { $0 &+ UInt64($1.referencedSize) }
        if end > UInt64(file.size) {
          report.add(box, "it refers to bytes up to \(end), but the file has \(file.size)")
        } else if let inside = file.places.first(where: { UInt64($0.offset) < end && end < UInt64($0.end) }) {
          report.add(box, "it refers to bytes up to \(end), which is inside \(inside.type)")
        }
      }
    }.explained(by: "iso-sidx-fragment"),
    .box("iso-sidx-timescale", .isobmff, .error, ["sidx"], "The timescale of a segment index is not 0.") {
      (index: SegmentIndexBox, box, report) in
      if index.timescale == 0 { report.add(box, "timescale is 0") }
    },
    .file("iso-sidx-fragment", .isobmff, .error, "The subsegments of a segment index start with movie fragments.") {
      file, report in
      guard !file.fragments.isEmpty else { return }
      let types: Set<FourCC> = ["moof", "sidx", "styp", "emsg", "prft", "ssix"]
      let starts = Set(file.places.lazy.filter { types.contains($0.type) }.map(\.offset))
      for box in file.boxes {
        guard let index = box.payload as? SegmentIndexBox else { continue }
        var offset = UInt64(box.node.header.end) &+ index.firstOffset
        for (number, reference) in index.references.enumerated() {
          if offset < UInt64(file.size), !starts.contains(Int(offset)) {
            report.add(box, "reference \(number + 1) points to byte \(offset), where no movie fragment starts")
            break
          }
          offset &+= UInt64(reference.referencedSize)
        }
      }
    },
    .movie("iso-sidx-track", .isobmff, .error, "A segment index is about a track of its fragments.") {
      movie, report in
      for file in movie.files {
        let ids = Set(file.trackFragments.map(\.id))
        for box in file.boxes {
          guard let index = box.payload as? SegmentIndexBox, !ids.isEmpty, !ids.contains(index.referenceID) else {
            continue
          }
          report.add(
            "reference_ID is \(index.referenceID), but the fragments have \(ids.count == 1 ? "track" : "tracks") "
              + ids.sorted().map { "\($0)" }.joined(separator: ", "), path: box.path, offset: box.node.header.offset,
            file: file.name)
        }
      }
    },
    .movie(
      "iso-sidx-duration", .isobmff, .error, "The durations in a segment index are those of the samples."
    ) { movie, report in
      let timescales = movie.timescales
      for file in movie.files {
        for box in file.boxes {
          guard let index = box.payload as? SegmentIndexBox, index.timescale > 0,
            let timescale = timescales[index.referenceID], timescale > 0,
            let (number, declared, actual) = file.wrongSubsegment(
              of: index, end: box.node.header.end, timescale, from: movie.presentationStart(index.referenceID))
          else { continue }
          report.add(
            "subsegment_duration of reference \(number) is \(seconds(declared)), but its samples last "
              + seconds(actual), path: box.path, offset: box.node.header.offset, file: file.name)
        }
      }
    }.explained(by: "iso-sidx-fragment", "iso-sidx-track"),
    .container("iso-mfro-size", .isobmff, .error, ["mfra"], "mfro contains the size of the random access index.") {
      box, report in
      guard let offset = box.fields("mfro", as: MovieFragmentRandomAccessOffsetBox.self) else { return }
      if Int(offset.parentSize) != box.node.header.size {
        report.add(
          box, "mfro declares \(counted(offset.parentSize, "byte")), but the index has \(box.node.header.size)")
      }
    },
    .file(
      "iso-tfra-fragment", .isobmff, .error, "The random access index (tfra) points to movie fragments.",
      mendedBy: .defragment
    ) {
      file, report in
      let starts = Set(file.fragments.map { UInt64($0.offset) })
      for box in file.first("mfra")?.all("tfra") ?? [] {
        guard let index = box.payload as? TrackFragmentRandomAccessBox else { continue }
        if let wrong = index.entries.first(where: { !starts.contains($0.moofOffset) }) {
          report.add(box, "there is no movie fragment at byte \(wrong.moofOffset)")
        }
      }
    },
  ]
}

extension CheckedFile {
  /// The number of the first reference of a segment index whose duration is not that of its samples, with both in
  /// seconds. Reordering and edits may move a few samples over the ends. Presentation times have edits applied (ISO/IEC
  /// 14496-12, 8.16.3), but many writers count the samples that an edit hides.
  fileprivate func wrongSubsegment(
    of index: SegmentIndexBox, end: Int, _ timescale: UInt32, from presentationStart: UInt64
  ) -> (number: Int, declared: Double, actual: Double)? {
    var (start, next) = (UInt64(end) &+ index.firstOffset, 0)
    for (number, reference) in index.references.enumerated() {
      let end = start &+ UInt64(reference.referencedSize)
      var (duration, presented, count) = (UInt64(0), UInt64(0), 0)
      while next < fragments.count, UInt64(fragments[next].offset) < start { next += 1 }
      while next < fragments.count, UInt64(fragments[next].offset) < end {
        for track in tracks(of: fragments[next]) where track.id == index.referenceID {
          duration &+= track.duration
          presented &+= track.duration(from: presentationStart)
          count += track.sampleCount
        }
        next += 1
      }
      start = end
      guard reference.referenceType == 0, duration > 0 else { continue }
      let actual = Double(duration) / Double(timescale)
      let declared = Double(reference.subsegmentDuration) / Double(index.timescale)
      let tolerance = max(0.1, 3 * actual / Double(count))
      if abs(actual - declared) > tolerance, abs(Double(presented) / Double(timescale) - declared) > tolerance {
        return (number + 1, declared, actual)
      }
    }
    return nil
  }
}

/// A fragment of a track that does not start where the previous one ends.
struct TimeBreak {
  /// The difference; negative if it starts earlier.
  let seconds: MediaTime
  /// The absolute difference in words.
  var words: String { "\(seconds < MediaTime(0, 1) ? MediaTime(0, 1) - seconds : seconds)" }
}

extension CheckedMovie {
  /// The gaps and overlaps between consecutive fragments.
  var timeBreaks: [(TimeBreak, CheckedFragment.Track, CheckedFile)] {
    // Tracks of different init segments can have the same IDs.
    guard files.filter({ $0.kind == .initSegment }).count <= 1 else { return [] }
    var ends: [UInt32: UInt64] = [:]
    var breaks: [(TimeBreak, CheckedFragment.Track, CheckedFile)] = []
    let timescales = timescales
    for (file, fragment) in fragments {
      for track in file.tracks(of: fragment) {
        guard let start = track.decodeTime ?? ends[track.id] else { continue }
        if let end = ends[track.id], end != start, let timescale = timescales[track.id], timescale > 0 {
          let difference = Int64(truncatingIfNeeded: start &- end)
          breaks.append((TimeBreak(seconds: MediaTime(difference, timescale)), track, file))
        }
        ends[track.id] = start &+ track.duration
      }
    }
    return breaks
  }
  /// The media timescale of each track.
  var timescales: [UInt32: UInt32] { box.map { TrackDefaults($0, nil).timescales } ?? [:] }
}
