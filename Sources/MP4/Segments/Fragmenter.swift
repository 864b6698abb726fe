import ISOBMFF
public import MP4Bytes

/// Plans a fragmented movie, or its segments, from a progressive or fragmented one. Samples are not transcoded: they
/// keep their bytes, durations, sync flags, descriptions and presentation times.
public struct Fragmenter: Sendable {
  /// The options of a fragmenter.
  public struct Options: Sendable {
    /// How the inputs are read.
    public var reading = ReadingOptions()
    /// The rules for times and brands.
    public var profile = FragmentProfile.cmaf
    /// Where segments are cut; `nil` for every six seconds.
    public var cutting: SegmentationRule?
    /// The minimum duration of fragments in a segment; `nil` for one fragment per segment.
    public var fragmentDuration: MediaTime?
    /// Whether to write an index (`sidx`): of all segments in a file, or of the fragments of a segment in a separate
    /// file.
    public var hasIndex = false
    /// How existing movie fragments of the sources are used. `nil` keeps them, and the indexes of their file, unless
    /// `cutting` or `fragmentDuration` asks for others.
    public var sourceFragments: FragmentReuse?
    /// Whether a file ends with a table of random access points (`mfra`).
    public var hasRandomAccess = false
    /// The names of segments as files.
    public var names = SegmentNames()
    /// For movies without edit lists, the media time at which the presentation starts.
    package var commonStart: MediaTime?

    /// CMAF, with segments of six seconds.
    public init() {}

    var rule: SegmentationRule { cutting ?? .interval(MediaTime(6, 1)) }
    var reuse: FragmentReuse {
      sourceFragments ?? (cutting == nil && fragmentDuration == nil ? .kept : .remuxed)
    }
  }
  /// Its options.
  public var options: Options

  /// Creates a fragmenter.
  public init(_ options: Options = Options()) { self.options = options }

  /// The fragmenter for an output with this name: `.mp4` makes an ISO file of a QuickTime movie.
  public func writing(to name: String) -> Fragmenter {
    var result = self
    result.options.reading = options.reading.writing(to: name)
    return result
  }

  /// Reads the inputs, a file or an init segment and its media segments, and plans the fragments of all tracks.
  ///
  /// - Throws: `MovieError`, as `plan(_:)` for a movie.
  public func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> FragmentPlan {
    try plan(try Movie(reading: inputs, options.reading, onProgress: onProgress))
  }

  /// Plans the fragments of all tracks of `movie`, which are interleaved in one file, or in the same segments.
  ///
  /// - Throws: `MovieError.impossible` if there are no samples, a cut is not at a sync sample, or edits cannot be kept.
  public func plan(_ movie: Movie) throws(MovieError) -> FragmentPlan {
    let file = movie.name
    try movie.requireSamples()
    let placements = movie.tracks.map { track in
      if let shift = track.presentationShift, let start = options.commonStart {
        return TrackTimeMapping(
          track.list, timescale: track.timescale, shift: shift, timeOffset: start, isSigned: options.profile == .cmf2)
      }
      return TrackTimeMapping(
        track.list, timescale: track.timescale, edits: track.writtenEdits, movieTimescale: movie.timescale,
        options.profile,
        source: TrackTimeMapping.Source(
          start: track.samples.storage.start, edits: track.edits, movieTimescale: track.movieTimescale,
          presentationStart: movie.start), isSound: track.handler == "soun")
    }
    var diagnostics: [Diagnostic] = []
    for (index, placement) in placements.enumerated() {
      diagnostics += try check(placement, movie.tracks.reference(index), movie.tracks[index].inputName)
    }
    let tracks = zip(movie.tracks, placements).map { track, placement in
      Segmentation.Track(
        list: track.list, timescale: track.timescale, isVideo: track.handler == "vide",
        presentationShift: placement.presentationShift)
    }
    let ids = TrackNumbering(movie.input.groups).ids
    let writers = movie.tracks.indices.map { index in
      TrackFragmentWriter(
        trackID: ids[index], list: movie.tracks[index].list, details: movie.tracks[index].details,
        placement: placements[index], encryption: movie.tracks[index].description.encryption)
    }
    var plan: FragmentPlan
    if let source = try sourceSegments(movie, tracks) {
      plan = try FragmentPlan(movie, MovieFragmentWriter(tracks: writers, cuts: source.cuts), source, options)
    } else {
      let kept =
        options.reuse == .kept ? Segmentation(keeping: movie.fragments, tracks, options.rule) : nil
      let cuts: Segmentation
      if let kept { cuts = kept } else { cuts = try self.cuts(tracks, file) }
      let writer = MovieFragmentWriter(tracks: writers, cuts: cuts, keyHeaders: movie.keyHeaders)
      let initialization = try InitializationSegment(movie, placements, options.profile, writer)
      plan = try FragmentPlan(movie, writer, initialization, options)
      plan.diagnostics += diagnostics + initialization.diagnostics
      if diagnostics.allSatisfy({ $0.kind != .severalEdits }) { plan.diagnostics += editedTimes(movie, placements) }
      if options.reuse == .kept, kept == nil, movie.fragmentCount > 0 {
        let text =
          "its movie fragments cannot be kept, because some samples are in moov, or fragments overlap or are not in "
          + "the order of their samples; new ones are created"
        plan.diagnostics.append(Diagnostic(.note, file, text))
      }
    }
    if plan.sourceFragments != .kept { plan.diagnostics += longSegments(plan, file) }
    plan.diagnostics += negativeOffsets(writers, movie)
    return plan
  }

