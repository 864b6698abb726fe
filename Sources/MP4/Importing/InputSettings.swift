import ISOBMFF
package import MP4Bytes

/// What is used and changed of an input that is put together with others.
public struct InputSettings: Sendable {
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

  /// Whether an MP4 file is used as it is, except for the choice of tracks.
  package var isUnchanged: Bool {
    language == nil && name == nil && delay == nil && !isDefault && alternateGroup == nil && stream.frameRate == nil
  }
}

/// An input as a movie that has its settings.
package struct ConfiguredInput {
  let settings: InputSettings
  /// What is missing or omitted in a stream that became a movie.
  package private(set) var diagnostics: [Diagnostic]
  /// The IDs and handler types of the used tracks.
  private(set) var tracks: [(id: UInt32, handler: FourCC)] = []
  private let source: any ByteSource
  private let editor: MovieEditor
  var name: String { source.name }

  /// Opens a movie, a transport stream or an elementary stream. `onProgress` is called with the number of bytes read of
  /// a stream, and returns whether to continue.
  package init(
    _ given: any ByteSource, _ settings: InputSettings, onProgress: (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    self.settings = settings
    if try ImportedSources.isStream(given) {
      let stream = try ImportedSources([given], onProgress: onProgress)
      (source, diagnostics) = (stream.sources[0], stream.diagnostics)
    } else {
      let stream = try ElementaryStream(given, settings.stream, onProgress: onProgress)
      (source, diagnostics) = (stream?.movie ?? given, stream?.diagnostics ?? [])
    }
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
  package func changed(defaults: Set<FourCC>) throws(MovieError) -> (any ByteSource, [Diagnostic]) {
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
func convertingErrors<Result>(
  of source: any ByteSource, _ body: () throws -> Result
) throws(MovieError) -> Result {
  do { return try body() } catch let error as MovieError { throw error } catch let error as BoxError {
    throw .damaged(file: source.name, path: "moov", error)
  } catch let error as IOError { throw .io(error) } catch {
    throw .impossible(file: source.name, Obstacle("not_edited", "\(error)"))
  }
}
