import BoxCatalog
import ISOBMFF
public import MP4
import MP4Bytes

/// The descriptive metadata of a file.
public struct Metadata: Sendable {
  /// One entry.
  public struct Entry: Sendable {
    /// The key, such as `©nam` or `com.apple.quicktime.make`.
    public let key: String
    /// The meaning of the key, such as `Title`; the key itself if unknown.
    public let name: String
    /// The value as text.
    public let value: String
  }
  /// A cover image.
  public struct Cover: Sendable {
    /// `JPEG`, `PNG`, `BMP`, or `picture` if it is another format.
    public let format: String
    /// Its bytes in the source of the movie box.
    package let range: Range<Int>
    /// Its size in bytes.
    public var byteCount: Int { range.count }
  }

  /// The entries in file order, without duplicates.
  public private(set) var entries: [Entry] = []
  /// The cover images.
  public private(set) var covers: [Cover] = []

  /// The title; `nil` if there is none.
  public var title: String? { entries.first { $0.name == "Title" }?.value }

  /// The first value of a tag, such as `.title`; `nil` if there is none.
  public subscript(tag: MetadataTag) -> String? { entries.first { tag.isStored(as: $0.key) }?.value }

  /// Larger values are not shown.
  private static let sizeLimit = 1 << 16

  /// The metadata of a movie box, in `udta` and `meta`.
  init(_ movie: Movie.MovieBox) {
    let moov = movie.box
    for box in (moov.first("udta")?.boxes ?? []) where box.type != "meta" { addText(box, from: movie.source) }
    for meta in [moov.first("udta", "meta"), moov.first("meta")].compactMap(\.self) {
      let names = Self.names(in: meta, from: movie.source)
      for item in meta.first("ilst")?.boxes ?? [] { add(item, names, from: movie.source) }
    }
  }

  private mutating func add(_ key: String, _ name: String?, _ value: String) {
    let entry = Entry(key: key, name: name ?? key, value: value)
    guard !value.isEmpty, !entries.contains(where: { $0.name == entry.name && $0.value == value }) else { return }
    entries.append(entry)
  }

  /// Adds a text of QuickTime user data.
  private mutating func addText(_ box: Box, from source: any ByteSource) {
    guard box.header?.payload.count ?? 0 <= Self.sizeLimit,
      let payload = try? box.payload(from: source, registry: .standard)?.get()
    else { return }
    let definition = BoxRegistry.standard.definition(of: box.type, in: box.context)
    let name = definition.map { $0.info.name.description }
    if let text = payload as? UserDataTextBox {
      for entry in text.entries { entry.words.map { add(box.type.description, name, $0) } }
    }
  }

  private static func names(in meta: Box, from source: any ByteSource) -> [String] {
    guard let box = meta.first("keys") else { return [] }
    let keys = try? box.payload(as: MetadataItemKeysBox.self, from: source).get()
    return keys?.keys.map { $0.keyValue.description } ?? []
  }

  /// Adds an item of `ilst`.
  private mutating func add(_ item: Box, _ names: [String], from source: any ByteSource) {
    var key = item.type.description
    var name: String?
    if item.type == "----" {
      let domain = Self.value(of: item.first("mean"), from: source)
      let own = Self.value(of: item.first("name"), from: source)
      key = [domain, own].compactMap(\.self).joined(separator: ":")
      name = own
    } else if case let number = Int(item.type.rawValue), names.indices.contains(number - 1) {
      key = names[number - 1]
      name = Self.name(ofKey: key)
    } else {
      name = BoxRegistry.standard.definition(of: item.type, in: item.context)?.info.name.description
    }
    for data in item.boxes where data.type == "data" {
      guard let payload = data.header?.payload else { continue }
      let size = payload.count
      if item.type == "covr" || key == "com.apple.quicktime.artwork" {
        let start = min(payload.lowerBound + 8, payload.upperBound)
        covers.append(
          Cover(format: Self.pictureFormat(data, from: source), range: start..<payload.upperBound))
      } else if size <= Self.sizeLimit, let value = try? data.payload(as: MetadataDataBox.self, from: source).get() {
        add(key, name, value.value.words)
      }
    }
  }

  private static func value(of box: Box?, from source: any ByteSource) -> String? {
    guard case .text(let text)? = try? box?.payload(from: source, registry: .standard)?.get()["value"] else {
      return nil
    }
    return text.printable
  }

  /// The meaning of a key of `keys`, such as `Make` for `com.apple.quicktime.make` and `Location accuracy horizontal`
  /// for `com.apple.quicktime.location.accuracy.horizontal`.
  private static func name(ofKey key: String) -> String {
    let prefix = "com.apple.quicktime."
    let isApple = key.hasPrefix(prefix)
    // The part after the domain.
    var parts = (isApple ? key.dropFirst(prefix.count) : key[...]).split(separator: ".")
    if !isApple { parts = parts.suffix(1) }
    // The format of `location.ISO6709` is not a part of the name.
    if parts.count > 1, parts.last == "ISO6709" { parts.removeLast() }
    let names = ["displayname": "Title", "creationdate": "Creation date"]
    let words = parts.isEmpty ? key : parts.joined(separator: " ")
    return names[words] ?? words.prefix(1).uppercased() + words.dropFirst()
  }

  private static func pictureFormat(_ data: Box, from source: any ByteSource) -> String {
    guard let payload = data.header?.payload else { return "picture" }
    var window = ByteWindow(source, readAhead: 0)
    let start = (try? window.slice(at: payload.lowerBound + 8, count: 4)).map { Array($0) } ?? []
    return switch start {
    case let bytes where bytes.starts(with: [0xff, 0xd8]): "JPEG"
    case [0x89, 0x50, 0x4e, 0x47]: "PNG"
    case let bytes where bytes.starts(with: [0x42, 0x4d]): "BMP"
    default: "picture"
    }
  }
}

extension Movie {
  /// The tags of the movie, which are read from its boxes.
  public func metadata() -> Metadata { Metadata(movieBoxes[0]) }

  /// The bytes of the cover image; `nil` if there is none.
  ///
  /// - Throws: `MovieError.io` if it cannot be read.
  public func cover() throws(MovieError) -> [UInt8]? {
    guard let cover = metadata().covers.first(where: { $0.byteCount > 0 }) else { return nil }
    return try io(movieBoxes[0].source.bytes(in: cover.range))
  }
}

extension MetadataValue {
  /// The value as text; empty for images and bytes.
  fileprivate var words: String {
    switch self {
    case .text(let text): text.printable ?? ""
    case .wideText(let bytes): MetadataValue.text(utf16: bytes)
    case .signed(let number, _): "\(number)"
    case .unsigned(let number, _): "\(number)"
    case .single(let number): "\(number)"
    case .double(let number): "\(number)"
    case .place(let number, of: let count, _, _, _): count > 0 ? "\(number) of \(count)" : "\(number)"
    case .genre(let number): "\(number)"
    case .geometry(let numbers): numbers.map { "\($0)" }.joined(separator: ", ")
    case .picture, .bytes: ""
    }
  }
}

extension UserDataTextBox.Entry {
  /// The text in the encoding of its Macintosh language, unless it is valid UTF-8.
  fileprivate var words: String? {
    let isUTF8 = String(decoding: text.bytes, as: UTF8.self).utf8.elementsEqual(text.bytes)
    guard language.rawValue < 0x400, !isUTF8 else { return text.printable }
    return BoxString(Array(MacRoman.text(text.bytes).utf8), form: .unterminated).printable
  }
}
