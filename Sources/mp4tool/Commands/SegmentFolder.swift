import Bytes
import FileIO
import ISOBMFF
import MP4

/// The folder of `--segments`: an init segment and its media segments.
struct SegmentFolder: FolderPlan {
  static let segments = Option.folder(
    "segments", placeholder: "DIR",
    help:
      "Write an init segment and separate media segments to the folder DIR instead of one file. DIR must not exist, or "
      + "must be empty. It appears only when everything in it is complete.")
  static let names = Option.parsed(
    "segment-name", placeholder: "PATTERN", as: SegmentNames.self,
    help:
      "The names of the segments in DIR: `%d` is replaced by the segment number, starting at 1; `%05d` pads it with "
      + "zeros to five digits. The default is `segment%d.m4s`.")
  static let initName = Option.parsed(
    "init-name", placeholder: "NAME", as: FileName.self,
    help: "The name of the init segment in DIR. The default is `init.mp4`.")

  private let plan: FragmentPlan
  let files: [FolderFile]

  init(_ plan: FragmentPlan, _ target: Target) {
    self.plan = plan
    let initialization = FolderFile(
      path: target.initName, byteCount: plan.initializationByteCount, write: plan.writeInitialization)
    files =
      [initialization]
      + plan.segments.indices.map { index in
        FolderFile(path: target.names[index + 1], byteCount: plan.byteCount(ofSegment: index)) {
          try plan.writeSegment(index, to: $0)
        }
      }
  }

  var diagnostics: [Diagnostic] { plan.diagnostics }
  var counts: String? { plan.counts }
  func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool {
    try plan.writeReport(to: sink, output: output, isWritten: isWritten, names: files.map(\.path.description))
    return true
  }
}

extension SegmentFolder {
  /// The values of `--segments` and the related options.
  struct Target {
    let path: Pathname
    let names: SegmentNames
    let initName: Pathname

    /// `nil` if no segments are requested.
    init?(_ arguments: ParsedArguments) throws(UsageError) {
      let option = SegmentFolder.segments.declaration.name
      guard let word = arguments[SegmentFolder.segments] else {
        for other in [SegmentFolder.names, SegmentFolder.initName] as [any DeclaredOption] where arguments.has(other) {
          throw UsageError("option '--\(other.declaration.name)' needs '--\(option) DIR'")
        }
        return nil
      }
      try arguments.refuse(
        [OutputOptions.output], with: SegmentFolder.segments, because: "the output is either a folder or a file")
      try arguments.refuse(
        [FragmentCommand.randomAccess], with: SegmentFolder.segments, because: "the table is at the end of one file")
      if word.isDash { throw UsageError("option '--\(option)' writes a folder, which cannot go to standard output") }
      guard let path = Pathname(word.bytes) else { throw UsageError("the name of the output contains a NUL byte") }
      self.path = path
      names = arguments[SegmentFolder.names] ?? .usual
      initName = arguments[SegmentFolder.initName]?.path ?? "init.mp4"
      if names.canBe(initName) {
        throw UsageError("the init segment and a media segment would both be named '\(initName)'")
      }
    }
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
