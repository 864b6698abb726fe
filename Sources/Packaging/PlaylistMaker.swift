import ISOBMFF
import MP4
import MP4HLS

/// Creates the playlists of renditions.
struct PlaylistMaker {
  static let mainName = "master.m3u8"
  static let indexName = "index.m3u8"
  static let singleName = "media.mp4"
  static let keyFramesName = "iframes.mp4"
  static let keyFramesIndexName = "iframes.m3u8"

  private let renditions: [PackagedRendition]
  private let options: Packager.Options
  /// The common target duration of all video and audio renditions.
  private let targetDuration: Duration
  /// The media playlists by path.
  private(set) var media: [String: MediaPlaylist] = [:]
  /// The multivariant playlist.
  private(set) var multivariant = MultivariantPlaylist()
  /// Diagnostics.
  private(set) var diagnostics: [Diagnostic] = []

  private let markers: TimedMarkers

  init(_ renditions: [PackagedRendition], _ markers: TimedMarkers, _ options: Packager.Options) {
    (self.renditions, self.markers) = (renditions, markers)
    self.options = options
    // Subtitles can have a different one if playlists do not change: RFC 8216, 6.2.4.
    let isShared = options.playlistType != .vod
    let alike =
      renditions.filter { isShared || $0.kind != .text }.map(\.fragments)
      + (isShared ? renditions.compactMap(\.keyFrames) : [])
    targetDuration = alike.map(\.targetDuration).max() ?? .seconds(1)
    for rendition in renditions {
      media["\(rendition.folder)/\(Self.indexName)"] = playlist(of: rendition)
      if let keyFrames = rendition.keyFrames {
        media["\(rendition.folder)/\(Self.keyFramesIndexName)"] = playlist(ofKeyFrames: keyFrames, rendition)
      }
      if let scheme = rendition.scheme, options.key == nil, options.protection?.systems.isEmpty ?? true {
        diagnostics.append(Packager.Key.missing(scheme, rendition.folder))
      }
    }
    var allKeyIDs: Set<[UInt8]> = []
    var isReported = false
    for rendition in renditions where rendition.scheme != nil && options.hasOneURI {
      let plan = rendition.fragments
      let keyIDs = plan.segments.indices.reduce(into: Set<[UInt8]>()) { $0.formUnion(plan.keyIDs(ofSegment: $1)) }
      if keyIDs.count > 1 {
        diagnostics.append(Packager.Key.diagnostic(keyIDs.count, rendition.folder))
        isReported = true
      }
      allKeyIDs.formUnion(keyIDs)
    }
    if allKeyIDs.count > 1, !isReported { diagnostics.append(Packager.Key.shared(allKeyIDs.count)) }
    diagnostics += openGroups()
    diagnostics += differentLengths()
    makeMultivariant()
  }

  /// Renditions should have the same duration: RFC 8216, 6.2.4.
  private func differentLengths() -> [Diagnostic] {
    guard let first = renditions.first else { return [] }
    let length = first.fragments.playlistDuration
    return renditions.dropFirst().filter { $0.kind != .text }.compactMap { rendition in
      let own = rendition.fragments.playlistDuration
      guard own > length + targetDuration || length > own + targetDuration else { return nil }
      let text =
        "it lasts \(own.roundedSeconds) s, but \(first.folder) lasts \(length.roundedSeconds) s; players may stop when "
        + "the shorter one ends"
      return Diagnostic(.warning, rendition.folder, text)
    }
  }

  /// Videos that cost EXT-X-INDEPENDENT-SEGMENTS.
  private func openGroups() -> [Diagnostic] {
    renditions.filter { $0.kind == .video }.compactMap { rendition -> Diagnostic? in
      let segments = rendition.fragments.segments
      let others = segments.filter { !$0.accessPoint.isIndependent }
      guard let first = others.first, first.accessPoint != .none || segments.first != first else { return nil }
      let text =
        "\(others.count) of \(segments.count) segments cannot be decoded without the previous one "
        + "(open GOP), the first at \(first.start); the playlists therefore have no EXT-X-INDEPENDENT-SEGMENTS, and "
        + "players switch and seek less precisely"
      return Diagnostic(.note, rendition.folder, text)
    }
  }

