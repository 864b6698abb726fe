import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Records
import MP4Streaming

enum HLSCommand {
  /// The other name of the command, which writes both formats.
  static let package = "package"
  static let command = Command(
    name: "hls",
    aliases: [package],
    summary: "package files as HLS and DASH: segments, playlists, manifests",
    operands: [
      Operand(
        "INPUT", .oneOrMore, unless: [ReportFile.printSchema.declaration.name],
        help:
          "Progressive or fragmented files, MPEG transport streams, streams without a container, or init segments and "
          + "their media segments, that start at the same time, with optional settings: "
          + "`FILE,language=en,name=English`; or one HLS playlist or DASH manifest. URLs are accepted.")
    ],
    description: [
      "Creates the folder DIR with `master.m3u8` and a folder for each rendition with `index.m3u8`, `init.mp4`, "
        + "`segment1.m4s`, `segment2.m4s` and so on. Every video and audio track of the INPUTs becomes a rendition, "
        + "and so do WebVTT and TTML subtitles (`wvtt`, `stpp`). 3GPP timed text (`tx3g`) and the text of "
        + "closed caption tracks (`c608`, `c708`) become WebVTT files. "
        + "Samples are copied without transcoding. Sample descriptions of MPEG-4 audio in QuickTime files are "
        + "converted to the ISO form, which players expect.",
      "Settings follow an INPUT, separated by commas, and apply to all its tracks. `tracks=LIST`: use only these "
        + "tracks, as IDs or kinds separated by `+`, such as `video+audio`. `language=TAG` and `name=NAME`: what "
        + "players show. `default`: players choose this audio, or show this text, unless users choose others. "
        + "`role=ROLE`: what it is for, such as `main`, `commentary`, `dub`, `description` (for the blind), `caption` "
        + "or `sign`; several are separated by `+`; `sdh` and `forced` are short for `role=caption` and "
        + "`role=forced-subtitle`. `characteristics=LIST`: the CHARACTERISTICS, separated by `+`, instead of those of "
        + "the roles. `group=NAME`: the GROUP-ID of its audio; audio with the same NAME is in one group, whatever its "
        + "codecs and channels. `score=NUMBER`: the SCORE of its variants. `delay=SECONDS`: present it later or, if "
        + "negative, earlier. `rate=RATE`: the frame rate of video without a container. WebVTT, SubRip and TTML files "
        + "are subtitles, also as INPUTs. A word that names an existing file is that file; put `./` before it if the "
        + "settings of another file look like it. Media segments belong to the init segment before them.",
      "Of a playlist or manifest, all variants and renditions are packaged again, with new segments, names and "
        + "playlists; the parts between discontinuities become one timeline. WebVTT and the names, languages, defaults "
        + "and characteristics of renditions are kept. Dates and date ranges are kept too, but the start, session data "
        + "and content steering are not.",
      "Closed captions in pictures (CEA-608 and CEA-708) stay there. Those found in the first 10 seconds, or with "
        + "`--scan-captions` in all pictures, are declared with `EXT-X-MEDIA`; `CLOSED-CAPTIONS=NONE` is declared only "
        + "if all pictures were searched.",
      "Players line renditions up by the times of their samples, and many do not use edit lists. The output "
        + "therefore has no edit lists: the same moment has the same media time in all renditions, and all renditions "
        + "start at `--time-offset`, apart from audio priming. Pictures that an edit list hides, such as those from "
        + "the keyframe to the start of a cut, are kept because others depend on them, but last for less than 2 ms "
        + "together. Where audio is missing at the start, or between parts, silent samples are added (AAC-LC, HE-AAC, "
        + "AC-3, Opus; a warning reports other codecs). If video starts late, its first picture is shown from the "
        + "start. Notes report these changes.",
      "Movie fragments are copied byte for byte under four conditions: each INPUT has one track or `--muxed` is "
        + "given; every segment starts at a fragment boundary; nothing needs repair; and the media times of all "
        + "INPUTs agree without edit lists. A note reports this. Otherwise, and always with the Apple profile or "
        + "`--recut`, new fragments are created. With `--reference`, nothing is copied: the playlists refer to byte "
        + "ranges of the INPUTs, by paths relative to DIR. If `--base-url` is also given, it must be the URL of DIR. "
        + "Other mp4tool commands need `--allow-outside` to read playlists that refer to files outside DIR. Inputs "
        + "that players cannot use this way are rejected: those with samples in `moov`, a `moov` after the fragments, "
        + "data outside its fragment, fragments without decode times, or a first fragment that does not begin with a "
        + "sync sample. A warning reports media times that only edit lists correct.",
      "The segments of the first video determine where the other renditions are cut: other videos at the same times "
        + "(with a warning if they have no sync samples there), audio and subtitles at the nearest sample. All "
        + "renditions have the same target duration, except subtitle renditions that have a longer segment.",
      "Tracks with the same samples in several INPUTs become one rendition. Audio tracks with the same codec and "
        + "number of channels form a group. If another INPUT has audio in the same languages but at a different bit "
        + "rate, its tracks form an additional group with the same names. The video of that INPUT uses this group. "
        + "All groups offer the same languages: a language missing from a group is taken from another group. "
        + "Languages are those declared by the tracks; the first track that is neither a commentary nor an audio "
        + "description is the default. Names are those of the tracks (`name` in `udta`), or those of the languages. "
        + "Roles (`kind`) become CHARACTERISTICS and FORCED. Notes report these decisions.",
      "By default, each video has an I-frame playlist (`iframes.m3u8`), which players use while seeking. Each "
        + "keyframe is a fragment of its own in `iframes.mp4`, so a player needs only one byte range for it. With "
        + "`--reference`, I-frame playlists refer to the INPUT if each keyframe has a movie fragment of its own there.",
      "Bandwidths are measured: the average, and the peak over all runs of consecutive segments (a run lasts between "
        + "0.5 and 1.5 target durations). Codecs, picture sizes, video ranges and channels come from the decoder "
        + "configuration, not from the other fields of sample entries. FRAME-RATE is the largest number of pictures "
        + "in any one second; a rate within 0.5% of a common rate is written as that rate. EXT-X-VERSION is the "
        + "lowest valid one.",
      "With `--dash`, `manifest.mpd` describes the same files for DASH players, with the groups, names, languages and "
        + "bandwidths of the playlists. The media files are the same with and without this option. Separate segments "
        + "have a SegmentTemplate; byte ranges (`--single-file`, `--reference`) have a SegmentList, because "
        + "the files have no `sidx`. The period starts at the first sample of the first rendition to start. Renditions "
        + "in which segments start at different times, or that differ in codecs, colors or keys, are in different "
        + "adaptation sets. Keyframes for trick play are only in HLS, because ffmpeg and GStreamer's `dashdemux` stop "
        + "at sets of them. "
        + "Byte ranges need a server that supports them, such as `mp4tool serve`: ffmpeg reads wrong bytes of local "
        + "files, and, for its own safety, no local WebVTT of a manifest. "
        + "WebVTT subtitles, whose segments only HLS players read, are also written to one file for each language "
        + "(`dash.vtt`). Durations that nine decimals cannot express are rounded up. minBufferTime is the duration of "
        + "the longest segment.",
      "If neither the sample entry nor the first parameter sets specify whether video is SDR, PQ or HLG, 8-bit video "
        + "and video with BT.709 colors are treated as SDR. Any other such video is treated as SDR too, with a "
        + "warning, unless `--video-range` is given.",
      "With the Apple profile, notes report violations of Apple's HLS Authoring Specification. Sample entries that "
        + "allow parameter sets in samples (`hev1`, `avc3`, `dvhe`, `dvav`) are changed to those that do not (`hvc1`, "
        + "`avc1`, `dvh1`, `dva1`), if no keyframe has a parameter set that the sample entry lacks.",
      "With `--encrypt`, audio and video are encrypted as `mp4tool encrypt` does it, and `--drm` adds for each "
        + "system: EXT-X-KEY and EXT-X-SESSION-KEY with its KEYFORMAT, `pssh` boxes in init segments, and with "
        + "`--dash` ContentProtection with `cenc:pssh` and `mspr:pro`. Generated `pssh` boxes contain the key ID; the "
        + "PlayReady header has version 4.0 for `cenc` and 4.3 for `cbcs`, without a license server. Licenses of "
        + "FairPlay, Widevine and PlayReady were not tried; browsers with Clear Key play the output. Only the key "
        + "files of `aes-128` contain keys: DIR has `KID.key` for each key, unless `--key-uri` says where they are; "
        + "init segments stay clear, and there are no I-frame playlists. `--key` and `--key-file` decrypt INPUTs that "
        + "are encrypted already. In the manifest, media with different keys is in different adaptation sets. The same "
        + "files, keys and options have the same initialization vectors every time; with `cenc`, those of INPUTs that "
        + "are not files are random.",
      "Encrypted tracks stay encrypted unless `--key` or `--key-file` is given. EXT-X-KEY is written only if "
        + "`--key-uri` or `--drm` is given. Its method is SAMPLE-AES for `cbcs` and SAMPLE-AES-CTR for `cenc`. The "
        + "tag appears at the first segment that has encrypted samples, after any clear lead. In a key URI, `{kid}` is "
        + "replaced by the key ID. Without it, all playlists have the same key URI: a note reports that renditions "
        + "have different keys, and a warning that the samples of a rendition need more than one key. A relative URI "
        + "is relative to `master.m3u8`. Unless there are two methods, `master.m3u8` repeats the key as "
        + "EXT-X-SESSION-KEY, so that players can request it early.",
    ],
    options: [
      output, OutputJob.dryRun, ReportFile.option, ReportFile.printSchema, DefragCommand.tracks, HLSInputs.subtitles,
      SubtitleFile.encoding, segmentDuration, segmentRule, first,
      profile, timeOffset,
      singleFile, reference, muxed, recut, noIFrames, iFrames, formats, dash, videoRange, kind,
      startNumber, baseURL, keyURI, keyFormat, keyFormatVersions, CaptionOptions.scan,
      DefragCommand.noEdits, DefragCommand.overlap, JoinCommand.forceInit,
    ] + [HLSThumbnails.thumbnails] + HLSMarkers.all + HLSProtection.all + PlaylistOptions.ofPresentation
      + ContentKeyOptions.input.all
      + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool hls movie.mp4 -o movie", "Writes `movie/master.m3u8` and all files that it refers to."),
      Command.Example(
        "mp4tool hls 1080p.mp4 720p.mp4,tracks=video en.m4a,language=en,default fr.m4a,language=fr -o out",
        "Creates two variants with audio in two languages."),
      Command.Example(
        "mp4tool hls --single-file --segment-duration 4 movie.mp4 -o out",
        "Writes one file per rendition, with four-second segments as byte ranges."),
      Command.Example("mp4tool package movie.mp4 -o out", "Also writes `out/manifest.mpd` for DASH players."),
      Command.Example(
        "mp4tool hls --reference recording.mp4 -o out",
        "Writes playlists for a fragmented recording, which is not copied."),
      Command.Example(
        "mp4tool hls --key-uri skd://movie --key-format com.apple.streamingkeydelivery encrypted.mp4 -o out",
        "Writes the key URI of encrypted tracks to their playlists."),
      Command.Example(
        "mp4tool hls --encrypt cbcs --encrypt-key-file keys.txt --drm fairplay=skd://{kid},widevine,playready --dash "
          + "movie.mp4 -o out",
        "Encrypts the samples for three DRM systems, for HLS and DASH."),
      Command.Example(
        "mp4tool hls --encrypt aes-128 --encrypt-key-file keys.txt movie.mp4 -o out",
        "Encrypts whole segments, and writes the keys for clients."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are missing or cut off; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "The INPUTs have no video and no audio, or edits cannot be kept; or a track cannot be encrypted: it is already "
          + "encrypted, its codec is not supported, or keys are missing."),
    ],
    manSections: ReportManual.hls,
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[ReportFile.printSchema] {
      try PackageReport.schema.write(to: context.console)
      return .done
    }
    var reading = ReadingOptions()
    reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    reading.keepsEdits = !arguments[DefragCommand.noEdits]
    reading.overlaps = arguments[DefragCommand.overlap]
    reading.takesAllSegments = arguments[JoinCommand.forceInit]
    try checkReference(arguments)
    if arguments[reference] {
      try ContentKeyOptions.input.refuse(arguments, with: reference)
      try arguments.refuse([HLSProtection.method], with: reference, because: "inputs are used as they are")
    }
    // Byte ranges of a file have the times of the file.
    (reading.keepsStart, reading.takesWholeFragments) = (arguments[reference], arguments[reference])
    var options = try options(arguments)
    options.reading = reading
    options.protection = try HLSProtection.protection(arguments, context)
    if let conflict = options.protectionConflict {
      var others = options
      others.formats = [.hls]
      let advice = others.protectionConflict == nil ? "; use '--\(formats.declaration.name) hls'" : ""
      throw UsageError(HLSProtection.method, conflict + advice)
    }
    let path = try arguments.folder(output)
    if arguments[reference] {
      let names = try referenceURIs(arguments, from: path ?? "DIR")
      options.referenceURI = { names[$0] ?? $0 }
    }
    options.thumbnails = try HLSThumbnails.thumbnails(arguments, context)
    var packager = Packager(options)
    if !arguments[reference], let playlist = try PlaylistOperand(arguments, Fetcher(context.fetching)).place() {
      return try PlaylistJob(arguments: arguments, context: context).run(playlist, into: path) { input, onProgress in
        let sources = try ContentKeyOptions.input.decrypted(input.sources, arguments, context, tracks: reading.tracks)
        let (subtitles, diagnostics) = try input.subtitles()
        if let dates = input.dates, let start = dates.start { packager.options.markers.keep(dates.ranges, from: start) }
        var plan = PlannedOutput(
          try packager.plan(
            sources, parts: input.parts, renditions: input.renditions, subtitles: subtitles, onProgress: onProgress))
        plan.diagnostics = diagnostics + plan.diagnostics
        return plan
      }
    }
    let inputs = try HLSInputs(arguments, context)
    if arguments[reference], inputs.hasSettings {
      throw UsageError("settings of an INPUT cannot be used with '--\(reference.declaration.name)': it is not changed")
    }
    return try OutputJob(arguments, context, to: .folder(path), from: inputs.sources).run { sources, onProgress in
      packager.options.protection?.inputIdentity = FileSource.identity(of: sources)
      let sources = try ContentKeyOptions.input.decrypted(sources, arguments, context, tracks: reading.tracks)
      var plan = PlannedOutput(
        try packager.plan(inputs.inputs(sources), subtitles: inputs.texts, onProgress: onProgress))
      plan.diagnostics = inputs.diagnostics + plan.diagnostics
      return plan
    }
  }

  /// Rejects options that `--reference` excludes, and inputs without a name.
  private static func checkReference(_ arguments: ParsedArguments) throws(UsageError) {
    let name = reference.declaration.name
    guard arguments[reference] else {
      guard !arguments[iFrames] else {
        throw UsageError("option '--\(iFrames.declaration.name)' needs '--\(name)'")
      }
      return
    }
    let others: [any DeclaredOption] = [
      singleFile, recut, DefragCommand.tracks, DefragCommand.noEdits, profile, timeOffset,
    ]
    try arguments.refuse(others, with: reference, because: "inputs are used as they are")
    if arguments[iFrames], arguments[noIFrames] { throw UsageError(iFrames, contradicts: noIFrames) }
    for operand in arguments.operands where operand.isDash || operand.bytes.starts(with: "/dev/".utf8) {
      throw UsageError("option '--\(name)' needs files that players can request by name, not '\(operand.text)'")
    }
  }

  /// The URIs of the inputs in playlists, by their names in messages.
  private static func referenceURIs(_ arguments: ParsedArguments, from folder: Pathname) throws -> [String: String] {
    var names: [String: String] = [:]
    for path in arguments.operands.map(\.path) {
      names[path.description] = try path.relative(to: folder).uriReference
    }
    return names
  }
}
