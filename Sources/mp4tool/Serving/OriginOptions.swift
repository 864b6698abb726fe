/// The options of `serve` for files on another server.
enum OriginOptions {
  static let origin = Option.text(
    "origin", placeholder: "URL",
    help:
      "Serve files from another server, under the same paths, instead of INPUT. URL is the playlist or file that the "
      + "page plays, or a folder whose URL ends in a slash.")
  static let cacheFolder = Option.folder(
    "cache-dir", placeholder: "DIR",
    help:
      "Keep cached data in DIR, which is created if necessary. The default is a temporary folder that is removed when "
      + "the server stops.")
  static let cacheSize = Option.parsed(
    "cache-size", placeholder: "SIZE", as: ByteSize.self,
    help:
      "The maximum size of the cache, such as `500M` or `20G`; the least recently used data is removed first. The "
      + "default is `1G`. Files larger than the cache are not cached but passed through, without range support if "
      + "their length is unknown.")
  static let staleIfError = Option.integer(
    "stale-if-error", placeholder: "SECONDS", in: 0...31_536_000, default: 0,
    help:
      "If the origin cannot be reached or returns status 5xx, serve cached data that it confirmed at most this long "
      + "ago, with the fields `Age` and `Warning`. The default 0 means status 502.")
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "LANG=FILE", as: SubtitleFile.self,
    help: "Add the subtitles in FILE to the multivariant playlist at URL, with the same settings as in `mp4tool "
      + "subtitles`; or to the package of `--ladder`, as in `mp4tool hls`. Can be repeated.")
  static let mediaStart = SubtitlesCommand.mediaStart
  static let allowOutside = Option.flag(
    "allow-outside",
    help:
      "Serve everything on the host of URL, not only the folder of URL, and follow redirects from public to private "
      + "addresses.")

  static let all: [any DeclaredOption] = [origin] + besides
  /// The options that need an origin.
  static let besides: [any DeclaredOption] = [
    cacheFolder, cacheSize, staleIfError, subtitles, SubtitleFile.encoding, mediaStart, allowOutside,
  ]
  static let defaultCacheSize = 1 << 30
}