  /// The file name of a segment.
  func segmentName(_ index: Int) -> String { "segment\(options.startNumber + index).m4s" }

  /// The bandwidth of the segments of a rendition.
  func bandwidth(of rendition: PackagedRendition) -> Bandwidth {
    Bandwidth(rendition.sizes(options.storage), targetDuration: targetDuration)
  }

  // MARK: Media playlists

  private func playlist(of rendition: PackagedRendition) -> MediaPlaylist {
    let fragments = rendition.fragments
    var segments: [Segment]
    if options.storage == .separateFiles {
      segments = fragments.segments.enumerated().map { index, segment in
        Segment(uri(ofFile: segmentName(index), rendition), duration: segment.playlistDuration)
      }
      if !segments.isEmpty { segments[0].map = InitializationSection(uri(ofFile: "init.mp4", rendition)) }
    } else {
      segments = ranges(of: fragments, in: Self.singleName, rendition)
    }
    setKeys(of: rendition, fragments, &segments)
    markers.mark(&segments, of: fragments, hasRanges: rendition.kind != .text)
    var playlist = MediaPlaylist(segments, type: options.playlistType, isEnded: options.playlistType == .vod)
    playlist.targetDuration = max(targetDuration, fragments.targetDuration)
    playlist.mediaSequence = options.startNumber
    playlist.hasIndependentSegments = isIndependent(rendition)
    playlist.version = playlist.lowestVersion
    return playlist
  }

  /// Segments as byte ranges of the planned file, or of the inputs.
  private func ranges(of plan: FragmentPlan, in name: String, _ rendition: PackagedRendition) -> [Segment] {
    let file = uri(ofFile: name, rendition)
    var segments = plan.segments.map { segment in
      Segment(
        segment.source.map(uri(ofInput:)) ?? file, duration: segment.playlistDuration,
        byteRange: ByteRange(segment.offset..<(segment.offset + segment.byteCount)))
    }
    if !segments.isEmpty {
      segments[0].map = InitializationSection(
        plan.initializationSource.map(uri(ofInput:)) ?? file, byteRange: ByteRange(0..<plan.initializationByteCount))
    }
    return segments
  }

  /// The URI of a file in the folder of a rendition, as written in its playlists.
  private func uri(ofFile name: String, _ rendition: PackagedRendition) -> String {
    options.baseURL.isEmpty ? name : uri(rendition.folder, name)
  }
  /// The URI of an input.
  private func uri(ofInput name: String) -> String {
    let uri = URIReference(options.referenceURI(name))
    if !options.baseURL.isEmpty { return uri.resolved(against: URIReference(options.baseURL)).description }
    return uri.isAbsolute || uri.path.utf8.first == UInt8(ascii: "/") ? uri.description : "../\(uri)"
  }

  /// EXT-X-KEY for samples with these keys, for a playlist from which `path` leads to the folder of the presentation.
  private func keys(of rendition: PackagedRendition, _ keyIDs: [[UInt8]], in path: String) -> [EncryptionKey] {
    guard let scheme = rendition.scheme else { return [] }
    let given =
      options.key.map { [$0.naming(keyIDs.first ?? []).located(path, baseURL: options.baseURL).tag(scheme)] } ?? []
    return given + (options.protection?.tags(keyIDs, path, baseURL: options.baseURL) ?? [])
  }
  /// Adds EXT-X-KEY where the keys change, from the first encrypted segment on. Players need no key before it.
  private func setKeys(of rendition: PackagedRendition, _ plan: FragmentPlan, _ segments: inout [Segment]) {
    var last: [EncryptionKey] = []
    var lastKeyIDs: Set<[UInt8]> = []
    let initializationKeys = rendition.initializationKeys(options.protection)
    for index in segments.indices {
      var keys = last
      if let key = rendition.key(ofSegment: index) {
        keys = [options.fileKey(key, "../")]
      } else if rendition.scheme != nil {
        let keyIDs = plan.keyIDs(ofSegment: index)
        if !keyIDs.isEmpty { keys = self.keys(of: rendition, Self.sorted(keyIDs), in: "../") }
        if keyIDs != lastKeyIDs, let at = initializationKeys.firstIndex(where: keyIDs.contains) {
          segments[index].map = InitializationSection(uri(ofFile: Self.initializationName(at), rendition))
        }
        lastKeyIDs = keyIDs
      }
      let isClear = index == 0 && keys.isEmpty && options.protection != nil && rendition.isProtected
      guard keys != last || isClear else { continue }
      if rendition.scheme == nil, let map = segments[index].map {
        // Init segments are not encrypted.
        segments[index].setKeys(keys, map, with: [])
      } else {
        segments[index].keys = isClear ? [EncryptionKey(.none)] : keys
      }
      last = keys
    }
  }

