import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The durations in headers, and the effect of edits and composition offsets on sample times.
  static let durations: [Rule] = [
    .container(
      "iso-edit-longer", .isobmff, .warning, ["trak"], "Edits do not extend past the end of the media."
    ) { box, report in
      guard let times = TrackTimes(box), let list = box.first("edts", "elst") else { return }
      for (number, edit) in times.edits.enumerated() where edit.mediaTime >= 0 {
        let end = Double(edit.mediaTime) / times.timescale + times.seconds(ofMovie: edit.segmentDuration)
        guard end > times.end + times.tolerance, Double(edit.mediaTime) / times.timescale < times.end else { continue }
        report.add(
          list, "entry \(number + 1) presents media until \(seconds(end)), but it ends at \(seconds(times.end))")
      }
    }.explained(by: "iso-stts-count", "iso-stts-zero", "iso-stts-negative"),
    .container(
      "iso-tkhd-duration", .isobmff, .warning, ["trak"],
      "The duration in tkhd matches the edits or, without edits, the media."
    ) { box, report in
      guard let times = TrackTimes(box), let header = box.first("tkhd"),
        let fields = header.payload as? TrackHeaderBox, !fields.isUnknown(fields.duration),
        let presented = times.presented
      else { return }
      let own = times.seconds(ofMovie: fields.duration)
      guard own < presented.lowerBound - times.tolerance || own > presented.upperBound + times.tolerance else { return }
      report.add(
        header,
        "duration is \(seconds(own)), but \(times.edits.isEmpty ? "the samples last" : "the edits are")"
          + " \(seconds(presented.upperBound))")
    }.explained(by: "iso-edit-longer", "iso-stts-count", "iso-stts-negative"),
    .container(
      "iso-mvhd-duration", .isobmff, .warning, ["moov"], "The duration in mvhd matches the longest track."
    ) { box, report in
      guard let fields = box.fields("mvhd", as: MovieHeaderBox.self), !fields.isUnknown(fields.duration) else { return }
      let times = box.all("trak").map { TrackTimes($0) }
      let presented = times.compactMap { $0?.presented }
      // The duration of damaged and fragmented tracks is unknown.
      guard presented.count == times.count, let longest = presented.map(\.upperBound).max(),
        let shortest = presented.map(\.lowerBound).max(), let tolerance = times.compactMap({ $0?.tolerance }).max(),
        fields.timescale > 0
      else { return }
      let own = Double(fields.duration) / Double(fields.timescale)
      guard own < shortest - tolerance || own > longest + tolerance else { return }
      report.add(box, "the duration in mvhd is \(seconds(own)), but the longest track lasts \(seconds(longest))")
    }.explained(by: "iso-tkhd-duration", "iso-edit-longer", "iso-stts-count", "iso-stts-negative"),
    .movie("iso-mehd-duration", .isobmff, .warning, "The duration in mehd matches the samples of all fragments.") {
      movie, report in
      guard movie.files.count == 1, let file = movie.file, !file.fragments.isEmpty,
        let box = movie.box?.first("mvex", "mehd"), let fields = box.payload as? MovieExtendsHeaderBox,
        fields.fragmentDuration > 0, let header = movie.box?.fields("mvhd", as: MovieHeaderBox.self),
        header.timescale > 0, file.places.allSatisfy({ !$0.isDamaged })
      else { return }
      var (shortest, longest, tolerance) = (0.0, 0.0, 0.0)
      for (id, timescale) in movie.timescales where timescale > 0 {
        let own = file.trackFragments.filter { $0.id == id }
        let sum = own.reduce(UInt64(0)) { $0 &+ $1.duration }
        let start = movie.presentationStart(id)
        let presented = own.reduce(UInt64(0)) { $0 &+ $1.duration(from: start) }
        let end = own.map { ($0.decodeTime ?? 0) &+ $0.duration }.max() ?? 0
        let count = own.reduce(0) { $0 &+ $1.sampleCount }
        shortest = max(shortest, Double(presented) / Double(timescale))
        longest = max(longest, Double(max(sum, end)) / Double(timescale))
        // Edits skip the time before the first picture, or delay it.
        tolerance = max(tolerance, 4 * Double(sum) / Double(timescale) / Double(max(1, count)))
      }
      let edits = movie.tracks.compactMap { $0.fields("edts", "elst", as: EditListBox.self) }
      tolerance += edits.flatMap { Array($0.entries) }.reduce(0) { sum, edit in
        sum + (edit.mediaTime < 0 ? Double(edit.segmentDuration) / Double(header.timescale) : 0)
      }
      let own = Double(fields.fragmentDuration) / Double(header.timescale)
      guard own < shortest - tolerance || own > longest + tolerance else { return }
      // A longer duration may be that of a movie of which this is a part.
      report.add(
        "fragment_duration is \(seconds(own)), but the samples last \(seconds(shortest))", path: box.path,
        offset: box.node.header.offset, severity: own > longest ? .note : nil)
      // Before moov, the default durations of fragments are unknown.
    }.explained(by: "iso-moov-late"),
    .track(
      "iso-composition-offset", .isobmff, .warning,
      "Composition offsets are not larger than picture reordering requires."
    ) { track, movie, report in
      guard track.handler == "vide", track.samples.count > 1, let box = movie.box(of: track) else { return }
      let offsets = track.compositionOffsets
      let average = track.mediaDuration.seconds / Double(track.samples.count)
      // No codec reorders more than 16 pictures, each of which can consist of two fields.
      let span = (offsets.upperBound - offsets.lowerBound).seconds
      guard average > 0, span > 32 * average else { return }
      let longest = track.samples.lazy.map(\.duration.seconds).max() ?? 0
      guard span > 32 * average + 2 * longest else { return }
      report.add(
        box,
        "composition offsets differ by \(seconds(span)), which is more than 32 pictures of \(seconds(average)); "
          + "some pictures are shown at wrong times")
    }.explained(by: "iso-ctts-count", "iso-ctts-version", "iso-tables", "iso-stts-count"),
  ]

  /// Such as `1.280 s`.
  static func seconds(_ value: Double) -> String {
    let thousandths = (value * 1000).rounded()
    // Damaged files have times that are longer than any clock.
    return MediaTime(Int64(exactly: thousandths) ?? (thousandths > 0 ? .max : .min), 1000).description
  }
}

