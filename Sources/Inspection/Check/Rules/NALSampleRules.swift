import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The contents of samples. `ExaminedSamples` reads them; two rules read more of the first sync sample.
  static let nalSamples: [Rule] = [
    .track(
      "iso-samples-zero", .practice, .error, "Sync samples of coded video are not overwritten with zeros."
    ) { track, movie, report in
      guard track.handler == "vide", let (sample, configuration) = track.firstSync(), sample.size >= 16,
        configuration.nalUnits != nil || ["av01", "vp08", "vp09", "mp4v"].contains(configuration.codedFormat),
        let box = movie.box(of: track)
      else { return }
      let bytes = try sample.bytes(1 << 16)
      let zeros = movie.examined(track)?.zeros
      let place = (zeros ?? ExaminedSamples.Problem(detail: (), sample: sample)).words(in: movie)
      if zeros != nil || bytes.count == min(sample.size, 1 << 16) && bytes.allSatisfy({ $0 == 0 }) {
        report.add(box, "\(place): zeros instead of media")
      } else if configuration.format == configuration.codedFormat, let (codec, lengthSize) = configuration.nalUnits {
        let units = Array(NALUnits(bytes[...], codec, lengthSize: lengthSize))
        // Some writers do not escape zeros in SEI messages.
        let slices = units.filter { codec.isSlice($0.type) }
        if (slices.isEmpty ? units : slices).contains(where: \.hasHole) {
          report.add(box, "\(place) contains a run of zeros, which NAL units cannot contain")
        }
      }
    },
    .track("nal-samples", .nalVideo, .error, "Sync samples of video consist of NAL units or OBUs with their lengths.") {
      track, movie, report in
      guard let problem = movie.examined(track)?.malformed, let box = movie.box(of: track) else { return }
      report.add(box, "\(problem.detail): \(problem.words(in: movie))")
    }.explained(
      by: "nal-length-size", "nal-length-fit", "iso-chunk-media", "iso-run-media", "iso-sample-shared",
      "iso-samples-zero", "media-units"),
    .track(
      "iso-audio-frames", .practice, .error, "Samples of AAC, AC-3, E-AC-3 and MPEG audio are frames of their codec."
    ) { track, movie, report in
      guard let samples = movie.examined(track), let problem = samples.noFrames, let box = movie.box(of: track) else {
        return
      }
      let (codec, shift) = problem.detail
      let remark = shift.map {
        "; the first of them starts \(counted(abs($0), "byte")) \($0 > 0 ? "later" : "earlier")"
      }
      report.add(
        box,
        "\(problem.count) of \(counted(samples.count, "examined sample")) \(problem.count == 1 ? "is" : "are") not "
          + "\(codec): \(problem.words(in: movie))\(remark ?? "")")
    }.explained(by: "iso-chunk-media", "iso-run-media", "media-frames"),
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
      "Sync samples are not predicted from other pictures; the first one is an IDR picture (AVC) or an IRAP picture "
        + "(HEVC)."
    ) { track, movie, report in
      guard let samples = movie.examined(track), let problem = samples.unusualStart ?? samples.predicted,
        let box = movie.box(of: track)
      else { return }
      report.add(
        box,
        "\(counted(problem.count, "sync sample has", "sync samples have")) NAL units of type \(problem.detail): "
          + problem.words(in: movie))
    }.explained(by: "nal-samples", "nal-length-fit", "iso-samples-zero", "nal-sync-missing"),
    .track(
      "nal-sync-missing", .nalVideo, .error, "Video with predicted pictures has a table of sync samples."
    ) { track, movie, report in
      guard track.samples.count > 1, track.samples.areAllSync, let problem = movie.examined(track)?.predicted,
        let box = movie.box(of: track)
      else { return }
      report.add(
        box,
        "all samples are marked as sync samples, but some are predicted from other pictures, so that players that seek "
          + "to them show garbage: \(problem.words(in: movie))")
    }.explained(by: "nal-samples", "nal-length-fit", "nal-length-size", "iso-samples-zero"),
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
