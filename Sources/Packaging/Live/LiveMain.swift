import HLS
import ISOBMFF
import MP4

/// The playlist of playlists of a live presentation: what players have to know to choose it.
struct LiveMain {
  private var variant: Variant
  /// More than any segment took so far.
  private var bandwidth = 0

  /// For the tracks of a movie and the first fragment of it.
  init(_ movie: LiveMovie, _ fragment: LiveFragment, uri: String) throws(MovieError) {
    variant = Variant(uri, bandwidth: 0)
    var codecs: [String] = []
    var supplemental: [String] = []
    for (index, track) in movie.movie.tracks.enumerated() {
      for own in try movie.decoderConfigurations(ofTrack: index) {
        if !own.codecs.isEmpty, !codecs.contains(own.codecs) { codecs.append(own.codecs) }
        if let more = own.supplementalCodecs, !supplemental.contains(more) { supplemental.append(more) }
        guard variant.resolution == nil, let pictures = own.pictures else { continue }
        variant.resolution = Resolution(pictures, isTurned: try movie.isTurned(track: index))
        variant.videoRange = pictures.videoRange.rawValue
        if let part = fragment.parts.first(where: { $0.track == index }), part.duration > 0 {
          variant.frameRate =
            part.sampleDuration.map { Thousandths(1, track.timescale, by: Int64($0)) }
            ?? Thousandths(Int64(part.sampleCount), track.timescale, by: part.duration)
        }
      }
    }
    if !codecs.isEmpty { variant.codecs = codecs.joined(separator: ",") }
    if !supplemental.isEmpty { variant.supplementalCodecs = supplemental.joined(separator: ",") }
  }

  /// The playlist with a bandwidth for one more segment, when it is another than before.
  mutating func playlist(with segment: (byteCount: Int, duration: Duration), targetDuration: Int) -> [UInt8]? {
    let peak = Bandwidth([segment], targetDuration: targetDuration).peak
    guard peak > bandwidth else { return nil }
    // Those to come can be somewhat larger.
    bandwidth = peak / 4 > Int.max - peak ? .max : peak + peak / 4
    variant.bandwidth = bandwidth
    var main = MultivariantPlaylist()
    main.variants = [variant]
    main.version = main.lowestVersion
    return main.bytes
  }
}
