import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging

extension PlannedOutput {
  /// A presentation as a folder.
  init(_ plan: PackagePlan) {
    let files = plan.files.compactMap { file in
      Pathname(file.path).map { path in
        PlannedFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
    // Merging inputs is the purpose of the command, so notes about it are omitted.
    let diagnostics = plan.diagnostics.filter { diagnostic in
      switch diagnostic.kind {
      case .combined, .equalMovie: false
      default: true
      }
    }
    self.init(files, diagnostics: diagnostics, counts: counted(plan.renditionCount, "rendition"))
    writeReport = {
      try plan.writeReport(to: $0, output: $1, isWritten: $2)
      return true
    }
  }
}
