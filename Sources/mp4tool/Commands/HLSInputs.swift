import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging

/// The inputs of a presentation: the operands with their settings, and subtitle files.
struct HLSInputs {
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "LANG=FILE", as: SubtitleFile.self,
    help:
      "Add FILE (WebVTT, SubRip or TTML) in the language LANG, with the settings that `mp4tool subtitles` has: "
      + "`name=NAME`, `default`, `forced`, `sdh`. Times count from the first picture. A TTML document is not divided, "
      + "so its segment can be long; ffmpeg 9.0 does not read presentations with TTML. Can be repeated.")

  /// All sources of media.
  private(set) var sources: [any ByteSource] = []
  /// The paths of the sources that can be opened again.
  private(set) var paths: [Pathname?] = []
  /// The number of the first source of each input.
  private var starts: [Int] = []
  private var words: [PackagedInput] = []
  private(set) var texts: [Subtitles] = []
  private(set) var diagnostics: [Diagnostic] = []

  init(_ arguments: ParsedArguments, _ context: CommandContext) throws {
    let files = InputFiles(context)
    var follows = false
    for word in try arguments.operands.map(PackagedInput.init) {
      let source = try files.open(word.file, spool: true)
      if try Subtitles.isSubtitles(source) {
        texts.append(try word.subtitles(source, arguments))
        continue
      }
      // Segments belong to the init segment before them.
      let isOwn = try word.hasSettings || ElementaryStreamFormat(of: source) != nil || TTMLMovie.isTTML(source)
      let isNew = try starts.isEmpty || isOwn || follows && !Self.isSegment(source)
      try add(source, at: word.file.path, isNew ? word : nil)
      if isNew { follows = isOwn }
    }
    for file in arguments[Self.subtitles] {
      context.inputs.add(file.path)
      let source = try FileSource.open(file.path)
      if try TTMLMovie.isTTML(source) {
        try add(source, at: file.path, PackagedInput(file))
      } else {
        var file = file
        file.opened = source
        texts.append(try file.read(language: "und", encoding: arguments[SubtitleFile.encoding]))
      }
    }
    try arguments[Self.subtitles].checkLanguages(Self.subtitles)
    diagnostics += texts.flatMap(\.diagnostics)
  }

  private mutating func add(_ source: any ByteSource, at path: Pathname, _ word: PackagedInput?) throws {
    if let word {
      starts.append(sources.count)
      words.append(word)
    }
    guard try TTMLMovie.isTTML(source) else {
      let identity = (source as? FileSource)?.identity
      paths.append(identity != nil && FileIdentity(of: path) == identity ? path : nil)
      return sources.append(source)
    }
    let movie = try TTMLMovie(source)
    paths.append(nil)
    sources.append(movie.source)
    diagnostics += movie.diagnostics
  }

  private static func isSegment(_ source: any ByteSource) throws -> Bool {
    switch FileBox(startOf: try source.bytes(in: 0..<32)[...]) {
    case .segmentType, .index, .event, .fragment: true
    default: false
    }
  }

  /// Whether an operand has settings that change it.
  var hasSettings: Bool { words.contains(where: \.hasSettings) }

  /// Inputs for the packager; `files` are the files at ``paths``.
  func inputs(reopened files: [any ByteSource]) -> [Packager.Input] {
    var files = files[...]
    return inputs(zip(sources, paths).map { source, path in path == nil ? source : files.popFirst() ?? source })
  }

  /// Inputs for the packager, of sources that may have been decrypted.
  func inputs(_ sources: [any ByteSource]) -> [Packager.Input] {
    zip(starts.indices, words).map { number, word in
      let end = number + 1 < starts.count ? starts[number + 1] : sources.count
      var input = Packager.Input(Array(sources[starts[number]..<end]))
      (input.settings, input.attributes) = (word.settings, word.attributes)
      return input
    }
  }
}
