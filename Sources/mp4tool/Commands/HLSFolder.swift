import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging

/// The folder of a presentation.
struct HLSFolder: FolderPlan {
  private let plan: PackagePlan
  let files: [PlannedFile]

  init(_ plan: PackagePlan) {
    self.plan = plan
    files = plan.files.compactMap { file in
      Pathname(Array(file.path.utf8)).map { path in
        PlannedFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
  }

  var notices: [Notice] {
    // Here it is what one asks for.
    plan.notices.filter { notice in
      switch notice.kind {
      case .combined, .equalMovie: false
      default: true
      }
    }
  }
  var counts: String? { counted(plan.renditionCount, "rendition") }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool {
    try plan.writeReport(to: sink, output: output, isMade: isMade)
    return true
  }
}

/// The chapter of the man page about what `hls --report` writes.
enum HLSReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object, as `mp4tool fragment --report` does: `inputs`, `output`, `severity` and `diagnostics` are "
        + "those of its man page. The other members are:"
    ],
    items: [
      Choice(
        name: "renditions",
        meaning:
          "An array with an object for each rendition: its `folder`, its `kind` (`video`, `audio` or `text`), its "
          + "`language` where that is known, its `codecs`, the `channels` of audio, and the `width`, `height`, `frame_rate` "
          + "and `video_range` of video as playlists give them; its peak `bandwidth` and `average_bandwidth` in bits a second; the "
          + "`size` of its segments in bytes; what became of the movie fragments of the input as "
          + "`source_fragments` (`remuxed`, `copied` or `referenced`); and `cmaf_brands`, `tracks` and `segments` as of one "
          + "output of `mp4tool fragment`. Text of 3GPP, which becomes WebVTT files, has no `source_fragments`, "
          + "`cmaf_brands` and `tracks`."),
      Choice(
        name: "variants",
        meaning:
          "An array with an object for each variant of `master.m3u8`: its `uri`, `bandwidth`, `average_bandwidth`, `codecs`, "
          + "`width`, `height`, `frame_rate` and `video_range`, and the groups that it goes with as `audio` and `subtitles`."
      ),
      Choice(
        name: "segments of a rendition",
        meaning:
          "Those of `--single-file` have their `offset` in `media.mp4`, others the `name` of their file in the folder. With "
          + "`--reference` the `source` is the input that they are in, at that `offset`."),
    ])
}
