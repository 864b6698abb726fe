/// Where a rule comes from: a standard or a specification, or what players do.
public struct RuleSource: Sendable, Hashable, CustomStringConvertible {
  /// Which files a rule is for.
  public enum Profile: String, Sendable, CaseIterable {
    /// All MP4 files.
    case iso
    /// CMAF tracks.
    case cmaf
    /// HTTP Live Streaming.
    case hls
    /// HTTP Live Streaming for Apple devices.
    case apple
    /// Media Source Extensions of browsers.
    case mse
    /// Files that browsers and phones play.
    case web
  }
  /// Which files it is for.
  public let profile: Profile
  /// The standard and its edition.
  public let standard: String
  /// The clause, where its text was read.
  public let clause: String?

  private init(_ profile: Profile, _ standard: String, _ clause: String? = nil) {
    (self.profile, self.standard, self.clause) = (profile, standard, clause)
  }

  /// The base media file format.
  static let isobmff = RuleSource(.iso, "ISO/IEC 14496-12:2022")
  /// Files of MPEG-4 systems.
  static let mp4 = RuleSource(.iso, "ISO/IEC 14496-14:2020")
  /// Video of NAL units in files.
  static let nalVideo = RuleSource(.iso, "ISO/IEC 14496-15:2022")
  /// AAC.
  static let aac = RuleSource(.iso, "ISO/IEC 14496-3:2019")
  /// AV1 in files.
  static func av1(_ section: String) -> RuleSource {
    RuleSource(.iso, "AV1 Codec ISO Media File Format Binding 1.3.0", section)
  }
  /// VP9 in files.
  static let vp9 = RuleSource(.iso, "VP Codec ISO Media File Format Binding 1.0")
  /// AC-3, E-AC-3 and AC-4 in files.
  static let dolby = RuleSource(.iso, "ETSI TS 102 366 V1.4.1")
  /// Opus in files.
  static func opus(_ section: String) -> RuleSource {
    RuleSource(.iso, "Encapsulation of Opus in ISO Base Media File Format 1.0.0", section)
  }
  /// FLAC in files.
  static func flac(_ section: String) -> RuleSource {
    RuleSource(.iso, "Encapsulation of FLAC in ISO Base Media File Format 0.0.3", section)
  }
  /// Subtitles and text in files.
  static let text = RuleSource(.iso, "ISO/IEC 14496-30:2018")
  /// Timed text of 3GPP.
  static let timedText = RuleSource(.iso, "3GPP TS 26.245")
  /// Apple Lossless.
  static let alac = RuleSource(.iso, "Apple Lossless Magic Cookie Description")
  /// Splice information.
  static let splice = RuleSource(.iso, "ANSI/SCTE 35 2023")
  /// Encryption.
  static let encryption = RuleSource(.iso, "ISO/IEC 23001-7:2023")
  /// QuickTime movies.
  static let quickTime = RuleSource(.iso, "QuickTime File Format")
  /// CMAF.
  static let cmaf = RuleSource(.cmaf, "ISO/IEC 23000-19:2024")
  /// Playlists, and a section of the second edition of their specification.
  static func hls(_ section: String? = nil) -> RuleSource { RuleSource(.hls, "draft-pantos-hls-rfc8216bis", section) }
  /// Apple's requirements of streams, by their numbers.
  static func apple(_ section: String) -> RuleSource {
    RuleSource(.apple, "HLS Authoring Specification for Apple Devices", section)
  }
  /// The byte stream format of Media Source Extensions.
  static func mse(_ section: String) -> RuleSource { RuleSource(.mse, "ISO BMFF Byte Stream Format", section) }
  /// What browsers and phones do.
  static let web = RuleSource(.web, "player behavior")
  /// What players do with all files.
  static let practice = RuleSource(.iso, "player behavior")

  /// Such as `ISO/IEC 23000-19:2024, 7.5.1`.
  public var description: String { clause.map { "\(standard), \($0)" } ?? standard }
}
