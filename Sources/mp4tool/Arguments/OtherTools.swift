/// Names in other tools, and their equivalents in this one.
struct OtherTools: Sendable {
  /// Names of commands, or of options without dashes, in lower case; the case-sensitive `-V` is in ``shortWords``.
  let words: [String]
  /// The equivalent: a command with or without options, or only an option, which applies to every command that has it.
  var answers: [String] = []
  /// An explanation instead of an equivalent; options in it are quoted.
  var remark: String?

  private init(_ words: String, _ answers: String...) {
    self.words = words.split(separator: " ").map(String.init)
    self.answers = answers
  }

  private init(_ words: String, remark: String) {
    self.words = words.split(separator: " ").map(String.init)
    self.remark = remark
  }

  /// The equivalent of the command called `name`.
  static func command(_ name: String) -> OtherTools? {
    let word = name.lowercased()
    return commands.first { $0.words.contains(word) }
  }

  /// The man page about `name`, which is not a command but may be a subject of `mp4tool help`.
  static func subject(_ name: String) -> OtherTools? {
    let word = name.lowercased()
    return subjects.first { $0.words.contains(word) }
  }

  /// The equivalents of an option in `command`: those of this command, or else those of others.
  static func option(_ name: String, in command: String, _ options: [OptionDeclaration]) -> OtherTools? {
    guard var found = known(name) else { return nil }
    var (own, others): ([String], [String]) = ([], [])
    for answer in found.answers {
      let words = answer.split(separator: " ")
      guard let first = words.first else { continue }
      if first.hasPrefix("-") {
        if options.contains(where: { first == "--" + $0.name }) { own.append(answer) }
      } else if first == command {
        let rest = words.dropFirst().joined(separator: " ")
        if !own.contains(rest) { own.append(rest) }
      } else {
        others.append("mp4tool " + answer)
      }
    }
    found.answers = own.isEmpty ? Array(others.prefix(2)) : own
    return found.answers.isEmpty && found.remark == nil ? nil : found
  }

  private static func known(_ name: String) -> OtherTools? {
    if let short = shortWords.first(where: { $0.words.contains(name) }) { return short }
    let word = String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    return options.first { $0.words.contains(word) }
  }

  /// Names of commands.
  static let commands = [
    OtherTools("trim clip crop-time lossless-cut losslesscut", "cut"),
    OtherTools(
      "faststart fast-start qt-faststart optimize optimise flatten flat unfragment defragment progressive "
        + "rewrap",
      "defrag"),
    OtherTools("untrunc repair fix restore rescue salvage", "recover --like", "defrag"),
    OtherTools("convert transmux", "defrag", "fragment"),
    OtherTools("merge combine", "mux", "concat", "defrag"),
    OtherTools("concatenate cat append", "concat", "join"),
    OtherTools("demux mp4extract mp42aac mp42avc mp42hevc aac h264 hevc annexb", "extract --tracks", "defrag --tracks"),
    OtherTools("cover artwork mp4art thumbnail", "extract --cover", "edit --cover"),
    OtherTools("mp4decrypt decipher unlock decryption-key", "decrypt"),
    OtherTools("mp4encrypt protect drm cenc cbcs", "encrypt", "decrypt"),
    OtherTools("frag fragmentize fragmented mp4fragment cmaf fmp4", "fragment"),
    OtherTools("split segment segmenter segments chunk slice dash mp4split", "fragment --segments", "hls"),
    OtherTools("packager m3u8 playlist mp4hls mediafilesegmenter", "hls"),
    OtherTools("stream broadcast ll-hls llhls", "live", "serve"),
    OtherTools("verify validate validator test lint conformance", "check"),
    OtherTools("probe inspect show summary mp4info mediainfo ffprobe analyze analyse", "info"),
    OtherTools("frames packets keyframes gops stalls", "samples"),
    OtherTools("emsg id3 scte35 scte-35 chapters timecode timeline", "events"),
    OtherTools("compare cmp framemd5", "diff"),
    OtherTools("mp4tag mp4tags atomicparsley exiftool set modify change retag metadata mp4edit rotate", "edit"),
    OtherTools("html page chart charts graph plot bitrate", "report"),
    OtherTools("print tree list ls boxes atoms mp4dump json", "dump"),
    OtherTools("describe doc docs spec box atom", "explain"),
    OtherTools("srt vtt webvtt subs sub captions", "subtitles", "defrag --subtitles"),
    OtherTools("server http web play player", "serve"),
    OtherTools("proxy origin cache", "serve --origin"),
    OtherTools("man usage", "help"),
    OtherTools("version", "--version"),
    OtherTools("completion bash zsh fish", "completions"),
  ]

