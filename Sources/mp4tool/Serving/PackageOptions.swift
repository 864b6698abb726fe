import MP4Packaging
import MP4Serving

/// The options of `serve` for MP4 files that are packaged on request.
enum PackageOptions {
  static let ladder = Option.flag(
    "ladder",
    help: "Serve all INPUTs as one presentation, as `mp4tool package INPUT...` would write it: `/master.m3u8` and "
      + "`/manifest.mpd`. They are variants of the same content, and audio and subtitles for it, with the settings "
      + "that `mp4tool hls` has: `english.m4a,language=en,name=English`.")
  static let planCache = Option.parsed(
    "plan-cache", placeholder: "SIZE", as: ByteSize.self,
    help: "The maximum memory for the plans of packages, such as `64M` or `1G`; the least recently used are removed "
      + "first, and created again when they are needed. A plan takes about 100 bytes for each sample of a file. The "
      + "default is `256M`.")
  static let maxAge = Option.integer(
    "max-age", placeholder: "SECONDS", in: 0...31_536_000, default: 3600,
    help: "How long browsers and CDNs may keep segments without asking again (`Cache-Control`). Playlists of packages "
      + "are kept for at most a minute. With 0, everything is revalidated.")

  /// The options that apply to INPUTs, and not to an origin.
  static let all: [any DeclaredOption] = [ladder, planCache, maxAge] + HLSProtection.all

  /// The packages that these options specify. There is a DASH manifest unless the encryption excludes it.
  static func packages(_ arguments: ParsedArguments, _ context: CommandContext) throws -> PackageCache {
    var packager = Packager()
    packager.options.protection = try HLSProtection.protection(arguments, context)
    if let conflict = packager.options.protectionConflict { throw UsageError(HLSProtection.method, conflict) }
    packager.options.formats = [.hls, .dash]
    if packager.options.protectionConflict != nil { packager.options.formats = [.hls] }
    var options = PackageCache.Options()
    options.byteLimit = arguments[planCache]?.byteCount ?? options.byteLimit
    options.caching = CachePolicy(segments: arguments[maxAge])
    options.edition = Version.number
    return PackageCache(packager, options)
  }
}
