import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Platform
import MP4Presentations
import MP4Serving
import MP4Streaming

extension OriginSite {
  /// The site for the origin at `url`; slow work stops when `isStopped` returns true.
  init(_ arguments: ParsedArguments, at url: String, _ context: CommandContext, isStopped: () -> Bool) throws {
    let scope = try Self.scope(url, arguments)
    let files = arguments[OriginOptions.subtitles]
    try files.checkLanguages(OriginOptions.subtitles)
    for file in files { context.inputs.add(file.path) }
    if !files.isEmpty, scope.isFolder {
      throw UsageError(
        "option '--subtitles' needs the URL of a multivariant playlist, and '\(scope.address)' is a folder")
    }
    for option: any DeclaredOption in [OriginOptions.mediaStart, SubtitleFile.encoding]
    where files.isEmpty && arguments.has(option) {
      throw UsageError("option '--\(option.declaration.name)' needs '--subtitles LANG=FILE'")
    }
    var options = Options()
    options.subtitles = try files.read(arguments)
    try Fetcher().checkProgram(for: scope.address)
    options.mediaStart = arguments[OriginOptions.mediaStart]?.time
    options.fetching = context.fetching
    options.staleIfError = .seconds(arguments[OriginOptions.staleIfError])
    let outside = OriginOptions.allowOutside.declaration.name
    options.outside = Server.Response(
      403, "this path is outside the served folder; --\(outside) serves everything on its host")
    // Other threads report diagnostics later.
    let monitor = Monitor(context.diagnostics)
    options.onDiagnostic = { text in monitor { $0.warning(text) } }
    try self.init(scope, Self.cache(arguments, keeping: context.inputs), options, isStopped: isStopped)
    for diagnostic in unknownStarts.map(\.diagnostic) + diagnostics { context.diagnostics.say(diagnostic) }
  }

  /// The scope of the URL in a word.
  private static func scope(_ url: String, _ arguments: ParsedArguments) throws(UsageError) -> OriginScope {
    guard WebAddress.isMeant(by: url), let given = WebAddress(url) else {
      throw UsageError("option '--origin' takes an http or https URL, not '\(shown(url))'")
    }
    guard let scope = OriginScope(given, allowsOutside: arguments[OriginOptions.allowOutside]) else {
      throw UsageError("option '--origin': the path of '\(given)' is not valid")
    }
    return scope
  }

  /// The displayed form of a word that may be a URL with a password.
  private static func shown(_ url: String) -> String {
    String(url.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
  }

  private static func cache(_ arguments: ParsedArguments, keeping inputs: InputRegistry) throws -> BlockCache {
    let folder = arguments[OriginOptions.cacheFolder]?.path
    let size = arguments[OriginOptions.cacheSize]?.byteCount ?? OriginOptions.defaultCacheSize
    do throws(IOError) { return try BlockCache(folder, byteLimit: size, keeping: inputs) } catch {
      // The cache is not an input, even if it exists and cannot be opened because another program uses it.
      var error = error
      if error.operation == .open { error.operation = .change }
      throw error
    }
  }
}
