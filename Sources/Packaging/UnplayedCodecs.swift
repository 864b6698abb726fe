import ISOBMFF
import MP4
import MP4Bytes

extension PackagedRendition {
  /// The sample formats that at least one HLS player supports in MP4: those of Apple's authoring
  /// specification, and those that browsers decode.
  private static let played: Set<FourCC> = [
    "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "dav1", "vp09", "vvc1", "vvi1", "mjpg",
    "mp4a", "ac-3", "ec-3", "ac-4", "alac", "fLaC", "Opus", "apac", "usac", "iamf", "mha1", "mhm1", "wvtt", "stpp",
  ]

  /// Warnings about formats that no known HLS player supports, such as QuickTime PCM, under their names in the input.
  func unplayed(_ movie: Movie) -> [Diagnostic] {
    var result: [Diagnostic] = []
    for format in movie.tracks.flatMap({ $0.decoderConfigurations.map(\.codedFormat) })
    where !Self.played.contains(format) {
      let text = "\(format) does not play over HLS; transcode it first"
      let diagnostic = Diagnostic(.warning, movie.name, text)
      if !result.contains(diagnostic) { result.append(diagnostic) }
    }
    if codecs.contains(Self.ttml) {
      let text = "its TTML is not IMSC1, the only TTML profile of HLS"
      result.append(Diagnostic(.warning, movie.name, text))
    }
    return result
  }
}
