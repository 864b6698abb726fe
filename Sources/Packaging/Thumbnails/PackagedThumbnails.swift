import MP4
import MP4Bytes
import MP4DASH
import MP4HLS

/// Thumbnails in a package.
struct PackagedThumbnails {
  let folder: String
  let images: [Thumbnails.Image]
  private let thumbnails: Thumbnails
  /// The largest bit rate.
  let bandwidth: Int
  private(set) var diagnostics: [Diagnostic] = []

  /// Thumbnails of a presentation that starts at `start` of the inputs; names of folders are not in `folders`.
  init(_ thumbnails: Thumbnails, from start: MediaTime, lasting duration: MediaTime, _ folders: inout Set<String>) {
    self.thumbnails = thumbnails
    let base = "thumbnails-\(thumbnails.width / thumbnails.columns)"
    var (name, number) = (base, 2)
    while !folders.insert(name).inserted {
      name = "\(base)-\(number)"
      number += 1
    }
    folder = name
    let zero = MediaTime(0, duration.timescale)
    var images: [Thumbnails.Image] = []
    for image in thumbnails.images {
      var own = image
      if !thumbnails.areRelative { own.start = own.start - start }
      let end = min(own.start + own.duration, duration)
      own.start = max(own.start, zero)
      guard end > own.start else { continue }
      own.duration = end - own.start
      images.append(own)
    }
    // The first image is also for the time before it.
    if let first = images.first, first.start > zero {
      images[0].duration = first.duration + first.start
      images[0].start = zero
    }
    self.images = images
    bandwidth = max(1, images.map { Self.rate($0) }.max() ?? 1)
    if images.count < thumbnails.images.count {
      let text =
        "\(counted(thumbnails.images.count - images.count, "image")) of thumbnails after the end of the presentation "
        + "omitted"
      diagnostics.append(Diagnostic(.note, folder, text))
    }
    if let last = images.last, duration - (last.start + last.duration) > last.duration {
      let text = "thumbnails end at \(last.start + last.duration), and the presentation at \(duration)"
      diagnostics.append(Diagnostic(.note, folder, text))
    }
  }

  private static func rate(_ image: Thumbnails.Image) -> Int {
    let milliseconds = max(1, image.duration.converted(to: 1000).value)
    return Int(clamping: Int64(image.bytes.count) * 8000 / milliseconds + 1)
  }

  /// The file of an image in the folder.
  static func name(_ index: Int) -> String { "image\(index + 1).jpg" }

  private var width: Int { thumbnails.width / thumbnails.columns }
  private var height: Int { thumbnails.height / thumbnails.rows }
  private var layout: String { "\(thumbnails.columns)x\(thumbnails.rows)" }

  // MARK: Playlists

  /// The line of the multivariant playlist.
  func line(_ baseURL: String) -> PlaylistLine {
    let tag =
      "#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=\(bandwidth),RESOLUTION=\(width)x\(height),CODECS=\"jpeg\","
      + "URI=\"\(baseURL)\(folder)/\(PlaylistMaker.indexName)\""
    return PlaylistLine(unknownTag: tag)
  }

  /// The playlist of the images, which players only read if they know its tags.
  func playlist(_ baseURL: String) -> [UInt8] {
    let prefix = baseURL.isEmpty ? "" : "\(baseURL)\(folder)/"
    var segments = images.enumerated().map { index, image in
      Segment(prefix + Self.name(index), duration: Duration(image.duration))
    }
    let count = thumbnails.columns * thumbnails.rows
    if count > 1 {
      for index in segments.indices {
        let each = Duration(thumbnails.images[min(index, thumbnails.images.count - 1)].duration) / count
        let tiles =
          "#EXT-X-TILES:RESOLUTION=\(width)x\(height),LAYOUT=\(layout),DURATION=\(each.decimalText(decimals: 6))"
        segments[index].lines.insert(PlaylistLine(unknownTag: tiles), at: segments[index].lines.count - 1)
      }
    }
    var playlist = MediaPlaylist(segments, type: .vod, isEnded: true)
    playlist.header.append(PlaylistLine(unknownTag: "#EXT-X-IMAGES-ONLY"))
    return playlist.bytes
  }

  // MARK: Manifest

  /// DASH-IF IOP 4.3, 6.2.6.
  func adaptationSet(_ id: Int, _ options: Packager.Options) -> MPD.AdaptationSet {
    var set = MPD.AdaptationSet()
    set.id = String(id)
    set.contentType = "image"
    set.common.mimeType = "image/jpeg"
    var representation = MPD.Representation()
    representation.id = folder
    representation.bandwidth = bandwidth
    (representation.common.width, representation.common.height) = (thumbnails.width, thumbnails.height)
    representation.common.essentialProperties = [
      MPD.Descriptor("http://dashif.org/guidelines/thumbnail_tile", layout)
    ]
    var template = MPD.SegmentTemplate()
    template.timing.timescale = Int(Self.timescale)
    let prefix = options.baseURL.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
    template.media = prefix + "$RepresentationID$/image$Number$.jpg"
    let times = images.map { UInt64(clamping: $0.start.converted(to: Self.timescale).value) }
    let ends = images.map { UInt64(clamping: ($0.start + $0.duration).converted(to: Self.timescale).value) }
    let durations = zip(times, ends).map { $1 - min($0, $1) }
    if let first = durations.first, durations.dropLast().allSatisfy({ $0 == first }) {
      // Some players read thumbnails only without a timeline.
      let full = thumbnails.images.first?.duration.converted(to: Self.timescale).value
      template.duration = images.count == 1 ? full.map { UInt64(clamping: $0) } : first
    } else {
      template.timeline = MPD.SegmentTimeline(times + ends.suffix(1), hasRepeats: true)
    }
    representation.segments.template = template
    set.representations = [representation]
    return set
  }
  private static let timescale: UInt32 = 90_000
}
