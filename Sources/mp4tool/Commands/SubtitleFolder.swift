import Bytes
import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging
import Platform

/// The files of subtitles that are added to a presentation.
struct SubtitleFolder: FolderPlan {
  private var plan: SubtitlePlan
  /// The folder in which the files are.
  let name: String
  private(set) var files: [PlannedFile]
  var notices: [Notice]

  init(_ plan: SubtitlePlan, _ name: String, _ notices: [Notice]) {
    self.plan = plan
    self.name = name
    self.notices = notices + plan.notices
    files = plan.files.compactMap { file in
      Path(Array(file.path.utf8)).map { path in
        PlannedFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
  }

  /// The edited playlist as it is written.
  var playlist: [UInt8] { plan.main.bytes }

  /// Makes the URIs of the playlist lead where they did, seen from another folder. Those that variables make absolute stay.
  mutating func rebase(_ change: (String) -> String, keepsVariables: Bool) {
    let own = Set(plan.media.keys)
    let variables = try? Variables(plan.main.definitions)
    plan.main.changeURIs { uri in
      if own.contains(uri) { return uri }
      let meant = (try? variables?.substituted(uri)) ?? uri
      let changed = change(meant)
      if changed == meant { return uri }
      return keepsVariables ? change(uri) : changed
    }
  }

  /// Adds the edited playlist to the files, as the last one.
  mutating func addPlaylist(_ path: Path) {
    let bytes = playlist
    files.append(PlannedFile(path: path, byteCount: bytes.count) { try $0.write(bytes) })
  }

  var counts: String? { counted(plan.media.count, "rendition") + " of subtitles" }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}

/// A folder of subtitles beside a multivariant playlist, and the playlist itself, which is replaced when the folder is
/// complete.
final class AddedFolder: SafeOutput {
  private let folder: OutputFolder
  private let playlist: OutputFile

  init(_ folder: Path, changing playlist: Path, _ options: OutputFile.Options) throws(IOError) {
    self.playlist = try OutputFile(playlist, options: options)
    self.folder = try OutputFolder(folder, syncs: options.syncs)
  }

  var name: String { playlist.name }
  var onProgress: ((Int) -> Bool)? {
    get { folder.onProgress }
    set { folder.onProgress = newValue }
  }
  func expect(byteCount: Int) throws(IOError) { try folder.expect(byteCount: byteCount) }
  func isSame(as file: OutputFile) -> Bool { playlist.isSame(as: file) || folder.isSame(as: file) }

  /// Writes everything; a signal to stop waits until it is there or gone.
  func write(_ plan: SubtitleFolder) throws {
    try Signals.holdingStops { isWaiting in
      let tell = folder.onProgress
      folder.onProgress = { (tell?($0) ?? true) && !isWaiting() }
      do {
        let prefix = plan.name.utf8.count + 1
        for file in plan.files {
          // The paths are those beside the playlist.
          try file.write(folder.begin(Path(file.path.bytes.dropFirst(prefix)) ?? file.path))
        }
        try playlist.write(plan.playlist)
        try commit()
      } catch {
        discard()
        throw error
      }
    }
  }
  func commit() throws(IOError) {
    try folder.commit()
    try playlist.commit()
  }
  func discard() {
    folder.discard()
    playlist.discard()
  }
}
