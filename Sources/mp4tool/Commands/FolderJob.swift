import Bytes
import FileIO
import ISOBMFF
import MP4
import Platform

/// Runs a command that writes a folder of files.
struct FolderJob {
  let arguments: ParsedArguments
  let context: CommandContext

  /// Plans the output for the operands, or for the `given` inputs, and writes it to the folder `path`, unless
  /// `--strict` or `--dry-run` prevents that; a dry run needs no folder.
  func run(
    _ path: Pathname?, on given: [any ByteSource]? = nil, _ makePlan: OutputJob.Planning<some FolderPlan>
  ) throws -> ExitCode {
    try OutputJob(arguments, context, sources: given, output: nil).run(makePlan) { options in
      try path.map { path in try OutputFolder(path, syncs: options.syncs) }
    } write: { plan, folder in
      try write(plan, to: folder)
    }
  }

  /// Signals are blocked until the folder is complete or removed, because a handler cannot remove its contents.
  private func write(_ plan: some FolderPlan, to folder: OutputFolder) throws {
    try Signals.holdingStops { isWaiting in
      let tell = folder.onProgress
      folder.onProgress = { (tell?($0) ?? true) && !isWaiting() }
      do {
        for file in plan.files { try file.write(folder.begin(file.path)) }
        try folder.commit()
      } catch {
        folder.discard()
        throw error
      }
    }
  }
}

/// A planned folder of files.
protocol FolderPlan: OutputPlanning {
  /// The files, in the order in which they are written.
  var files: [FolderFile] { get }
}

extension FolderPlan {
  var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
}

/// One file of a folder.
struct FolderFile {
  /// Its path in the folder.
  let path: Pathname
  /// The number of bytes that `write` writes.
  let byteCount: Int
  let write: (any ByteSink) throws -> Void
}
