import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO

/// The folder of `--segments`: an init segment and its media segments.
struct SegmentFolder {
  static let segments = Option.folder(
    "segments", placeholder: "DIR",
    help:
      "Write an init segment and separate media segments to the folder DIR instead of one file. DIR must not exist, or "
      + "must be empty. It appears only when everything in it is complete.")
  static let names = Option.parsed(
    "segment-name", placeholder: "PATTERN", as: NumberedName.self,
    help:
      "The names of the segments in DIR: `%d` is replaced by the segment number, starting at 1; `%05d` pads it with "
      + "zeros to five digits. The default is `segment%d.m4s`.")
  static let initName = Option.parsed(
    "init-name", placeholder: "NAME", as: FileName.self,
    help: "The name of the init segment in DIR. The default is `init.mp4`.")

  let path: Pathname
  let names: SegmentNames

  /// The values of the options; `nil` if no segments are requested.
  init?(_ arguments: ParsedArguments) throws(UsageError) {
    let option = Self.segments.declaration.name
    guard arguments.has(Self.segments) else {
      for other in [Self.names, Self.initName] as [any DeclaredOption] where arguments.has(other) {
        throw UsageError("option '--\(other.declaration.name)' needs '--\(option) DIR'")
      }
      return nil
    }
    try arguments.refuse(
      [OutputOptions.output], with: Self.segments, because: "the output is either a folder or a file")
    try arguments.refuse(
      [FragmentCommand.randomAccess], with: Self.segments, because: "the table is at the end of one file")
    guard let path = try arguments.folder(Self.segments) else { return nil }
    self.path = path
    let initName = arguments[Self.initName]?.text ?? "init.mp4"
    guard let names = SegmentNames(arguments[Self.names] ?? SegmentNames().media, initialization: initName) else {
      throw UsageError("the init segment and a media segment would both be named '\(initName)'")
    }
    self.names = names
  }

  /// The segments as files.
  static func output(_ plan: FragmentPlan) -> PlannedOutput {
    var files = [
      PlannedFile(path: plan.initializationName, byteCount: plan.initializationByteCount) {
        try plan.writeInitialization(to: $0)
      }
    ]
    for index in plan.segments.indices {
      files.append(
        PlannedFile(path: plan.name(ofSegment: index), byteCount: plan.byteCount(ofSegment: index)) {
          try plan.writeSegment(index, to: $0)
        })
    }
    var output = PlannedOutput(files, diagnostics: plan.diagnostics, counts: counted(plan.segments.count, "segment"))
    output.writeReport = { [names = files.map(\.path.description)] in
      try plan.writeReport(to: $0, output: $1, isWritten: $2, names: names)
      return true
    }
    return output
  }

  /// The section of the man page.
  static let manSection = Command.ManSection(
    title: "SEGMENTS AS FILES",
    paragraphs: [
      "`mp4tool fragment INPUT --segments DIR` writes `init.mp4`, `segment1.m4s`, `segment2.m4s` and so on to the "
        + "folder DIR, for HLS and DASH. A segment has the same fragments as with `-o`, after a `styp` and, with "
        + "`--sidx`, its own `sidx`. `mp4tool join DIR/init.mp4 DIR/segment*.m4s -o OUT` joins them into one file.",
      "The files are written to a folder `.DIR.XXXXXX` beside DIR. When all files are complete, the folder is renamed "
        + "to DIR. After SIGINT, SIGTERM, SIGHUP or an error such as a full disk, nothing is left; only SIGKILL or a "
        + "power failure can leave the temporary folder. Files in DIR are never replaced, so `--no-clobber` affects "
        + "only `--report`. An empty folder is replaced; its permissions are kept. If DIR is a symbolic link to an "
        + "empty folder, the link is kept.",
    ])
}
