import Bytes
import ISOBMFF
import MP4

extension PackagedRendition {
  /// How samples can be coded that some player of HTTP Live Streaming takes out of MP4: what Apple's authoring
  /// specification allows, and what players in browsers decode besides.
  private static let played: Set<FourCC> = [
    "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "dav1", "vp09", "vvc1", "vvi1", "mjpg",
    "mp4a", "ac-3", "ec-3", "ac-4", "alac", "fLaC", "Opus", "apac", "usac", "iamf", "mha1", "mhm1", "wvtt", "stpp",
  ]

  /// Warnings of what is coded so that no player is known to play it, such as the uncompressed sound of QuickTime, by the
  /// names that the input has.
  func unplayed(_ movie: Movie) -> [Notice] {
    var result: [Notice] = []
    for format in movie.tracks.flatMap({ $0.decoderConfigurations.map(\.codedFormat) })
    where !Self.played.contains(format) {
      let text = "\(format) does not play over HLS; transcode it first"
      let notice = Notice(.warning, movie.name, text)
      if !result.contains(notice) { result.append(notice) }
    }
    if codecs.contains(Self.ttml) {
      let text = "its TTML is not IMSC1, the only TTML profile of HLS"
      result.append(Notice(.warning, movie.name, text))
    }
    return result
  }
}
