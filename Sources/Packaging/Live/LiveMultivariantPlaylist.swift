import ISOBMFF
import MP4
import MP4HLS

/// The multivariant playlist of a live presentation, with the properties of all sources whose segments are in the media
/// playlist.
struct LiveMultivariantPlaylist {
  /// The segments of a rendition of a source.
  private struct Rates {
    /// A bandwidth higher than that of all segments so far.
    var bandwidth = 0
    var byteCount = 0
    var duration = Duration.zero
    /// The last segments, of at least two target durations. A short one counts only together with others:
    /// draft-pantos-hls-rfc8216bis, 4.1.
    var latest: [(byteCount: Int, duration: Duration)] = []

    mutating func append(_ segment: (byteCount: Int, duration: Duration), targetDuration: Duration) {
      byteCount = saturatingSum(byteCount, segment.byteCount)
      duration += segment.duration
      latest.append(segment)
      while latest.dropFirst().reduce(.zero, { $0 + $1.duration }) >= targetDuration * 2 { latest.removeFirst() }
      let peak = Bandwidth(latest, targetDuration: targetDuration).peak
      // Future segments can be somewhat larger.
      if peak > bandwidth { bandwidth = saturatingSum(peak, peak / 4) }
    }
  }
  /// The properties of a movie and its segments.
  private struct Source {
    /// The name of its init segment, after a segment used it.
    var initialization: String?
    var codecs: [String] = []
    var supplementalCodecs: [String] = []
    var resolution: Resolution?
    var videoRange: String?
    var frameRate: Double?
    /// The sounds from which players choose.
    var sounds: [GroupMember] = []
    /// The segments of its renditions, by folder.
    var rates: [String: Rates] = [:]
  }
  /// The URI of the media playlist of a rendition in a folder.
  private let uri: (_ folder: String) -> String
  private var sources: [Source] = []
  /// The last version that was written.
  private var written: MultivariantPlaylist?

  init(uri: @escaping (_ folder: String) -> String) { self.uri = uri }

  /// Starts the segments of a movie, whose first fragment is `fragment`. `tracks` are those of the main rendition.
  /// Returns warnings about sounds.
  mutating func begin(
    _ movie: LiveMovie, _ fragment: LiveFragment, _ tracks: [Int], _ sounds: [GroupMember]
  ) throws(MovieError) -> [Diagnostic] {
    var source = Source()
    source.sounds = sounds
    for index in tracks {
      let track = movie.movie.tracks[index]
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
    return AudioGroups(sounds).diagnostics.filter { $0.severity != .note }
  }

  /// Adds the segments of the renditions of the last source, by folder. `kept` are the init segments in the main media
  /// playlist. Returns the playlist if it changed or its bandwidth is exceeded.
  mutating func append(
    _ segments: [String: (byteCount: Int, duration: Duration)], initialization: String,
    kept: @autoclosure () -> Set<String>,
    isIndependent: Bool, targetDuration: Duration
  ) -> [UInt8]? {
    guard let last = sources.indices.last else { return nil }
    sources[last].initialization = initialization
    for (folder, segment) in segments {
      sources[last].rates[folder, default: Rates()].append(segment, targetDuration: targetDuration)
    }
    if last > 0 {
      let kept = kept()
      sources = sources.indices.filter { $0 == last || sources[$0].initialization.map(kept.contains) == true }
        .map { sources[$0] }
    }
    var new = playlist(isIndependent: isIndependent)
    // The average changes with every segment. It is written only together with other changes.
    if let written, written.variants.count == new.variants.count {
      for index in new.variants.indices {
        new.variants[index].averageBandwidth = written.variants[index].averageBandwidth
      }
    }
    return new == written ? nil : bytes(isIndependent: isIndependent)
  }

  /// The bytes of the playlist. `isIndependent` is whether all segments can be decoded on their own.
  mutating func bytes(isIndependent: Bool) -> [UInt8] {
    let playlist = playlist(isIndependent: isIndependent)
    written = playlist
    return playlist.bytes
  }

  private func playlist(isIndependent: Bool) -> MultivariantPlaylist {
    let groups = AudioGroups(sounds)
    var playlist = MultivariantPlaylist()
    playlist.hasIndependentSegments = isIndependent
    playlist.renditions = groups.all.flatMap { group in group.renditions { uri($0.folder) } }
    playlist.variants = groups.all.isEmpty ? [variant(nil)] : groups.all.map(variant)
    playlist.version = playlist.lowestVersion
    return playlist
  }

  /// The sounds of all sources.
  private var sounds: [GroupMember] {
    var all: [GroupMember] = []
    for sound in sources.flatMap(\.sounds) {
      if let index = all.firstIndex(where: { $0.folder == sound.folder }) {
        for codec in sound.codecs { all[index].codecs.appendNew(codec) }
      } else {
        all.append(sound)
      }
    }
    return all
  }

  /// The variant with the sounds of a group, or the only one.
  private func variant(_ group: AudioGroup?) -> Variant {
    // Without video, the first sound of the group takes its place.
    let isSound = sounds.contains(where: \.folder.isEmpty)
    let main = isSound ? group?.members.first?.folder ?? "" : ""
    let own = bandwidth(of: main)
    let others = (group?.members ?? []).map { bandwidth(of: $0.folder) }
    let peak = saturatingSum(isSound ? 0 : own.peak, others.map(\.peak).max() ?? 0)
    var variant = Variant(uri(main), bandwidth: peak)
    variant.averageBandwidth = saturatingSum(isSound ? 0 : own.average, others.map(\.average).max() ?? 0)
    var codecs = isSound ? [] : self.codecs(\.codecs)
    for codec in group?.codecs ?? [] { codecs.appendNew(codec) }
    if !codecs.isEmpty { variant.codecs = codecs.joined(separator: ",") }
    variant.audio = group?.id
    let more = self.codecs(\.supplementalCodecs)
    if !more.isEmpty { variant.supplementalCodecs = more.joined(separator: ",") }
    // The maximum of all sources is used.
    variant.resolution = sources.compactMap(\.resolution).max { ($0.width, $0.height) < ($1.width, $1.height) }
    variant.frameRate = sources.compactMap(\.frameRate).max()
    let ranges = sources.compactMap(\.videoRange)
    variant.videoRange = ["PQ", "HLG"].first(where: ranges.contains) ?? ranges.first
    return variant
  }

  /// The bandwidth of a rendition in all sources.
  private func bandwidth(of folder: String) -> Bandwidth {
    let rates = sources.compactMap { $0.rates[folder] }
    let peak = rates.map(\.bandwidth).max() ?? 0
    let sizes = rates.map { (byteCount: $0.byteCount, duration: $0.duration) }
    return Bandwidth(peak: peak, average: min(peak, Bandwidth(sizes, targetDuration: .seconds(1)).average))
  }
  private func codecs(_ list: (Source) -> [String]) -> [String] {
    sources.reduce(into: []) { all, source in list(source).forEach { all.appendNew($0) } }
  }
}

extension [String] {
  fileprivate mutating func appendNew(_ element: String) { if !contains(element) { append(element) } }
}
