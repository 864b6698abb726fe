import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Serving
import MP4Streaming

enum ServeCommand {
  static let command = Command(
    name: "serve",
    summary: "serve folders, MP4 files and remote streams over HTTP, with a player page",
    operands: [
      Operand(
        "INPUT", .oneOrMore, unless: [OriginOptions.origin.declaration.name],
        help: "Folders and files to serve. An MP4 file is served unchanged, and as HLS and DASH. Not used with "
          + "`--origin`.")
    ],
    description: [
      "Starts a web server and prints the address of a page that lists and plays the content. The page also works on "
        + "phones. A single folder is served at the root: `mp4tool serve stream` serves "
        + "`http://127.0.0.1:8080/master.m3u8`. Several INPUTs are served under their names: `/stream/master.m3u8` and "
        + "`/movie.mp4`.",
      "An MP4 file, progressive or fragmented, is served with byte ranges. When a player asks for it, any MP4 file, "
        + "also in a folder, is served as the package that `mp4tool package` would create from it: `/movie.mp4`, "
        + "`/movie.mp4/master.m3u8` and `/movie.mp4/manifest.mpd`; a file that is an INPUT also as "
        + "`/movie/master.m3u8`. Nothing is written: the first request for a file reads its tables and plans the "
        + "package, and each response reads only the media that it contains. Playlists and segments are identical to "
        + "those of `mp4tool hls`. A file that changes is planned again. A file that cannot be packaged has status 422 "
        + "with the reason. A real file or folder with the same path takes precedence.",
      "`--ladder` serves all INPUTs as one package at the root. `--encrypt` and its options encrypt all packages with "
        + "the same keys; there is no DASH manifest with `aes-128`, and with key rotation for FairPlay. The files "
        + "themselves are also served and stay clear, unless `--ladder` is given.",
      "The server answers HTTP/1.1 GET and HEAD requests, with single and multiple ranges, conditional requests and "
        + "persistent connections. Caches may keep `.m4s` segments, and the media of packages, for `--max-age` "
        + "seconds, and playlists and manifests of packages for a minute; keys are not kept (`no-store`). Everything "
        + "else, such as live playlists and MP4 files, is revalidated (`no-cache`): if nothing has changed, the "
        + "response has no body. Give a file that changes a new name, or use `--max-age 0`.",
      "Only files inside the folders are served. Symbolic links that lead out of a folder and names that begin with a "
        + "dot are rejected. There are no directory listings except the page. Only this machine can connect unless "
        + "`--bind` is given. Web pages from other sites cannot read the content unless `--cors` is given. Without "
        + "`--cors`, a request for a host name that is neither this machine's nor given with `--host` gets status 421, "
        + "which protects against DNS rebinding.",
      "`--origin` serves files from another server through a cache, even if that server is slow or has no range "
        + "support. Paths, including the query, are those of the origin, so relative URIs in playlists work; only "
        + "files in the folder of URL are served. Absolute URIs in playlists are not rewritten. Each file is fetched "
        + "once with `curl`, for all clients and ranges, and a request waits only for the bytes it needs. For every "
        + "request, but at most once per second, the server asks the origin whether the file has changed. After a "
        + "change is detected, no bytes of the old file are served. If the origin cannot be reached, the response has "
        + "status 502, unless `--stale-if-error` allows cached data. A user name and password in URL are sent only to "
        + "the origin.",
      "With `--origin` and `--subtitles`, the subtitles are added to the playlist at URL as it is served; the origin "
        + "is not changed. If the playlist changes, they are added again.",
      "Every response is logged as a line on standard output, unless `--quiet` is given. SIGINT, SIGTERM and SIGHUP "
        + "stop the server after the current responses; a second signal stops it immediately.",
    ],
    options: ServeJob.options + PackageOptions.all + OriginOptions.all,
    examples: [
      Command.Example("mp4tool serve stream", "Serves the folder `stream` with a player page."),
      Command.Example("mp4tool serve movie.mp4", "Plays a file as HLS without writing anything."),
      Command.Example(
        "mp4tool serve films", "Packages any MP4 file in a folder on request, such as `/film.mp4/master.m3u8`."),
      Command.Example(
        "mp4tool serve --ladder 1080.mp4 720.mp4 english.m4a,language=en",
        "Serves variants as `/master.m3u8` and `/manifest.mpd`."),
      Command.Example(
        "mp4tool serve --ladder --encrypt cbcs --encrypt-key-file keys.txt --drm widevine,playready 1080.mp4 720.mp4",
        "Encrypts the samples of the variants as they are served."),
      Command.Example(
        "mp4tool serve --bind 0.0.0.0 --cors film.mp4 trailer.mp4 extras",
        "Serves two files and a folder to other machines and to pages from other sites."),
      Command.Example(
        "mp4tool serve --origin https://example.com/film/master.m3u8 --subtitles en=english.vtt",
        "Adds subtitles to a remote presentation, played at `/film/master.m3u8`."),
      Command.Example(
        "mp4tool serve --origin https://example.com/movie.mp4 --cache-dir movies --cache-size 20G",
        "Adds range support to a server that has none, with a persistent cache."),
    ],
    exitNotes: [
      Command.ExitNote(.done, "The server was stopped by a signal."),
      Command.ExitNote(
        .inputNotUsable,
        "With `--subtitles`, URL is not a playlist to which subtitles can be added. With `--ladder`, the INPUTs cannot "
          + "be packaged together."),
      Command.ExitNote(.inputMissing, "With `--origin`, the program `curl` is not installed."),
      Command.ExitNote(
        .outputNotMade, "The port or the cache folder is in use or not accessible."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let job = ServeJob(arguments: arguments, context: context)
    if let url = arguments[OriginOptions.origin] {
      if let operand = arguments.operands.first {
        throw UsageError("'\(operand.text)' cannot be combined with '--origin'")
      }
      try arguments.refuse(
        PackageOptions.all, with: OriginOptions.origin, because: "files of the origin are not packaged")
      var site: OriginSite?
      defer { site?.stop() }
      return try job.run { isStopped in
        let made = try OriginSite(arguments, at: url, context, isStopped: isStopped)
        site = made
        return made.response
      } ending: {
        site?.stop()
      }
    }
    if let option = OriginOptions.besides.first(where: { arguments.has($0) }) {
      let name = option.declaration.name
      let isText = [OriginOptions.subtitles.declaration.name, SubtitleFile.encoding.declaration.name].contains(name)
      if !isText { throw UsageError("option '--\(name)' needs '--origin URL'") }
      if !arguments[PackageOptions.ladder] { throw UsageError("option '--\(name)' needs '--origin URL' or '--ladder'") }
    }
    return try job.run { _ in try site(arguments, context).response }
  }

  /// The site for the operands.
  private static func site(_ arguments: ParsedArguments, _ context: CommandContext) throws -> Site {
    let paths = arguments.operands.map(\.path)
    let packages = try PackageOptions.packages(arguments, context)
    let title = paths.count == 1 ? title(paths[0]) : "\(paths.count) inputs"
    if arguments[PackageOptions.ladder] {
      let inputs = try HLSInputs(arguments, context)
      let movie = try PackagedMovie(inputs.paths.compactMap { $0 }, in: packages) {
        (packager, files) throws(MovieError) in
        try packager.plan(inputs.inputs(reopened: files), subtitles: inputs.texts) { _ in true }
      }
      for diagnostic in inputs.diagnostics + movie.diagnostics {
        say(.packaged(diagnostic), of: paths[0], context.diagnostics)
      }
      return Site(movie, title: title)
    }
    if arguments[HLSProtection.method] != nil {
      context.diagnostics.note("packages are encrypted, but the files themselves are also served")
    }
    if paths.count == 1, Site.isFolder(paths[0]) {
      return try Site(SourceFolder(paths[0]), title: title, packages: packages)
    }
    var site = Site(title: title, packages: packages)
    for path in paths {
      try site.add(path) { remark in say(remark, of: path, context.diagnostics) }
    }
    return site
  }

  private static func say(_ remark: Site.Remark, of path: Pathname, _ diagnostics: Diagnostics) {
    switch remark {
    case .renamed(let name):
      diagnostics.note("\(path): another input has this name; served as /\(PlayableItem([name]).link)")
    case .notPackaged(let error):
      diagnostics.note("\(error.advised); served as a file, not as HLS")
    // Notes are about a written presentation.
    case .packaged(let diagnostic) where diagnostic.severity == .note: diagnostics.detail(diagnostic.description)
    case .packaged(let diagnostic): diagnostics.warning(diagnostic.description)
    }
  }

  private static func title(_ path: Pathname) -> String {
    let name = Site.name(of: path)
    return name == Array("input".utf8) ? Version.name : String(decoding: name, as: UTF8.self)
  }
}