  private func cuts(_ tracks: [Segmentation.Track], _ file: String) throws(MovieError) -> Segmentation {
    do throws(Obstacle) {
      return try Segmentation(tracks, options.rule, fragmentDuration: options.fragmentDuration)
    } catch { throw .impossible(file: file, error) }
  }

  /// The segments of the sources that are used unchanged; `nil` if new segments are cut.
  private func sourceSegments(_ movie: Movie, _ tracks: [Segmentation.Track]) throws(MovieError) -> SourceSegments? {
    switch options.reuse {
    case .remuxed, .kept: return nil
    case .referenced: return try SourceSegments(movie, tracks, options.rule, areReferenced: true)
    case .copied:
      guard options.profile.isCMAF || movie.hasOneTimeline, movie.canBeCopied else { return nil }
      do throws(MovieError) {
        let source = try SourceSegments(movie, tracks, options.rule, areReferenced: false)
        return source.cuts.areAlike(try cuts(tracks, movie.name)) ? source : nil
      } catch {
        if case .impossible = error { return nil }
        throw error
      }
    }
  }

  /// Rejects or reports edits of a track that cannot be kept.
  private func check(_ placement: TrackTimeMapping, _ track: Diagnostic.Track, _ file: String) throws(MovieError)
    -> [Diagnostic]
  {
    var diagnostics: [Diagnostic] = []
    for problem in placement.problems {
      switch problem {
      case .severalEdits where options.profile.isCMAF || options.profile == .source:
        diagnostics.append(Diagnostic(.severalEdits, file, track))
      case .severalEdits:
        throw .impossible(file: file, .severalEdits(track: track.id))
      // Referenced fragments keep their times.
      case .startsBeforeZero where options.reuse == .referenced: break
      case .startsBeforeZero(let amount):
        let text = "track \(track.id) would start \(track.time(amount)) before 0; use a larger time offset"
        throw .impossible(file: file, Obstacle("starts_before_zero", text))
      case .roundedStart: diagnostics.append(Diagnostic(.roundedStart, file, track))
      case .presentsStart(let amount): diagnostics.append(Diagnostic(.presented(amount, isStart: true), file, track))
      case .presentsEnd(let amount): diagnostics.append(Diagnostic(.presented(amount, isStart: false), file, track))
      }
    }
    return diagnostics
  }

  /// Edit lists without which players present sound and pictures apart.
  private func editedTimes(_ movie: Movie, _ placements: [TrackTimeMapping]) -> [Diagnostic] {
    let offsets = zip(movie.tracks, placements).compactMap { track, placement in
      ["vide", "soun"].contains(track.handler) && track.list.count > 0 ? placement.mediaOffset : nil
    }
    return offsets.spread.map { [.onlyEdited($0, movie.name)] } ?? []
  }

  /// Tracks whose pictures some players present too late.
  private func negativeOffsets(_ writers: [TrackFragmentWriter], _ movie: Movie) -> [Diagnostic] {
    guard options.profile == .cmf2 else { return [] }
    return writers.enumerated().compactMap { index, writer in
      let lowest = writer.list.compositionOffsets.lowerBound &- writer.placement.offsetShift
      guard lowest < 0 else { return nil }
      return Diagnostic(.negativeOffsets(0 &- lowest), movie.tracks[index].inputName, movie.tracks.reference(index))
    }
  }

  /// Segments that are longer than requested, because there is no sync sample at which they could end.
  private func longSegments(_ plan: FragmentPlan, _ file: String) -> [Diagnostic] {
    guard let pace = options.rule.pace, !plan.tracks.isEmpty else { return [] }
    let track = plan.tracks.reference(plan.reference)
    let limit = pace.duration.converted(to: track.timescale).value
    let tolerance = pace.rule == .maximum ? 0 : limit / 2
    let long = plan.segments.enumerated().filter { index, segment in
      // The last segment can include the rest of the track.
      segment.duration.value > (index + 1 < plan.segments.count ? limit &+ tolerance : limit &+ tolerance &* 2)
    }.map(\.element)
    guard let longest = long.map(\.duration).max() else { return [] }
    return [Diagnostic(.longSegments(count: long.count, longest: longest), file, track)]
  }
}

extension Obstacle {
  static func severalEdits(track: UInt32) -> Obstacle {
    let text =
      "its edit list has several parts or a speed other than 1, which this profile cannot express; use the CMAF "
      + "profile, or write no edits"
    return Obstacle("several_edits", text).inTrack(track)
  }
}
