import MP4
public import MP4HLS

/// Adds subtitles to an existing HLS presentation: renditions with their playlists and
/// segments. In the multivariant playlist, only the lines of variants change, and lines are added.
/// `TimingReader` of the module `Presentations` reads the necessary information from the presentation.
public struct SubtitlePlanner: Sendable {
  /// The form of the subtitles.
  public enum Form: Sendable, Equatable {
    /// All cues in one WebVTT file.
    case wholeFile
    /// WebVTT files of about this duration, each of which spans whole segments of the presentation.
    case segments(Duration)
    /// Segments of fragmented MP4 of about this duration, each of which spans whole segments of the presentation.
    case fragments(Duration)
  }
  /// The form of the subtitles.
  public var form: Form
  /// The folder beside the multivariant playlist for all files.
  public var folder: String

  /// Creates a planner.
  public init(_ form: Form = .wholeFile, folder: String = "subtitles") {
    self.form = form
    self.folder = folder
  }

  /// Plans the subtitles of the presentation `main`, whose segments have the times `timing`.
  ///
  /// - Throws: `SubtitleError` if they cannot be added, or no MP4 can be created from them.
  public func plan(_ subtitles: [Subtitles], _ main: MultivariantPlaylist, _ timing: PresentationTiming)
    throws(SubtitleError) -> SubtitlePlan
  {
    guard !timing.periods.isEmpty else { throw .noSegments }
    guard timing.isEnded else { throw .live }
    var (subtitles, form, diagnostics) = (subtitles, form, subtitles.flatMap(\.diagnostics))
    for index in subtitles.indices {
      diagnostics += subtitles[index].useTimestampMap(mediaStart: timing.periods[0].mediaStart)
    }
    if form == .wholeFile, timing.type != .vod || timing.periods.count > 1 {
      form = .segments(.seconds(6))
      let reason =
        timing.type != .vod
        ? "its playlists are not of type VOD, so subtitle segments cannot be longer than the media segments"
        : "it has discontinuities, at which times restart"
      diagnostics.append(Diagnostic(.note, "subtitles", "\(reason); subtitles are segmented like the presentation"))
    }
    var (files, media): ([SubtitlePlan.File], [String: MediaPlaylist]) = ([], [:])
    var bandwidths: [Bandwidth] = []
    let folders = self.folders(of: subtitles)
    let end = timing.milliseconds(timing.segments.count)
    for (one, folder) in zip(subtitles, folders) {
      if let late = one.diagnostic(end: end) { diagnostics.append(late) }
      let maker = SubtitleSegments(one, timing, folder: folder)
      let made: SubtitleSegments.Output
      switch form {
      case .wholeFile: made = maker.wholeFile()
      case .segments(let duration): made = try maker.webVTT(lasting: duration)
      case .fragments(let duration):
        do throws(MovieError) { made = try maker.fragments(lasting: duration) } catch { throw .movie(error) }
      }
      files += made.files
      diagnostics += made.diagnostics
      bandwidths.append(made.bandwidth)
      let path = "\(folder)/\(PlaylistMaker.indexName)"
      media[path] = made.playlist
      files.append(SubtitlePlan.File(path: path, content: .bytes(made.playlist.bytes)))
    }
    var changed = main
    _ = try SubtitleGroup(
      adding: subtitles, uris: folders.map { "\($0)/\(PlaylistMaker.indexName)" }, to: &changed)
    if case .fragments = form { changed.addCodec("wvtt") }
    changed.add(bandwidths)
    return SubtitlePlan(main: changed, media: media, files: files, diagnostics: diagnostics)
  }

  /// A folder for each language, with a number if there are several.
  private func folders(of subtitles: [Subtitles]) -> [String] {
    var taken: Set<String> = []
    return subtitles.map { one in
      let base = "\(folder)/\(one.language)" + (one.describesSounds ? "-sdh" : "") + (one.isForced ? "-forced" : "")
      var (name, number) = (base, 2)
      // Some file systems are not case-sensitive.
      while !taken.insert(name.lowercased()).inserted {
        name = "\(base)-\(number)"
        number += 1
      }
      return name
    }
  }
}

extension MultivariantPlaylist {
  /// Adds the bandwidth of the most demanding new rendition to all variants, because a player plays only one of them.
  mutating func add(_ bandwidths: [Bandwidth]) {
    let (peak, average) = (bandwidths.map(\.peak).max() ?? 0, bandwidths.map(\.average).max() ?? 0)
    func sum(_ a: Int, _ b: Int) -> Int { a > .max - b ? .max : a + b }
    variants = variants.map { variant in
      var variant = variant
      variant.bandwidth = sum(variant.bandwidth, peak)
      variant.averageBandwidth = variant.averageBandwidth.map { sum($0, average) }
      return variant
    }
  }

  /// Adds a codec to all variants that declare codecs.
  fileprivate mutating func addCodec(_ codec: String) {
    variants = variants.map { variant in
      var variant = variant
      let codecs = variant.codecs.map { $0.split(separator: ",").map { String($0.drop { $0 == " " }) } }
      if let codecs, !codecs.contains(codec) { variant.codecs = (variant.codecs ?? "") + "," + codec }
      return variant
    }
  }
}
