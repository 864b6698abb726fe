import ISOBMFF
import MP4
import MP4Bytes
import MP4Packaging

/// The options for encrypted packages.
enum HLSProtection {
  static let method = Option<Packager.Protection.Method?>.choice(
    "encrypt", placeholder: "METHOD",
    help: "Encrypt audio and video with the keys of `--encrypt-key-file`. Text stays clear.",
    [
      NamedValue(
        .cbcs, "cbcs",
        "samples with AES-CBC, one in ten blocks of video; supported by all current players; required "
          + "by FairPlay"),
      NamedValue(
        .cenc, "cenc",
        "samples with AES-CTR; supported by all players with Widevine or PlayReady, including older ones, but not by "
          + "FairPlay"),
      NamedValue(
        .aes128, "aes-128", "whole segments, only for HLS; any client can get the keys, which the package contains"),
    ])
  static let systems = Option.repeated(
    "drm", placeholder: "SYSTEMS", as: ProtectionSystems.self,
    help:
      "The systems that give players the keys of samples, separated by commas: `fairplay=URI` (such as "
      + "`fairplay=skd://movie`), `widevine`, `playready` and `clearkey=URL` (the license server of the key system "
      + "Clear Key in browsers). In URI and URL, `{kid}` is replaced by the key ID. Can be repeated.")
  static let clearLead = Option.parsed(
    "clear-lead", placeholder: "SECONDS", as: Seconds.self,
    help:
      "Leave segments that start before this time clear, so that playback can start before the player has the key.")
  static let keyPeriod = Option.integer(
    "key-period", placeholder: "N", in: 0...1_000_000, default: 0,
    help:
      "Use a new key every N segments (key rotation): the keys that match, in order; each is needed once. 0 means one "
      + "key. With FairPlay, each key has its own init segment, otherwise sample groups (`seig`) and `pssh` boxes in "
      + "fragments.")
  static let pssh = Option.paths(
    "pssh", placeholder: "FILE",
    help:
      "Use the `pssh` boxes in FILE, such as those from a license server, instead of generated ones of the same "
      + "systems. Can be repeated.")

  private static let others: [any DeclaredOption] = [systems, clearLead, keyPeriod, pssh]
  static let all: [any DeclaredOption] = [method] + ContentKeyOptions.package.all + others

  /// The protection given by options; `nil` without `--encrypt`.
  static func protection(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> Packager.Protection? {
    guard let own = arguments[method] else {
      for other in ContentKeyOptions.package.all + others where arguments.has(other) {
        throw UsageError("option '--\(other.declaration.name)' needs '--\(method.declaration.name) METHOD'")
      }
      return nil
    }
    let lines = try ContentKeyOptions.package.requiredLines(arguments, context)
    var protection = Packager.Protection(own, keys: lines.compactMap(\.packageKey))
    protection.systems = arguments[systems].flatMap(\.systems)
    let kinds = protection.systems.map(\.name)
    for name in kinds where kinds.count(where: { $0 == name }) > 1 {
      throw UsageError("option '--\(systems.declaration.name)' specifies \(name) twice")
    }
    if arguments[keyPeriod] > 0 { protection.keyPeriod = arguments[keyPeriod] }
    if let time = arguments[clearLead] { protection.clearLead = time.time }
    for file in arguments[pssh] { protection.headers += try EncryptCommand.headers(in: file, context) }
    return protection
  }
}

/// A list such as `fairplay=skd://movie,widevine`.
struct ProtectionSystems: TextOptionValue {
  static let expectation = "a list of 'fairplay=URI', 'widevine', 'playready' and 'clearkey=URL', separated by commas"
  private(set) var systems: [Packager.Protection.System] = []

  init?(_ text: String) {
    // Attributes cannot contain these characters.
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) else { return nil }
    var words: [Substring] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      // A URI can contain commas.
      if Self.isSystem(word) || words.last?.contains("=") != true {
        words.append(word)
      } else if let last = words.popLast() {
        words.append("\(last),\(word)"[...])
      }
    }
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (parts[0], parts.count > 1 ? String(parts[1]) : nil) {
      case ("fairplay", let uri?) where !uri.isEmpty: systems.append(.fairPlay(uri: uri))
      case ("clearkey", let url?) where !url.isEmpty: systems.append(.clearKey(url: url))
      case ("widevine", nil): systems.append(.widevine)
      case ("playready", nil): systems.append(.playReady)
      default: return nil
      }
    }
  }

  private static func isSystem(_ word: Substring) -> Bool {
    ["fairplay", "widevine", "playready", "clearkey"].contains(word.prefix { $0 != "=" })
  }
}

extension Packager.Protection.System {
  /// Its name in the option.
  fileprivate var name: String {
    switch self {
    case .fairPlay: "fairplay"
    case .widevine: "widevine"
    case .playReady: "playready"
    case .clearKey: "clearkey"
    }
  }
}
