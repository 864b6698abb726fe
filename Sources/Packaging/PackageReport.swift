import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
package import MP4Records
import TimedText

/// The report on a package.
package struct PackageReport: Record {
  package static let summary = "What was decided, and what is written."
  let plan: PackagePlan
  let output: DefragmentReport.Output

  package static let members: [RecordMember<PackageReport>] = [
    .inputs(\.plan.inputs),
    .output(\.output),
    .severity(\.plan.diagnostics),
    RecordMember("renditions", "the renditions", onNewLine: true) { report in
      (0..<report.plan.renditionCount).map { RenditionRecord(report.plan, $0) }
    },
    RecordMember("variants", "the variants of the multivariant playlist", onNewLine: true) { report in
      report.plan.multivariant.variants.map { VariantRecord(variant: $0) }
    },
    .diagnostics { ($0.plan.diagnostics, $0.plan.inputs) },
  ]
}

/// A rendition with media segments or with text.
private struct RenditionRecord: Record {
  static let summary = "A rendition."
  let folder: String
  let kind: String
  let language: String?
  let bandwidth: (peak: Int, average: Int)
  let byteCount: Int
  /// Media; `nil` if it is text.
  let media: PackagedRendition?
  let parts: FragmentParts?
  /// The segments of text.
  let texts: [SegmentRecord]

  init(_ plan: PackagePlan, _ index: Int) {
    guard index < plan.renditions.count else {
      let track = plan.texts[index - plan.renditions.count]
      (folder, kind, language) = (track.folder, "text", track.language)
      bandwidth = (track.made.bandwidth.peak, track.made.bandwidth.average)
      (byteCount, media, parts) = (track.made.byteCounts.reduce(0, +), nil, nil)
      texts = track.made.files.map { file in
        SegmentRecord(name: String(file.path.split(separator: "/").last ?? ""), size: file.byteCount)
      }
      return
    }
    let rendition = plan.renditions[index]
    (folder, kind, language) = (rendition.folder, "\(rendition.kind)", rendition.language)
    bandwidth = (plan.bandwidths[index].peak, plan.bandwidths[index].average)
    byteCount = plan.bandwidths[index].byteCount
    (media, texts) = (rendition, [])
    parts = FragmentParts(plan: rendition.fragments, names: plan.names[index])
  }

  static let members: [RecordMember<RenditionRecord>] =
    [
      RecordMember("folder", "its folder") { $0.folder },
      RecordMember("kind", "its kind") { $0.kind },
      RecordMember("language", "its language") { $0.language },
      RecordMember("codecs", "its codecs") { $0.media?.codecs ?? [] },
      RecordMember("channels", "its channels") { $0.media?.channels },
      RecordMember("width", "the width of its pictures") { $0.media?.resolution?.width },
      RecordMember("height", "the height of its pictures") { $0.media?.resolution?.height },
      RecordMember("frame_rate", "its frame rate") { $0.media?.frameRate?.value.withThreeDecimals },
      RecordMember("video_range", "its dynamic range") { $0.media?.videoRange?.rawValue },
      RecordMember("captions", "the channels of closed captions in its pictures; missing if nothing is known") {
        $0.media?.captions.map { $0.map(\.description) }
      },
      RecordMember("bandwidth", "its peak segment bit rate") { $0.bandwidth.peak },
      RecordMember("average_bandwidth", "its average bit rate") { $0.bandwidth.average },
      RecordMember("size", "the size of its segments in bytes") { $0.byteCount },
      RecordMember("source_fragments", "what became of the fragments of the input") { rendition in
        rendition.media.map { "\($0.fragments.sourceFragments)" }
      },
    ] + FragmentParts.members.dropLast().map { $0.ofOptional(\.parts) } + [
      RecordMember("segments", "its segments; the first is the init segment, unless it is text", onNewLine: true) {
        $0.parts?.segments ?? $0.texts
      }
    ]
}

private struct VariantRecord: Record {
  static let summary = "A variant."
  let variant: Variant
  static let members: [RecordMember<VariantRecord>] = [
    RecordMember("uri", "the URI of its media playlist") { $0.variant.uri },
    RecordMember("bandwidth", "its peak bit rate") { $0.variant.bandwidth },
    RecordMember("average_bandwidth", "its average bit rate") { $0.variant.averageBandwidth },
    RecordMember("codecs", "its codecs") { $0.variant.codecs },
    RecordMember("width", "the width of its pictures") { $0.variant.resolution?.width },
    RecordMember("height", "the height of its pictures") { $0.variant.resolution?.height },
    RecordMember("frame_rate", "its frame rate") { $0.variant.frameRate?.withThreeDecimals },
    RecordMember("video_range", "its dynamic range") { $0.variant.videoRange },
    RecordMember("audio", "the group of its audio renditions") { $0.variant.audio },
    RecordMember("subtitles", "the group of its subtitles") { $0.variant.subtitles },
  ]
}
