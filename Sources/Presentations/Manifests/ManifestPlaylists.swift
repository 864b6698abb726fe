import MP4Bytes
import MP4DASH
import MP4HLS
import MP4Platform

/// A DASH manifest as the playlists of an HLS presentation with the same media: one reader of presentations is
/// sufficient for both.
///
/// Each representation is a media playlist at the location of the manifest with the name of the stream as fragment.
/// Periods are parts between discontinuities. The video representations are variants; of each audio adaptation set, the
/// representation with the highest bit rate is in the first group of renditions, the second one in the second group,
/// and so on, and there is a variant with each group.
struct ManifestPlaylists: Sendable {
  /// A representation of the period with the most of its kind, and those that continue it in the others.
  struct Stream: Sendable {
    enum Kind: Sendable { case video, audio, text }
    let kind: Kind
    /// Its name, which is the fragment of the location of its playlist.
    let name: String
    let set: MPD.AdaptationSet
    let representation: MPD.Representation
    /// Its place in each period: of the adaptation set and the representation; `nil` if nothing continues it there.
    var places: [(set: Int, representation: Int)?]

    /// Whether it has both video and audio.
    var isMuxed: Bool { kind == .video && representation.codecs.contains { ManifestPlaylists.isAudio($0) } }
  }

  let manifest: MPD
  let location: PlaylistLocation
  /// The streams by kind: video first, the highest bit rate first.
  private(set) var streams: [Stream] = []

  /// The playlists of a manifest that was read from `location`.
  init(_ manifest: MPD, at location: PlaylistLocation) {
    (self.manifest, self.location) = (manifest, location)
    for kind in [Stream.Kind.video, .audio, .text] {
      let periods = manifest.periods.map { Self.representations(of: kind, in: $0) }
      // The period with the most representations has all qualities and languages; another can be an advertisement.
      let counts = periods.map(\.count)
      guard let main = counts.firstIndex(of: counts.max() ?? 0) else { continue }
      for own in periods[main] {
        let name = Self.name(own.representation, own.place, used: Set(streams.map(\.name)))
        var stream = Stream(kind: kind, name: name, set: own.set, representation: own.representation, places: [])
        stream.places = periods.enumerated().map { number, others in
          number == main ? own.place : stream.continuation(among: others)?.place
        }
        streams.append(stream)
      }
    }
  }

  /// A representation with its place.
  fileprivate typealias Placed = (
    set: MPD.AdaptationSet, representation: MPD.Representation, place: (set: Int, representation: Int)
  )

  /// The representations of a kind in a period.
  private static func representations(of kind: Stream.Kind, in period: MPD.Period) -> [Placed] {
    period.adaptationSets.enumerated().filter { self.kind(of: $0.element) == kind }.flatMap { setIndex, set in
      set.representations.enumerated().map { (set, $0.element, (setIndex, $0.offset)) }
    }
  }

  /// The URI of the playlist of a stream: that of the manifest with a fragment.
  private func uri(_ stream: Stream) -> String {
    var reference = URIReference("")
    let path = location.reference.path
    let last = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    // Without a folder, the part before a colon would be a scheme.
    reference.path = last.utf8.contains(UInt8(ascii: ":")) ? "./" + last : last
    reference.query = location.reference.query
    reference.fragment = stream.name
    return reference.description
  }

  /// The kind of an adaptation set; `nil` if it has no media that are played: images, and pictures for seeking.
  static func kind(of set: MPD.AdaptationSet) -> Stream.Kind? {
    guard let first = set.representations.first else { return nil }
    let isForSeeking = set.common.essentialProperties.contains { !$0.scheme.hasPrefix("urn:mpeg:mpegB:cicp:") }
    if isForSeeking { return nil }
    let type = first.common.mimeType ?? ""
    switch set.contentType ?? String(type.prefix { $0 != "/" }) {
    case "video": return .video
    case "audio": return .audio
    case "text": return type.hasPrefix("application/ttml") ? nil : .text
    case "image": return nil
    default: break
    }
    let codecs = first.codecs
    if codecs.contains(where: { $0.hasPrefix("stpp") || $0.hasPrefix("wvtt") || $0.hasPrefix("tx3g") }) { return .text }
    if first.common.width != nil || set.common.width != nil { return .video }
    guard !codecs.isEmpty else { return nil }
    return codecs.allSatisfy(isAudio) ? .audio : .video
  }

  private static func isAudio(_ codec: String) -> Bool {
    ["mp4a", "ac-3", "ec-3", "ac-4", "Opus", "opus", "fLaC", "flac", "alac", "dts", "mha1", "mhm1", "iamf", "mp3"]
      .contains { codec.hasPrefix($0) }
  }

