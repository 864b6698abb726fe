import HLS
import ISOBMFF
import MP4

/// The multivariant playlist of a live presentation, with the properties of all sources whose segments are in the media
/// playlist.
struct LiveMultivariantPlaylist {
  /// The properties of a movie and its segments.
  private struct Source {
    /// The name of its init segment, after a segment used it.
    var initialization: String?
    var codecs: [String] = []
    var supplementalCodecs: [String] = []
    var resolution: Resolution?
    var videoRange: String?
    var frameRate: Double?
    /// A bandwidth higher than that of all segments so far.
    var bandwidth = 0
    var byteCount = 0
    var duration = Duration.zero
    /// The last segments, of at least two target durations. A short one counts only together with others:
    /// draft-pantos-hls-rfc8216bis, 4.1.
    var latest: [(byteCount: Int, duration: Duration)] = []
  }
  private let uri: String
  private var sources: [Source] = []
  /// The last version that was written.
  private var written: Variant?
  private var wasIndependent = false

  init(uri: String) { self.uri = uri }

  /// Starts the segments of a movie, whose first fragment is `fragment`.
  mutating func begin(_ movie: LiveMovie, _ fragment: LiveFragment) throws(MovieError) {
    var source = Source()
    for (index, track) in movie.movie.tracks.enumerated() {
      for own in try movie.decoderConfigurations(ofTrack: index) {
        if !own.codecs.isEmpty { source.codecs.appendNew(own.codecs) }
        if let more = own.supplementalCodecs { source.supplementalCodecs.appendNew(more) }
        guard source.resolution == nil, let pictures = own.pictures else { continue }
        source.resolution = Resolution(pictures.shownSize(isRotated: try movie.isRotated(track: index)))
        source.videoRange = pictures.videoRange.rawValue
        if let part = fragment.parts.first(where: { $0.track == index }), part.duration > 0 {
          let samples = part.sampleDuration.map { (1, Int64($0)) } ?? (part.sampleCount, part.duration)
          source.frameRate = samples.1 > 0 ? Double(samples.0) * Double(track.timescale) / Double(samples.1) : 0
        }
      }
    }
    // A source without segments is in no playlist.
    if sources.last?.initialization == nil { _ = sources.popLast() }
    sources.append(source)
  }

  /// Adds a segment of the last source. Returns the playlist if it changed or its bandwidth is exceeded.
  mutating func append(
    _ segment: (byteCount: Int, duration: Duration), initialization: String, of window: LiveWindow,
    targetDuration: Duration
  ) -> [UInt8]? {
    guard let last = sources.indices.last else { return nil }
    sources[last].initialization = initialization
    sources[last].byteCount = saturatingSum(sources[last].byteCount, segment.byteCount)
    sources[last].duration += segment.duration
    sources[last].latest.append(segment)
    while sources[last].latest.dropFirst().reduce(.zero, { $0 + $1.duration }) >= targetDuration * 2 {
      sources[last].latest.removeFirst()
    }
    let peak = Bandwidth(sources[last].latest, targetDuration: targetDuration).peak
    if peak > sources[last].bandwidth {
      // Future segments can be somewhat larger.
      sources[last].bandwidth = saturatingSum(peak, peak / 4)
    }
    let kept = window.initializations
    sources = sources.indices.filter { $0 == last || sources[$0].initialization.map(kept.contains) == true }
      .map { sources[$0] }
    var new = variant
    // The average changes with every segment. It is written only together with other changes.
    new.averageBandwidth = written?.averageBandwidth
    guard new != written || wasIndependent != window.playlist.hasIndependentSegments else { return nil }
    return bytes(isIndependent: window.playlist.hasIndependentSegments)
  }

  /// The bytes of the playlist. `isIndependent` is whether all segments can be decoded on their own.
  mutating func bytes(isIndependent: Bool) -> [UInt8] {
    let variant = variant
    (written, wasIndependent) = (variant, isIndependent)
    var playlist = MultivariantPlaylist()
    playlist.hasIndependentSegments = isIndependent
    playlist.variants = [variant]
    playlist.version = playlist.lowestVersion
    return playlist.bytes
  }

  private var variant: Variant {
    var variant = Variant(uri, bandwidth: sources.map(\.bandwidth).max() ?? 0)
    let sizes = sources.map { (byteCount: $0.byteCount, duration: $0.duration) }
    variant.averageBandwidth = min(variant.bandwidth, Bandwidth(sizes, targetDuration: .seconds(1)).average)
    let codecs = sources.reduce(into: [String]()) { all, source in source.codecs.forEach { all.appendNew($0) } }
    if !codecs.isEmpty { variant.codecs = codecs.joined(separator: ",") }
    let more = sources.reduce(into: [String]()) { all, source in source.supplementalCodecs.forEach { all.appendNew($0) }
    }
    if !more.isEmpty { variant.supplementalCodecs = more.joined(separator: ",") }
    // The maximum of all sources is used.
    variant.resolution = sources.compactMap(\.resolution).max { ($0.width, $0.height) < ($1.width, $1.height) }
    variant.frameRate = sources.compactMap(\.frameRate).max()
    let ranges = sources.compactMap(\.videoRange)
    variant.videoRange = ["PQ", "HLG"].first(where: ranges.contains) ?? ranges.first
    return variant
  }
}

/// The sum, clamped to the maximum.
private func saturatingSum(_ a: Int, _ b: Int) -> Int {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? .max : sum
}

extension [String] {
  fileprivate mutating func appendNew(_ element: String) { if !contains(element) { append(element) } }
}
