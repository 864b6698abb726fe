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

/// The man page section about the output of `hls --report`.
enum HLSReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object. `inputs`, `output`, `severity` and `diagnostics` are those of `mp4tool "
        + "fragment --report`. The other members are:"
    ],
    items: [
      Choice(
        name: "renditions",
        meaning:
          "An array with an object for each rendition: its `folder`; its `kind` (`video`, `audio` or `text`); its "
          + "`language`, if known; its `codecs`; the `channels` of audio; the `width`, `height`, `frame_rate` and "
          + "`video_range` of video, as in playlists; its peak `bandwidth` and `average_bandwidth` in bits per second; "
          + "the `size` of its segments in bytes; how the movie fragments of the input were used, as "
          + "`source_fragments` (`remuxed`, `copied` or `referenced`); and `cmaf_brands`, `tracks` and `segments` as "
          + "in the report of `mp4tool fragment`. 3GPP timed text, which becomes WebVTT files, has no "
          + "`source_fragments`, `cmaf_brands` or `tracks`. Its segments have only a name and a size, and there is no "
          + "init segment."),
      Choice(
        name: "variants",
        meaning:
          "An array with an object for each variant of `master.m3u8`: its `uri`, `bandwidth`, `average_bandwidth`, "
          + "`codecs`, `width`, `height`, `frame_rate` and `video_range`, and its groups as `audio` and `subtitles`."),
      Choice(
        name: "segments of a rendition",
        meaning:
          "Each segment has the `name` of its file. With `--single-file`, it has its `offset` in `media.mp4` instead; "
          + "with `--reference`, it has the input as `source`, and its `offset` there."),
    ])
}