  /// The ID of a representation as a fragment, or its place if the ID is missing or not unique.
  private static func name(
    _ representation: MPD.Representation, _ place: (set: Int, representation: Int), used: Set<String>
  ) -> String {
    let name = PercentEncoding.encoded(representation.id.utf8) {
      $0 > 0x20 && $0 < 0x7F && !"\"#%,<>[\\]^`{|}".utf8.contains($0)
    }
    return name.isEmpty || used.contains(name) ? "\(place.set + 1)-\(place.representation + 1)" : name
  }
}

extension MPD.Representation {
  /// The codecs.
  var codecs: [String] { common.codecs ?? [] }
}

extension ManifestPlaylists.Stream {
  /// The representation that continues it in another period: one in the same language and for the same purpose, with
  /// the same codecs and size, and of these the one with the same ID, or the nearest bit rate. IDs alone say nothing:
  /// they are unique only in a period.
  fileprivate func continuation(among others: [ManifestPlaylists.Placed]) -> ManifestPlaylists.Placed? {
    let isOnlySet = Set(others.map(\.place.set)).count == 1
    let fitting = others.filter { other in
      kind == .video || other.set.language == set.language || isOnlySet && kind == .audio
    }
    let names = { (codecs: [String]) in codecs.map { $0.prefix { $0 != "." } } }
    let own = representation
    func differences(_ other: ManifestPlaylists.Placed) -> [Int] {
      let (common, size) = (other.representation.common, own.common)
      return [
        other.set.language == set.language ? 0 : 1, other.set.roles == set.roles ? 0 : 1,
        names(other.representation.codecs) == names(own.codecs) ? 0 : 1,
        common.width == size.width && common.height == size.height ? 0 : 1,
        other.representation.id == own.id ? 0 : 1,
        Int(clamping: (other.representation.bandwidth - own.bandwidth).magnitude),
      ]
    }
    return fitting.min { differences($0).lexicographicallyPrecedes(differences($1)) }
  }
}

// MARK: The multivariant playlist

extension ManifestPlaylists {
  /// The multivariant playlist.
  var multivariant: MultivariantPlaylist {
    var main = MultivariantPlaylist()
    let videos = streams.filter { $0.kind == .video }.sorted {
      $0.representation.bandwidth > $1.representation.bandwidth
    }
    let (sounds, texts) = (tiers(of: .audio), tiers(of: .text))
    for (tier, sound) in sounds.enumerated() {
      main.renditions += renditions(sound, .audio, group: "audio\(tier + 1)")
    }
    if let text = texts.first { main.renditions += renditions(text, .subtitles, group: "text") }
    for (tier, sound) in (sounds.isEmpty ? [[]] : sounds).enumerated() {
      // Without video, the variants are the audio of the first adaptation set.
      for own in videos.isEmpty ? Array(sound.prefix(1)) : videos {
        let others = own.kind == .video && !own.isMuxed ? sound : []
        var variant = Variant(uri(own), bandwidth: own.representation.bandwidth)
        variant.bandwidth = others.reduce(variant.bandwidth) { sum, other in
          max(sum, saturatingSum(own.representation.bandwidth, other.representation.bandwidth))
        }
        var codecs = own.representation.codecs
        for codec in (others + (texts.first ?? [])).flatMap(\.representation.codecs) where !codecs.contains(codec) {
          codecs.append(codec)
        }
        if !codecs.isEmpty { variant.codecs = codecs.joined(separator: ",") }
        variant.resolution = own.representation.common.displaySize
        variant.frameRate = own.representation.common.frameRate.flatMap(Self.rate)
        variant.videoRange = own.representation.common.videoRange
        if !sound.isEmpty, !own.isMuxed { variant.audio = "audio\(tier + 1)" }
        if !texts.isEmpty { variant.subtitles = "text" }
        if !main.variants.contains(variant) { main.variants.append(variant) }
      }
    }
    if videos.isEmpty, sounds.isEmpty, let text = texts.first?.first {
      main.variants = [Variant(uri(text), bandwidth: text.representation.bandwidth)]
    }
    var outline = ManifestOutline()
    for stream in streams { outline.lines[uri(stream)] = stream.representation.line }
    outline.problems = problems
    main.source = outline
    return main
  }

  /// The streams of each adaptation set of a kind, the best of each first, then the second ones.
  private func tiers(of kind: Stream.Kind) -> [[Stream]] {
    let sets = Dictionary(grouping: streams.filter { $0.kind == kind }) { $0.places.lazy.compactMap(\.self).first?.set }
    let sorted = sets.sorted { ($0.key ?? 0) < ($1.key ?? 0) }.map { _, own in
      own.sorted { $0.representation.bandwidth > $1.representation.bandwidth }
    }
    let count = sorted.map(\.count).max() ?? 0
    return (0..<count).map { tier in sorted.compactMap { $0[min(tier, $0.count - 1)] } }
  }

