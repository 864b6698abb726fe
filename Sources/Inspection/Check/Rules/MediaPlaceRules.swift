import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The places of samples in media data.
  static let mediaPlaces: [Rule] = [
    .movie(
      "iso-run-media", .isobmff, .error, "The samples of fragments are in media data boxes.", mendedBy: nil
    ) { movie, report in
      guard let use = movie.use, let tracks = movie.movie?.tracks else { return }
      for (index, file) in movie.files.enumerated() where !file.fragments.isEmpty {
        for (run, byte) in use.firstOutside(file.mediaRanges, ofFile: index) {
          // Samples in tables are those of another rule.
          guard let box = file.fragment(ofRunAt: run.bytes.lowerBound), byte < file.size else { continue }
          let sample = tracks[run.track].firstSample(in: byte..<byte + 1, of: file)
          report.add(
            "byte \(byte), of\(sample.map { " sample \($0.index + 1) of" } ?? "") track \(tracks[run.track].id), is "
              + "\(file.boxWords(at: byte))", path: box.path, offset: box.offset, file: file.name)
        }
      }
    }.explained(by: "iso-base-offset", "iso-trun-offset", "iso-box-size", "iso-mdat-missing"),
    .movie(
      "iso-run-hole", .practice, .warning, "All bytes of the media data of fragments belong to samples."
    ) { movie, report in
      guard let use = movie.use, let diagnostics = movie.movie?.diagnostics else { return }
      // Bytes of samples that were left out, because others have the same times, are not a hole.
      guard !diagnostics.contains(where: { ["repeated", "replaced", "kept"].contains($0.kindName) }) else { return }
      for (index, file) in movie.files.enumerated() where !file.fragments.isEmpty {
        // Initialization vectors can be in media data.
        let other = file.trackFragments.flatMap(\.auxiliaryOffsets)
        for box in file.places where box.type == "mdat" && box.offset > file.fragments[0].offset {
          for hole in use.holes(in: box.payload, ofFile: index) ?? []
          where !other.contains(where: hole.contains) {
            let isLast = hole.upperBound == box.end
            report.add(
              "\(counted(hole.count, "byte")) \(isLast ? "after the last sample" : "before a sample"), at byte "
                + "\(hole.lowerBound), belong\(hole.count == 1 ? "s" : "") to no sample", path: box.path,
              offset: box.offset, file: file.name)
          }
        }
      }
    }.explained(by: "iso-run-media", "iso-box-size", "iso-samples-damaged", "iso-traf-track"),
    .movie("iso-sample-shared", .isobmff, .error, "Samples do not share bytes.") { movie, report in
      for track in movie.movie?.tracks ?? [] {
        guard let box = movie.box(of: track), let (first, second, isSame) = track.sharedSamples else { continue }
        report.add(
          "samples \(min(first, second) + 1) and \(max(first, second) + 1) "
            + "\(isSame ? "are the same bytes" : "overlap"), at byte \(track.samples[second].offset)",
          path: box.path, offset: box.node.header.offset, severity: isSame ? .note : nil)
      }
      guard let use = movie.use, let tracks = movie.movie?.tracks else { return }
      var seen: Set<[Int]> = []
      for (file, bytes, pair) in use.shared {
        let (one, other) = (tracks[pair.0], tracks[pair.1])
        let key = [min(pair.0, pair.1), max(pair.0, pair.1)]
        // Hint tracks point into the samples of other tracks.
        guard one.handler != "hint", other.handler != "hint", !seen.contains(key), let box = movie.box(of: other),
          let first = one.firstSample(in: bytes, of: movie.files[file]),
          let second = other.firstSample(in: bytes, of: movie.files[file])
        else { continue }
        seen.insert(key)
        let isSame = first.offset == second.offset && first.size == second.size
        report.add(
          "sample \(second.index + 1) and sample \(first.index + 1) of track \(one.id) "
            + "\(isSame ? "are the same bytes" : "overlap"), at byte \(bytes.lowerBound)",
          path: box.path, offset: box.node.header.offset, severity: isSame ? .note : nil)
      }
    }.explained(by: "iso-tables", "iso-table-offsets", "iso-stsc-count", "iso-stsc-order"),
    .track("iso-sample-empty", .practice, .warning, "Samples of video are not empty.") { track, movie, report in
      guard track.handler == "vide", let box = movie.box(of: track) else { return }
      let empty = track.samples.lazy.filter { $0.size == 0 }
      guard let first = empty.first else { return }
      let count = empty.count
      report.add(
        box,
        "the size of sample \(first.index + 1)\(count > 1 ? " and of \(count - 1) more" : "") is 0, so there is no "
          + "picture to decode")
    }.explained(by: "iso-table-sizes", "iso-stsc-count"),
  ]
}

extension CheckedFile {
  /// The ranges of media data: in `mdat`, and in metadata items.
  var mediaRanges: [Range<Int>] {
    places.lazy.filter { $0.type == "mdat" || $0.type == "imda" || $0.type == "idat" }.map(\.payload)
  }
  /// The fragment whose samples are at a byte: the last one that starts before it.
  fileprivate func fragment(ofRunAt byte: Int) -> CheckedFragment? {
    fragments.last { $0.offset <= byte } ?? fragments.first
  }
  /// Such as `in moof`, of a byte outside of media data.
  fileprivate func boxWords(at byte: Int) -> String {
    let box = places.last { $0.offset <= byte }
    guard let box, byte < box.end else { return "outside of all boxes" }
    return box.type == "mdat" ? "in the header of mdat" : "in \(box.type)"
  }
}

extension Track {
  /// Two samples, as indices, whose bytes overlap, and whether they are identical; partial overlaps are preferred.
  fileprivate var sharedSamples: (first: Int, second: Int, isSame: Bool)? {
    let ranges = samples.byteRanges(of: 0..<samples.count)
    var isAscending = true
    for (range, next) in zip(ranges, ranges.dropFirst()) where range.source === next.source {
      isAscending = isAscending && range.bytes.upperBound <= next.bytes.lowerBound
    }
    if isAscending { return nil }
    let places = samples.lazy.filter { $0.size > 0 }.map {
      (source: $0.sourceIndex, start: $0.offset, end: $0.offset + $0.size, index: $0.index)
    }.sorted { ($0.source, $0.start, $0.end, $0.index) < ($1.source, $1.start, $1.end, $1.index) }
    var same: (Int, Int, Bool)?
    for (place, next) in zip(places, places.dropFirst()) where place.source == next.source && place.end > next.start {
      if place.start != next.start || place.end != next.end { return (place.index, next.index, false) }
      same = same ?? (place.index, next.index, true)
    }
    return same
  }
}
