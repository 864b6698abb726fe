public import ISOBMFF
public import MP4
import MP4Bytes

extension Packager {
  /// How the audio and video of a package are encrypted, and where players get the keys. Text stays clear.
  public struct Protection: Sendable {
    /// What is encrypted, and how.
    public enum Method: Sendable, Hashable {
      /// Samples, with the scheme `cbcs` of Common Encryption.
      case cbcs
      /// Samples, with the scheme `cenc` of Common Encryption.
      case cenc
      /// Whole segments (METHOD=AES-128); the package contains the keys. Init segments stay clear.
      case aes128

      /// The scheme of encrypted samples; `nil` if whole segments are encrypted.
      var scheme: Encryption.Scheme? {
        switch self {
        case .cbcs: .cbcs
        case .cenc: .cenc
        case .aes128: nil
        }
      }
    }

    /// A system from which players get keys. In URIs, `{kid}` is replaced by the key ID in hexadecimal digits.
    public enum System: Sendable, Hashable {
      /// FairPlay Streaming, with the URI of a key, such as `skd://movie`. It needs `cbcs`.
      case fairPlay(uri: String)
      /// Widevine.
      case widevine
      /// PlayReady.
      case playReady
      /// Clear Key of Encrypted Media Extensions, with the URL of a license server.
      case clearKey(url: String)

      /// The system of its `pssh` box; FairPlay has none.
      var protectionSystem: MP4.ProtectionSystem? {
        switch self {
        case .fairPlay: nil
        case .widevine: .widevine
        case .playReady: .playReady
        case .clearKey: .common
        }
      }
    }

    /// What a key encrypts.
    public enum Media: Sendable, Hashable, CaseIterable {
      /// Audio.
      case audio
      /// All video.
      case video
      /// Video of at most 768 × 576 pixels.
      case sd
      /// Video of more pixels than `sd`, and at most 1920 × 1080.
      case hd
      /// Video of more pixels than `hd`.
      case uhd

      /// Video with this number of pixels.
      init(pixelCount: Int) { self = pixelCount <= 768 * 576 ? .sd : pixelCount <= 1920 * 1080 ? .hd : .uhd }
    }

    /// A key, and what it encrypts.
    public struct Key: Sendable {
      /// The key; its track selection is not used.
      public var key: Encryption.Key
      /// What it encrypts.
      public var media: Set<Media>

      /// A key for all audio and video, or for other media.
      public init(_ key: Encryption.Key, for media: Set<Media> = [.audio, .video]) {
        (self.key, self.media) = (key, media)
      }
    }

    /// What is encrypted, and how.
    public var method: Method
    /// The keys. A track uses the first one for its media or, with key periods, all of them in order; without one, it
    /// stays clear.
    public var keys: [Key]
    /// Where players get the keys of samples. Playlists and the manifest list the systems in this order.
    public var systems: [System] = []
    /// `pssh` boxes for all init segments, instead of those that are generated for the same systems.
    public var headers: [ProtectionSystemSpecificHeaderBox] = []
    /// Segments that start before this time stay clear.
    public var clearLead = MediaTime(0, 1)
    /// The number of segments after which the next key is used (key rotation); `nil` for one key.
    ///
    /// Samples of later keys are in groups (`seig`), and their fragments contain `pssh` boxes. With FairPlay, each key
    /// has its own init segment instead.
    public var keyPeriod: Int?
    /// Bytes that differ for every version of the inputs, such as their sizes and modification times. With them, the
    /// same input has the same initialization vectors every time; if empty, those of `cenc` are random.
    public var inputIdentity: [UInt8] = []

    /// Whether FairPlay is one of the systems.
    var hasFairPlay: Bool { systems.contains { if case .fairPlay = $0 { true } else { false } } }

    /// Encrypts with these keys.
    public init(_ method: Method, keys: [Key]) { (self.method, self.keys) = (method, keys) }
  }
}

extension Packager.Options {
  /// Why these options contradict each other; `nil` if they do not.
  package var protectionConflict: String? {
    guard let protection else { return nil }
    let isFairPlay = protection.hasFairPlay
    if storage == .referenced { return "the media of the inputs cannot be encrypted, because nothing is copied" }
    guard protection.method == .aes128 else {
      if isFairPlay, protection.method != .cbcs { return "FairPlay only supports the scheme cbcs" }
      guard isFairPlay, protection.keyPeriod != nil else { return nil }
      if formats.contains(.dash) {
        return "FairPlay needs an init segment for each key, but a DASH representation has only one init segment"
      }
      return isMuxed ? "with FairPlay, audio and video with changing keys cannot be in one rendition" : nil
    }
    if formats.contains(.dash) { return "DASH has no AES-128 encryption of whole segments" }
    if storage == .singleFile {
      return
        "each segment that is encrypted with AES-128 has its own padding, which byte ranges of one file cannot have"
    }
    if !protection.systems.isEmpty || !protection.headers.isEmpty {
      return "DRM systems encrypt samples, not whole segments as AES-128 does"
    }
    return nil
  }
}
