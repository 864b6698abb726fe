import ISOBMFF
import MP4
import MP4HLS
import MP4Packaging

/// The options of `hls` for the form of its output, and what they mean for the packager.
extension HLSCommand {
  static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help:
      "The folder to write. It must not exist, or must be empty. It appears only when everything in it is complete."
  ).required(unless: [OutputJob.dryRun, ReportFile.printSchema])
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "The minimum duration of segments, except for the last: each ends before the first sync sample (of the first "
      + "video) that is presented at least this long after the start of the segment. The default is 6 seconds.")
  static let segmentRule = Option<SegmentPace.Rule>.choice(
    "segment-rule", placeholder: "RULE", default: .minimum,
    help: "Which sync sample starts the next segment.",
    [
      NamedValue(.minimum, "minimum", "the first one after `--segment-duration`"),
      NamedValue(.nearest, "nearest", "the nearest one to `--segment-duration`"),
      NamedValue(
        .maximum, "maximum",
        "the last one within `--segment-duration`; a longer group of pictures is kept whole, with a note"),
    ])
  static let first = Option.parsed(
    "first", placeholder: "VARIANT", as: FirstVariantName.self,
    help:
      "The variant that `master.m3u8` lists first, with which players start: `lowest`, `highest`, or a bit rate such "
      + "as `3M` for the highest variant up to it. By default, variants have the order of the INPUTs.")
  static let singleFile = Option.flag(
    "single-file", help: "Write all segments of a rendition to one file; playlists use byte ranges.")
  static let muxed = Option.flag(
    "muxed",
    help:
      "Write audio and video to one rendition instead of a rendition per track, unless an INPUT has several audio "
      + "tracks, because players play only one per rendition. The output is not CMAF.")
  static let reference = Option.flag(
    "reference",
    help:
      "Copy no media: write playlists with byte ranges of the INPUTs, which are not changed and must be fragmented. "
      + "All tracks of an INPUT form one rendition; segments start at movie fragments that begin with a sync sample.")
  static let recut = Option.flag(
    "recut", help: "Create new fragments for fragmented INPUTs, even if theirs could be copied.")
  static let iFrames = Option.flag(
    "iframes",
    help:
      "With `--reference`, if the keyframes of a video have no movie fragments of their own, copy them to a file for "
      + "its I-frame playlist. Without this option, such a video has no I-frame playlist.")
  static let noIFrames = Option.flag("no-iframes", help: "Write no I-frame playlists.")
  static let dash = Option.flag("dash", help: "The same as `--formats hls,dash`.")
  static let formats = Option<Set<Packager.Format>?>.choice(
    "formats", placeholder: "FORMATS", default: nil,
    help:
      "What players use to play the files. The default is `hls`, or `hls,dash` if the command is called `package`. A "
      + "manifest is static, so the playlist type must be `vod`.",
    [
      NamedValue([.hls], "hls", "playlists"),
      NamedValue(
        [.dash], "dash",
        "a manifest, `manifest.mpd`; if it has WebVTT, ffmpeg reads it only with `-allowed_extensions ALL`"),
      NamedValue([.hls, .dash], "hls,dash", "both, of the same files"),
    ])
  static let kind = Option<PlaylistType>.choice(
    "playlist-type", placeholder: "TYPE", default: .vod, help: "Whether segments may be appended to the playlists.",
    [
      NamedValue(.vod, "vod", "the playlists are complete"),
      NamedValue(.event, "event", "segments may be appended; the playlists have no EXT-X-ENDLIST"),
    ])
  static let startNumber = Option.integer(
    "start-number", placeholder: "N", in: 0...1_000_000_000, default: 1,
    help: "The number of the first segment, in file names and in EXT-X-MEDIA-SEQUENCE.")
  static let baseURL = Option.text(
    "base-url", placeholder: "URL",
    help: "A prefix for all URIs in the playlists, such as `https://cdn.example.com/movie/`.")

  static let profile = Option<Packager.Profile>.choice(
    "profile", placeholder: "PROFILE", default: .hls, help: "The rules that the output follows.",
    [
      NamedValue(.hls, "hls", "those of HLS"),
      NamedValue(
        .cmaf, "cmaf",
        "also those of CMAF with the brand cmf2, whose signed composition offsets some players, such as ffmpeg up to "
          + "9.0, do not support: they present pictures too late by the reordering delay"),
      NamedValue(
        .apple, "apple",
        "also those of Apple's HLS Authoring Specification, as far as samples need not be changed"),
    ])
  static let timeOffset = Option.parsed(
    "time-offset", placeholder: "SECONDS", as: Seconds.self,
    help:
      "The media time at which all renditions start. Samples before it, such as audio priming, need it to be greater "
      + "than 0. The default is 10 seconds.")

  static let videoRange = Option<VideoRange?>.choice(
    "video-range", placeholder: "RANGE", default: nil,
    help: "The dynamic range of video that does not declare it in its sample entry or its first parameter sets.",
    [
      NamedValue(
        nil, "auto", "the declared range; SDR if none is declared, with a warning if the video may be PQ or HLG"),
      NamedValue(.sdr, "SDR", "standard dynamic range"),
      NamedValue(.pq, "PQ", "perceptual quantizer, as in HDR10 and Dolby Vision"),
      NamedValue(.hlg, "HLG", "hybrid log-gamma"),
    ])
  static let keyURI = Option.text(
    "key-uri", placeholder: "URI",
    help:
      "Where players get the key of encrypted tracks, such as `skd://movie`. By default, playlists have no key tags.")
  static let keyFormat = Option.text(
    "key-format", placeholder: "FORMAT",
    help: "The KEYFORMAT of the key, such as `com.apple.streamingkeydelivery`. The default is `identity`.")
  static let keyFormatVersions = Option.text(
    "key-format-versions", placeholder: "VERSIONS", help: "The KEYFORMATVERSIONS of the key, such as `1` or `1/2`.")

  // MARK: Their values

  /// The options of the packager, apart from those for inputs and encryption.
  static func options(_ arguments: ParsedArguments) throws(UsageError) -> Packager.Options {
    var options = Packager.Options()
    try check([baseURL], arguments)
    if let duration = arguments[segmentDuration] { options.segmentDuration = duration.time }
    options.segmentRule = arguments[segmentRule]
    options.firstVariant = arguments[first]?.variant ?? .given
    options.profile = arguments[profile]
    options.timeOffset = arguments[timeOffset]?.time ?? options.timeOffset
    options.storage = arguments[reference] ? .referenced : arguments[singleFile] ? .singleFile : .separateFiles
    options.copiesFragments = !arguments[recut]
    options.copiesKeyFrames = arguments[iFrames]
    options.isMuxed = arguments[muxed]
    options.hasIFramePlaylists = !arguments[noIFrames]
    options.formats = try writtenFormats(arguments)
    options.playlistType = arguments[kind]
    if options.formats.contains(.dash), options.playlistType != .vod {
      throw UsageError(
        "'--\(kind.declaration.name) event' cannot be used with '--\(formats.declaration.name)' or "
          + "'--\(dash.declaration.name)': a manifest is static")
    }
    options.startNumber = arguments[startNumber]
    options.baseURL = arguments[baseURL] ?? ""
    options.videoRange = arguments[videoRange]
    options.captions = arguments.captionSearch
    try HLSMarkers.set(&options, arguments)
    options.key = try key(arguments)
    return options
  }

  /// The formats, whose default depends on the name with which the command was called.
  private static func writtenFormats(_ arguments: ParsedArguments) throws(UsageError) -> Set<Packager.Format> {
    if arguments[dash], arguments.has(formats) { throw UsageError(dash, contradicts: formats) }
    if let given = arguments[formats] { return given }
    return arguments[dash] || arguments.commandName == package ? [.hls, .dash] : [.hls]
  }

  /// The key given by options.
  static func key(_ arguments: ParsedArguments) throws(UsageError) -> Packager.Key? {
    try check([keyURI, keyFormat, keyFormatVersions], arguments)
    if let uri = arguments[keyURI] {
      return Packager.Key(uri: uri, format: arguments[keyFormat], formatVersions: arguments[keyFormatVersions])
    }
    for other in [keyFormat, keyFormatVersions] where arguments[other] != nil {
      throw UsageError("option '--\(other.declaration.name)' needs '--\(keyURI.declaration.name) URI'")
    }
    return nil
  }

  private static func check(_ options: [Option<String?>], _ arguments: ParsedArguments) throws(UsageError) {
    for option in options {
      // Attributes cannot contain these characters.
      guard arguments[option]?.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) == true else { continue }
      throw UsageError("option '--\(option.declaration.name)' cannot contain quotation marks or control characters")
    }
  }
}
