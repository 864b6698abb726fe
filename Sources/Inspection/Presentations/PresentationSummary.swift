import ISOBMFF
public import MP4
import MP4Bytes
public import MP4HLS
public import MP4Packaging
public import MP4Presentations

/// A summary of an HLS or DASH presentation: the claims of its playlists, and the actual properties of its media.
public struct PresentationSummary: Sendable {
  /// The kind of input.
  public enum Kind: String, Sendable {
    /// A multivariant playlist.
    case multivariant = "multivariant playlist"
    /// A DASH manifest.
    case manifest = "DASH manifest"
    /// A media playlist.
    case media = "media playlist"
    /// A folder with several media playlists.
    case folder
  }

  /// The name of the playlist or the folder.
  public let name: String
  /// The kind of input.
  public let kind: Kind
  /// EXT-X-VERSION of the first playlist; `nil` for a DASH manifest.
  public let version: Int?
  /// The variants.
  public let variants: [StreamSummary]
  /// The renditions.
  public let renditions: [RenditionSummary]
  /// The I-frame playlists.
  public let iFrameVariants: [StreamSummary]
  /// The media playlists without duplicates.
  public let playlists: [PlaylistSummary]
  /// The HLS rules that the multivariant playlist violates.
  public let findings: [PlaylistFinding]
  /// Problems with reading resources that the multivariant playlist refers to.
  public let problems: [PresentationProblem]

  /// Whether segments may be added.
  public var isLive: Bool { playlists.contains(where: \.isLive) }
  /// The duration of the longest playlist.
  public var duration: MediaTime { playlists.map(\.duration).max() ?? MediaTime(0, 1) }
  /// All problems with reading.
  public var allProblems: [PresentationProblem] { problems + playlists.flatMap(\.problems) }
  /// Why segments are not movies.
  public var failures: [MovieError] { playlists.compactMap(\.failure) }
  /// The number of wrong claims.
  public var differenceCount: Int {
    let streams = (variants + iFrameVariants).reduce(0) { $0 + $1.differences.count }
    return renditions.reduce(streams) { $0 + $1.differences.count }
  }

  /// Examines a presentation. Only the headers of segments before `limit` are read.
  public init(
    _ presentation: OpenedPresentation, until limit: Duration? = nil,
    onProgress: OpenedPresentation.Progress = { _, _ in }
  ) {
    var playlists: [PlaylistSummary] = []
    presentation.forEachMedia(of: presentation.playlists, until: limit, onProgress: onProgress) {
      playlists.append(PlaylistSummary($0))
    }
    self.init(presentation, playlists)
  }

  /// Compares the summaries of the playlists with the claims of the presentation.
  init(_ presentation: OpenedPresentation, _ playlists: [PlaylistSummary]) {
    name = presentation.name
    self.playlists = playlists
    (findings, problems) = (presentation.findings, presentation.problems)
    guard let main = presentation.multivariant else {
      kind = playlists.count == 1 ? .media : .folder
      version = playlists.first?.version
      (variants, renditions, iFrameVariants) = ([], [], [])
      return
    }
    (kind, version) = presentation.isManifest ? (.manifest, nil) : (.multivariant, main.version)
    // The summaries by role.
    var known: [MultivariantPlaylist.Role: PlaylistSummary] = [:]
    for (playlist, summary) in zip(presentation.playlists, playlists) {
      for role in playlist.roles { known[role] = summary }
    }
    renditions = main.renditions.enumerated().map { index, rendition in
      RenditionSummary(rendition, known[.rendition(index)])
    }
    let media = main.renditions.enumerated().map { ($1, known[.rendition($0)]) }
    variants = main.variants.enumerated().map { index, variant in
      let own = known[.variant(index)]
      let groups = [(Rendition.Kind.audio, variant.audio), (.video, variant.video), (.subtitles, variant.subtitles)]
      let members = groups.map { kind, group in
        let members = media.filter { $0.0.kind == kind && $0.0.group == group && $0.0.uri != nil }.map(\.1)
        // An audio-only variant can be one of its own renditions.
        return members.contains { $0?.name == own?.name } ? [] : members
      }
      return StreamSummary(
        variant, uri: variant.uri, frameRate: variant.frameRate, groups: StreamSummary.Groups(variant),
        own, with: members, isInManifest: presentation.isManifest)
    }
    iFrameVariants = main.iFrameVariants.enumerated().map { index, variant in
      StreamSummary(
        variant, uri: variant.uri, frameRate: nil, groups: StreamSummary.Groups(), known[.iFrames(index)], with: [])
    }
  }
}

