import ISOBMFF
import MP4
import MP4Bytes

extension Packager.Protection {
  /// The keys for the tracks of a rendition, in order.
  func keys(for movie: Movie) -> [Encryption.Key] {
    let sizes = movie.tracks.filter { $0.handler == "vide" }.compactMap(\.pictureSize)
    let quality = sizes.map { Media(pixelCount: $0.width * $0.height) }.max { $0 == .sd || $1 == .uhd }
    return keys.compactMap { own in
      var handlers: [FourCC] = []
      if own.media.contains(.video) || quality.map(own.media.contains) ?? false { handlers.append("vide") }
      if own.media.contains(.audio) { handlers.append("soun") }
      var key = own.key
      key.tracks = TrackSelection([.handlers(handlers)])
      return handlers.isEmpty || !movie.tracks.contains { handlers.contains($0.handler) } ? nil : key
    }
  }

  /// Whether segments must be known before samples are encrypted.
  fileprivate var needsSegments: Bool { clearLead > MediaTime(0, 1) || keyPeriod != nil }

  /// The number of segments in the clear lead, which has whole segments.
  private func clearCount(_ plan: FragmentPlan) -> Int {
    // The first segment of a rendition can start a little before that of others.
    let first = plan.segments.first?.start ?? clearLead
    let lead = clearLead.converted(to: first.timescale).value
    return plan.segments.prefix { lead > 0 && $0.start.value &- first.value < lead }.count
  }

  /// The encryption of samples, if they are encrypted.
  func encryption(with keys: [Encryption.Key]) -> Encryption? {
    guard let scheme = method.scheme else { return nil }
    var encryption = Encryption(scheme, keys: keys)
    let given = Set(headers.map(\.systemID))
    for system in systems.compactMap(\.protectionSystem)
    where !given.contains(system.systemID) && !encryption.systems.contains(system) {
      encryption.systems.append(system)
    }
    encryption.headers = headers
    encryption.writesGroups = !hasFairPlay
    return encryption
  }
}

extension Packager {
  /// A rendition whose samples are encrypted, if requested: its movie, its fragments, and the keys of its whole
  /// segments.
  struct Protected {
    var movie: Movie
    var fragments: FragmentPlan
    var scheme: FourCC?
    var segmentKeys: [Encryption.Key?] = []
  }

  /// Encrypts the samples of a rendition, or chooses the keys of its segments. `cut` plans the fragments of a movie.
  func protecting(
    _ movie: Movie, _ kind: PackagedRendition.Kind, rendition: Int, _ diagnostics: inout [Diagnostic],
    cut: (Movie, inout [Diagnostic]) throws(MovieError) -> FragmentPlan
  ) throws(MovieError) -> Protected {
    guard let protection = options.protection, kind != .text else {
      return Protected(movie: movie, fragments: try cut(movie, &diagnostics))
    }
    let keys = protection.keys(for: movie)
    guard !keys.isEmpty else {
      diagnostics.append(Diagnostic(.note, movie.name, "no key applies to its \(kind); it stays clear"))
      return Protected(movie: movie, fragments: try cut(movie, &diagnostics))
    }
    guard var encryption = protection.encryption(with: keys) else {
      let fragments = try cut(movie, &diagnostics)
      return Protected(
        movie: movie, fragments: fragments, segmentKeys: try protection.segmentKeys(fragments, keys, movie))
    }
    if protection.needsSegments {
      var repeated: [Diagnostic] = []
      let clear = try cut(movie, &repeated)
      encryption.periods = try protection.periods(clear, keys, movie)
      guard encryption.periods.values.contains(where: { !$0.isEmpty }) else {
        return Protected(movie: movie, fragments: clear)
      }
    }
    encryption.vector = protection.vector(encryption, movie, rendition: rendition)
    let encrypted = try encryption.encrypted(movie)
    return Protected(
      movie: encrypted, fragments: try cut(encrypted, &diagnostics), scheme: encryption.scheme.type)
  }

  /// Throws if nothing is encrypted, and reports keys that are not used.
  func check(
    _ protection: Protection, _ renditions: [PackagedRendition], hasKeys: Bool, _ name: String,
    _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) {
    if !renditions.contains(where: \.isProtected) {
      throw .impossible(
        file: name,
        hasKeys
          ? Obstacle("clear_lead_too_long", "the clear lead covers the whole file, so nothing would be encrypted")
          : Obstacle("no_keys_for_tracks", "none of the keys applies to its tracks"))
    }
    let count = Set(renditions.flatMap(\.fileKeys).map(\.keyID)).count
    if count > 1, options.key != nil, options.hasOneURI {
      let text = "segments are encrypted with \(count) keys, but the key URI is the same for all; it needs {kid}"
      throw .impossible(file: name, Obstacle("one_key_uri", text))
    }
    if protection.method == .aes128, options.hasIFramePlaylists, renditions.contains(where: { $0.kind == .video }) {
      let text =
        "I-frame playlists need byte ranges, which segments encrypted with AES-128 do not have; none is written"
      diagnostics.append(Diagnostic(.note, PlaylistMaker.mainName, text))
    }
  }
}

extension Packager.Protection {
  /// The keys of the samples of each track, from the first sample after the clear lead on.
  fileprivate func periods(
    _ plan: FragmentPlan, _ keys: [Encryption.Key], _ movie: Movie
  ) throws(MovieError) -> [Int: [Encryption.KeyPeriod]] {
    var result: [Int: [Encryption.KeyPeriod]] = [:]
    for (index, track) in movie.tracks.enumerated() {
      let own = keys.filter { $0.tracks.contains(track) }
      guard !own.isEmpty else { continue }
      result[index] = []
      let starts = plan.firstSamples(ofTrack: index)
      for (segment, key) in try self.keys(own, ofSegments: plan, movie.name) where starts[segment] < track.samples.count
      {
        result[index]?.append(Encryption.KeyPeriod(firstSample: starts[segment], key: key))
      }
    }
    return result
  }

  /// The key of each whole segment; `nil` for clear ones.
  fileprivate func segmentKeys(
    _ plan: FragmentPlan, _ keys: [Encryption.Key], _ movie: Movie
  ) throws(MovieError) -> [Encryption.Key?] {
    let starts = try self.keys(keys, ofSegments: plan, movie.name)
    return plan.segments.indices.map { index in starts.last { $0.segment <= index }?.key }
  }

  /// The first segment of each key period, and its key.
  private func keys(
    _ keys: [Encryption.Key], ofSegments plan: FragmentPlan, _ name: String
  ) throws(MovieError) -> [(segment: Int, key: Encryption.Key)] {
    let encrypted = clearCount(plan)..<plan.segments.count
    let starts = Array(
      stride(from: encrypted.lowerBound, to: encrypted.upperBound, by: keyPeriod ?? max(1, encrypted.count)))
    guard starts.count <= keys.count else {
      let text =
        "a new key every \(counted(keyPeriod ?? 0, "segment")) needs \(counted(starts.count, "key")) for "
        + "\(counted(encrypted.count, "segment")), but only \(counted(keys.count, "key")) "
        + (keys.count == 1 ? "is given" : "are given")
      throw .impossible(file: name, Obstacle("too_few_keys", text, ["keys": .integer(starts.count)]))
    }
    return Array(zip(starts, keys))
  }
}
