import ISOBMFF
import MP4Bytes

/// A descriptive property of a file, such as its title, and where each kind of metadata stores it.
public struct MetadataTag: Sendable, Hashable {
  /// The type of its value.
  enum Kind: Hashable {
    case text
    /// Latitude, longitude and optional altitude according to ISO 6709.
    case location
    /// A whole number with this many bits.
    case number(bits: Int)
    /// A number and an optional total, such as `3` or `3/12`, in this many bytes.
    case place(size: Int)
    case flag
    case picture
  }
  /// Its common name, such as `album-artist`; for other tags, the code or key.
  public let name: String
  let kind: Kind
  /// Its code in iTunes item lists.
  let item: FourCC?
  /// The domain and name of its freeform item.
  let freeform: (domain: String, name: String)?
  /// Its key in QuickTime metadata.
  let key: String?
  /// The types of equivalent boxes in user data.
  let texts: [FourCC]

  /// Whether both have the same name.
  public static func == (a: MetadataTag, b: MetadataTag) -> Bool { a.name == b.name }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Parses a tag: a name such as `title`, a four-character code such as `©nam`, a key such as
  /// `com.apple.quicktime.make`, or the domain and name of a freeform item: `com.apple.iTunes:LABEL`.
  public init?(_ name: String) {
    let word = String(name.lowercased().map { $0 == "_" || $0 == " " ? "-" : $0 })
    if let known = Self.known.first(where: { $0.name == word || $0.item?.description == name }) {
      self = known
    } else if let other = Self.otherNames[word] {
      self.init(other)
    } else if let code = FourCC(name), name.count == 4, Self.isItem(code) {
      self.init(name, .text, item: code, texts: [code])
    } else if case let parts = name.split(separator: ":", maxSplits: 1), parts.count == 2, parts[0].contains(".") {
      self.init(name, .text, freeform: (String(parts[0]), String(parts[1])))
    } else if name.utf8.contains(UInt8(ascii: ".")) {
      self = Self.known.first { $0.key == name } ?? MetadataTag(name, .text, key: name)
    } else {
      return nil
    }
  }

  /// The known names, with their codes and keys.
  public static var names: [(name: String, codes: String)] {
    known.map { tag in
      (tag.name, [tag.item?.description, tag.key].compactMap(\.self).joined(separator: ", "))
    }
  }

  /// The known tag with this name.
  private static func known(_ name: String) -> MetadataTag { known.first { $0.name == name } ?? known[0] }

  /// The title.
  public static let title = known("title")
  /// The artist.
  public static let artist = known("artist")
  /// The album.
  public static let album = known("album")
  /// The artist of the whole album.
  public static let albumArtist = known("album-artist")
  /// The genre.
  public static let genre = known("genre")
  /// The date of the recording or release.
  public static let date = known("date")
  /// A comment.
  public static let comment = known("comment")
  /// A description.
  public static let description = known("description")
  /// The copyright notice.
  public static let copyright = known("copyright")
  /// The program that wrote the file.
  public static let encoder = known("encoder")
  /// The number of the track on its album.
  public static let track = known("track")
  /// The number of the disc.
  public static let disc = known("disc")
  /// Where it was recorded.
  public static let location = known("location")

  private init(
    _ name: String, _ kind: Kind, item: FourCC? = nil, key: String? = nil, texts: [FourCC] = [],
    freeform: (domain: String, name: String)? = nil
  ) {
    (self.name, self.kind, self.item, self.key, self.texts, self.freeform) = (name, kind, item, key, texts, freeform)
  }

  private init(_ name: String, _ item: FourCC, _ kind: Kind = .text, _ key: String? = nil, _ texts: FourCC...) {
    let isQuickTime = item.rawValue >> 24 == 0xa9
    self.init(
      name, kind, item: item, key: key.map { "com.apple.quicktime." + $0 }, texts: (isQuickTime ? [item] : []) + texts)
  }

  /// Whether a code is that of a known item, or starts like those of text items.
  private static func isItem(_ code: FourCC) -> Bool {
    let definition = BoxRegistry.core.definition(of: code, in: BoxContext(parent: "ilst"))
    return code.rawValue >> 24 == 0xa9 || definition?.isGuess == false && definition?.info.containers == ["ilst"]
  }

  /// The names of tags in other tools and in `info`.
  private static let otherNames = [
    "year": "date", "bpm": "tempo", "disk": "disc", "track-number": "track", "disc-number": "disc",
    "encoding-tool": "encoder", "software": "encoder", "albumartist": "album-artist", "sort-name": "sort-title",
    "artwork": "cover", "cover-art": "cover", "rating": "advisory", "kind": "media-kind",
  ]

  /// The location, which is also stored in boxes that are not text.
  static let locationTexts: Set<FourCC> = ["©xyz", "loci", "gps ", "GPS "]
  static let locationKey = "com.apple.quicktime.location."

