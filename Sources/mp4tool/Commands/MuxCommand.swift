import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging

enum MuxCommand {
  static let frameRate = Option<FrameRate?>.parsed(
    "frame-rate", placeholder: "RATE", as: FrameRate.self,
    help: "The frame rate of video streams without a container, such as `25` or `30000/1001`, instead of the one they "
      + "declare. `rate=RATE` after a FILE applies to that file.")
  static let replaceAudio = Option.flag(
    "replace-audio", help: "Omit the audio of the first FILE, which the other files replace.")

  static let command = Command(
    name: "mux",
    summary: "put video, audio and subtitles of several files together in one MP4",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "A movie, a stream without a container, or subtitles, with optional settings: "
          + "`FILE,language=de,name=Deutsch`. `-` is standard input; URLs are accepted.")
    ],
    description: [
      "Writes one progressive MP4, `moov` first, with the tracks of all files in their order, WebVTT and SubRip "
        + "subtitles last. Nothing is transcoded: "
        + "samples keep their bytes and times. The metadata and chapters are those of the first FILE that "
        + "has any.",
      "A FILE can be any MP4 or QuickTime file; an MPEG transport stream; H.264, H.265 or H.266 as a byte stream "
        + "with start codes; AV1 or VP9 in IVF; AV1 as a stream of open bitstream units; AAC in ADTS or LATM, AC-3, "
        + "E-AC-3, MP2, MP3 or FLAC; Opus in Ogg; PCM in WAV, RF64, BW64, Wave64 or AIFF; PCM, AAC or Apple Lossless "
        + "in CAF; WebVTT, SubRip or TTML subtitles; or closed captions in SCC. The contents decide, not the name.",
      "If OUT is named `.mov`, it is a QuickTime movie, unless a FILE is an MP4 file or has a codec other than H.264, "
        + "H.265, AAC or uncompressed audio. PCM with 8 bits, A-law and μ-law are possible only in a QuickTime movie.",
      "Settings follow a FILE, separated by commas. `tracks=LIST`: use only these tracks, as IDs or kinds separated by "
        + "`+`, such as `video+audio`. `language=TAG` and `name=NAME`: the language and the name of its tracks. "
        + "`delay=SECONDS`: present its tracks later, or, if the number is negative, earlier; what would be before the "
        + "start is hidden. `default`: players choose its tracks; other tracks of the same kind are disabled. "
        + "`group=NUMBER`: the alternate group of its tracks, of which players choose one. `rate=RATE`: as "
        + "`--frame-rate`. `forced`, `sdh` and `encoding=NAME`: only for subtitles, as in `mp4tool subtitles`. "
        + "`channel=NAME`: subtitles become closed captions (CEA-608) of the channel CC1, CC2, CC3 or CC4 in a `c608` "
        + "track; for SCC, CC1 and CC2 are the first field, CC3 and CC4 the second. A word "
        + "that names an existing file is that file; put `./` before it if the settings of another file look like it.",
      "Video streams without times get a constant frame rate, in the output order that their picture order counts "
        + "declare: that of `--frame-rate`, or the one the stream declares, which is not read from H.266; without "
        + "either, nothing is written. Two fields are one sample. Sync samples are IDR pictures, all random access "
        + "pictures of H.265 and H.266, and recovery points of H.264 at which decoding can start immediately. "
        + "Parameter sets move to the sample entry; if they change within the stream, they stay in the samples, whose "
        + "entry is then `avc3`, `hev1` or `vvi1`. Filler data is omitted. Access unit delimiters and all other units "
        + "are kept.",
      StreamInputs.description,
      "Closed captions are in a track of their own (`c608`), not in the pictures. Subtitles become pop-on captions, "
        + "whose text is sent before it is shown: at most 60 characters per second. Texts that come too soon are shown "
        + "late, and what does not fit into 15 rows of 32 characters is cut off; both are reported. SCC files with "
        + "timecodes that start at one hour need `delay=-3600`, or `delay=-3603.6` if they do not drop frames.",
      "MP3 files with the delay and padding of their encoder, and Opus, get an edit list that hides them. AAC in ADTS "
        + "does not declare its priming; `delay=-0.021333` hides 1,024 samples at 48 kHz. The other chunks of WAV and "
        + "AIFF, and comments and pictures of FLAC, are omitted with a note. Of `bext`, the note has the description "
        + "and the time at which the recording starts, from which `edit --timecode` can make a timecode track.",
      "Where bytes of AAC, AC-3 or MP3 are no frames, sound is missing: an error reports the times, and the frame "
        + "before lasts longer, so that the sound after it keeps its time. The duration is that of as many bytes of "
        + "the frames around, and exact if all frames have the same size. Bytes before the first frame are omitted "
        + "with a warning.",
      "A TTML document is one sample of a `stpp` track; its times count from the start of the track. Documents with "
        + "images in other files are refused.",
      RemoteFile.description,
    ],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRunWithoutReport]), OutputJob.dryRunWithoutReport, frameRate,
      replaceAudio, EditCommand.chapters, EditCommand.cover, DefragCommand.moov, DefragCommand.interleave,
      DefragCommand.textForm, SubtitleFile.encoding,
    ] + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool mux video.h264 audio.wav,language=de subs.srt,language=de -o film.mp4",
        "Makes a film of three files."),
      Command.Example(
        "mp4tool mux camera.mp4,tracks=video sound.mp4,tracks=audio -o film.mp4",
        "Takes the video of one file and the audio of another."),
      Command.Example(
        "mp4tool mux --replace-audio film.mp4 mix.wav -o new.mp4", "Replaces the audio, and keeps all other tracks."),
      Command.Example(
        "mp4tool mux film.mp4 commentary.m4a,name=Commentary,group=1,delay=-0.12 -o both.mp4",
        "Adds a second audio track that starts 120 ms earlier."),
      Command.Example(
        "mp4tool mux film.mp4 captions.scc,language=en -o captioned.mov", "Adds closed captions as a `c608` track."),
      Command.Example(
        "ffmpeg -i in.mkv -c:v libx264 -f h264 - | mp4tool mux - -o video.mp4", "Writes the output of an encoder."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Parts of a stream are damaged; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "A FILE is neither a movie nor a known stream, has none of the tracks, or is video without a frame rate."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var inputs: [MuxInput] = []
    for operand in arguments.operands { inputs.append(try MuxInput(operand)) }
    let opened = try inputs.map { ($0, try InputFiles(context).open($0.file, spool: true)) }
    var (texts, media): ([SubtitleFile], [(MuxInput, any ByteSource)]) = ([], [])
    var captions: [Diagnostic] = []
    for (input, source) in opened {
      if let movie = try input.captions(source, encoding: arguments[SubtitleFile.encoding]) {
        captions += movie.diagnostics
        media.append((input, movie.source))
      } else if try TTMLMovie.isTTML(source) {
        try input.checkMedia(source)
        let movie = try TTMLMovie(source)
        captions += movie.diagnostics
        media.append((input, movie.source))
      } else if try Subtitles.isSubtitles(source) {
        texts.append(try input.subtitles(source))
      } else {
        try input.checkMedia(source)
        media.append((input, source))
      }
    }
    let followers = try SubtitleTracks(texts, arguments[DefragCommand.textForm], arguments)
    var multiplexer = Multiplexer(media.map { $0.0.settings(rate: arguments[frameRate]) })
    if arguments[replaceAudio], !media.isEmpty {
      multiplexer.settings[0].replaced = TrackSelection([.handlers(["soun"])])
    }
    multiplexer.chapters = try arguments[EditCommand.chapters].map {
      try ChapterList.read($0, context) ?? ChapterList([])
    }
    multiplexer.cover = try arguments[EditCommand.cover].map { try CoverFile.read($0, context) }
    multiplexer.options.isMovieFirst = arguments[DefragCommand.moov]
    multiplexer.options.interleave = arguments[DefragCommand.interleave]?.time
    multiplexer = multiplexer.writing(to: arguments.outputName)
    return try OutputJob(arguments, context, from: media.map(\.1)).run { sources, onProgress in
      var plan = try multiplexer.plan(sources, followers: followers.sources, onProgress: onProgress)
      plan.diagnostics = captions + followers.diagnostics + plan.diagnostics
      return PlannedOutput(plan)
    }
  }
}