  private static func sorted(_ keyIDs: Set<[UInt8]>) -> [[UInt8]] {
    keyIDs.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The name of the init segment of a later key, counted from 0.
  static func initializationName(_ index: Int) -> String { "init\(index + 2).mp4" }

  /// Whether every segment can be decoded on its own.
  private func isIndependent(_ rendition: PackagedRendition) -> Bool {
    rendition.fragments.segments.allSatisfy(\.accessPoint.isIndependent)
  }

  private func playlist(ofKeyFrames plan: FragmentPlan, _ rendition: PackagedRendition) -> MediaPlaylist {
    var segments = ranges(of: plan, in: Self.keyFramesName, rendition)
    setKeys(of: rendition, plan, &segments)
    markers.mark(&segments, of: plan, hasRanges: false)
    var playlist = MediaPlaylist(segments, type: options.playlistType, isEnded: options.playlistType == .vod)
    playlist.isIFramesOnly = true
    playlist.targetDuration = targetDuration(ofKeyFrames: plan)
    playlist.version = playlist.lowestVersion
    return playlist
  }

  /// The target duration of a keyframe playlist. It can differ from that of the renditions if playlists do not change.
  private func targetDuration(ofKeyFrames plan: FragmentPlan) -> Duration {
    options.playlistType == .vod ? plan.targetDuration : targetDuration
  }

  // MARK: The multivariant playlist

  private mutating func makeMultivariant() {
    let videos = renditions.filter { $0.kind == .video }
    let audio = AudioGroups(renditions.filter { $0.kind == .audio }.map(\.member))
    let groups = audio.all
    diagnostics += audio.diagnostics
    let texts = renditions.filter { $0.kind == .text }
    let captions = CaptionGroup(videos, options.captions)
    multivariant.hasIndependentSegments = renditions.filter { $0.kind != .text }.allSatisfy(isIndependent)
    multivariant.sessionKeys = sessionKeys
    multivariant.startPoint = options.startPoint
    multivariant.sessionData = options.sessionData
    multivariant.contentSteering = options.steering
    multivariant.renditions =
      groups.flatMap { group in group.renditions { uri($0.folder, Self.indexName) } }
      + TextGroup(texts.map(\.member)).renditions { uri($0.folder, Self.indexName) } + captions.renditions
    var variants: [Variant] = []
    for (video, groups) in zip(videos, audio.pairs(with: videos.map(\.member))) {
      for group in groups.isEmpty ? [nil] : groups.map(Optional.some) {
        variants.append(variant(video, group))
        variants[variants.count - 1].closedCaptions = captions.attribute(of: video)
      }
    }
    if videos.isEmpty {
      variants = groups.compactMap { group in members(of: group).first.map { variant($0, group) } }
    }
    for index in variants.indices where !texts.isEmpty {
      variants[index].subtitles = TextGroup.id
      variants[index].codecs = joined([variants[index].codecs ?? ""] + texts.flatMap(\.codecs))
    }
    multivariant.variants = options.firstVariant.first(variants)
    multivariant.add(texts.map { Bandwidth($0.sizes(options.storage), targetDuration: $0.fragments.targetDuration) })
    multivariant.iFrameVariants = videos.compactMap(iFrameVariant)
    multivariant.version = multivariant.lowestVersion
  }

  /// The first keys of all renditions, so that players can request them before they load media playlists. A URI can
  /// have only one method there: RFC 8216, 4.3.4.5.
  private var sessionKeys: [EncryptionKey] {
    var result: [EncryptionKey] = []
    for rendition in renditions where rendition.isProtected {
      let plan = rendition.fragments
      let first = plan.segments.indices.lazy.map { plan.keyIDs(ofSegment: $0) }.first { !$0.isEmpty } ?? []
      var keys = keys(of: rendition, Self.sorted(first), in: "")
      if let key = rendition.fileKeys.first { keys = [options.fileKey(key, "")] }
      for key in keys where !result.contains(where: { $0.uri == key.uri && $0.keyFormat == key.keyFormat }) {
        result.append(key)
      }
    }
    let methods = Set(result.map(\.method))
    return methods.count == 1 ? result : []
  }

  private func uri(_ folder: String, _ name: String) -> String { "\(options.baseURL)\(folder)/\(name)" }
  private func members(of group: AudioGroup) -> [PackagedRendition] {
    group.members.compactMap { member in renditions.first { $0.folder == member.folder } }
  }
  private func joined(_ codecs: [String]) -> String {
    var result: [String] = []
    for codec in codecs where !codec.isEmpty && !result.contains(codec) { result.append(codec) }
    return result.joined(separator: ",")
  }

  /// A variant with the audio of a group, if there is one. The most demanding member of the group determines its
  /// attributes.
  private func variant(_ rendition: PackagedRendition, _ group: AudioGroup?) -> Variant {
    let isSound = rendition.kind == .audio
    let own = bandwidth(of: rendition)
    let others = (group.map(members) ?? []).map(bandwidth)
    let peak = (others.map(\.peak).max() ?? 0) + (isSound ? 0 : own.peak)
    var variant = Variant(uri(rendition.folder, Self.indexName), bandwidth: peak)
    variant.averageBandwidth = (others.map(\.average).max() ?? 0) + (isSound ? 0 : own.average)
    variant.codecs = joined((isSound ? [] : rendition.codecs) + (group?.codecs ?? []))
    variant.audio = group?.id
    guard !isSound else { return variant }
    let supplemental = rendition.configurations.compactMap(\.supplementalCodecs)
    if !supplemental.isEmpty { variant.supplementalCodecs = joined(supplemental) }
    variant.resolution = rendition.resolution
    variant.frameRate = rendition.frameRate?.value
    variant.videoRange = rendition.videoRange?.rawValue
    variant.requiredVideoLayout = rendition.videoLayout
    variant.score = rendition.attributes.score
    variant.pathway = options.steering?.pathway
    return variant
  }

  private func iFrameVariant(_ rendition: PackagedRendition) -> IFrameVariant? {
    guard let keyFrames = rendition.keyFrames else { return nil }
    let sizes = keyFrames.segments.map { ($0.byteCount, $0.playlistDuration) }
    let bandwidth = Bandwidth(sizes, targetDuration: targetDuration(ofKeyFrames: keyFrames))
    var variant = IFrameVariant(uri(rendition.folder, Self.keyFramesIndexName), bandwidth: bandwidth.peak)
    variant.averageBandwidth = bandwidth.average
    variant.codecs = joined(rendition.configurations.filter { $0.pictures != nil }.map(\.codecs))
    variant.resolution = rendition.resolution
    variant.videoRange = rendition.videoRange?.rawValue
    variant.requiredVideoLayout = rendition.videoLayout
    variant.pathway = options.steering?.pathway
    return variant
  }
}

extension Packager.FirstVariant {
  /// Variants with the chosen one first.
  fileprivate func first(_ variants: [Variant]) -> [Variant] {
    let order = variants.indices.sorted { variants[$0].bandwidth < variants[$1].bandwidth }
    let chosen: Int? =
      switch self {
      case .given: nil
      case .lowest: order.first
      case .highest: order.last
      case .atMost(let limit): order.last { variants[$0].bandwidth <= limit } ?? order.first
      }
    guard let chosen else { return variants }
    return [variants[chosen]] + variants.indices.filter { $0 != chosen }.map { variants[$0] }
  }
}

extension PackagedRendition {
  /// The REQ-VIDEO-LAYOUT attribute, which stereoscopic video needs.
  fileprivate var videoLayout: String? { configurations.contains(where: \.isStereoscopic) ? "CH-STEREO" : nil }
}

extension FragmentPlan {
  /// The duration of all segments.
  var playlistDuration: Duration { segments.reduce(.zero) { $0 + $1.playlistDuration } }
  /// The longest duration of its segments in whole seconds.
  fileprivate var targetDuration: Duration {
    .seconds(max(1, segments.map(\.playlistDuration.roundedSeconds).max() ?? 1))
  }
}
