import ISOBMFF
import MP4
import MP4Bytes

/// A list of tracks, such as `1,2` or `audio`.
///
/// The kinds are those in the output of `mp4tool info`.
struct TrackList: TextOptionValue {
  static let expectation =
    "track IDs, \(kindNames.map { "'\($0)'" }.joined(separator: ", ")) or four-letter handler types, "
    + "separated by commas"
  /// The kinds for help texts.
  static let kindsHelp = "`" + kindNames.dropLast().joined(separator: "`, `") + "` or `" + (kindNames.last ?? "") + "`"
  let selection: TrackSelection

  private static let kinds: [String: [FourCC]] = [
    "video": ["vide"], "audio": ["soun"], "text": ["text", "sbtl", "subt", "clcp"], "metadata": ["meta"],
    "timecode": ["tmcd"], "picture": ["pict", "auxv"], "hint": ["hint"],
  ]
  private static let kindNames = ["video", "audio", "text", "metadata", "timecode", "picture", "hint"]

  /// A list in a setting, where `+` separates the tracks.
  init?(joined word: String) { self.init(String(word.map { $0 == "+" ? "," : $0 })) }

  init?(_ word: String) {
    var items: [TrackSelection.Item] = []
    for part in word.split(separator: ",", omittingEmptySubsequences: false) {
      if let id = UInt32(part), id > 0 {
        items.append(.id(id))
      } else if let handlers = Self.kinds[String(part)] {
        items.append(.handlers(handlers))
      } else if part.utf8.count == 4, part.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
        items.append(.handlers([FourCC(rawValue: part.utf8.reduce(0) { $0 << 8 | UInt32($1) })]))
      } else {
        return nil
      }
    }
    selection = TrackSelection(items)
  }
}
