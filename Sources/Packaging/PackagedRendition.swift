public import ISOBMFF
public import MP4
import MP4Bytes
import MP4HLS
public import TimedText

/// A rendition of a presentation, which has its own playlist.
public struct PackagedRendition: Sendable {
  /// The type of a rendition.
  public enum Kind: Sendable {
    /// Video, possibly with audio.
    case video
    /// Audio.
    case audio
    /// Subtitles.
    case text
  }
  /// Its type.
  public let kind: Kind
  /// The folder of its files.
  public internal(set) var folder = ""
  /// Its segments.
  public internal(set) var fragments: FragmentPlan
  /// Its keyframes, if it has an I-frame playlist.
  public internal(set) var keyFrames: FragmentPlan?
  /// The channels of closed captions in its pictures; `nil` if nothing is known about them, or it is not video.
  public internal(set) var captions: [CaptionChannel]?
  /// The codecs of its tracks.
  public let configurations: [DecoderConfiguration]
  /// The BCP 47 language of audio and text.
  public let language: String?
  /// The name that the author of its track gave it, and the roles of the track.
  let name: String?
  let roles: Set<Track.Role>
  /// The numbers of the inputs with its samples.
  let inputs: Set<Int>
  /// What was said about its input.
  let attributes: Packager.RenditionAttributes
  /// The frame rate.
  let frameRate: FrameRate?
  /// The display size of video.
  let resolution: Resolution?
  /// The VIDEO-RANGE attribute of video, and whether the input declares it; `nil` if unknown.
  private(set) var videoRange: VideoRange?
  private let isRangeSignalled: Bool
  /// Its encryption scheme; `nil` if it is clear.
  var scheme: FourCC?
  /// The key of each whole segment that is encrypted.
  var segmentKeys: [Encryption.Key?] = []
  /// The media sequence number of the first segment.
  var firstNumber = 1
  /// The TTML profile declared in documents, by its short name, if the sample entry does not declare one.
  private let textProfile: String?

  /// A part, whose movie is written in this form and these fragments.
  init(_ part: RenditionParts.Part, _ movie: Movie, _ fragments: FragmentPlan) throws(MovieError) {
    (kind, inputs, attributes) = (part.kind, part.inputs, part.attributes)
    self.fragments = fragments
    var configurations: [DecoderConfiguration] = []
    var (resolution, frameRate): (Resolution?, FrameRate?)
    var (language, scheme, textProfile): (String?, FourCC?, String?)
    var range: (range: VideoRange?, isSignalled: Bool) = (nil, false)
    var (name, roles): (String?, Set<Track.Role>) = (nil, [])
    for track in movie.tracks where Self.played.contains(track.handler) {
      let own = track.decoderConfigurations
      configurations += own
      if own.contains(where: { $0.codecs == Self.ttml }) { textProfile = try Self.profile(of: track) }
      if scheme == nil { scheme = try track.readProtectionScheme() }
      if resolution == nil, let size = track.pictureSize {
        range = try track.videoRange()
        resolution = Resolution(size)
        frameRate = track.frameRate
      }
      if language == nil, track.handler != "vide" {
        language = try track.readLanguage().map(LanguageTag.shortest)
      }
      if name == nil, track.handler != "vide" { name = try track.readName() }
      roles.formUnion(try track.readRoles())
    }
    if language == nil, kind != .video { language = part.attributes.language.map(LanguageTag.shortest) }
    self.configurations = configurations
    (self.resolution, self.frameRate) = (resolution, frameRate)
    (self.language, self.scheme, self.textProfile) = (language, scheme, textProfile)
    self.name = name
    let given = part.attributes.roles.map { Track.Role(value: $0) }
    self.roles = given.isEmpty ? roles : Set(given)
    (videoRange, isRangeSignalled) = range
  }

  /// The handlers of rendition tracks. A referenced input can have other tracks too.
  private static let played: Set<FourCC> = ["vide", "soun", "text", "subt"]

  /// Determines the video range: the declared range of the input, or else `given`, or else SDR.
  mutating func decideVideoRange(_ given: VideoRange?, _ movie: Movie) -> [Diagnostic] {
    guard resolution != nil else { return [] }
    if isRangeSignalled {
      guard let given, let videoRange, given != videoRange else { return [] }
      let text = "its video declares \(videoRange.rawValue), not \(given.rawValue)"
      return [Diagnostic(.warning, movie.name, text)]
    }
    defer { videoRange = given ?? .sdr }
    let bits = configurations.lazy.compactMap(\.bitDepth).first
    if let given, given != .sdr, let bits, bits < 10 {
      let text =
        "its video has a bit depth of \(bits), but \(given.rawValue) needs 10; the playlists declare \(given.rawValue) "
        + "as requested"
      return [Diagnostic(.warning, movie.name, text)]
    }
    guard given == nil, videoRange == nil else { return [] }
    let depth = bits.map { " of \($0) bits" } ?? ""
    let text =
      "nothing declares whether its video\(depth) is SDR, PQ or HLG; the playlists declare SDR, which would be wrong "
      + "for PQ or HLG"
    return [Diagnostic(.warning, movie.name, text)]
  }

  /// Whether some of its samples or segments are encrypted.
  var isProtected: Bool { scheme != nil || segmentKeys.contains { $0 != nil } }

  /// The codecs of all its samples, without duplicates.
  public var codecs: [String] {
    var result: [String] = []
    for codec in configurations.map(\.codecs) {
      let own = codec == Self.ttml ? codec + (textProfile.map { ".\($0)" } ?? "") : codec
      if !result.contains(own) { result.append(own) }
    }
    return result
  }
  static let ttml = "stpp.ttml"

  /// The profile of the first document of a track, which sample entries often do not declare.
  private static func profile(of track: Track) throws(MovieError) -> String? {
    guard try track.readProtectionScheme() == nil else { return nil }
    var document: TTMLDocument?
    try track.forEachTimedSample { sample in
      document = TTMLDocument(sample.bytes)
      return false
    }
    guard let document else { return nil }
    let names = document.profiles.compactMap(DecoderConfiguration.shortName(ofTTMLProfile:))
    if let name = names.first(where: { $0.utf8.starts(with: "im".utf8) }) { return name }
    // IMSC1 text includes all features of EBU-TT-D.
    let isIMSC =
      document.usesIMSC || names.contains { ["etd1", "etd2"].contains($0) }
      || document.profiles.contains("urn:ebu:distribution:2014-01")
    if names.isEmpty, document.isPlain { return "im1t" }
    return isIMSC ? (document.hasImages ? "im1i" : "im1t") : nil
  }

  /// The sizes and durations of the segments.
  func sizes(_ storage: Packager.Storage) -> [(byteCount: Int, duration: Duration)] {
    fragments.segments.indices.map { index in
      let size = storage == .separateFiles ? byteCount(ofFile: index) : fragments.segments[index].byteCount
      return (size, fragments.segments[index].playlistDuration)
    }
  }
}

extension MediaSegment {
  /// Its duration, rounded so that durations add up to the starts of segments.
  var playlistDuration: Duration {
    let end = start.value &+ duration.value
    return .units(end, timescale: start.timescale) - .units(start.value, timescale: start.timescale)
  }
}

extension Resolution {
  /// The display size of video.
  init(_ size: PictureSize) { self.init(width: size.width, height: size.height) }
}
