/// The options of `serve` for what lies on another server.
enum OriginOptions {
  static let origin = Option.text(
    "origin", placeholder: "URL",
    help:
      "Serve what lies on another server, under the paths that it has there, in place of INPUT: URL is the playlist or "
      + "movie that the page plays, or a folder that ends in a slash.")
  static let cacheFolder = Option.folder(
    "cache-dir", placeholder: "DIR",
    help:
      "Keep what the origin has in DIR for the next time, which is made where it is missing. Without it, a temporary "
      + "folder is used, and removed at the end.")
  static let cacheSize = Option.parsed(
    "cache-size", placeholder: "SIZE", as: ByteSize.self,
    help:
      "How many bytes of the disk that takes at most, such as `500M` or `20G`; what was used longest ago goes first. "
      + "Unless it is given it is `1G`. What is larger is passed on without being kept; if the server does not say its "
      + "length either, it has no ranges.")
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "LANG=FILE", as: SubtitleFile.self,
    help:
      "Add the subtitles in FILE to the multivariant playlist that URL is, as `--subtitles` of `mp4tool subtitles` does, "
      + "with the same words after commas. It can be given several times.")
  static let mediaStart = SubtitlesCommand.mediaStart
  static let allowOutside = Option.flag(
    "allow-outside",
    help:
      "Give out everything that the host of URL has, not only what is in the folder of URL, and follow redirections from "
      + "public to private addresses.")

  static let all: [any DeclaredOption] = [origin] + besides
  /// Those that say nothing without an origin.
  static let besides: [any DeclaredOption] = [
    cacheFolder, cacheSize, subtitles, SubtitleFile.encoding, mediaStart, allowOutside,
  ]
  static let defaultCacheSize = 1 << 30
}
