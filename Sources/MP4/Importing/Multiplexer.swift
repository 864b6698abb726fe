import ISOBMFF
public import MP4Bytes

/// Puts tracks of several files together in one progressive file: movies and elementary streams.
///
/// Samples keep their bytes, times and flags. Each file keeps its own times, so that tracks of one file stay in sync; a
/// delay moves them against those of other files.
public struct Multiplexer: Sendable {
  /// What is used and changed of an input.
  public struct Settings: Sendable {
    /// The tracks that are used.
    public var tracks = TrackSelection()
    /// Tracks that those of other inputs replace.
    public var replaced: TrackSelection?
    /// The language of these tracks as a BCP 47 tag, such as `de`; `nil` keeps it.
    public var language: String?
    /// The name of these tracks for users; `nil` keeps it.
    public var name: String?
    /// How much later these tracks are presented. If it is negative, their start is hidden.
    public var delay: MediaTime?
    /// Whether players choose these tracks: they are enabled, and tracks of the same kinds of inputs that are no
    /// default are disabled.
    public var isDefault = false
    /// The alternate group of these tracks, of which players choose one; `nil` keeps it.
    public var alternateGroup: Int16?
    /// How an elementary stream is read.
    public var stream = ElementaryStream.Options()

    /// All tracks, unchanged.
    public init() {}
  }

  /// The settings of each input. Those of further inputs are the default.
  public var settings: [Settings]
  /// How the movies are put together; the selection of tracks applies to all inputs.
  public var options = Defragmenter.Options()
  /// Whether streams become tracks of a QuickTime movie, if all inputs are QuickTime movies or streams of H.264, H.265,
  /// AAC or uncompressed audio.
  public var isQuickTime = false
  /// The chapters, instead of those of the inputs; an empty list removes them.
  public var chapters: ChapterList?
  /// The cover picture, a JPEG, PNG or BMP file.
  public var cover: [UInt8]?

  /// Puts all tracks together, with the movie box first.
  public init(_ settings: [Settings] = []) { self.settings = settings }

  /// The same for an output with this name: `.mp4` makes an ISO file of QuickTime movies, `.mov` a QuickTime movie of
  /// streams.
  public func writing(to name: String) -> Multiplexer {
    var result = self
    result.options = Defragmenter(options).writing(to: name).options
    result.isQuickTime = isQuickTime || name.lowercased().utf8.suffix(4).elementsEqual(".mov".utf8)
    return result
  }

  /// Reads the inputs and plans the file. `followers` are movies whose times count from the start of the presentation,
  /// such as subtitles. `onProgress` is called with the number of bytes read, and returns whether to continue.
  ///
  /// - Throws: `MovieError` if an input is neither a movie nor a known stream, or has none of the tracks.
  public func plan(
    _ inputs: [any ByteSource], followers: [any ByteSource] = [], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> OutputPlan {
    var parts: [Part] = []
    var diagnostics: [Diagnostic] = []
    var done = 0
    var isQuickTime = isQuickTime
    for source in inputs where isQuickTime {
      isQuickTime = try ElementaryStream.canBeQuickTime(source)
      if !isQuickTime {
        let text =
          "it is an MP4 file, or has a codec that is not written to QuickTime movies; the output is an MP4 file"
        diagnostics.append(Diagnostic(.note, source.name, text))
      }
    }
    for (number, source) in inputs.enumerated() {
      let start = done
      var own = settings.indices.contains(number) ? settings[number] : Settings()
      own.stream.isQuickTime = isQuickTime
      if try ImportedSources.isStream(source) {
        let stream = try ImportedSources([source]) { onProgress(start + $0) }
        diagnostics += stream.diagnostics
        parts.append(try Part(stream.sources[0], own))
      } else {
        let stream = try ElementaryStream(source, own.stream) { onProgress(start + $0) }
        diagnostics += stream?.diagnostics ?? []
        parts.append(try Part(stream?.movie ?? source, own))
      }
      done += source.byteCount ?? 0
    }
    let total = done
    try checkReplacements(parts)
    let defaults = Set(parts.filter(\.settings.isDefault).flatMap { $0.tracks.map(\.handler) })
    var sources: [any ByteSource] = []
    for part in parts {
      let (source, own) = try part.changed(defaults: defaults)
      sources.append(source)
      diagnostics += own
    }
    var plan = try Defragmenter(options).plan(
      sources, parts: parts.enumerated().map { $1.sourcePart(number: $0) }, followers: followers
    ) { _ in onProgress(total) }
    // That a movie is progressive is only of interest where it is converted.
    plan.diagnostics.removeAll { if case .progressive = $0.kind { true } else { false } }
    plan.diagnostics = diagnostics + soundsAtOnce(parts, defaults) + plan.diagnostics
    return chapters == nil && cover == nil ? plan : try describing(plan, inputs[0].name)
  }

  /// The planned file with the chapters and the cover.
  private func describing(_ plan: OutputPlan, _ name: String) throws(MovieError) -> OutputPlan {
    let source = try io(plan.preview(name: name))
    var result = try convertingErrors(of: source) {
      var editor = try MovieEditor(source)
      if let chapters { editor = try editor.settingChapters(chapters.chapters.isEmpty ? nil : chapters) }
      if let cover { editor = try editor.settingCover(cover) }
      return try editor.plan()
    }
    (result.diagnostics, result.decisions) = (plan.diagnostics + result.diagnostics, plan.decisions)
    return result
  }

  /// Throws if nothing replaces tracks that are to be replaced.
  private func checkReplacements(_ parts: [Part]) throws(MovieError) {
    for (number, part) in parts.enumerated() {
      guard let replaced = part.settings.replaced else { continue }
      let others = parts.enumerated().filter { $0.offset != number }.flatMap(\.element.tracks)
      let isReplaced = others.contains { other in
        replaced.items.contains { $0.selects(other.id, other.handler) }
      }
      guard !isReplaced else { continue }
      let text = "no other input has tracks that could replace its own"
      throw .impossible(file: part.name, Obstacle("no_replacement", text))
    }
  }

  /// A note if players could present the sound of several inputs at once.
  private func soundsAtOnce(_ parts: [Part], _ defaults: Set<FourCC>) -> [Diagnostic] {
    let inputs = parts.filter { part in
      (part.settings.alternateGroup ?? 0) == 0 && (part.settings.isDefault || !defaults.contains("soun"))
        && part.tracks.contains { $0.handler == "soun" }
    }
    guard inputs.count > 1 else { return [] }
    let text =
      "players may present the sound of several inputs at once; give them an alternate group, or make one the default"
    return [Diagnostic(.note, inputs[1].name, text)]
  }
}

extension Multiplexer {
  /// An input as a movie.
  private struct Part {
    let settings: Settings
    /// The IDs and handler types of the used tracks.
    private(set) var tracks: [(id: UInt32, handler: FourCC)] = []
    private let source: any ByteSource
    private let editor: MovieEditor
    var name: String { source.name }

