import Bytes
import FileIO
import ISOBMFF
import MP4

/// The folder that `--segments` asks for: an init segment and the media segments that belong to it.
struct SegmentFolder: FolderPlan {
  static let segments = Option.folder(
    "segments", placeholder: "DIR",
    help:
      "Make a folder with an init segment and each media segment as a file of its own, instead of one file. DIR may not "
      + "be there yet, or be empty. It appears when everything in it is complete, and not at all when something goes "
      + "wrong.")
  static let names = Option.parsed(
    "segment-name", placeholder: "PATTERN", as: SegmentNames.self,
    help:
      "What segments are called with `--segments`: `%d` becomes the number of the segment, from 1 on, and `%05d` the "
      + "same with zeros before it where it has fewer than five digits. `segment%d.m4s` unless given.")
  static let initName = Option.parsed(
    "init-name", placeholder: "NAME", as: FileName.self,
    help: "What the init segment is called with `--segments`; `init.mp4` unless given.")

  private let plan: FragmentPlan
  let files: [PlannedFile]

  init(_ plan: FragmentPlan, _ target: Target) {
    self.plan = plan
    let initialization = PlannedFile(
      path: target.initName, byteCount: plan.initializationByteCount, write: plan.writeInitialization)
    files =
      [initialization]
      + plan.segments.indices.map { index in
        PlannedFile(path: target.names[index + 1], byteCount: plan.byteCount(ofSegment: index)) {
          try plan.writeSegment(index, to: $0)
        }
      }
  }

  var notices: [Notice] { plan.notices }
  var counts: String? { plan.counts }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool {
    try plan.writeReport(to: sink, output: output, isMade: isMade, names: files.map(\.path.description))
    return true
  }
}

extension SegmentFolder {
  /// What `--segments` and the names beside it say.
  struct Target {
    let path: Pathname
    let names: SegmentNames
    let initName: Pathname

    /// `nil` when no segments are asked for.
    init?(_ arguments: ParsedArguments) throws(UsageError) {
      let option = SegmentFolder.segments.declaration.name
      guard let word = arguments[SegmentFolder.segments] else {
        for other in [SegmentFolder.names, SegmentFolder.initName] as [any DeclaredOption] where arguments.has(other) {
          throw UsageError("option '--\(other.declaration.name)' needs '--\(option) DIR'")
        }
        return nil
      }
      if arguments.has(OutputOptions.output) {
        throw UsageError(
          "options '--\(option)' and '--output' contradict each other: either a folder is made or a file")
      }
      if arguments.has(FragmentCommand.randomAccess) {
        throw UsageError(
          "options '--\(option)' and '--\(FragmentCommand.randomAccess.declaration.name)' contradict each other: the "
            + "table is at the end of one file")
      }
      if word.isDash { throw UsageError("option '--\(option)' makes a folder, which cannot go to standard output") }
      guard let path = Pathname(word.bytes) else { throw UsageError("the name of the output has a zero byte in it") }
      self.path = path
      names = arguments[SegmentFolder.names] ?? .usual
      initName = arguments[SegmentFolder.initName]?.path ?? "init.mp4"
      if names.canBe(initName) {
        throw UsageError("the init segment and a segment would both be called '\(initName)'")
      }
    }
  }

  /// What the man page says.
  static let manSection = Command.ManSection(
    title: "SEGMENTS AS FILES",
    paragraphs: [
      "`mp4tool fragment INPUT --segments DIR` makes the folder DIR with `init.mp4`, `segment1.m4s`, `segment2.m4s` and so "
        + "on, as HLS and DASH are served. A segment has the fragments that `-o` would write, after a `styp` and, with "
        + "`--sidx`, a `sidx` of its own; `mp4tool join DIR/init.mp4 DIR/segment*.m4s -o OUT` puts them together again.",
      "The files are written to a folder `.DIR.XXXXXX` beside DIR, which gets its name when all are complete. After "
        + "SIGINT, SIGTERM, SIGHUP, a full disk or any other error nothing is left; only SIGKILL or a loss of power can "
        + "leave the folder with the other name. What is in DIR already is never replaced, so `--no-clobber` changes "
        + "nothing. An empty folder is replaced and hands on its mode; a symbolic link to one stays.",
    ])
}
