import Bytes
import FileIO
import MP4
import Serving
import Streaming

/// `mp4tool serve`.
enum ServeCommand {
  static let command = Command(
    name: "serve",
    summary: "serve folders, movies and what lies on other servers to players, with a page that plays it",
    operands: [
      Operand(
        "INPUT", .oneOrMore, unless: [OriginOptions.origin.declaration.name],
        help: "Folders, whose files are served, and files: each as it is, and an MP4 as HTTP Live Streaming too. "
          + "None with `--origin`.")
    ],
    description: [
      "Starts a web server and prints the address of a page, readable on a phone, that lists what can be played and plays it. "
        + "One folder is served as it is: `mp4tool serve stream` has `http://127.0.0.1:8080/master.m3u8`. Several INPUTs have "
        + "their names in front: `/stream/master.m3u8` and `/movie.mp4`.",
      "An MP4 file, progressive or fragmented, is served as itself, in ranges of bytes as players ask for them, and as the "
        + "presentation that `mp4tool hls` would make of it: `/movie.mp4` and `/movie/master.m3u8`. Nothing is written; playlists "
        + "and segments are worked out when they are asked for, and are those of `mp4tool hls` to the byte. A file that changes "
        + "meanwhile is read again.",
      "Answers are those of HTTP/1.1 to GET and HEAD: with one range or several, conditions, and connections that stay open. "
        + "Everything is to be asked for again before it is used again (`Cache-Control: no-cache`), which costs an answer without "
        + "content as long as nothing has changed.",
      "Only what is in the folders is served, wherever links in them lead, and nothing whose name begins with a point. There are "
        + "no lists of folders but the page. Only programs of this machine can connect unless `--bind` says otherwise; pages from elsewhere that a browser shows here "
        + "cannot read anything unless `--cors` is given. A request for a host name that is neither that of this machine nor "
        + "given with `--host` gets 421, so that no such page can call the server by a name of its own.",
      "With `--origin` it serves what lies on another server, far away or without ranges, out of a cache: the path "
        + "`/film/master.m3u8` here is that of the origin, with its query, so that relative names in playlists lead where "
        + "they did, and only what is in the folder of URL is given out. Whole addresses in playlists lead to where they "
        + "say, past this server. Whatever ranges are asked for, by however many, "
        + "each file is fetched once, by the program `curl`, and a request waits only for its own bytes. The origin is "
        + "asked whether a file is still the same, for every request but those within a second; of one that has changed, "
        + "no old bytes are given out, and when it cannot be asked the answer is 502. A user and a password in URL are for "
        + "the origin alone.",
      "With `--subtitles` too, the playlist at URL has subtitles in it, which are served beside it, and the origin stays as "
        + "it is. A playlist that changes there is edited again.",
      "Every answer is a line on standard output, unless `--quiet` is given. SIGINT and SIGTERM end the server when the answers "
        + "that it has begun are sent; a second one ends it at once.",
    ],
    options: ServeJob.options + OriginOptions.all,
    examples: [
      Command.Example("mp4tool serve stream", "Serves the folder `stream`, and a page that plays what is in it."),
      Command.Example("mp4tool serve movie.mp4", "Plays a movie as HTTP Live Streaming without making any file."),
      Command.Example(
        "mp4tool serve --bind 0.0.0.0 --cors film.mp4 trailer.mp4 extras",
        "Serves two movies and a folder to every machine that reaches this one, also for pages from elsewhere."),
      Command.Example(
        "mp4tool serve --origin https://example.com/film/master.m3u8 --subtitles en=english.vtt",
        "Plays a presentation on another server with subtitles, at `/film/master.m3u8`."),
      Command.Example(
        "mp4tool serve --origin https://example.com/movie.mp4 --cache-dir movies --cache-size 20G",
        "Gives players ranges of a movie on a server that knows none, and keeps it for the next time."),
    ],
    exitNotes: [
      Command.ExitNote(.done, "The server was stopped by a signal."),
      Command.ExitNote(
        .inputNotUsable, "With `--subtitles`, what is at URL is no playlist to which they can be added."),
      Command.ExitNote(.inputMissing, "With `--origin`, the program `curl` is not installed."),
      Command.ExitNote(
        .outputNotMade, "The port is in use, or may not be used, or so is the folder of the cache."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let job = ServeJob(arguments, context)
    if let url = arguments[OriginOptions.origin] {
      if let operand = arguments.operands.first {
        throw UsageError("'\(operand.text)' cannot be served together with '--origin'")
      }
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
      throw UsageError("option '--\(option.declaration.name)' is about an origin; add '--origin URL'")
    }
    return try job.run { _ in try site(arguments.operands, context).response }
  }

  /// What is served of these words.
  private static func site(_ operands: [Argument], _ context: CommandContext) throws -> Site {
    var paths: [Pathname] = []
    for operand in operands {
      guard let path = Pathname(operand.bytes) else { throw UsageError("the name of an input has a zero byte in it") }
      paths.append(path)
    }
    if paths.count == 1, Site.isFolder(paths[0]) { return try Site(SourceFolder(paths[0]), title: title(paths[0])) }
    var site = Site(title: paths.count == 1 ? title(paths[0]) : "\(paths.count) inputs")
    for path in paths {
      try site.add(path, edition: Version.number) { remark in say(remark, of: path, context.diagnostics) }
    }
    return site
  }

  private static func say(_ remark: Site.Remark, of path: Pathname, _ diagnostics: Diagnostics) {
    switch remark {
    case .renamed(let name):
      diagnostics.note("\(path): the name is taken already; it is served as /\(PlayableItem([name]).link)")
    case .notPackaged(let error):
      diagnostics.note("\(error); it is served as it is, not as HTTP Live Streaming")
    // Notes are about what a package would hold.
    case .packaged(let notice) where notice.severity == .note: diagnostics.detail(notice.description)
    case .packaged(let notice): diagnostics.warning(notice.description)
    }
  }

  private static func title(_ path: Pathname) -> String {
    let name = Site.name(of: path)
    return name == Array("input".utf8) ? Version.name : String(decoding: name, as: UTF8.self)
  }
}
