public import ISOBMFF
public import MP4
import MP4Bytes
public import MP4HLS

extension Packager {
  /// How the segments of a rendition are stored.
  public enum Storage: Sendable, Equatable {
    /// One file for each segment, and one for the init segment.
    case separateFiles
    /// One file with byte ranges.
    case singleFile
    /// Byte ranges of the inputs, which are not copied. All tracks of an input stay
    /// together. Read the movie with `keepsStart`, because its times do not change.
    case referenced
  }

  /// What players use to play the files.
  public enum Format: Sendable {
    /// Playlists.
    case hls
    /// A DASH manifest.
    case dash
  }

  /// The rules that a presentation follows.
  public enum Profile: Sendable, Equatable {
    /// Those of HTTP Live Streaming.
    case hls
    /// Also those of CMAF with the brand `cmf2`: composition offsets of reordered pictures are signed. Some players
    /// present such pictures too late: all versions of ffmpeg up to 9.0 do.
    case cmaf
    /// Also those of Apple's HLS Authoring Specification, as far as samples need not be changed.
    case apple
  }

  /// The variant that is listed first. The others follow in the order of the inputs.
  public enum FirstVariant: Sendable, Equatable {
    /// That of the first input.
    case given
    /// The one with the lowest bandwidth.
    case lowest
    /// The one with the highest bandwidth.
    case highest
    /// The highest bandwidth up to this one in bits per second, or else the lowest.
    case atMost(Int)
  }

  /// The key of encrypted tracks.
  public struct Key: Sendable, Equatable {
    /// Its URI, such as `skd://movie`; a relative one is relative to the multivariant playlist. `{kid}` is replaced by
    /// the key ID in hexadecimal digits.
    public var uri: String
    /// Its key format, such as `com.apple.streamingkeydelivery`; `nil` for the key itself.
    public var format: String?
    /// The versions of the key format, such as `1/2`.
    public var formatVersions: String?

    /// A key at `uri`.
    public init(uri: String, format: String? = nil, formatVersions: String? = nil) {
      self.uri = uri
      self.format = format
      self.formatVersions = formatVersions
    }

    /// The same key for playlists in another folder, from which `path` leads to the folder of the presentation, or for
    /// playlists with a base URL.
    func located(_ path: String, baseURL: String) -> Key {
      var key = self
      let reference = URIReference(uri)
      guard !reference.isAbsolute, uri.utf8.first != UInt8(ascii: "/") else { return self }
      key.uri = baseURL.isEmpty ? path + uri : reference.resolved(against: URIReference(baseURL)).description
      return key
    }

    /// EXT-X-KEY for samples that are encrypted with `scheme`.
    func tag(_ scheme: FourCC) -> EncryptionKey {
      var key = EncryptionKey(["cenc", "cens"].contains(scheme) ? .sampleAESCTR : .sampleAES, uri: uri)
      key.keyFormat = format
      key.keyFormatVersions = formatVersions
      return key
    }

    /// The warning that `name` needs more than this key.
    static func diagnostic(_ keyCount: Int, _ name: String) -> Diagnostic {
      let text =
        "its samples are encrypted with \(keyCount) keys, but the playlists have one key URI; players may not be able "
        + "to decrypt all of them"
      return Diagnostic(.warning, name, text)
    }
    /// The note that renditions need different keys, but their playlists have the same URI.
    static func shared(_ keyCount: Int) -> Diagnostic {
      let text =
        "the renditions are encrypted with \(keyCount) keys, but all playlists have the same key URI, which must "
        + "provide all of them"
      return Diagnostic(.note, PlaylistMaker.mainName, text)
    }
    /// The warning that there is no key.
    static func missing(_ scheme: FourCC, _ name: String) -> Diagnostic {
      Diagnostic(.warning, name, "it is encrypted (\(scheme)), but the playlists have no key URI")
    }
  }

  /// The options of the packager.
  public struct Options: Sendable {
    /// How the inputs are read.
    public var reading = ReadingOptions()
    /// The minimum duration of segments, up to the next sync sample; with 0 or less, every sync sample starts a
    /// segment.
    public var segmentDuration = MediaTime(6, 1)
    /// Which sync sample around the segment duration starts the next segment.
    public var segmentRule = SegmentPace.Rule.minimum
    /// The rules for the presentation.
    public var profile = Profile.hls
    /// The media time at which all renditions start, so that no time of a sample is negative.
    public var timeOffset = FragmentProfile.appleTimeOffset
    /// How segments are stored.
    public var storage = Storage.separateFiles
    /// Whether audio and video of one input stay together.
    public var isMuxed = false
    /// Whether to copy movie fragments of the inputs if they start with segments.
    public var copiesFragments = true
    /// The URI of a referenced input by its name: an absolute URI, or a path relative to the folder of the
    /// presentation.
    public var referenceURI: @Sendable (_ name: String) -> String = { $0 }
    /// Whether to write I-frame playlists.
    public var hasIFramePlaylists = true
    /// Whether to copy keyframes of referenced inputs to a file, unless each has its own movie fragment.
    public var copiesKeyFrames = false
    /// Whether to write playlists, a manifest of the same files, or both. A manifest describes complete media, whatever
    /// the playlist type.
    public var formats: Set<Format> = [.hls]
    /// Pictures that players show while users seek.
    public var thumbnails: [Thumbnails] = []
    /// Whether segments may be appended later.
    public var playlistType = PlaylistType.vod
    /// The number of the first segment.
    public var startNumber = 1
    /// The range of video that does not declare one; `nil` means SDR, with a warning if it may be different.
    public var videoRange: VideoRange?
    /// Where closed captions in pictures are looked for. What is found is declared; that there are none only if they
    /// were looked for everywhere.
    public var captions = CaptionSearch.start
    /// A prefix for all URIs, such as `https://cdn.example.com/movie/`; if empty, URIs are relative.
    public var baseURL = ""
    /// The key of encrypted tracks; without it and `protection`, playlists have no key tags.
    public var key: Key?
    /// How the output is encrypted; if `nil`, clear tracks stay clear.
    public var protection: Protection?

    /// Breaks for advertisements, interstitials, and dates.
    public var markers = Markers()
    /// Where playback starts.
    public var startPoint: StartPoint?
    /// Data about the presentation for players.
    public var sessionData: [SessionData] = []
    /// The server of content steering, and the pathway of all variants.
    public var steering: ContentSteering?
    /// The order of variants: players start with the first one.
    public var firstVariant = FirstVariant.given

    /// Segments of six seconds in separate files.
    public init() {}
  }
}