  private func renditions(_ streams: [Stream], _ kind: Rendition.Kind, group: String) -> [Rendition] {
    let main = streams.firstIndex { $0.set.roles.contains { $0.value == "main" } } ?? 0
    var names: Set<String> = []
    return streams.enumerated().map { index, stream in
      let language = stream.set.language.flatMap { $0 == "und" || $0.isEmpty ? nil : $0 }
      var name = stream.set.common.labels.first ?? language ?? stream.name
      if !names.insert(name).inserted {
        name += " (\(stream.name))"
        names.insert(name)
      }
      let legal = String(name.map { $0 == "\"" || $0.isNewline ? "'" : $0 })
      var rendition = Rendition(kind, group: group, name: legal, uri: uri(stream))
      rendition.language = language.map { String($0.filter { $0 != "\"" && !$0.isNewline }) }
      let roles = stream.set.roles.compactMap(\.value)
      rendition.isForced = kind == .subtitles && roles.contains { $0 == "forced-subtitle" || $0 == "forced_subtitle" }
      rendition.isDefault = kind == .audio && index == main
      rendition.isAutoselected = kind == .subtitles || index == main || roles.contains("main")
      rendition.characteristics = stream.set.characteristics
      if kind == .audio { rendition.channels = stream.representation.common.channelCount.map(String.init) }
      return rendition
    }
  }

  private static func rate(_ text: String) -> Double? {
    let parts = text.split(separator: "/").map { Double($0) ?? 0 }
    guard let first = parts.first, parts.count <= 2, first > 0, parts.last ?? 0 > 0 else { return nil }
    return parts.count == 2 ? first / parts[1] : first
  }
}

extension MPD.AdaptationSet {
  /// The characteristics of EXT-X-MEDIA that its accessibility and its roles mean.
  fileprivate var characteristics: String? {
    let purpose = "urn:tva:metadata:cs:AudioPurposeCS:2007"
    let all = accessibilities.map { ($0.scheme, $0.value ?? "") } + roles.map { ($0.scheme, $0.value ?? "") }
    var result: [String] = []
    if all.contains(where: { $0 == (purpose, "1") || $0.1 == "description" }) {
      result.append("public.accessibility.describes-video")
    }
    if all.contains(where: { $0 == (purpose, "8") || $0.1 == "enhanced-audio-intelligibility" }) {
      result.append("public.accessibility.enhances-speech-intelligibility")
    }
    if all.contains(where: { $0 == (purpose, "2") || $0.1 == "caption" }) {
      result.append("public.accessibility.transcribes-spoken-dialog")
    }
    if all.contains(where: { $0.1 == "easyreader" }) { result.append("public.easy-to-read") }
    return result.isEmpty ? nil : result.joined(separator: ",")
  }
}

extension MPD.CommonProperties {
  /// The size of pictures with square pixels.
  fileprivate var displaySize: Resolution? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    let aspect = (sampleAspect ?? "1:1").split(separator: ":").map { Double($0) ?? 1 }
    let factor = aspect.count == 2 && aspect[1] > 0 && aspect[0] > 0 ? aspect[0] / aspect[1] : 1
    return Resolution(width: Int(exactly: (Double(width) * factor).rounded()) ?? width, height: height)
  }

  /// The dynamic range according to the transfer characteristics (ISO/IEC 23091-2).
  fileprivate var videoRange: String? {
    let all = essentialProperties + supplementalProperties
    switch all.first(where: { $0.scheme == "urn:mpeg:mpegB:cicp:TransferCharacteristics" })?.value {
    case "16": return "PQ"
    case "18": return "HLG"
    default: return nil
    }
  }

  /// The number of audio channels; `nil` if it is unknown.
  fileprivate var channelCount: Int? {
    for configuration in audioChannelConfigurations {
      guard let value = configuration.value else { continue }
      switch configuration.scheme {
      // A layout of ISO/IEC 23091-3, but many writers mean a number of channels, which is the same up to 6.
      case "urn:mpeg:mpegB:cicp:ChannelConfiguration", "urn:mpeg:dash:23003:3:audio_channel_configuration:2011":
        let counts = [1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 8, 8: 8, 9: 3, 10: 4, 11: 7, 12: 8, 14: 8]
        if let count = Int(value).flatMap({ counts[$0] }) { return count }
      case "tag:dolby.com,2014:dash:audio_channel_configuration:2011",
        "urn:dolby:dash:audio_channel_configuration:2011":
        guard let mask = UInt16(value, radix: 16) else { continue }
        // From the highest bit: L, C, R, Ls, Rs, Lc/Rc, Lrs/Rrs, Cs, Ts, Lsd/Rsd, Lw/Rw, Lvh/Rvh, Cvh, Lts/Rts, LFE2,
        // LFE.
        let pairs: UInt16 = 0b0000_0110_0111_0100
        return mask.nonzeroBitCount + (mask & pairs).nonzeroBitCount
      default: continue
      }
    }
    return nil
  }
}
