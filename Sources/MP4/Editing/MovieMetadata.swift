import Bytes
import ISOBMFF

/// The metadata of a movie box, in the three places where it can be: the item list of iTunes, the keys of QuickTime,
/// and texts in user data.
struct MovieMetadata {
  /// A value by its key, with its boxes.
  private struct Keyed {
    var namespace: FourCC
    var key: String
    var item: Box
  }
  private let source: any ByteSource
  private var texts: [Box]
  private var items: [Box]
  private var keyed: [Keyed] = []
  /// Items whose number has no key, which are kept.
  private var strays: [Box] = []
  private var changesItems = false
  private var changesKeys = false
  private var changesTexts = false
  /// Whether values are added by key: where there are keys already, or the movie is of QuickTime and has no item list.
  private(set) var prefersKeys = false

  init(_ moov: Box, of source: any ByteSource) throws {
    self.source = source
    texts = moov.first("udta")?.boxes.filter { $0.type != "meta" } ?? []
    items = moov.first("udta", "meta", "ilst")?.boxes ?? []
    if let meta = moov.first("meta"), let ilst = meta.first("ilst") {
      let names = try meta.payload(["keys"], MetadataItemKeysBox.self, of: source)?.keys ?? []
      for item in ilst.boxes {
        let number = Int(item.type.rawValue)
        if (1...max(1, names.count)).contains(number), !names.isEmpty {
          let name = names[number - 1]
          keyed.append(Keyed(namespace: name.keyNamespace, key: name.keyValue.description, item: item))
        } else {
          strays.append(item)
        }
      }
    }
    let hdlr = try moov.payload(["trak", "mdia", "hdlr"], HandlerBox.self, of: source)
    prefersKeys = moov.first("meta", "keys") != nil || hdlr?.preDefined == "mhlr" && items.isEmpty
  }

  /// Sets the value of a tag as an item, by its key, or nowhere.
  mutating func set(_ tag: MetadataTag, _ item: MetadataDataBox?, key: MetadataDataBox?) {
    // A tag that only has a key is no item.
    if tag.item != nil || tag.freeform != nil {
      let same = items.map { isItem($0, of: tag) }
      set(item, same) { Box(tag.item ?? "----", boxes: tag.freeform.map(Self.names) ?? []) }
    }
    if let name = tag.key {
      let at = keyed.firstIndex { $0.key == name }
      let count = keyed.count
      keyed.removeAll { $0.key == name }
      changesKeys = changesKeys || keyed.count != count
      if let key {
        let item = Box(FourCC(rawValue: 1), boxes: [Box(key, in: FourCC(rawValue: 1))])
        keyed.insert(Keyed(namespace: "mdta", key: name, item: item), at: at ?? keyed.count)
        changesKeys = true
      }
    }
    removeTexts { tag.texts.contains($0) }
  }

  /// Replaces the items that are the `same` by one with `data`, or by none.
  private mutating func set(_ data: MetadataDataBox?, _ same: [Bool], new: () -> Box) {
    let at = same.firstIndex(of: true)
    items = zip(items, same).filter { !$0.1 }.map(\.0)
    changesItems = changesItems || at != nil
    guard let data else { return }
    var item = new()
    item.boxes.append(Box(data, in: item.type))
    items.insert(item, at: at ?? items.count)
    changesItems = true
  }

  /// Removes everything that says where the movie was recorded.
  mutating func removeLocation() {
    set(nil, items.map { $0.type == "©xyz" }) { Box("©xyz", boxes: []) }
    let count = keyed.count
    keyed.removeAll { $0.key.hasPrefix(MetadataTag.locationKey) || $0.key.hasPrefix("com.android.gps") }
    changesKeys = changesKeys || keyed.count != count
    removeTexts { MetadataTag.locationTexts.contains($0) }
  }

  private mutating func removeTexts(_ isRemoved: (FourCC) -> Bool) {
    let count = texts.count
    texts.removeAll { isRemoved($0.type) }
    changesTexts = changesTexts || texts.count != count
  }

  private func isItem(_ box: Box, of tag: MetadataTag) -> Bool {
    guard let (domain, name) = tag.freeform else { return box.type == tag.item }
    return box.type == "----" && text(of: box.first("mean")) == domain && text(of: box.first("name")) == name
  }

  /// The text of a `mean` or `name`, after its version and flags.
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

  /// Writes what changed to the movie box. Boxes that become empty are removed.
  func write(to moov: inout Box) throws {
    if changesItems || changesTexts {
      if moov.first("udta") == nil { moov.boxes.append(Box("udta", boxes: [])) }
      moov.edit("udta") { udta in
        let meta = udta.boxes.filter { $0.type == "meta" }
        udta.boxes = texts + meta
        if changesItems { writeItems(to: &udta) }
      }
      moov.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
    }
    if changesKeys { writeKeys(to: &moov) }
  }

  private func writeItems(to udta: inout Box) {
    if items.isEmpty, udta.first("meta")?.boxes.allSatisfy({ ["hdlr", "ilst", "free"].contains($0.type) }) ?? true {
      udta.boxes.removeAll { $0.type == "meta" }
      return
    }
    if udta.first("meta") == nil {
      // The handler that iTunes writes.
      var hdlr = HandlerBox()
      hdlr.handlerType = "mdir"
      hdlr.reserved = ReservedBits()
      udta.boxes.append(Box(MetaBox(), boxes: [Box(hdlr)]))
    }
    udta.edit("meta") { meta in
      if meta.first("ilst") == nil { meta.boxes.append(Box("ilst", boxes: [])) }
      meta.edit("ilst") { $0.boxes = items }
    }
  }

  private func writeKeys(to moov: inout Box) {
    if keyed.isEmpty, strays.isEmpty {
      moov.edit("meta") { meta in meta.boxes.removeAll { ["keys", "ilst"].contains($0.type) } }
      moov.boxes.removeAll { $0.type == "meta" && $0.boxes.allSatisfy { ["hdlr", "free"].contains($0.type) } }
      return
    }
    if moov.first("meta") == nil {
      var hdlr = HandlerBox()
      hdlr.handlerType = "mdta"
      // In QuickTime this box has no version and flags.
      moov.boxes.append(Box("meta", boxes: [Box(hdlr)]))
    }
    var keys = MetadataItemKeysBox()
    var boxes: [Box] = []
    for (index, value) in keyed.enumerated() {
      var key = MetadataItemKeysBox.Key()
      (key.keyNamespace, key.keyValue) = (value.namespace, BoxString(value.key, form: .unterminated))
      keys.keys.append(key)
      var item = value.item
      item.type = FourCC(rawValue: UInt32(index + 1))
      boxes.append(item)
    }
    moov.edit("meta") { meta in
      meta.boxes.removeAll { $0.type == "keys" || $0.type == "ilst" }
      meta.boxes += [Box(keys), Box("ilst", boxes: boxes + strays)]
    }
  }
}
