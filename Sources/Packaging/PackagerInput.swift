public import MP4
public import MP4Bytes
import MP4HLS
import TimedText

extension Packager {
  /// An input of a presentation, and what is said about it.
  public struct Input: Sendable {
    /// A file, or an init segment and its media segments.
    public var sources: [any ByteSource]
    /// The tracks that are used, and their language, name and delay.
    public var settings = InputSettings()
    /// The attributes of its renditions.
    public var attributes = RenditionAttributes()

    /// All tracks of a movie.
    public init(_ sources: [any ByteSource]) { self.sources = sources }

    /// Whether the movie is not read as it is: it has settings, or is an elementary stream.
    fileprivate var isConverted: Bool {
      get throws(MovieError) {
        guard settings.isUnchanged else { return true }
        return try sources.first.map { source throws(MovieError) in try ElementaryStreamFormat(of: source) } ?? nil
          != nil
      }
    }
  }

  /// Attributes of renditions that do not come from their media.
  public struct RenditionAttributes: Sendable, Equatable {
    /// Whether players choose these renditions unless users choose others.
    public var isDefault = false
    /// What the media is for, as values of `urn:mpeg:dash:role:2011` such as `commentary`, `description` or `caption`;
    /// if empty, the roles of the tracks.
    public var roles: [String] = []
    /// The CHARACTERISTICS of audio and text, such as `public.accessibility.describes-video`; if empty, those of the
    /// roles.
    public var characteristics: [String] = []
    /// The GROUP-ID of audio; if `nil`, audio with the same codecs and channels forms a group.
    public var audioGroup: String?
    /// The SCORE of variants: players prefer higher ones.
    public var score: Double?
    /// The name that the settings of the input give.
    var givenName: String?
    /// The language of media that does not declare one.
    var language: String?

    /// The attributes that follow from the media.
    public init() {}

    /// Those of a rendition in another presentation.
    init(_ rendition: Rendition) {
      (isDefault, language) = (rendition.isDefault, rendition.language)
      // Without a label, a manifest has only the language, or the ID of a representation.
      let isLabel = rendition.name != language && rendition.name != rendition.uri.flatMap { URIReference($0).fragment }
      givenName = isLabel ? rendition.name : nil
      characteristics = rendition.characteristics?.split(separator: ",").map(String.init) ?? []
    }
  }

  /// Reads inputs that start at the same time, and plans their presentation. The times of `subtitles`, which are added
  /// as WebVTT, count from the first picture. `onProgress` is called with the number of bytes read, and returns whether
  /// to continue.
  ///
  /// - Throws: `MovieError`, as `plan(_:)` for movies; also if an input has none of the tracks.
  public func plan(
    _ inputs: [Input], subtitles: [Subtitles] = [], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> PackagePlan {
    var movies: [Movie] = []
    var diagnostics: [Diagnostic] = []
    var done = 0
    for input in inputs {
      let start = done
      var (sources, reading) = (input.sources, options.reading)
      if let first = sources.first, try input.isConverted {
        if input.settings.stream.frameRate != nil, try ElementaryStreamFormat(of: first) == nil {
          let text = "its pictures have times of their own, so the given frame rate is ignored"
          diagnostics.append(Diagnostic(.warning, first.name, text))
        }
        let configured = try ConfiguredInput(first, input.settings) { onProgress(start + $0) }
        let (source, changes) = try configured.changed(defaults: [])
        sources[0] = source
        diagnostics += configured.diagnostics + changes
      }
      if !input.settings.tracks.items.isEmpty { reading.tracks = input.settings.tracks }
      movies.append(try Movie(reading: sources, reading) { onProgress(start + $0) })
      done += input.sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    }
    var subtitles = moved(subtitles, movies)
    for index in subtitles.indices { diagnostics += subtitles[index].useTimestampMap(mediaStart: nil) }
    let attributes = inputs.map { input in
      var attributes = input.attributes
      attributes.givenName = input.settings.name
      return [attributes]
    }
    var plan = try plan(movies, attributes, besides: subtitles)
    plan.diagnostics = diagnostics + plan.diagnostics
    return plan
  }

  /// Subtitles whose times count from the first picture, with the times of the movies.
  func moved(_ subtitles: [Subtitles], _ movies: [Movie]) -> [Subtitles] {
    let first = movies.first { $0.tracks.contains { $0.handler == "vide" } } ?? movies.first
    guard let first else { return subtitles }
    let lead = (first.followersStart - first.mediaStart).converted(to: 1000).value
    var result = subtitles
    for index in result.indices { result[index].document.move(by: lead) }
    return result
  }
}
