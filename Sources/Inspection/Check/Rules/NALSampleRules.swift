import Bytes
import ISOBMFF
import MP4

extension Rule {
  /// The contents of AVC and HEVC samples. At most 64 KiB of a track are read.
  static let nalSamples: [Rule] = [
    .track(
      "iso-samples-zero", .practice, .error, "The first sync sample of coded video is not overwritten with zeros."
    ) { track, movie, report in
      guard track.handler == "vide", let (sample, configuration) = track.firstSync(), sample.size >= 16,
        configuration.nalUnits != nil || ["av01", "vp08", "vp09", "mp4v"].contains(configuration.codedFormat),
        let box = movie.box(of: track)
      else { return }
      let bytes = try sample.bytes(1 << 16)
      let file =
        movie.files.count > 1 && movie.files.indices.contains(sample.sourceIndex)
        ? movie.files[sample.sourceIndex] : nil
      let place = "sample \(sample.index + 1), at byte \(sample.offset)\(file.map { " of \($0.name)" } ?? ""),"
      if bytes.count == min(sample.size, 1 << 16), bytes.allSatisfy({ $0 == 0 }) {
        report.add(box, "\(place) contains zeros instead of media")
      } else if configuration.format == configuration.codedFormat, let (codec, lengthSize) = configuration.nalUnits {
        let units = Array(NALUnits(bytes[...], codec, lengthSize: lengthSize))
        // Some writers do not escape zeros in SEI messages.
        let slices = units.filter { codec.isSlice($0.type) }
        if (slices.isEmpty ? units : slices).contains(where: \.hasHole) {
          report.add(box, "\(place) contains a run of zeros, which NAL units cannot contain")
        }
      }
    },
    .track("nal-samples", .nalVideo, .error, "AVC and HEVC samples consist of NAL units, each preceded by its length.")
    {
      track, movie, report in
      guard case .malformed(let mismatch) = try track.firstFit(), let box = movie.box(of: track) else { return }
      report.add(box, mismatch.description)
    }.explained(by: "nal-length-size", "nal-length-fit", "iso-chunk-media", "iso-sample-shared", "iso-samples-zero"),
    .track(
      "nal-length-fit", .nalVideo, .error,
      "The size of NAL unit lengths in samples matches the configuration."
    ) { track, movie, report in
      guard let (sample, configuration) = track.firstSync(), configuration.format == configuration.codedFormat,
        let (codec, lengthSize) = configuration.nalUnits, let box = movie.box(of: track)
      else { return }
      let bytes = try sample.bytes(1 << 16)
      // 4-byte lengths start with zeros, which readers of shorter lengths take for empty units.
      func fits(_ lengthSize: Int) -> Bool {
        bytes.unitTypes(lengthSize, codec, of: sample.size)?.allSatisfy { codec == .avc ? 1...23 ~= $0 : 0...40 ~= $0 }
          ?? false
      }
      guard !fits(lengthSize), let other = [4, 2, 1].first(where: fits) else { return }
      report.add(
        box, "lengthSizeMinusOne is \(lengthSize - 1), but the lengths in the samples have \(counted(other, "byte"))")
    }.explained(by: "nal-length-size", "iso-samples-zero"),
    .track(
      "nal-sync-sample", .nalVideo, .warning,
      "The first sync samples are IDR pictures (AVC) or IRAP pictures (HEVC)."
    ) { track, movie, report in
      guard let (first, _) = track.firstSync(), let box = movie.box(of: track) else { return }
      // Errors in the table of sync samples often start at the second one.
      let second = track.samples[(first.index + 1)...].prefix(Track.groupLimit).first(where: \.isSync)
      for sample in [first, second].compactMap(\.self) {
        let index = sample.descriptionIndex - 1
        guard track.decoderConfigurations.indices.contains(index) else { return }
        let configuration = track.decoderConfigurations[index]
        guard configuration.format == configuration.codedFormat, let (codec, lengthSize) = configuration.nalUnits else {
          return
        }
        let units = NALUnits(try sample.bytes(1 << 14)[...], codec, lengthSize: lengthSize)
        guard let slice = units.first(where: { codec.isSlice($0.type) }) else { continue }
        // An AVC picture with only I slices can be a sync sample of an open GOP.
        let isWrong =
          sample.index == first.index
          ? codec == .avc
            ? slice.type != 5 && (codec.isPredicted(slice) || track.presentsLeadingPictures(of: sample))
            : !(16...23 ~= slice.type)
          : codec.isPredicted(slice)
        guard isWrong else { continue }
        return report.add(
          box, "sample \(sample.index + 1) is marked as a sync sample, but its NAL units are of type \(slice.type)")
      }
    }.explained(by: "nal-samples", "nal-length-fit", "iso-samples-zero", "nal-sync-missing"),
    .track(
      "nal-sync-missing", .nalVideo, .error, "Video with predicted pictures has a table of sync samples."
    ) { track, movie, report in
      guard track.samples.count > 1, track.samples.areAllSync, let box = movie.box(of: track) else { return }
      var left = 1 << 16
      // All of the first samples are examined, because a single decodable picture proves nothing.
      for sample in track.samples.prefix(16) where left > 0 {
        let index = sample.descriptionIndex - 1
        guard track.decoderConfigurations.indices.contains(index) else { return }
        let configuration = track.decoderConfigurations[index]
        guard configuration.format == configuration.codedFormat, let (codec, lengthSize) = configuration.nalUnits else {
          return
        }
        let bytes = try sample.bytes(min(left, 4096))
        left -= bytes.count
        let units = NALUnits(bytes[...], codec, lengthSize: lengthSize)
        guard let slice = units.first(where: { codec.isSlice($0.type) }), codec.isPredicted(slice) else { continue }
        return report.add(
          box,
          "all samples are marked as sync samples, but sample \(sample.index + 1) is predicted from other pictures; "
            + "players that seek to it show garbage")
      }
    }.explained(by: "nal-samples", "nal-length-fit", "nal-length-size", "iso-samples-zero"),
    .track(
      "iso-sample-shared", .isobmff, .error, "Samples of a track do not share bytes."
    ) { track, movie, report in
      guard let box = movie.box(of: track), let (first, second, isSame) = track.sharedSamples else { return }
      report.add(
        "samples \(min(first, second) + 1) and \(max(first, second) + 1) "
          + "\(isSame ? "are the same bytes" : "overlap"), at byte \(track.samples[second].offset)",
        path: box.path, offset: box.node.header.offset, severity: isSame ? .note : nil)
    }.explained(by: "iso-tables", "iso-table-offsets", "iso-stsc-count", "iso-stsc-order"),
  ]
}