/// The media duration of a track according to its tables, and its presented duration, in seconds.
private struct TrackTimes {
  /// The media and movie timescales, in units per second.
  let timescale: Double
  let movieTimescale: Double
  /// The minimum end of its media, without composition offsets.
  let media: Double
  /// The maximum end of its media.
  let end: Double
  let edits: [EditListBox.Entry]
  /// The usual duration of a sample, plus the rounding error of durations.
  let tolerance: Double

  /// `nil` for a track in fragments, without samples, or without a timescale.
  init?(_ track: CheckedBox) {
    guard let movie = track.enclosing("moov"), movie.first("mvex") == nil,
      let header = movie.fields("mvhd", as: MovieHeaderBox.self), header.timescale > 0,
      let media = track.fields("mdia", "mdhd", as: MediaHeaderBox.self), media.timescale > 0,
      let tables = track.first("mdia", "minf", "stbl"), let times = tables.fields("stts", as: TimeToSampleBox.self),
      !times.entries.isEmpty
    else { return nil }
    (timescale, movieTimescale) = (Double(media.timescale), Double(header.timescale))
    self.media = times.entries.reduce(0) { $0 + Double($1.sampleCount) * Double($1.sampleDelta) } / timescale
    let offsets = tables.fields("ctts", as: CompositionOffsetBox.self)
    let later = max(0, offsets?.entries.lazy.map(\.sampleOffset).max() ?? 0)
    end = self.media + Double(later) / timescale
    edits = (track.fields("edts", "elst", as: EditListBox.self)?.entries).map { Array($0) } ?? []
    let usual = times.entries.max { $0.sampleCount < $1.sampleCount }?.sampleDelta ?? 0
    let last = Array(times.entries).last?.sampleDelta ?? 0
    tolerance = Double(max(usual, last)) / timescale + Double(edits.count + 1) / movieTimescale
  }

  /// Its minimum and maximum presented duration; `nil` if that depends on how readers treat an edit without a duration.
  var presented: ClosedRange<Double>? {
    if edits.isEmpty { return media...end }
    if edits.contains(where: { $0.segmentDuration == 0 && $0.mediaTime >= 0 }) { return nil }
    var (least, most) = (0.0, 0.0)
    for edit in edits {
      let duration = seconds(ofMovie: edit.segmentDuration)
      most += duration
      // An edit can be longer than the media.
      least += edit.mediaTime < 0 ? duration : max(0, min(duration, media - Double(edit.mediaTime) / timescale))
    }
    return least...most
  }
  func seconds(ofMovie duration: UInt64) -> Double { Double(duration) / movieTimescale }
}

extension FullBoxPayload {
  /// Whether the duration in the header of a movie, track or media means that it is unknown.
  func isUnknown(_ duration: UInt64) -> Bool { duration == 0 || duration == (version == 0 ? UInt64(UInt32.max) : .max) }
}
