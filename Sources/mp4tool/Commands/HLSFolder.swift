import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging

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
