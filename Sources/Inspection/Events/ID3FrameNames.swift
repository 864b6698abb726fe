/// The names of ID3 frames: <https://id3.org/id3v2.4.0-frames>, 4.
enum ID3FrameNames {
  /// The name of a frame; `nil` if it is not in the standard.
  static func name(of id: String) -> String? { names[id] }

  /// The four-letter ID of a frame with a three-letter ID of version 2; other IDs are unchanged.
  static func modernName(of id: String) -> String { modernNames[id] ?? id }

  /// Frames of <https://id3.org/id3v2-00>, 4, with their IDs in later versions.
  private static let modernNames: [String: String] = [
    "BUF": "RBUF", "CNT": "PCNT", "COM": "COMM", "CRA": "AENC", "ETC": "ETCO", "GEO": "GEOB", "IPL": "TIPL",
    "MCI": "MCDI", "PIC": "APIC", "POP": "POPM", "SLT": "SYLT", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM",
    "TCO": "TCON", "TCR": "TCOP", "TDA": "TDAT", "TEN": "TENC", "TFT": "TFLT", "TIM": "TIME", "TKE": "TKEY",
    "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED", "TOA": "TOPE", "TOF": "TOFN", "TOL": "TOLY", "TOR": "TORY",
    "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3", "TP4": "TPE4", "TPA": "TPOS", "TPB": "TPUB",
    "TRC": "TSRC", "TRK": "TRCK", "TSS": "TSSE", "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3", "TXT": "TEXT",
    "TXX": "TXXX", "TYE": "TYER", "UFI": "UFID", "ULT": "USLT", "WAF": "WOAF", "WAR": "WOAR", "WAS": "WOAS",
    "WCM": "WCOM", "WCP": "WCOP", "WPB": "WPUB", "WXX": "WXXX",
  ]

  /// The type of an attached picture; `nil` for one that is not in the standard.
  static func picture(_ type: UInt8) -> String? { Int(type) < pictures.count ? pictures[Int(type)] : nil }

  private static let names: [String: String] = [
    "AENC": "Audio encryption", "APIC": "Attached picture", "COMM": "Comment", "COMR": "Commercial frame",
    "ENCR": "Encryption method registration", "ETCO": "Event timing codes", "GEOB": "General encapsulated object",
    "GRID": "Group identification registration", "MCDI": "Music CD identifier", "OWNE": "Ownership",
    "PCNT":
      "Play counter", "POPM": "Popularimeter", "PRIV": "Private", "SYLT": "Synchronised lyrics", "TALB": "Album",
    "TBPM": "Beats per minute", "TCOM": "Composer", "TCON": "Content type", "TCOP": "Copyright", "TDAT": "Date",
    "TDEN": "Encoding time", "TDOR": "Original release time", "TDRC": "Recording time", "TDRL": "Release time",
    "TDTG": "Tagging time", "TENC": "Encoded by", "TEXT": "Lyricist", "TFLT": "File type", "TIME": "Time",
    "TIPL": "Involved people", "TIT1": "Content group", "TIT2": "Title", "TIT3": "Subtitle", "TKEY": "Initial key",
    "TLAN": "Language", "TLEN": "Length", "TMCL": "Musician credits", "TMED": "Media type", "TMOO": "Mood",
    "TOAL": "Original album", "TOFN": "Original file name", "TOLY": "Original lyricist", "TOPE": "Original artist",
    "TORY": "Original release year", "TOWN": "File owner", "TPE1": "Artist", "TPE2": "Band", "TPE3": "Conductor",
    "TPE4": "Remixed by", "TPOS": "Part of a set", "TPRO": "Produced notice", "TPUB": "Publisher", "TRCK": "Track",
    "TRSN": "Radio station", "TRSO": "Radio station owner", "TSOA": "Album sort order",
    "TSOP":
      "Performer sort order", "TSOT": "Title sort order", "TSRC": "ISRC", "TSSE": "Encoder settings",
    "TSST": "Set subtitle", "TXXX": "User text", "TYER": "Year", "UFID": "Unique file identifier",
    "USER":
      "Terms of use", "USLT": "Lyrics", "WCOM": "Commercial information", "WCOP": "Copyright information",
    "WOAF": "Audio file page", "WOAR": "Artist page", "WOAS": "Audio source page", "WORS": "Radio station page",
    "WPAY": "Payment", "WPUB": "Publisher page", "WXXX": "User URL",
  ]

  private static let pictures = [
    "other", "file icon", "other file icon", "front cover", "back cover", "leaflet page", "media", "lead artist",
    "artist", "conductor", "band", "composer", "lyricist", "recording location", "during recording",
    "during performance", "screen capture", "fish", "illustration", "band logo", "publisher logo",
  ]
}