    init(_ source: any ByteSource, _ settings: Settings) throws(MovieError) {
      (self.source, self.settings) = (source, settings)
      editor = try MovieEditor(source)
      let all: [(id: UInt32, handler: FourCC)]
      do throws(MovieError) { all = try editor.tracks } catch {
        guard case .noMovie(let file) = error else { throw error }
        let text = "it is neither a movie nor a stream of a known format"
        throw .impossible(file: file, Obstacle("unknown_format", text))
      }
      for track in all {
        func isIn(_ selection: TrackSelection) -> Bool {
          selection.items.contains { $0.selects(track.id, track.handler) }
        }
        if settings.tracks.items.isEmpty || isIn(settings.tracks), !(settings.replaced.map(isIn) ?? false) {
          tracks.append(track)
        }
      }
    }

    /// How the defragmenter uses the input.
    func sourcePart(number: Int) -> SourcePart {
      var part = SourcePart(series: number, period: 0)
      part.tracks = settings.replaced == nil || tracks.isEmpty ? settings.tracks : Self.selection(tracks)
      return part
    }

    private static func selection(_ tracks: [(id: UInt32, handler: FourCC)]) -> TrackSelection {
      TrackSelection(tracks.map { .id($0.id) })
    }

    /// The movie with the settings; tracks with these handlers are disabled unless they are a default.
    func changed(defaults: Set<FourCC>) throws(MovieError) -> (any ByteSource, [Diagnostic]) {
      let disabled = settings.isDefault ? [] : tracks.filter { defaults.contains($0.handler) }
      let own = settings
      let isChanged =
        own.language != nil || own.name != nil || own.delay != nil || own.isDefault || own.alternateGroup != nil
      guard !tracks.isEmpty, isChanged || !disabled.isEmpty else { return (source, []) }
      let all = Self.selection(tracks)
      let plan = try convertingErrors(of: source) {
        var editor = editor
        if let delay = own.delay {
          editor = try editor.settingDelay(of: all, by: delay).movingChapterList(by: delay)
        }
        if let language = own.language { editor = try editor.settingLanguage(of: all, to: language) }
        if let name = own.name { editor = try editor.settingName(of: all, to: name) }
        if own.isDefault { editor = try editor.settingEnabled(all, true) }
        if !disabled.isEmpty { editor = try editor.settingEnabled(Self.selection(disabled), false) }
        if let group = own.alternateGroup { editor = try editor.settingAlternateGroup(of: all, to: group) }
        return try editor.plan()
      }
      return (try io(plan.preview(name: source.name)), plan.diagnostics)
    }
  }
}

extension MovieEditor {
  /// The IDs and handler types of all tracks.
  fileprivate var tracks: [(id: UInt32, handler: FourCC)] {
    get throws(MovieError) {
      try convertingErrors(of: original) {
        var result: [(id: UInt32, handler: FourCC)] = []
        _ = try editingTracks(TrackSelection()) { trak in
          let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID
          let handler = try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
          if let id { result.append((id, handler ?? "    ")) }
        }
        return result
      }
    }
  }
}

/// Converts the errors of edits to that of operations.
private func convertingErrors<Result>(
  of source: any ByteSource, _ body: () throws -> Result
) throws(MovieError) -> Result {
  do { return try body() } catch let error as MovieError { throw error } catch let error as BoxError {
    throw .damaged(file: source.name, path: "moov", error)
  } catch let error as IOError { throw .io(error) } catch {
    throw .impossible(file: source.name, Obstacle("not_edited", "\(error)"))
  }
}