  /// Subjects with their own man page.
  static let subjects = [
    OtherTools(
      "boxes mp4tool-boxes definitions",
      remark: "'man mp4tool-boxes' describes the definitions for '--boxes'")
  ]

  /// One-letter options, which are case-sensitive.
  static let shortWords = [
    OtherTools("V", "--version"),
    OtherTools("i", remark: inputs), OtherTools("c", remark: copies), OtherTools("y f", remark: replaces),
    OtherTools("j J", "dump --format json", "--report -"),
    OtherTools("n", "--dry-run", "--no-clobber"),
    OtherTools("t", "--limit", "--tracks"), OtherTools("s", "--quiet"),
    OtherTools("d", "dump --depth", "--verbose"),
  ]
  private static let inputs = "inputs are given without an option"
  private static let copies = "samples are always copied without transcoding"
  private static let replaces = "an existing output is replaced unless '--no-clobber' is given"

  /// Names of options; `_` is treated as `-`.
  static let options = [
    OtherTools(
      "json print-format of", "info --format json", "dump --format json", "samples --format json",
      "explain --format json", "--report -"),
    OtherTools("ver", "--version"), OtherTools("usage", "--help"),
    OtherTools("silent loglevel", "--quiet"), OtherTools("debug trace", "--verbose"),
    OtherTools("test simulate noop pretend check validate plan", "--dry-run"),
    OtherTools("werror pedantic fail-on-warning", "--strict"),
    OtherTools("force overwrite clobber", remark: replaces), OtherTools("no-overwrite", "--no-clobber"),
    OtherTools("input infile", remark: inputs), OtherTools("copy codec vcodec acodec", remark: copies),
    OtherTools("out outfile output-file", "--output"),
    OtherTools("outdir output-dir output-folder dir folder", "fragment --segments", "hls --output", "live --output"),
    OtherTools("faststart fast-start movflags optimize moov-first", "defrag --moov first"),
    OtherTools("stream streams map track track-id", "--tracks", "extract --tracks"),
    OtherTools("tracks", "extract --tracks"),
    OtherTools("output", "extract --output"),
    OtherTools("video-only no-audio an", "--tracks video"), OtherTools("audio-only no-video vn", "--tracks audio"),
    OtherTools(
      "segment-duration segment-length seg-duration segment-time hls-time segdur segment",
      "hls --segment-duration", "fragment --segment-duration", "live --segment-duration",
      "subtitles --segment-duration"),
    OtherTools(
      "duration time length to", "hls --segment-duration", "fragment --segment-duration", "live --segment-duration",
      "subtitles --segment-duration", "defrag --limit", "join --limit"),
    OtherTools("frag-duration fragment-length min-frag-duration", "fragment --fragment-duration"),
    OtherTools("split split-at segment-times cuts", "fragment --cut-at", "cut --split-at"),
    OtherTools("ss start begin from", "cut --from"), OtherTools("end until", "cut --to"),
    OtherTools(
      "name segment-name segment-filename hls-segment-filename segment-template template", "fragment --segment-name"),
    OtherTools("init-filename hls-fmp4-init-filename", "fragment --init-name"),
    OtherTools("sidx index global-sidx", "fragment --sidx"),
    OtherTools("single byterange byte-range", "hls --single-file"),
    OtherTools("trickplay i-frames iframe-playlist", "hls --iframes"),
    OtherTools("keyinfo hls-key-info-file", "hls --key-uri"),
    OtherTools("decryption-key decryption-keys keys", "--key", "decrypt --key"),
    OtherTools("window-size list-size hls-list-size", "live --window"),
    OtherTools("srt vtt subs sub captions add", "--subtitles", "defrag --subtitles", "subtitles --subtitles"),
    OtherTools("no-edit-lists no-elst ignore-editlist", "--no-edits"),
    OtherTools("inter interleaving", "defrag --interleave"), OtherTools("stz2", "defrag --compact"),
    OtherTools("emsg events id3", "defrag --keep-events"),
    OtherTools("copyts copy-ts keep-timestamps", "defrag --keep-start"),
    OtherTools("max-depth level", "dump --depth"), OtherTools("filter box atom", "dump --path"),
    OtherTools("hexdump raw bytes", "dump --hex"),
    OtherTools("address listen host interface", "serve --bind", "live --bind"),
    OtherTools("upstream proxy", "serve --origin"), OtherTools("cache-dir cache", "serve --cache-dir"),
    OtherTools("sync flush", "--fsync"), OtherTools("timing", "--profile"),
    OtherTools("keep download save", "defrag --download-dir", "join --download-dir"),
  ]
}