/// A wrong claim of a playlist about its media.
public struct WrongClaim: Sendable {
  /// The subject, such as `resolution`.
  public let subject: String
  /// The value in the playlist.
  public let claimed: String
  /// The actual value.
  public let actual: String

  /// The claim, if both values are known and `isSame` is false; otherwise `nil`.
  init?(_ subject: String, _ claimed: String?, _ actual: String?, isSame: Bool) {
    guard let claimed, let actual, !isSame else { return nil }
    (self.subject, self.claimed, self.actual) = (subject, claimed, actual)
  }
}

/// A variant or an I-frame playlist: the claims of the multivariant playlist, and those that are wrong.
public struct StreamSummary: Sendable {
  /// The URI of its media playlist.
  public let uri: String
  /// The claimed peak bit rate, with renditions.
  public let bandwidth: Int
  /// The claimed average bit rate; `nil` if there is none.
  public let averageBandwidth: Int?
  /// The claimed codecs; `nil` if there are none.
  public let codecs: String?
  /// The claimed display size; `nil` if there is none.
  public let resolution: Resolution?
  /// The claimed maximum frame rate; `nil` if there is none.
  public let frameRate: Double?
  /// The claimed dynamic range; `nil` if there is none, which means `SDR`.
  public let videoRange: String?
  /// The groups of its renditions.
  public let groups: Groups
  /// The bit rate of its segments plus that of the largest renditions; `nil` if unknown.
  public let measured: Bandwidth?
  /// The wrong claims.
  public let differences: [WrongClaim]

  /// Groups of renditions; `nil` for none.
  public struct Groups: Sendable {
    /// The group of audio renditions.
    public var audio: String?
    /// The group of video renditions.
    public var video: String?
    /// The group of subtitles.
    public var subtitles: String?
    /// The group of closed captions, or `NONE`.
    public var closedCaptions: String?
  }
}

extension StreamSummary.Groups {
  init(_ variant: Variant) {
    (audio, video, subtitles) = (variant.audio, variant.video, variant.subtitles)
    switch variant.closedCaptions {
    case nil: closedCaptions = nil
    case .some(.none): closedCaptions = "NONE"
    case .group(let group): closedCaptions = group
    }
  }
}

extension StreamSummary {
  /// A stream with the segments of `own`, played with one playlist of each list in `groups`. The bandwidth in a
  /// manifest is not that of its largest segment, and pictures of which it says nothing can have any dynamic range.
  init(
    _ stream: some StreamInformation, uri: String, frameRate: Double?, groups: Groups, _ own: PlaylistSummary?,
    with members: [[PlaylistSummary?]], isInManifest: Bool = false
  ) {
    self.uri = uri
    (bandwidth, averageBandwidth, codecs) = (stream.bandwidth, stream.averageBandwidth, stream.codecs)
    (resolution, self.frameRate, videoRange) = (stream.resolution, frameRate, stream.videoRange)
    self.groups = groups
    measured = Self.sum([[own]] + members)
    let isWhole = ([own] + members.flatMap(\.self)).allSatisfy { $0?.isWhole == true && $0?.isLive == false }
    let video = own?.movie?.tracks.first { $0.video != nil }?.video
    var differences: [WrongClaim?] = []
    if let measured, bandwidth > 0, !isInManifest {
      differences.append(
        WrongClaim(
          "bandwidth", "\(bandwidth) b/s", "\(measured.peak) b/s", isSame: measured.peak <= bandwidth))
      // An average requires all segments.
      if isWhole, let average = averageBandwidth {
        differences.append(
          WrongClaim(
            "average bandwidth", "\(average) b/s", "\(measured.average) b/s",
            isSame: abs(measured.average - average) <= average / 10))
      }
    }
    let (claimed, actual) = (Self.list(codecs), Self.codecs([[own]] + members))
    differences.append(
      WrongClaim("codecs", codecs, actual?.joined(separator: ","), isSame: Self.isSame(claimed, actual ?? [])))
    if let video {
      // A live stream can have several sources, one of which has the declared size.
      let others = own?.sources.compactMap { $0.lazy.compactMap(\.video).first } ?? []
      let sizes = ([video] + others).flatMap { [$0.displaySize ?? $0.codedSize, $0.codedSize] }
      differences.append(
        WrongClaim(
          "resolution", resolution?.description, "\(sizes[0].width)x\(sizes[0].height)",
          isSame: resolution.map { claim in
            sizes.contains { claim.width == $0.width && claim.height == $0.height }
          } ?? true))
      if let rate = video.frameRate, let frameRate {
        differences.append(
          WrongClaim(
            "frame rate", "\(Self.decimal(frameRate)) fps", "\(rate.text) fps",
            // It is the highest of all sources. Those of other initialization sections are not read.
            isSame: video.frameRates != nil || others.count > 1 && frameRate > rate.value
              ? frameRate >= rate.value * 0.99
                // An average includes pictures that last longer.
              : abs(rate.value - frameRate) < (video.longCount > 0 ? rate.value / 100 : 0.01)))
      }
      let range = video.dynamicRange == "HDR10" ? "PQ" : video.dynamicRange
      if videoRange != nil || !isInManifest {
        differences.append(
          WrongClaim("dynamic range", videoRange ?? "SDR", range, isSame: range == videoRange ?? "SDR"))
      }
    }
    self.differences = differences.compactMap(\.self)
  }

