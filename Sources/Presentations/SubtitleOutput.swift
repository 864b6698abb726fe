public import MP4
public import MP4Bytes
public import MP4FileIO
import MP4HLS
public import MP4Packaging
import MP4Platform

/// A folder of subtitles beside a multivariant playlist, and the playlist, which is replaced when the folder is
/// complete.
public final class SubtitleOutput: SafeOutput {
  private let folder: OutputFolder
  private let playlist: OutputFile
  private let folderName: String

  /// The folder of `planner` beside the file `playlist`; see `SubtitlePlanner.chooseFolder(beside:)`.
  public init(
    of planner: SubtitlePlanner, beside playlist: Pathname, _ options: OutputFile.Options = OutputFile.Options()
  ) throws(IOError) {
    folderName = planner.folder
    self.playlist = try OutputFile(playlist, options: options)
    folder = try OutputFolder(playlist.folder.appending(Pathname(folderName) ?? "subtitles"), syncs: options.syncs)
  }

  /// The path of the playlist.
  public var name: String { playlist.name }
  /// Called with the number of bytes written so far; returns whether to continue.
  public var onProgress: ((Int) -> Bool)? {
    get { folder.onProgress }
    set { folder.onProgress = newValue }
  }
  /// Fails if the disk has no room for an output of `byteCount` bytes.
  public func expect(byteCount: Int) throws(IOError) { try folder.expect(byteCount: byteCount) }
  /// Whether one of the two would overwrite the other.
  package func isSame(as file: OutputFile) -> Bool { playlist.isSame(as: file) || folder.isSame(as: file) }

  /// Writes the files of the plan and its playlist, which get their final names in ``commit()``.
  public func write(_ plan: SubtitlePlan) throws(MovieError) {
    // The paths are relative to the playlist.
    let prefix = folderName.utf8.count + 1
    for file in plan.files {
      let sink: any ByteSink
      let path = Pathname(Array(file.path.utf8.dropFirst(prefix))) ?? "subtitles"
      sink = try io(folder.begin(path))
      try plan.write(file, to: sink)
    }
    try io(playlist.write(plan.main.bytes))
  }
  /// Gives the folder and then the playlist their final names.
  public func commit() throws(IOError) {
    try folder.commit()
    try playlist.commit()
  }
  /// Discards both.
  public func discard() {
    folder.discard()
    playlist.discard()
  }
}

extension SubtitlePlanner {
  /// Chooses a folder name that is not in use beside the file `playlist`.
  public mutating func chooseFolder(beside playlist: Pathname) {
    let base = folder
    var number = 2
    while Pathname(folder).flatMap({ playlist.folder.appending($0).resolved }) != nil {
      folder = "\(base)-\(number)"
      number += 1
    }
  }
}
