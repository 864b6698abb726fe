import ISOBMFF
import MP4Bytes

/// One input of a concatenation: its samples, and the edits that present them.
struct ConcatenationPart {
  /// A track, with times relative to its first sample.
  struct Track {
    var timescale: UInt32
    var properties: TrackProperties
    var sampleCount: Int
    /// The duration, and the smallest and largest composition time of the samples.
    var mediaDuration: Int64
    var compositionStart: Int64
    var compositionEnd: Int64
    /// The duration and size of the last sample.
    var lastDuration: Int64
    var lastSize: Int
    /// The duration of each picture of video with a constant rate.
    var pictureDuration: MediaTime?
    /// The number of durations that were reduced to fit into 32 bits.
    var cutDurations: Int
    var edits: [Edit]
    /// Whether its edits are needed to present it.
    var hasEdits: Bool
    /// The sum of its edits.
    fileprivate var presented: MediaTime { edits.reduce(MediaTime(0, timescale)) { $0 + $1.duration } }
  }
  /// An edit, or the implicit one of a track without an edit list.
  struct Edit {
    var duration: MediaTime
    /// Its media time; `nil` for an empty edit.
    var media: Int64?
    /// The entry of the edit list.
    var entry = EditListBox.Entry()
    /// Whether it has normal speed.
    var isPlain: Bool { media != nil && entry.mediaRateInteger == 1 && entry.mediaRateFraction == 0 }
  }
  var input: MovieInput
  /// The samples of each track, and the number of their ranks.
  let samples: [TrackSamples]
  let rankCount: Int
  var tracks: [Track] = []
  /// The duration of its longest track.
  let duration: MediaTime
  let diagnostics: [Diagnostic]

  var name: String { input.sources[0].name }
  var movieTimescale: UInt32 { input.groups[0].movie.timescale }

  /// The samples and edits of an input whose boxes have been read.
  init(_ given: MovieInput) throws(MovieError) {
    let movie = try TimedMovie(given)
    input = movie.input
    (samples, rankCount) = (movie.samples(), movie.timeline.order.count)
    let lists = samples.map(\.list)
    let times = movie.times(lists)
    let plan = EditPlan(movieTimescale: input.groups[0].movie.timescale, times)
    let all = movie.diagnostics + input.diagnostics(of: plan) + movie.leftBoxes
    diagnostics = all.relative(to: PresentationOrigin(times))
    let properties = try input.trackProperties()
    for (index, list) in lists.enumerated() {
      let description = input.tracks[index]
      let last = list.count - 1
      tracks.append(
        Track(
          timescale: description.timescale, properties: properties[index], sampleCount: list.count,
          mediaDuration: list.duration, compositionStart: list.compositionStart, compositionEnd: list.compositionEnd,
          lastDuration: last < 0 ? 0 : list.duration(last), lastSize: last < 0 ? 0 : list.size(last),
          pictureDuration: properties[index].handler == "vide"
            ? list.constantDuration.map { MediaTime($0, description.timescale) } : nil,
          cutDurations: list.cutDurations,
          edits: list.count == 0
            ? [] : Self.edits(plan.edits[index], plan.timescale, list, timescale: description.timescale),
          hasEdits: !plan.edits[index].isEmpty))
    }
    duration = tracks.map(\.presented).max() ?? MediaTime(0, 1)
    input.fragments.releaseSamples()
    input.fragments.releaseFragments()
  }

  /// The configuration of the first or the last sample of a track.
  func configuration(ofTrack index: Int, atEnd: Bool) -> DecoderConfiguration? {
    let runs = samples[index].runs
    guard let run = atEnd ? runs.last : runs.first else { return nil }
    let number = Int(run.descriptionIndex) - 1
    let all = tracks[index].properties.configurations
    return all.indices.contains(number) ? all[number] : nil
  }

  /// The edits of a track. Durations in files are rounded: an edit that ends within one movie time unit of the end of
  /// the media ends with it, and edits do not extend past it.
  private static func edits(
    _ entries: [EditListBox.Entry], _ movieTimescale: UInt32, _ list: SampleList, timescale: UInt32
  ) -> [Edit] {
    let end = list.compositionEnd
    var plain = EditListBox.Entry()
    (plain.mediaRateInteger, plain.mediaRateFraction) = (1, 0)
    if entries.isEmpty { return [Edit(duration: MediaTime(end, timescale), media: 0, entry: plain)] }
    return entries.map { entry in
      let duration = MediaTime(Int64(clamping: entry.segmentDuration), movieTimescale)
      guard entry.mediaTime >= 0, entry.mediaTime < end else { return Edit(duration: duration) }
      let edit = Edit(duration: duration, media: entry.mediaTime, entry: entry)
      guard edit.isPlain else { return edit }
      let left = MediaTime(end - entry.mediaTime, timescale)
      let isToEnd = duration + MediaTime(1, movieTimescale) > left
      return Edit(duration: isToEnd ? left : duration, media: entry.mediaTime, entry: entry)
    }
  }

  /// Converts a track to another timescale; `nil` if that is not exact. Also returns its samples.
  func converted(_ number: Int, to timescale: UInt32) -> (track: Track, samples: TrackSamples)? {
    let old = tracks[number].timescale
    if old == timescale { return (tracks[number], samples[number]) }
    func exact(_ time: Int64) -> Int64? {
      let (value, isExact) = MediaTime(time, old).converted(to: timescale)
      return isExact && value <= TrackTimeline.limit ? value : nil
    }
    var track = tracks[number]
    guard let samples = samples[number].converted(to: timescale),
      let duration = exact(track.mediaDuration), let start = exact(track.compositionStart),
      let end = exact(track.compositionEnd), let last = exact(track.lastDuration)
    else { return nil }
    for index in track.edits.indices {
      guard let media = track.edits[index].media else { continue }
      guard let converted = exact(media) else { return nil }
      track.edits[index].media = converted
    }
    (track.timescale, track.mediaDuration, track.lastDuration) = (timescale, duration, last)
    (track.compositionStart, track.compositionEnd) = (start, end)
    return (track, samples)
  }
}