extension [UInt8] {
  /// The types of the NAL units of a sample that starts with these bytes; -1 for units that are empty or have the
  /// forbidden bit set. `nil` if a unit is longer than the rest of the sample.
  fileprivate func unitTypes(_ lengthSize: Int, _ codec: NALUnits.Codec, of size: Int) -> [Int]? {
    var (types, place): ([Int], Int) = ([], 0)
    while place + lengthSize <= count {
      let length = self[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      let unit = self[(place + lengthSize)...]
      place += lengthSize + length
      guard place <= size else { return nil }
      if let first = unit.first { types.append(length == 0 || first & 0x80 != 0 ? -1 : codec.type(unit) ?? -1) }
    }
    // Fewer bytes than a length remain.
    return types.isEmpty || place < size && size <= count ? nil : types
  }
}

extension NALUnits.Unit {
  /// Whether it has many consecutive zeros. NAL units have at most two, because a third one is escaped.
  fileprivate var hasHole: Bool {
    var run = 0
    for byte in bytes {
      run = byte == 0 ? run + 1 : 0
      if run == 64 { return true }
    }
    return false
  }
}

extension Track {
  /// The maximum number of pictures that are decoded after a picture and presented before it.
  private static let leadingLimit = 32

  /// Whether pictures are presented before a sync sample that are decoded after it. Cuts at an open GOP hide them.
  fileprivate func presentsLeadingPictures(of sample: Sample) -> Bool {
    samples[(sample.index + 1)...].prefix(Self.leadingLimit).contains {
      $0.compositionTime < sample.compositionTime && $0.presentationTime != nil
    }
  }

  /// The number of samples after a sync sample that are searched for the next one.
  fileprivate static let groupLimit = 10_000

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
