/// The output of `mp4tool --help`.
struct ToolHelp {
  private let commands: [Command]

  init(_ commands: [Command]) {
    self.commands = commands
  }

  static let summary = "inspect, edit, repair, remux, package and serve MP4 files"

  /// Tasks, and the command for each.
  static let tasks: [(task: String, command: String)] = [
    ("see what a file contains: codecs, sizes, times", "info FILE"),
    ("find incorrect declarations in HLS playlists", "info PLAYLIST"),
    ("see where the samples and keyframes are", "samples FILE"),
    ("find out why playback stalls", "samples --stalls FILE"),
    ("see ad breaks, ID3, chapters and timecodes", "events FILE"),
    ("check a file against standards and player requirements", "check FILE"),
    ("check an HLS presentation and its media", "check PLAYLIST"),
    ("test deliveries against a specification", "check --spec SPEC FILE..."),
    ("see what an editor or another program changed", "diff FILE OTHER"),
    ("check that a remux kept all samples", "diff --samples FILE OTHER"),
    ("make and check hashes of the media in an archive", "hash FILE..."),
    ("see charts of a file on an HTML page", "report FILE -o report.html"),
    ("see the boxes of a file", "dump FILE"),
    ("look up a box type", "explain CODE"),
    ("set tags, or change tracks, boxes and fields", "edit FILE --title TEXT -o OUT"),
    ("remove the location before sharing a file", "edit --strip location FILE -o OUT"),
    ("correct the colors that a video declares", "edit --color bt2020-pq FILE -o OUT"),
    ("trim a file without transcoding", "cut --from TIME --to TIME FILE -o OUT"),
    ("concatenate files without transcoding", "concat FILE OTHER... -o OUT"),
    ("put video, audio and subtitles together", "mux FILE OTHER... -o OUT"),
    ("extract a track as H.264, AAC and so on", "extract --tracks ID FILE -o OUT"),
    ("extract subtitles as SubRip (default: WebVTT)", "extract --tracks text --format srt FILE -o OUT"),
    ("extract closed captions (CEA-608, CEA-708)", "extract --captions FILE -o OUT"),
    ("extract the cover, chapters or a box", "extract --cover FILE -o OUT"),
    ("decrypt a file (CENC)", "decrypt --key-file KEYS FILE -o OUT"),
    ("encrypt a file for DRM (CENC)", "encrypt --key-file KEYS FILE -o OUT"),
    ("write one ordinary MP4 from fragments or segments", "defrag INIT SEGMENT... -o OUT"),
    ("move `moov` to the front (fast start)", "defrag FILE -o OUT"),
    ("recover a recording that has no moov", "recover BROKEN --like GOOD -o OUT"),
    ("convert .mov to .mp4", "defrag FILE.mov -o OUT.mp4"),
    ("save an HLS stream as one file", "defrag URL -o OUT"),
    ("concatenate segments byte for byte", "join INIT SEGMENT... -o OUT"),
    ("divide a file into fragments or segments", "fragment FILE -o OUT"),
    ("package files as HLS", "hls FILE... -o DIR"),
    ("package a live stream as HLS", "live INPUT -o DIR"),
    ("add subtitles to a file", "defrag --subtitles LANG=FILE FILE -o OUT"),
    ("add subtitles to an HLS presentation", "subtitles --subtitles LANG=FILE PLAYLIST -o DIR"),
    ("play files or streams in a browser", "serve FILE"),
    ("serve a folder of MP4 files as HLS and DASH", "serve FOLDER"),
  ]

  static let examples = [
    Command.Example("mp4tool info movie.mp4", "Shows what a file contains."),
    Command.Example("mp4tool dump movie.mp4", "Shows the boxes of a file."),
    Command.Example(
      "mp4tool defrag recording.mp4 -o movie.mp4",
      "Writes an ordinary MP4 from a fragmented recording."),
    Command.Example("mp4tool help join", "Explains one command."),
  ]

  var text: String {
    [
      "\(Version.name) \(Version.number): \(Self.summary)\n",
      "Which command?\n" + Self.taskLines.joined(),
      "Usage: \(Version.name) COMMAND [OPTION]... [OPERAND]...\n",
      HelpText.section("Commands", commandLines),
      HelpText.section("General options", GeneralOptions.all.map { HelpText.item($0.declaration) }),
      HelpText.section("Examples", Self.examples.map(HelpText.example)),
      HelpText.exitStatus,
    ].joined(separator: "\n")
  }

  /// The output if no command is given.
  var shortUsage: String {
    "Usage: \(Version.name) COMMAND [OPTION]... [OPERAND]...\n\n" + HelpText.section("Commands", commandLines)
      + "\nTry '\(Version.name) --help' or '\(Version.name) help COMMAND'."
  }

  private static var taskLines: [String] {
    let column = 4 + (tasks.map(\.task.count).max() ?? 0)
    return tasks.map { TextWrapping.item("  \(HelpText.plain($0.task))", $0.command, column: column) }
  }

  private var commandLines: [String] {
    let names = commands.map { $0.names.joined(separator: ", ") }
    let column = 4 + (names.map(\.count).max() ?? 0)
    return zip(names, commands).map { TextWrapping.item("  \($0)", $1.summary, column: column) }
  }
}
