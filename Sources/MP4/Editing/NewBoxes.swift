public import ISOBMFF
public import MP4Bytes

/// Creates boxes to add to a file.
extension [Box] {
  /// Parses `bytes`, which must consist of whole boxes; nested boxes are not parsed. `name` is the name of the bytes in
  /// messages.
  public init(allOf bytes: [UInt8], name: String) throws(MovieError) {
    let source = MemorySource(bytes, name: name)
    var parser = BoxParser(source)
    var boxes: [Box] = []
    var end: Int?
    do throws(IOError) {
      while end == nil, let node = try parser.next() {
        guard !node.isRemainder, node.header.isSizeRight else {
          end = node.header.offset
          break
        }
        var box = Box(node.type, bytes: [UInt8](bytes[node.header.payload]))
        box.userType = node.header.userType
        boxes.append(box)
        parser.skipBoxes()
      }
    } catch { throw .io(error) }
    if end == nil, boxes.isEmpty { end = 0 }
    if let end {
      throw .impossible(file: name, Obstacle("not_boxes", "there is no complete box at byte \(end)"))
    }
    self = boxes
  }
}

extension Box {
  /// Parses a box in text form: its type, and in braces the fields that differ from a new box, under the names of
  /// `BoxPayload.fieldNames`: `kind{schemeURI="urn:mpeg:dash:role:2011",value=main}`. `nil` if `text` does not have
  /// this form.
  ///
  /// - Throws: `FieldError` for a field that the box does not have, or for a value that is not valid for it.
  public init?(text: String, in parent: FourCC, registry: BoxRegistry) throws(FieldError) {
    let name = text.prefix { $0 != "{" }
    guard let type = FourCC(name), text.hasSuffix("}") || name.count == text.count,
      let definition = registry.definition(of: type, in: BoxContext(parent: parent))
    else { return nil }
    guard var payload = definition.payload?.blank else {
      self.init(type, boxes: [])
      return
    }
    let fields = text.dropFirst(name.count + 1).dropLast()
    for field in Self.words(fields) {
      let name = String(field.prefix { $0 != "=" })
      let value = String(field.dropFirst(name.count + 1))
      payload = try payload.setting(
        name, to: .text(BoxString(value, form: .unterminated)), context: BoxContext(parent: parent), registry: registry)
    }
    self.init(payload, type: type, in: parent)
  }

  /// Splits a list at commas, except commas in quoted values.
  private static func words(_ text: Substring) -> [String] {
    var (words, word, isQuoted) = ([String](), "", false)
    for letter in text {
      switch letter {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        words.append(word)
        word = ""
      default: word.append(letter)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
