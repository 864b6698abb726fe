import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4HLS
import TimedText

/// Packages movies as an HLS presentation: renditions with segments, media playlists, I-frame playlists,
/// and a multivariant playlist. Samples are not transcoded.
///
/// ```swift
/// let plan = try Packager().plan([movie])
/// for file in plan.files { try plan.write(file, to: sink(file.path)) }
/// ```
public struct Packager: Sendable {
  /// The options of the packager.
  public var options: Options

  /// Creates a packager.
  public init(_ options: Options = Options()) { self.options = options }

  /// Reads the inputs, a file or an init segment and its media segments, or several files whose tracks belong together,
  /// and plans the presentation.
  ///
  /// - Throws: `MovieError`, as `plan(_:)` for movies.
  public func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> PackagePlan {
    try plan([Movie(reading: inputs, options.reading, onProgress: onProgress)])
  }

  /// The same for sources whose relation is known, such as the segments of a playlist: `parts` has one element for
  /// each. The times of `subtitles`, which are added as WebVTT, count from the first picture. `renditions` has what a
  /// multivariant playlist says about the series of segments.
  public func plan(
    _ inputs: [any ByteSource], parts: [SourcePart], renditions: [Int: Rendition] = [:], subtitles: [Subtitles] = [],
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> PackagePlan {
    let movie = try Movie(reading: inputs, parts: parts, options.reading, onProgress: onProgress)
    var attributes: [RenditionAttributes] = []
    var known: Set<Int> = []
    for series in parts.map(\.series) where known.insert(series).inserted {
      attributes.append(renditions[series].map(RenditionAttributes.init) ?? RenditionAttributes())
    }
    return try plan([movie], [attributes], besides: moved(subtitles, [movie]))
  }

  /// Plans the presentation of `movies`, which start at the same time.
  ///
  /// The segments of the first video determine where other renditions are cut: videos at the same times, if they have
  /// sync samples there, audio and text at the nearest sample.
  ///
  /// - Throws: `MovieError` if a movie has no samples, cannot be cut, or has no playable track.
  public func plan(_ movies: [Movie]) throws(MovieError) -> PackagePlan { try plan(movies, [], besides: []) }

  /// Plans the presentation of movies, the attributes of the renditions of each part of them, and subtitles whose times
  /// are those of the movies.
  func plan(
    _ movies: [Movie], _ attributes: [[RenditionAttributes]], besides given: [Subtitles]
  ) throws(MovieError) -> PackagePlan {
    for movie in movies { try movie.requireSamples() }
    if let conflict = options.protectionConflict {
      throw .impossible(file: movies.first?.name ?? "", Obstacle("contradictory_options", conflict))
    }
    var diagnostics = movies.flatMap(\.diagnostics)
    let parts = try RenditionParts(movies, attributes, options)
    diagnostics += parts.diagnostics
    var inputs: [PreparedPart] = []
    for part in parts.all {
      var part = part
      if isForApple, part.kind == .video, options.storage != .referenced {
        let (movie, found) = try part.movie.movingParameterSets()
        diagnostics += AuthoringNotes.diagnostics(of: found, movie)
        part.movie = movie
      }
      inputs.append(PreparedPart(part: part, written: try part.movie.convertingQuickTime()))
    }
    let markers = TimedMarkers(movies, options)
    diagnostics += markers.diagnostics
    let timeline = try CommonTimeline(inputs.map(\.written), options, &diagnostics)
    var cuts: SharedCuts?
    var renditions: [PackagedRendition] = []
    if let offset = timeline.copiedOffset {
      var own: [Diagnostic] = []
      do throws(MovieError) {
        let copied = try self.renditions(of: inputs, timeline.movies, markers, at: offset, areCopied: true, &cuts, &own)
        if copied.allSatisfy({ $0.fragments.sourceFragments == .copied }) {
          renditions = copied
          diagnostics += own
        }
      } catch { guard case .impossible = error else { throw error } }
    }
    if renditions.isEmpty {
      cuts = nil
      renditions = try self.renditions(
        of: inputs, timeline.movies, markers, at: timeline.offset, areCopied: false, &cuts, &diagnostics)
      diagnostics += timeline.diagnostics
    }
    if let protection = options.protection {
      let hasKeys = inputs.contains { !protection.keys(for: $0.written).isEmpty }
      try check(protection, renditions, hasKeys: hasKeys, movies.first?.name ?? "", &diagnostics)
    }
    guard renditions.contains(where: { $0.kind != .text }) else {
      let file = movies.first?.name ?? given.first?.source ?? ""
      throw .impossible(file: file, Obstacle("no_video_or_audio", "it has no video or audio"))
    }
    name(&renditions)
    diagnostics += renditions.flatMap { own(diagnostics: $0.fragments, besides: movies) }
    if renditions.allSatisfy({ $0.fragments.sourceFragments != .remuxed }) {
      diagnostics.removeAll(where: \.isOfWriting)
    }
    var subtitles = try given + self.subtitles(of: movies, &diagnostics)
    let inPictures = Set(renditions.flatMap { $0.captions ?? [] })
    subtitles += try captionSubtitles(of: movies, besides: inPictures, &diagnostics)
    let offset = renditions.allSatisfy { $0.fragments.sourceFragments == .copied } ? timeline.copiedOffset : nil
    diagnostics += renditions.first.map { markers.distances($0.fragments, $0.folder) } ?? []
    return try PackagePlan(
      renditions, subtitles, markers, at: offset ?? timeline.offset, options, diagnostics, movies.flatMap(\.inputs))
  }

  /// The tracks of a rendition, and the same in the form in which they are written.
  struct PreparedPart {
    var part: RenditionParts.Part
    var written: Movie
  }

  /// The renditions of inputs whose samples `movies` have on a common timeline, which starts at `offset`: video, then
  /// audio and text.
  private func renditions(
    of inputs: [PreparedPart], _ movies: [Movie], _ markers: TimedMarkers, at offset: MediaTime, areCopied: Bool,
    _ cuts: inout SharedCuts?,
    _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> [PackagedRendition] {
    var fragmenter = Fragmenter()
    fragmenter.options.cutting = .paced(
      SegmentPace(options.segmentDuration, options.segmentRule, breaks: markers.breaks))
    fragmenter.options.profile = fragmentProfile
    fragmenter.options.commonStart = offset
    fragmenter.options.sourceFragments =
      options.storage == .referenced ? .referenced : areCopied ? .copied : .remuxed
    var renditions: [PackagedRendition] = []
    let order =
      inputs.indices.filter { inputs[$0].part.kind == .video }
      + inputs.indices.filter { inputs[$0].part.kind != .video }
    for index in order {
      let (part, written, movie) = (inputs[index].part, inputs[index].written, movies[index])
      let timed = part.kind == .text ? try filled(written, movie, like: cuts, &diagnostics) : movie
      let shared = cuts
      let own = try protecting(timed, part.kind, rendition: index, &diagnostics) {
        (movie, diagnostics) throws(MovieError) in
        try cut(movie, part.kind, like: shared, fragmenter, &diagnostics)
      }
      let fragments = own.fragments
      diagnostics += self.diagnostics(ofCopied: fragments, written)
      cuts = cuts ?? SharedCuts(of: fragments, interval: options.segmentDuration)
      var rendition = try PackagedRendition(part, written, fragments)
      if let scheme = own.scheme { rendition.scheme = scheme }
      (rendition.segmentKeys, rendition.firstNumber) = (own.segmentKeys, options.startNumber)
      if part.kind == .video {
        if options.hasIFramePlaylists, options.protection?.method != .aes128 {
          rendition.keyFrames = try keyFrames(of: own.movie, at: offset, &diagnostics)
        }
        diagnostics += rendition.decideVideoRange(options.videoRange, part.movie)
        rendition.captions = try captionChannels(part.movie)
      }
      diagnostics += rendition.unplayed(part.movie)
      diagnostics += try AuthoringNotes(rendition, part.movie, isForApple: isForApple).diagnostics
      renditions.append(rendition)
    }
    return renditions
  }

  /// The channels of closed captions in the pictures of a movie; `nil` if nothing is known about them.
  private func captionChannels(_ movie: Movie) throws(MovieError) -> [CaptionChannel]? {
    guard let video = movie.tracks.first(where: { $0.handler == "vide" && !$0.samples.isEmpty }) else { return nil }
    return try video.captionChannels(options.captions)
  }

  /// The rules for fragments. Composition offsets are signed only for CMAF, because some players present such video too
  /// late.
  private var fragmentProfile: FragmentProfile {
    if options.storage == .referenced { return .cmaf }
    return options.profile == .cmaf ? .cmf2 : .apple(timeOffset: options.timeOffset)
  }

  /// Whether the profile is Apple's.
  private var isForApple: Bool { options.profile == .apple }

  /// Cuts a movie at the same times as the first one, if possible.
  private func cut(
    _ movie: Movie, _ kind: PackagedRendition.Kind, like cuts: SharedCuts?, _ fragmenter: Fragmenter,
    _ diagnostics: inout [Diagnostic]
  )
    throws(MovieError) -> FragmentPlan
  {
    guard let cuts else { return try fragmenter.plan(movie) }
    let plan = try cuts.plan(movie, isVideo: kind == .video, fragmenter)
    if kind != .video || cuts.hasSameCuts(as: plan) { return plan }
    let text =
      "its keyframes are not aligned with those of the first video, so its segments start at other times; "
      + "players cannot switch smoothly"
    diagnostics.append(Diagnostic(.warning, movie.name, text))
    return try fragmenter.plan(movie)
  }

  private func diagnostics(ofCopied plan: FragmentPlan, _ movie: Movie) -> [Diagnostic] {
    guard plan.sourceFragments == .copied else { return [] }
    return [Diagnostic(.note, movie.name, "its movie fragments start at segment boundaries; copied")]
  }

  /// A fragment for each keyframe, so that players need only one byte range to show it.
  private func keyFrames(
    of movie: Movie, at offset: MediaTime, _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> FragmentPlan? {
    guard let video = movie.tracks.firstIndex(where: { $0.handler == "vide" }) else { return nil }
    guard !movie.tracks[video].samples.areAllSync || movie.tracks[video].samples.count > 1 else { return nil }
    let keyFrames = movie.keyFrames(ofTrack: video)
    guard !keyFrames.tracks[0].samples.isEmpty else { return nil }
    var fragmenter = Fragmenter()
    fragmenter.options.profile = fragmentProfile
    // Those of a referenced movie have its times.
    fragmenter.options.commonStart = options.storage == .referenced ? movie.mediaOffsets.first ?? offset : offset
    fragmenter.options.cutting = .interval(MediaTime(1, movie.tracks[video].timescale))
    guard options.storage == .referenced else { return try fragmenter.plan(keyFrames) }
    var referencing = fragmenter
    referencing.options.sourceFragments = .referenced
    do throws(MovieError) { return try referencing.plan(keyFrames) } catch {
      guard case .impossible = error else { throw error }
    }
    if options.copiesKeyFrames { return try fragmenter.plan(keyFrames) }
    let text =
      "its keyframes are not in separate movie fragments, and some players cannot read less than a whole fragment; "
      + "no I-frame playlist"
    diagnostics.append(Diagnostic(.note, movie.name, text))
    return nil
  }

  /// The diagnostics of a plan, without those of its movie.
  private func own(diagnostics plan: FragmentPlan, besides movies: [Movie]) -> [Diagnostic] {
    let known = movies.flatMap(\.diagnostics)
    return plan.diagnostics.filter { diagnostic in
      // HLS players support negative composition offsets.
      if case .negativeOffsets = diagnostic.kind { return false }
      return !known.contains(diagnostic)
    }
  }

  /// Gives every rendition its own folder.
  private func name(_ renditions: inout [PackagedRendition]) {
    var folders = FolderNames()
    for index in renditions.indices {
      let rendition = renditions[index]
      switch rendition.kind {
      case .video: renditions[index].folder = folders.next(rendition.resolution.map { "video-\($0.height)" } ?? "video")
      case .audio: renditions[index].folder = folders.next("audio" + Self.suffix(rendition.language))
      case .text: renditions[index].folder = folders.next("text" + Self.suffix(rendition.language))
      }
    }
  }
  /// Distinct names of folders.
  struct FolderNames {
    private var taken: Set<String> = []

    /// The name that starts with `base`.
    mutating func next(_ base: String) -> String {
      var (folder, number) = (base, 2)
      // Some file systems are not case-sensitive.
      while !taken.insert(folder.lowercased()).inserted {
        folder = "\(base)-\(number)"
        number += 1
      }
      return folder
    }
  }
  /// A language as a part of a folder name, with the maximum length of BCP 47.
  static func suffix(_ language: String?) -> String {
    guard let language else { return "" }
    let letters = language.utf8.filter { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == 0x2d
    }
    return letters.isEmpty ? "" : "-" + String(decoding: letters.prefix(35), as: UTF8.self)
  }
}
