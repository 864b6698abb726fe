import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging

/// A planned presentation as a folder.
struct HLSFolder: FolderPlan {
  private let plan: PackagePlan
  let files: [FolderFile]

  init(_ plan: PackagePlan) {
    self.plan = plan
    files = plan.files.compactMap { file in
      Pathname(Array(file.path.utf8)).map { path in
        FolderFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
  }

  var diagnostics: [Diagnostic] {
    // Merging inputs is the purpose of the command, so notes about it are omitted.
    plan.diagnostics.filter { diagnostic in
      switch diagnostic.kind {
      case .combined, .equalMovie: false
      default: true
      }
    }
  }
  var counts: String? { counted(plan.renditionCount, "rendition") }
  func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool {
    try plan.writeReport(to: sink, output: output, isWritten: isWritten)
    return true
  }
}
