import ISOBMFF
import MP4
import MP4Bytes
import MP4DASH
import MP4HLS
import TimedText

/// Creates the DASH manifest of a package, over the files of its playlists. Names, languages, groups and bandwidths are
/// those of the playlists.
struct ManifestMaker {
  static let name = "manifest.mpd"
  static let textName = "dash.vtt"

  private let renditions: [PackagedRendition]
  private let bandwidths: [Int]
  private let main: MultivariantPlaylist
  private let options: Packager.Options
  /// The media time at which the manifest's only period starts.
  private let start: MediaTime
  private var sets: [AdaptationSet] = []
  /// The manifest.
  private(set) var manifest = MPD()
  /// Diagnostics.
  private(set) var diagnostics: [Diagnostic] = []

  /// Representations that players can switch between, and the properties that they must share.
  private struct AdaptationSet {
    var key: Key
    var element = MPD.AdaptationSet()
  }
  private struct Key: Equatable {
    var kind: PackagedRendition.Kind
    /// The name for users; different audio has different names.
    var name: String?
    var language: String?
    var codecs: [Substring]
    var channels: String?
    var colour: ColourDescription?
    var protection: [MPD.ContentProtection]
    var starts: [MediaTime]

    /// Whether players can switch between sets with these keys.
    func isSwitchable(to other: Key) -> Bool {
      kind == other.kind && kind != .text && name == other.name && language == other.language && starts == other.starts
    }
  }

  /// The manifest of `renditions` with these bandwidths, whose playlists `main` lists, and of `texts`. Presentation
  /// times of samples are relative to `offset`.
  init(
    _ renditions: [PackagedRendition], _ bandwidths: [Int], _ texts: [PackagedSubtitles.Track],
    _ thumbnails: [PackagedThumbnails], _ main: MultivariantPlaylist, _ markers: TimedMarkers, at offset: MediaTime,
    _ options: Packager.Options
  ) throws(MovieError) {
    (self.renditions, self.bandwidths, self.main, self.options) = (renditions, bandwidths, main, options)
    start = offset + PackagedSubtitles.start(of: renditions)
    for index in renditions.indices { try add(index) }
    link()
    for text in texts { add(text) }
    let images = thumbnails.enumerated().map { $1.adaptationSet(sets.count + $0 + 1, options) }
    var period = MPD.Period()
    period.id = "1"
    period.start = .zero
    period.eventStreams = markers.eventStreams(from: PackagedSubtitles.start(of: renditions))
    period.adaptationSets = sets.map(\.element) + images
    manifest.periods = [period]
    // ffmpeg resolves other references twice if the manifest has a relative path.
    if options.baseURL.isEmpty { manifest.baseURLs = ["./"] }
    let media = renditions.filter { $0.kind != .text }
    manifest.duration = renditions.map { Duration(time($0.fragments.presentationTimes.last ?? 0, $0.fragments)) }.max()
    // At the bandwidth of a representation, a segment is loaded in at most the duration of the longest one.
    let longest = media.flatMap { $0.fragments.segments.map(\.duration) }.max()
    manifest.minBufferTime = Duration(longest ?? MediaTime(1, 1))
    let elements = manifest.periods[0].adaptationSets
    if elements.contains(where: { $0.segments.template != nil || $0.representations[0].segments.template != nil }) {
      manifest.profiles.append(MPD.Profile.live)
    }
    if elements.contains(where: { $0.representations[0].segments.list != nil }) {
      manifest.profiles.append(MPD.Profile.main)
    }
  }

  /// The time in the period of a media time of a rendition.
  private func time(_ value: Int64, _ plan: FragmentPlan) -> MediaTime {
    MediaTime(value &- start.converted(to: plan.timescale).value, plan.timescale)
  }

  // MARK: Adaptation sets

  private mutating func add(_ index: Int) throws(MovieError) {
    let rendition = renditions[index]
    let media = main.renditions.first { $0.uri == "\(options.baseURL)\(rendition.folder)/\(PlaylistMaker.indexName)" }
    let key = Key(
      kind: rendition.kind, name: media?.name, language: rendition.language,
      codecs: rendition.codecs.map { $0.prefix { $0 != "." } }, channels: rendition.channels,
      colour: rendition.colour, protection: try rendition.contentProtections(options.protection),
      starts: rendition.fragments.segments.map(\.start))
    let representation = representation(index)
    let events = rendition.fragments.eventStreams.map { MPD.Descriptor($0, $1) }
    guard let at = sets.firstIndex(where: { $0.key == key && key.kind != .text }) else {
      var set = AdaptationSet(key: key)
      describe(&set.element, rendition, media)
      set.element.common.contentProtections = key.protection
      set.element.common.inbandEventStreams = events
      set.element.representations = [representation]
      share(&set.element)
      set.element.id = String(sets.count + 1)
      sets.append(set)
      return
    }
    sets[at].element.representations.append(representation)
    let known = sets[at].element.common.inbandEventStreams
    sets[at].element.common.inbandEventStreams += events.filter { !known.contains($0) }
    sets[at].element.common.startWithSAP = Self.accessPoint(sets[at].element.common.startWithSAP, rendition.accessPoint)
    share(&sets[at].element)
  }

  /// Moves a template that all representations have to the adaptation set.
  private func share(_ set: inout MPD.AdaptationSet) {
    let shared = set.segments.template
    for index in set.representations.indices where set.representations[index].segments.template == nil {
      set.representations[index].segments.template = shared
    }
    let first = set.representations[0].segments.template
    set.segments.template = set.representations.allSatisfy { $0.segments.template == first } ? first : nil
    guard set.segments.template != nil else { return }
    for index in set.representations.indices { set.representations[index].segments.template = nil }
  }

