import Bytes
import FileIO
import HLS
import MP4
import Packaging

/// The subtitle files that are added to a presentation.
struct SubtitleFolder: FolderPlan {
  let plan: SubtitlePlan
  private(set) var files: [FolderFile]
  var diagnostics: [Diagnostic]

  init(_ plan: SubtitlePlan, _ diagnostics: [Diagnostic]) {
    self.plan = plan
    self.diagnostics = diagnostics + plan.diagnostics
    files = plan.files.compactMap { file in
      Pathname(Array(file.path.utf8)).map { path in
        FolderFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
  }

  /// Adds the edited playlist as the last file.
  mutating func addPlaylist(_ path: Pathname) {
    let bytes = plan.main.bytes
    files.append(FolderFile(path: path, byteCount: bytes.count) { try $0.write(bytes) })
  }

  var counts: String? { counted(plan.media.count, "rendition") + " of subtitles" }
  func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool { false }
}
