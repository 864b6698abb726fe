/// The items of the metadata that iTunes writes, by their codes. Each holds a `data`.
enum MetadataItems {
  static let definitions: [BoxDefinition] = (text + numbers + store + classical).map { code, name in
    .container(code, name, in: ["ilst"], "iTunes Metadata Format")
  }
  /// What a `data` can be in.
  static let types = definitions.map(\.info.type)

  /// An item whose code nobody declared: the number of an entry of `keys`, for instance.
  static func generic(_ type: FourCC) -> BoxDefinition {
    var definition = BoxDefinition.container(type, "Metadata Item", in: ["ilst"], "QuickTime File Format")
    definition.isGuess = true
    return definition
  }

  private static let text: [(FourCC, StaticString)] = [
    ("©nam", "Title"), ("©ART", "Artist"), ("aART", "Album Artist"), ("©alb", "Album"), ("©grp", "Grouping"),
    ("©wrt", "Composer"), ("©com", "Composer"), ("©cmt", "Comment"), ("©gen", "Genre"), ("©day", "Date"),
    ("©too", "Encoding Tool"), ("©enc", "Encoded By"), ("©lyr", "Lyrics"), ("©des", "Description"),
    ("©cpy", "Copyright"), ("©inf", "Information"), ("©req", "Requirements"), ("©fmt", "Format"),
    ("©swr", "Software"), ("©mak", "Make"), ("©mod", "Model"), ("©xyz", "Location"), ("©url", "URL"),
    ("©aut", "Author"), ("©dir", "Director"), ("©prd", "Producer"), ("©prf", "Performers"), ("©pub", "Publisher"),
    ("©nrt", "Narrator"), ("©src", "Source Credits"), ("©key", "Keywords"), ("©dis", "Disclaimer"),
    ("desc", "Description"), ("ldes", "Long Description"), ("sdes", "Series Description"), ("cprt", "Copyright"),
    ("titl", "Title"), ("dscp", "Description"), ("auth", "Author"), ("perf", "Performer"), ("albm", "Album"),
    ("yrrc", "Recording Year"), ("sonm", "Sort Name"), ("soar", "Sort Artist"), ("soaa", "Sort Album Artist"),
    ("soal", "Sort Album"), ("soco", "Sort Composer"), ("sosn", "Sort Show"), ("tvsh", "Show"),
    ("tvnn", "Network"), ("tven", "Episode ID"), ("keyw", "Keywords"), ("catg", "Category"), ("purl", "Podcast URL"),
    ("egid", "Episode Global ID"), ("purd", "Purchase Date"), ("ownr", "Owner"), ("----", "Item with a name"),
  ]

  private static let numbers: [(FourCC, StaticString)] = [
    ("trkn", "Track Number"), ("disk", "Disc Number"), ("gnre", "Genre"), ("covr", "Cover Art"), ("tmpo", "Tempo"),
    ("cpil", "Compilation"), ("pgap", "Gapless"), ("stik", "Media Kind"), ("rtng", "Advisory"), ("hdvd", "HD Video"),
    ("pcst", "Podcast"), ("tvsn", "Season"), ("tves", "Episode"), ("rate", "Rating"), ("itnu", "iTunes U"),
    ("shwm", "Show Movement"),
  ]

  private static let store: [(FourCC, StaticString)] = [
    ("apID", "Account"), ("akID", "Account Kind"), ("atID", "Artist ID"), ("cnID", "Catalogue ID"),
    ("cmID", "Composer ID"), ("geID", "Genre ID"), ("plID", "Album ID"), ("sfID", "Store Front"),
    ("prID", "Product ID"), ("xid ", "External ID"), ("flvr", "Flavour"),
  ]

  private static let classical: [(FourCC, StaticString)] = [
    ("©wrk", "Work"), ("©mvn", "Movement Name"), ("©mvi", "Movement Number"), ("©mvc", "Number of Movements"),
    ("©con", "Conductor"), ("©sol", "Soloist"), ("©arg", "Arranger"), ("©ope", "Original Artist"),
    ("©lab", "Record Label"), ("©phg", "Recording Copyright"), ("©isr", "ISRC"), ("©st3", "Subtitle"),
    ("©sne", "Sound Engineer"), ("©thx", "Thanks"), ("©xpd", "Executive Producer"), ("©art", "Art Director"),
  ]
}
