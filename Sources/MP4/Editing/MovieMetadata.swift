import ISOBMFF
import MP4Bytes

/// The metadata of a movie box. It can be in two `meta` boxes, in user data and in the movie box itself, each with
/// iTunes items or with items that have keys; and in texts in user data.
struct MovieMetadata {
  /// An item, and its key if it has one.
  private struct Item {
    var key: (namespace: FourCC, name: String)?
    var box: Box
  }
  /// The items of a `meta` box.
  private struct List {
    var items: [Item] = []
    var isKeyed = false
    var isChanged = false

    /// Removes items, and returns the index of the first one.
    mutating func remove(_ isRemoved: [Bool]) -> Int? {
      guard let first = isRemoved.firstIndex(of: true) else { return nil }
      items = zip(items, isRemoved).filter { !$0.1 }.map(\.0)
      isChanged = true
      return first
    }
    mutating func insert(_ item: Item, at index: Int?) {
      items.insert(item, at: index ?? items.count)
      isChanged = true
    }
  }
  private let source: any ByteSource
  private var texts: [Box]
  private var textsChanged = false
  /// The items in user data and in the movie box.
  private var user: List
  private var movie: List
  private let isQuickTime: Bool

  init(_ moov: Box, of source: any ByteSource) throws {
    self.source = source
    texts = moov.first("udta")?.boxes.filter { $0.type != "meta" || !$0.hasHeader } ?? []
    user = try Self.list(moov.first("udta", "meta"), source)
    movie = try Self.list(moov.first("meta"), source)
    isQuickTime = try moov.payload(["trak", "mdia", "hdlr"], HandlerBox.self, of: source)?.preDefined == "mhlr"
  }

  private static func list(_ meta: Box?, _ source: any ByteSource) throws -> List {
    let keys = try meta?.payload(["keys"], MetadataItemKeysBox.self, of: source)?.keys
    let items = (meta?.first("ilst")?.boxes ?? []).map { box in
      // Key indices start at 1.
      let number = Int(box.type.rawValue) - 1
      let key = keys.flatMap { $0.indices.contains(number) ? $0[number] : nil }
      return Item(key: key.map { ($0.keyNamespace, $0.keyValue.description) }, box: box)
    }
    return List(items: items, isKeyed: keys != nil)
  }

  /// Sets the values of a tag in the kind of list that the movie has, or removes it. All equivalent values are removed.
  mutating func set(_ tag: MetadataTag, _ values: [MetadataDataBox]) {
    // Some writers omit the domain of keys.
    let old = [user, movie].flatMap { list in zip(list.items, same(tag, in: list)) }.first { $0.1 }?.0.key?.name
    let place = (user: user.remove(same(tag, in: user)), movie: movie.remove(same(tag, in: movie)))
    removeTexts { tag.texts.contains($0) }
    guard !values.isEmpty else { return }
    let hasKeys = user.isKeyed || movie.isKeyed || isQuickTime && user.items.isEmpty
    let isKey = tag.item == nil && tag.freeform == nil || hasKeys && (tag.key != nil || user.isKeyed)
    if !isKey {
      let names = tag.freeform.map(Self.names) ?? []
      let type = tag.item ?? "----"
      user.insert(Item(box: Box(type, boxes: names + values.map { Box($0, in: type) })), at: place.user)
      return
    }
    let usesUserData = user.isKeyed && !movie.isKeyed
    let list = usesUserData ? user : movie
    let hasDomains = list.items.allSatisfy { $0.key?.name.utf8.contains(UInt8(ascii: ".")) ?? true }
    let name = old ?? (hasDomains ? tag.key ?? tag.name : tag.name)
    let type = FourCC(rawValue: 1)
    let item = Item(key: ("mdta", name), box: Box(type, boxes: values.map { Box($0, in: type) }))
    if usesUserData {
      user.insert(item, at: place.user)
    } else {
      movie.isKeyed = true
      movie.insert(item, at: place.movie)
    }
  }

  /// For each item of a list, whether it is the tag.
  private func same(_ tag: MetadataTag, in list: List) -> [Bool] {
    list.items.map { item in
      guard list.isKeyed else { return isItem(item.box, of: tag) }
      return item.key.map { $0.name == tag.key || $0.name == tag.name } ?? false
    }
  }

