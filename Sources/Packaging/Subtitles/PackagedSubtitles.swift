import MP4
import MP4HLS
import TimedText

/// Subtitles that are written as WebVTT files, because HLS does not support the text format of the movies.
struct PackagedSubtitles {
  /// One of the tracks.
  struct Track {
    var folder: String
    var language: String?
    var made: SubtitleSegments.Output
    /// A file of all cues, with times relative to the start of the first rendition.
    var whole: [UInt8]
  }
  private(set) var tracks: [Track] = []

  /// Divides `subtitles`, whose times are those of the movies, into segments like those of the first of `renditions`,
  /// which `playlist` lists and whose media starts at `timeOffset`, and adds the renditions to `main`.
  init(
    _ subtitles: [Subtitles], _ renditions: [PackagedRendition], _ playlist: MediaPlaylist, at timeOffset: MediaTime,
    _ options: Packager.Options, adding main: inout MultivariantPlaylist
  ) throws(MovieError) {
    guard !subtitles.isEmpty, let first = renditions.first?.fragments.segments.first else { return }
    var timing: PresentationTiming
    do throws(PlaylistError) { timing = try PresentationTiming(playlist) } catch {
      throw .impossible(file: subtitles[0].source, Obstacle("invalid_playlist", "\(error)"))
    }
    // The presentation starts with its first picture, which can be later than 0.
    let offset = first.start.converted(to: 90_000).value &+ timeOffset.converted(to: 90_000).value
    for index in timing.periods.indices { timing.periods[index].mediaStart = MediaTime(offset, 90_000) }
    var subtitles = subtitles
    var folders = Set(renditions.map { $0.folder.lowercased() })
    var names = Set(main.renditions.filter { $0.kind == .subtitles }.map(\.name))
    for index in subtitles.indices {
      var whole = subtitles[index].document
      whole.move(by: 0 &- Self.start(of: renditions).converted(to: 1000).value)
      subtitles[index].document.move(by: 0 &- first.start.converted(to: 1000).value)
      let base = subtitles[index].shownName
      subtitles[index].name = Self.free(base, " ") { names.insert($0).inserted }
      let language = subtitles[index].language == "und" ? nil : subtitles[index].language
      // Some file systems are not case-sensitive.
      let folder = Self.free("text" + Packager.suffix(language), "-") { folders.insert($0.lowercased()).inserted }
      let made = try Self.made(subtitles[index], timing, folder, options)
      tracks.append(Track(folder: folder, language: language, made: made, whole: whole.bytes))
    }
    do throws(SubtitleError) {
      let uris = tracks.map { "\(options.baseURL)\($0.folder)/\(PlaylistMaker.indexName)" }
      _ = try SubtitleGroup(adding: subtitles, uris: uris, to: &main)
    } catch { throw .impossible(file: subtitles[0].source, Obstacle("invalid_subtitles", "\(error)")) }
    main.add(tracks.map(\.made.bandwidth))
    main.version = main.lowestVersion
  }

  /// The time at which the first of `renditions` starts.
  static func start(of renditions: [PackagedRendition]) -> MediaTime {
    renditions.compactMap(\.fragments.segments.first?.start).min() ?? MediaTime(0, 1)
  }

  /// A name that is not taken, with a number if necessary.
  private static func free(_ base: String, _ separator: String, _ take: (String) -> Bool) -> String {
    var (name, number) = (base, 2)
    while !take(name) {
      name = "\(base)\(separator)\(number)"
      number += 1
    }
    return name
  }

  private static func made(
    _ subtitles: Subtitles, _ timing: PresentationTiming, _ folder: String, _ options: Packager.Options
  ) throws(MovieError) -> SubtitleSegments.Output {
    let maker = SubtitleSegments(subtitles, timing, folder: folder, firstNumber: options.startNumber)
    // At breaks, segments of all renditions start.
    let hasBreaks = !options.markers.adBreaks.isEmpty || !options.markers.interstitials.isEmpty
    let duration =
      hasBreaks
      ? .zero : Duration.units(options.segmentDuration.value, timescale: options.segmentDuration.timescale)
    var made: SubtitleSegments.Output
    do throws(SubtitleError) {
      let isWhole = options.storage == .singleFile && options.playlistType == .vod
      made = isWhole ? maker.wholeFile() : try maker.webVTT(lasting: duration)
    } catch { throw .impossible(file: subtitles.source, Obstacle("invalid_subtitles", "\(error)")) }
    made.playlist.isEnded = options.playlistType == .vod
    made.playlist.mediaSequence = options.startNumber
    if !options.baseURL.isEmpty {
      for index in made.playlist.segments.indices {
        made.playlist.segments[index].uri = "\(options.baseURL)\(folder)/\(made.playlist.segments[index].uri)"
      }
    }
    return made
  }
}
