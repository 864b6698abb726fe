import ISOBMFF
public import MP4Bytes

/// Puts tracks of several files together in one progressive file: movies and elementary streams.
///
/// Samples keep their bytes, times and flags. Each file keeps its own times, so that tracks of one file stay in sync; a
/// delay moves them against those of other files.
public struct Multiplexer: Sendable {
  /// The settings of each input. Those of further inputs are the default.
  public var settings: [InputSettings]
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
  public init(_ settings: [InputSettings] = []) { self.settings = settings }

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
    var parts: [ConfiguredInput] = []
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
      var own = settings.indices.contains(number) ? settings[number] : InputSettings()
      own.stream.isQuickTime = isQuickTime
      let part = try ConfiguredInput(source, own) { onProgress(start + $0) }
      diagnostics += part.diagnostics
      parts.append(part)
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
  private func checkReplacements(_ parts: [ConfiguredInput]) throws(MovieError) {
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
  private func soundsAtOnce(_ parts: [ConfiguredInput], _ defaults: Set<FourCC>) -> [Diagnostic] {
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