  /// Removes the recording location, and returns whether there was one.
  mutating func removeLocation() -> Bool {
    let isLocation = { (item: Item) in
      guard let name = item.key?.name else { return item.box.type == "©xyz" }
      return name == "location" || name.hasPrefix("location-") || name.hasPrefix(MetadataTag.locationKey)
        || name.hasPrefix("com.android.gps")
    }
    let removed = [user.remove(user.items.map(isLocation)), movie.remove(movie.items.map(isLocation))]
    removeTexts { MetadataTag.locationTexts.contains($0) }
    return textsChanged || removed.contains { $0 != nil }
  }

  private mutating func removeTexts(_ isRemoved: (FourCC) -> Bool) {
    let count = texts.count
    texts.removeAll { isRemoved($0.type) }
    textsChanged = textsChanged || texts.count != count
  }

  private func isItem(_ box: Box, of tag: MetadataTag) -> Bool {
    guard let (domain, name) = tag.freeform else { return tag.item != nil && box.type == tag.item }
    return box.type == "----" && text(of: box.first("mean")) == domain && text(of: box.first("name")) == name
  }

  /// The text of a `mean` or `name` box, without version and flags.
  private func text(of box: Box?) -> String? {
    guard let range = box?.header?.payload, range.count >= 4 else { return nil }
    var window = ByteWindow(source, readAhead: 0)
    let bytes = try? window.slice(at: range.lowerBound + 4, count: min(range.count - 4, 1 << 12))
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func names(_ domain: String, _ name: String) -> [Box] {
    [Box("mean", bytes: [0, 0, 0, 0] + Array(domain.utf8)), Box("name", bytes: [0, 0, 0, 0] + Array(name.utf8))]
  }

  // MARK: Writing

  /// Writes the changes to the movie box. Boxes that become empty are removed.
  func write(to moov: inout Box) {
    if user.isChanged || textsChanged {
      if moov.first("udta") == nil { moov.append(Box("udta", boxes: [])) }
      moov.edit("udta") { udta in
        // Texts are removed by type.
        let kept = Set(texts.map(\.type))
        udta.boxes.removeAll { !($0.type == "meta" && $0.hasHeader) && !kept.contains($0.type) }
        // In user data, `meta` has version and flags.
        if user.isChanged { write(user, to: &udta, handler: "mdir") { Box(MetaBox(), boxes: $0) } }
      }
      moov.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
    }
    // In QuickTime, `meta` has no version and flags.
    if movie.isChanged {
      write(movie, to: &moov, handler: "mdta") { isQuickTime ? Box("meta", boxes: $0) : Box(MetaBox(), boxes: $0) }
    }
  }

  private func write(_ list: List, to box: inout Box, handler: FourCC, new: ([Box]) -> Box) {
    let fillers: Set<FourCC> = ["hdlr", "keys", "ilst", "free"]
    if list.items.isEmpty, box.first("meta")?.boxes.allSatisfy({ fillers.contains($0.type) }) ?? true {
      box.boxes.removeAll { $0.type == "meta" }
      return
    }
    if box.first("meta") == nil {
      var hdlr = HandlerBox()
      hdlr.handlerType = handler
      box.append(new([Box(hdlr)]))
    }
    var keys = MetadataItemKeysBox()
    let items = list.items.map { item in
      guard list.isKeyed, let (namespace, name) = item.key else { return item.box }
      var key = MetadataItemKeysBox.Key()
      (key.keyNamespace, key.keyValue) = (namespace, BoxString(name, form: .unterminated))
      keys.keys.append(key)
      var box = item.box
      box.type = FourCC(rawValue: UInt32(keys.keys.count))
      return box
    }
    box.edit("meta") { meta in
      let place = meta.boxes.firstIndex { $0.type == "keys" || $0.type == "ilst" } ?? meta.boxes.count
      meta.boxes.removeAll { $0.type == "keys" || $0.type == "ilst" }
      let own = (list.isKeyed ? [Box(keys)] : []) + [Box("ilst", boxes: items)]
      meta.boxes.insert(contentsOf: own, at: min(place, meta.boxes.count))
    }
  }
}