  /// What a rendition is for.
  private func describe(_ set: inout MPD.AdaptationSet, _ rendition: PackagedRendition, _ media: Rendition?) {
    set.contentType = rendition.isMuxed ? nil : "\(rendition.kind)"
    set.language = rendition.language
    set.common.mimeType = rendition.kind == .text ? "application/mp4" : "\(rendition.kind)/mp4"
    set.isSegmentAligned = true
    set.common.startWithSAP = rendition.accessPoint
    if let name = media?.name { set.common.labels = [name] }
    set.describe(media, rendition.kind, rendition.roles)
    if rendition.kind == .video {
      set.addCaptions(renditions.flatMap { $0.captions ?? [] })
      (set.common.essentialProperties, set.common.supplementalProperties) = rendition.colourProperties
    }
  }

  /// The access point with which all segments of two renditions start.
  private static func accessPoint(_ a: Int?, _ b: Int?) -> Int? { a.flatMap { a in b.map { max(a, $0) } } }

  /// Declares between which sets players can switch: DASH-IF IOP 4.3, 3.8.
  private mutating func link() {
    for index in sets.indices {
      let others = sets.indices.filter { $0 != index && sets[$0].key.isSwitchable(to: sets[index].key) }
      guard !others.isEmpty else { continue }
      sets[index].element.common.supplementalProperties.append(
        MPD.Descriptor("urn:mpeg:dash:adaptation-set-switching:2016", others.map { "\($0 + 1)" }.joined(separator: ","))
      )
    }
  }

  /// Subtitles as one WebVTT file, because segments of WebVTT exist only in HLS.
  private mutating func add(_ text: PackagedSubtitles.Track) {
    let media = main.renditions.first { $0.uri == "\(options.baseURL)\(text.folder)/\(PlaylistMaker.indexName)" }
    var set = MPD.AdaptationSet()
    set.id = String(sets.count + 1)
    set.contentType = "text"
    set.language = text.language
    set.common.mimeType = "text/vtt"
    if let name = media?.name { set.common.labels = [name] }
    set.describe(media, .text, [])
    var representation = MPD.Representation()
    representation.id = text.folder
    representation.bandwidth = max(1, text.made.bandwidth.peak)
    representation.baseURLs = ["\(options.baseURL)\(text.folder)/\(Self.textName)"]
    set.representations = [representation]
    let key = Key(kind: .text, codecs: [], protection: [], starts: [])
    sets.append(AdaptationSet(key: key, element: set))
  }

  // MARK: Representations

  private mutating func representation(_ index: Int) -> MPD.Representation {
    let (rendition, plan) = (renditions[index], renditions[index].fragments)
    var representation = MPD.Representation()
    representation.id = rendition.folder
    representation.bandwidth = max(1, bandwidths[index])
    representation.common = rendition.kind == .video ? rendition.pictureProperties : MPD.CommonProperties()
    representation.common.codecs = rendition.codecs
    if let sound = rendition.configurations.first(where: { $0.sound != nil }) {
      representation.common.audioSamplingRate = sound.sound.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil }
      representation.common.audioChannelConfigurations = sound.channelConfigurations
      representation.common.supplementalProperties = sound.jointObjectProperties
    }
    if rendition.isMuxed {
      let text = "many DASH players do not play audio and video of one representation; package them separately"
      diagnostics.append(Diagnostic(.warning, rendition.folder, text))
    }
    guard options.storage == .separateFiles else {
      addList(&representation, plan, "\(rendition.folder)/\(PlaylistMaker.singleName)")
      return representation
    }
    var template = MPD.SegmentTemplate()
    template.timing = timing(of: plan)
    template.startNumber = options.startNumber
    // As in playlists, the base is a prefix, which need not end with a slash. `$` starts an identifier.
    let prefix = options.baseURL.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
    template.media = prefix + "$RepresentationID$/segment$Number$.m4s"
    template.initialization = prefix + "$RepresentationID$/init.mp4"
    template.timeline = timeline(of: plan, hasRepeats: true)
    representation.segments.template = template
    return representation
  }

  /// Segments as byte ranges of a planned file, or of the inputs.
  private func addList(_ representation: inout MPD.Representation, _ plan: FragmentPlan, _ file: String) {
    var list = MPD.SegmentList()
    list.timing = timing(of: plan)
    list.timeline = timeline(of: plan, hasRepeats: false)
    // ffmpeg up to 5.1 does not read an escaped `&`.
    func uri(_ name: String) -> String {
      let parts = options.referenceURI(name).split(separator: "&", omittingEmptySubsequences: false)
      return parts.joined(separator: "%26")
    }
    let source = plan.initializationSource.map(uri)
    list.initialization = MPD.Location(nil, 0..<plan.initializationByteCount)
    list.segmentURLs = plan.segments.map { segment in
      let own = segment.source.map(uri)
      return MPD.SegmentURL(own == source ? nil : own, segment.offset..<segment.offset + segment.byteCount)
    }
    representation.baseURLs = [source ?? options.baseURL + file]
    representation.segments.list = list
  }

  private func timing(of plan: FragmentPlan) -> MPD.Timing {
    var timing = MPD.Timing()
    timing.timescale = Int(plan.timescale)
    timing.presentationTimeOffset = UInt64(clamping: start.converted(to: plan.timescale).value)
    return timing
  }
  private func timeline(of plan: FragmentPlan, hasRepeats: Bool) -> MPD.SegmentTimeline {
    MPD.SegmentTimeline(plan.presentationTimes.map { UInt64(clamping: $0) }, hasRepeats: hasRepeats)
  }
}

extension FragmentPlan {
  /// The timescale of its reference track.
  var timescale: UInt32 { tracks[reference].timescale }
}