  private static let known: [MetadataTag] = [
    MetadataTag("title", "©nam", .text, "title", "titl"), MetadataTag("artist", "©ART", .text, "artist", "perf"),
    MetadataTag("album", "©alb", .text, "album", "albm"), MetadataTag("album-artist", "aART"),
    MetadataTag("composer", "©wrt", .text, "composer", "©com"), MetadataTag("genre", "©gen", .text, "genre", "gnre"),
    MetadataTag("date", "©day", .text, "creationdate", "yrrc"),
    MetadataTag("comment", "©cmt", .text, "comment"), MetadataTag("description", "desc", .text, "description", "dscp"),
    MetadataTag("long-description", "ldes"), MetadataTag("synopsis", "sdes"),
    MetadataTag("copyright", "cprt", .text, "copyright", "©cpy"),
    MetadataTag("encoder", "©too", .text, "software", "©swr"), MetadataTag("encoded-by", "©enc"),
    MetadataTag("keywords", "keyw", .text, "keywords", "©key", "kywd"), MetadataTag("category", "catg"),
    MetadataTag("lyrics", "©lyr"), MetadataTag("grouping", "©grp"),
    MetadataTag("author", "©aut", .text, "author", "auth"),
    MetadataTag("director", "©dir", .text, "director"), MetadataTag("producer", "©prd", .text, "producer"),
    MetadataTag("publisher", "©pub", .text, "publisher"), MetadataTag("make", "©mak", .text, "make"),
    MetadataTag("model", "©mod", .text, "model"), MetadataTag("show", "tvsh"), MetadataTag("network", "tvnn"),
    MetadataTag("episode-id", "tven"), MetadataTag("season", "tvsn", .number(bits: 32)),
    MetadataTag("episode", "tves", .number(bits: 32)), MetadataTag("track", "trkn", .place(size: 8)),
    MetadataTag("disc", "disk", .place(size: 6)), MetadataTag("tempo", "tmpo", .number(bits: 16)),
    MetadataTag("media-kind", "stik", .number(bits: 8)), MetadataTag("advisory", "rtng", .number(bits: 8)),
    MetadataTag("hd-video", "hdvd", .number(bits: 8)), MetadataTag("compilation", "cpil", .flag),
    MetadataTag("gapless", "pgap", .flag), MetadataTag("podcast", "pcst", .flag),
    MetadataTag("sort-title", "sonm"), MetadataTag("sort-artist", "soar"), MetadataTag("sort-album", "soal"),
    MetadataTag("sort-album-artist", "soaa"), MetadataTag("sort-composer", "soco"), MetadataTag("sort-show", "sosn"),
    MetadataTag("location", "©xyz", .location, "location.ISO6709", "loci"),
    MetadataTag("cover", "covr", .picture, "artwork"),
  ]
}

extension MetadataTag {
  /// Whether `info` and `Metadata` list its values with this key: the code of an item or of user data, the key of
  /// QuickTime metadata, or the domain and name of a freeform item.
  package func isStored(as key: String) -> Bool {
    item?.description == key || self.key == key || texts.contains { $0.description == key }
      || freeform.map { "\($0.domain):\($0.name)" == key } ?? false
  }

  /// The fields for a value of this tag, given as text; `nil` if the value is not valid.
  func fields(_ text: String) -> MetadataDataBox? {
    switch kind {
    case .picture: nil
    case .location where !Self.isLocation(text): nil
    case .text, .location: Self.data(1, .text(BoxString(text, form: .unterminated)))
    case .number(let bits):
      Int64(text).flatMap { number in
        bits == 64 || (-1 << Int64(bits - 1)..<1 << Int64(bits)).contains(number)
          ? Self.data(21, .signed(number, bits: bits)) : nil
      }
    case .flag:
      ["1", "yes", "true", "on"].contains(text)
        ? Self.data(21, .signed(1, bits: 8))
        : ["0", "no", "false", "off"].contains(text) ? Self.data(21, .signed(0, bits: 8)) : nil
    case .place(let size):
      Self.place(text).map { Self.data(0, .place($0, of: $1, before: 0, after: 0, size: size)) }
    }
  }

  /// Whether an image has a format for covers.
  package func accepts(picture bytes: [UInt8]) -> Bool { Self.fields(picture: bytes) != nil }

  /// The fields for an image; `nil` if its format is not one of those for covers.
  static func fields(picture bytes: [UInt8]) -> MetadataDataBox? {
    let types: [(start: [UInt8], type: UInt32)] = [
      ([0xff, 0xd8, 0xff], 13), ([0x89, 0x50, 0x4e, 0x47], 14), ([0x42, 0x4d], 27),
    ]
    return types.first { bytes.starts(with: $0.start) }.map { data($0.type, .picture(bytes)) }
  }

  /// Whether a value is valid for the tag; empty text removes any tag and is always valid.
  public func accepts(_ text: String) -> Bool { text.isEmpty || fields(text) != nil }

  /// A description of valid values.
  public var expectation: String {
    switch kind {
    case .text: "text"
    case .location: "a latitude and a longitude such as +48.137+011.575/"
    case .number(8): "a whole number from -128 to 255"
    case .number(16): "a whole number from -32768 to 65535"
    case .number: "a whole number"
    case .place: "a number, or a number and a count such as 3/12"
    case .flag: "yes or no"
    case .picture: "a picture in JPEG, PNG or BMP"
    }
  }

  private static func data(_ type: UInt32, _ value: MetadataValue) -> MetadataDataBox {
    var data = MetadataDataBox()
    (data.type, data.value) = (type, value)
    return data
  }

  /// Whether a text has two or three signed numbers, and then at most a coordinate system and a slash.
  private static func isLocation(_ text: String) -> Bool {
    var numbers: [String] = []
    for character in text.prefix(while: { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }) {
      if character == "+" || character == "-" {
        numbers.append("")
      } else if numbers.isEmpty {
        return false
      }
      numbers[numbers.count - 1].append(character)
    }
    let rest = text.dropFirst(numbers.reduce(0) { $0 + $1.count })
    let isEnd = rest.isEmpty || rest == "/" || rest.hasPrefix("CRS") && rest.hasSuffix("/")
    return isEnd && (2...3).contains(numbers.count) && numbers.allSatisfy { Double($0) != nil }
  }

  private static func place(_ text: String) -> (UInt16, UInt16)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt16($0) }
    guard let number = parts.first ?? nil, parts.count <= 2 else { return nil }
    guard parts.count == 2 else { return (number, 0) }
    return parts[1].map { (number, $0) }
  }
}