  /// The sum of the largest bit rate of each list; `nil` if one is unknown.
  private static func sum(_ lists: [[PlaylistSummary?]]) -> Bandwidth? {
    var sum: Bandwidth?
    for list in lists where !list.isEmpty {
      let rates = list.compactMap { $0?.bandwidth }
      guard rates.count == list.count, let peak = rates.map(\.peak).max(), let average = rates.map(\.average).max()
      else { return nil }
      sum = Bandwidth(peak: peak + (sum?.peak ?? 0), average: average + (sum?.average ?? 0))
    }
    return sum
  }

  /// The codecs of all these playlists without duplicates; `nil` if some are unknown.
  private static func codecs(_ lists: [[PlaylistSummary?]]) -> [String]? {
    var codecs: [String] = []
    for playlist in lists.flatMap(\.self) {
      if playlist?.otherFormat == ForeignFormat.webVTT.name { continue }
      guard let playlist, playlist.movie != nil else { return nil }
      for track in playlist.sources.flatMap(\.self) where ["video", "audio", "text"].contains(track.kind) {
        for codec in list(track.codec) where !codecs.contains(codec) { codecs.append(codec) }
      }
    }
    return codecs.isEmpty ? nil : codecs
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  /// Whether two lists have the same codecs, ignoring the case of hexadecimal digits.
  static func isSame(_ claimed: [String], _ actual: [String]) -> Bool {
    // Sample entries need not declare the profile of TTML.
    func names(_ codecs: [String]) -> Set<String> {
      Set(codecs.map { $0.lowercased() }.map { $0.hasPrefix("stpp.ttml.") ? "stpp.ttml" : $0 })
    }
    return names(claimed) == names(actual)
  }

  /// At most three decimals.
  static func decimal(_ rate: Double) -> String { Quantity.decimal(UInt64(max(0, min(rate, 1e6)) * 1000 + 0.5), 3) }
}

/// A rendition: the claims of the multivariant playlist, and those that are wrong.
public struct RenditionSummary: Sendable {
  /// TYPE; empty if it is missing or unknown.
  public let kind: String
  /// Its group.
  public let group: String
  /// Its name for users.
  public let name: String
  /// The claimed language; `nil` if there is none.
  public let language: String?
  /// The claimed channels; `nil` if there are none.
  public let channels: String?
  /// Whether it is played unless the user chooses another one.
  public let isDefault: Bool
  /// Whether players can choose it automatically.
  public let isAutoselected: Bool
  /// Whether the subtitles are shown even if the user has disabled subtitles.
  public let isForced: Bool
  /// The URI of its media playlist; `nil` if it is part of the variants.
  public let uri: String?
  /// The codecs of its media; empty if unknown.
  public let codecs: String
  /// The bit rate of its segments; `nil` if unknown.
  public let measured: Bandwidth?
  /// The wrong claims.
  public let differences: [WrongClaim]

  init(_ rendition: Rendition, _ own: PlaylistSummary?) {
    kind = rendition.kind?.rawValue ?? ""
    (group, name, uri) = (rendition.group, rendition.name, rendition.uri)
    (language, channels) = (rendition.language, rendition.channels)
    (isDefault, isAutoselected, isForced) = (rendition.isDefault, rendition.isAutoselected, rendition.isForced)
    measured = own?.bandwidth
    let tracks = own?.movie?.tracks ?? []
    codecs = tracks.map(\.codec).joined(separator: ",")
    let track = tracks.first { $0.audio != nil } ?? tracks.first
    let count = track?.audio?.channelCount.map { "\($0)" }
    let claimed = channels?.split(separator: "/", omittingEmptySubsequences: false).first.map(String.init)
    let spoken = track?.role.language
    differences = [
      WrongClaim("channels", channels, count, isSame: claimed == count),
      WrongClaim("language", language, spoken, isSame: language.map(LanguageTag.shortest) == spoken),
    ].compactMap(\.self)
  }
}
