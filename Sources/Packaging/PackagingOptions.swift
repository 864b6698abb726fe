import Bytes
public import HLS
public import ISOBMFF
public import MP4

extension Packager {
  /// How the segments of a rendition are kept.
  public enum Storage: Sendable, Equatable {
    /// A file for each segment, and one for the initialization.
    case separateFiles
    /// One file, of which playlists name byte ranges.
    case singleFile
    /// The inputs themselves, of which playlists name byte ranges; nothing of them is copied. Tracks of one input stay
    /// together. To be read with `keepsStart`, since their times stay what they are.
    case referenced
  }

  /// Where players get the key of encrypted tracks.
  public struct Key: Sendable, Equatable {
    /// Where it is, such as `skd://movie`.
    public var uri: String
    /// What kind of key that is, such as `com.apple.streamingkeydelivery`; `nil` for the key itself.
    public var format: String?
    /// The versions of that kind, such as `1/2`.
    public var formatVersions: String?

    /// A key at `uri`.
    public init(uri: String, format: String? = nil, formatVersions: String? = nil) {
      self.uri = uri
      self.format = format
      self.formatVersions = formatVersions
    }

    /// EXT-X-KEY for samples that are encrypted by `scheme`.
    func tag(_ scheme: FourCC) -> EncryptionKey {
      var key = EncryptionKey(["cenc", "cens"].contains(scheme) ? .sampleAESCTR : .sampleAES, uri: uri)
      key.keyFormat = format
      key.keyFormatVersions = formatVersions
      return key
    }

    /// That there are more keys than this one, in what messages call `name`.
    static func notice(_ keyCount: Int, _ name: String) -> Notice {
      let text =
        "its samples are encrypted with \(keyCount) keys, but the playlists give one URI; players may not be able "
        + "to decrypt all of them"
      return Notice(.warning, name, text)
    }
    /// That there is none.
    static func missing(_ scheme: FourCC, _ name: String) -> Notice {
      Notice(.warning, name, "it is encrypted (\(scheme)), but the playlists have no key URI")
    }
  }

  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// How long segments are at least, until a sync sample comes; with 0 or less every sync sample begins one.
    public var segmentDuration = MediaTime(6, 1)
    /// How the output says when its media is presented.
    public var profile = FragmentProfile.cmaf
    /// How segments are kept.
    public var storage = Storage.separateFiles
    /// Whether audio and video of one input stay together.
    public var isMuxed = false
    /// Whether movie fragments of the inputs are copied as they are where they start when segments do.
    public var copiesFragments = true
    /// What playlists call an input that they reference, by its name: an absolute URI, or a path from the folder of the
    /// presentation.
    public var referenceURI: @Sendable (_ name: String) -> String = { $0 }
    /// Whether there are playlists of key frames.
    public var hasIFramePlaylists = true
    /// Whether key frames of inputs that are referenced are copied to a file of their own, unless each has a movie fragment
    /// of its own.
    public var copiesKeyFrames = false
    /// Whether more may be added to the playlists later.
    public var playlistType = PlaylistType.vod
    /// The number of the first segment.
    public var startNumber = 1
    /// The range of brightness of pictures that do not say it themselves; `nil` for SDR, with a warning where they may have
    /// another.
    public var videoRange: VideoRange?
    /// What comes before all URIs, such as `https://cdn.example.com/movie/`; nothing makes them relative.
    public var baseURL = ""
    /// Where players get the key of encrypted tracks; without it the playlists do not mention it.
    public var key: Key?

    /// CMAF in separate files, with segments of six seconds.
    public init() {}
  }
}
