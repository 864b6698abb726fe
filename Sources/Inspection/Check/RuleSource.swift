/// The source of a rule: a standard, a specification, or the behaviour of players.
public struct RuleSource: Sendable, Hashable, CustomStringConvertible {
  /// The kind of files that a rule applies to.
  public enum Profile: String, Sendable, CaseIterable {
    /// All MP4 files.
    case iso
    /// CMAF tracks.
    case cmaf
    /// HTTP Live Streaming.
    case hls
    /// MPEG-DASH.
    case dash
    /// HTTP Live Streaming for Apple devices.
    case apple
    /// Media Source Extensions of browsers.
    case mse
    /// Files that browsers and phones play.
    case web
    /// The requirements of a specification, which are not a set of rules.
    case specification = "spec"

    /// Those that can be chosen.
    public static let choices = allCases.filter { $0 != .specification }
  }
  /// The kind of files that it applies to.
  public let profile: Profile
  /// The standard and its edition.
  public let standard: String
  /// The clause, if its text was available; `nil` otherwise.
  public let clause: String?

  private init(_ profile: Profile, _ standard: String, _ clause: String? = nil) {
    (self.profile, self.standard, self.clause) = (profile, standard, clause)
  }

  /// The base media file format.
  static let isobmff = RuleSource(.iso, "ISO/IEC 14496-12:2022")
  /// MP4 files.
  static let mp4 = RuleSource(.iso, "ISO/IEC 14496-14:2020")
  /// Storage of NAL-unit video (AVC, HEVC, VVC).
  static let nalVideo = RuleSource(.iso, "ISO/IEC 14496-15:2022")
  /// AAC.
  static let aac = RuleSource(.iso, "ISO/IEC 14496-3:2019")
  /// Storage of AV1.
  static func av1(_ section: String) -> RuleSource {
    RuleSource(.iso, "AV1 Codec ISO Media File Format Binding 1.3.0", section)
  }
  /// Storage of VP9.
  static let vp9 = RuleSource(.iso, "VP Codec ISO Media File Format Binding 1.0")
  /// Storage of AC-3, E-AC-3 and AC-4.
  static let dolby = RuleSource(.iso, "ETSI TS 102 366 V1.4.1")
  /// Storage of Opus.
  static func opus(_ section: String) -> RuleSource {
    RuleSource(.iso, "Encapsulation of Opus in ISO Base Media File Format 1.0.0", section)
  }
  /// Storage of FLAC.
  static func flac(_ section: String) -> RuleSource {
    RuleSource(.iso, "Encapsulation of FLAC in ISO Base Media File Format 0.0.3", section)
  }
  /// Storage of subtitles and text.
  static let text = RuleSource(.iso, "ISO/IEC 14496-30:2018")
  /// 3GPP timed text.
  static let timedText = RuleSource(.iso, "3GPP TS 26.245")
  /// Apple Lossless.
  static let alac = RuleSource(.iso, "Apple Lossless Magic Cookie Description")
  /// Splice information (SCTE 35).
  static let splice = RuleSource(.iso, "ANSI/SCTE 35 2023")
  /// Common encryption.
  static let encryption = RuleSource(.iso, "ISO/IEC 23001-7:2023")
  /// QuickTime movies.
  static let quickTime = RuleSource(.iso, "QuickTime File Format")
  /// MPEG transport streams.
  static let transportStream = RuleSource(.iso, "ISO/IEC 13818-1:2023")
  /// The brands of CMAF, in any file.
  static let cmafBrands = RuleSource(.iso, "ISO/IEC 23000-19:2024")
  /// CMAF.
  static let cmaf = RuleSource(.cmaf, "ISO/IEC 23000-19:2024")
  /// A clause of the DASH standard.
  static func dash(_ section: String? = nil) -> RuleSource { RuleSource(.dash, "ISO/IEC 23009-1:2022", section) }
  /// A section of the second edition of the HLS specification (rfc8216bis).
  static func hls(_ section: String? = nil) -> RuleSource { RuleSource(.hls, "draft-pantos-hls-rfc8216bis", section) }
  /// A requirement of Apple's HLS authoring specification.
  static func apple(_ section: String?) -> RuleSource {
    RuleSource(.apple, "HLS Authoring Specification for Apple Devices", section)
  }
  /// The byte stream format of Media Source Extensions.
  static func mse(_ section: String?) -> RuleSource { RuleSource(.mse, "ISO BMFF Byte Stream Format", section) }
  /// The behaviour of browsers and phones.
  static let web = RuleSource(.web, "player behavior")
  /// A line of a specification.
  static func specification(_ name: String, line: Int) -> RuleSource {
    RuleSource(.specification, name, "line \(line)")
  }
  /// The behaviour of players with any file.
  static let practice = RuleSource(.iso, "player behavior")

  /// Such as `ISO/IEC 23000-19:2024, 7.5.1`.
  public var description: String { clause.map { "\(standard), \($0)" } ?? standard }
}
