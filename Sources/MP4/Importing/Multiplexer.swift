import ISOBMFF
public import MP4Bytes

/// Puts tracks of several files together in one progressive file: movies and elementary streams.
///
/// Samples keep their bytes, times and flags. Each file keeps its own times, so that tracks of one file stay in sync; a
/// delay moves them against those of other files.
public struct Multiplexer: Sendable {
  /// A file, and what is used and changed of it.
  public struct Input: Sendable {
    /// A movie of any kind, or an elementary stream.
    public var source: any ByteSource
    /// The tracks that are used.
    public var tracks = TrackSelection()
    /// The language of these tracks as a BCP 47 tag, such as `de`; `nil` keeps it.
    public var language: String?
    /// The name of these tracks for users; `nil` keeps it.
    public var name: String?
    /// How much later these tracks are presented. If it is negative, their start is hidden.
    public var delay: MediaTime?
    /// Tracks that are omitted, if there are any.
    public var omitted: TrackSelection?
    /// Whether players choose these tracks: they are enabled, and tracks of the same kinds of inputs that are no
    /// default are disabled.
    public var isDefault = false
    /// The alternate group of these tracks, of which players choose one; `nil` keeps it.
    public var alternateGroup: Int16?
    /// How an elementary stream is read.
    public var stream = ElementaryStream.Options()

    /// All tracks of a file, unchanged.
    public init(_ source: any ByteSource) { self.source = source }
  }

  /// How the movies are put together; the selection of tracks applies to all inputs.
  public var options: Defragmenter.Options

  /// Half a second of each track in turn, with the movie box first.
  public init(_ options: Defragmenter.Options = Defragmenter.Options()) { self.options = options }

  /// The same for an output with this name: `.mp4` makes an ISO file of QuickTime movies.
  public func writing(to name: String) -> Multiplexer { Multiplexer(Defragmenter(options).writing(to: name).options) }

  /// Reads the inputs and plans the file. `followers` are movies whose times count from the start of the presentation,
  /// such as subtitles. `onProgress` is called with the number of bytes read, and returns whether to continue.
  ///
  /// - Throws: `MovieError` if an input is neither a movie nor a known stream, or has none of the tracks.
  public func plan(
    _ inputs: [Input], followers: [any ByteSource] = [], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws -> OutputPlan {
    guard !inputs.isEmpty || !followers.isEmpty else { throw MovieError.noInputs }
    var (sources, parts): ([any ByteSource], [SourcePart]) = ([], [])
    var diagnostics: [Diagnostic] = []
    var done = 0
    var movies: [(editor: MovieEditor, kinds: [TrackKind])] = []
    for input in inputs {
      let start = done
      let stream = try ElementaryStream(input.source, input.stream) { onProgress(start + $0) }
      diagnostics += stream?.diagnostics ?? []
      let editor = try MovieEditor(stream?.movie ?? input.source)
      movies.append((editor, try editor.trackKinds()))
      done += input.source.byteCount ?? 0
    }
    let total = done
    let defaults = Set(zip(inputs, movies).filter(\.0.isDefault).flatMap { $0.used($1.kinds).map(\.handler) })
    for (number, input) in inputs.enumerated() {
      var part = SourcePart(series: number, period: 0)
      let used = input.used(movies[number].kinds)
      part.tracks = input.omitted == nil || used.isEmpty ? input.tracks : TrackSelection(used.map { .id($0.id) })
      parts.append(part)
      let disabled = input.isDefault ? [] : used.filter { defaults.contains($0.handler) }
      let (source, own) = try input.changed(movies[number].editor, used, disabled: disabled)
      sources.append(source)
      diagnostics += own
    }
    var plan = try Defragmenter(options).plan(sources, parts: parts, followers: followers) { _ in onProgress(total) }
    // That a movie is progressive is only of interest where it is converted.
    plan.diagnostics.removeAll { if case .progressive = $0.kind { true } else { false } }
    plan.diagnostics = diagnostics + plan.diagnostics
    return plan
  }
}

/// A track, by its ID and its handler type.
private typealias TrackKind = (id: UInt32, handler: FourCC)

extension MovieEditor {
  fileprivate func trackKinds() throws -> [TrackKind] {
    var kinds: [TrackKind] = []
    _ = try editingTracks(TrackSelection()) { trak in
      let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID
      let handler = try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
      if let id { kinds.append((id, handler ?? "    ")) }
    }
    return kinds
  }
}

extension Multiplexer.Input {
  /// The tracks of the input that are used.
  fileprivate func used(_ kinds: [TrackKind]) -> [TrackKind] {
    kinds.filter { kind in
      (tracks.items.isEmpty || tracks.items.contains { $0.selects(kind.id, kind.handler) })
        && !(omitted?.items.contains { $0.selects(kind.id, kind.handler) } ?? false)
    }
  }

  /// The input with the changes.
  fileprivate func changed(
    _ original: MovieEditor, _ used: [TrackKind], disabled: [TrackKind]
  ) throws -> (any ByteSource, [Diagnostic]) {
    func selection(_ kinds: [TrackKind]) -> TrackSelection { TrackSelection(kinds.map { .id($0.id) }) }
    let isChanged = language != nil || name != nil || delay != nil || isDefault || alternateGroup != nil
    guard !used.isEmpty, isChanged || !disabled.isEmpty else { return (original.original, []) }
    let tracks = selection(used)
    var editor = original
    if let delay { editor = try editor.settingDelay(of: tracks, by: delay) }
    if let language { editor = try editor.settingLanguage(of: tracks, to: language) }
    if let name { editor = try editor.settingName(of: tracks, to: name) }
    if isDefault { editor = try editor.settingEnabled(tracks, true) }
    if !disabled.isEmpty { editor = try editor.settingEnabled(selection(disabled), false) }
    if let alternateGroup { editor = try editor.settingAlternateGroup(of: tracks, to: alternateGroup) }
    let plan = try editor.plan()
    return (try plan.preview(name: source.name), plan.diagnostics)
  }
}
