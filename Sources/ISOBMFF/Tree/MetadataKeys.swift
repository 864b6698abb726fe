package import MP4Bytes

/// The names in a `keys` box. The metadata items after it have numeric types that refer to these names.
package struct MetadataKeys {
  /// The names in the file; the first one has number 1.
  private var names: [BoxString] = []
  /// The maximum size of `keys` that is read, so that a large one does not need twice its size in memory.
  private static let sizeLimit = 1 << 16

  /// Records the names of a `keys` box; another `meta` has different names.
  package mutating func note(_ node: BoxNode, _ parser: inout BoxParser) throws(IOError) {
    if node.type == "meta" { names = [] }
    guard node.type == "keys", node.context.parent == "meta" else { return }
    let bytes = try parser.payloadStart(of: node, count: Self.sizeLimit)
    names = (try? MetadataItemKeysBox(decoding: bytes))?.keys.map(\.keyValue) ?? []
  }

  /// The names in the `keys` of `meta`.
  init(in meta: Box, of source: any ByteSource) throws(IOError) {
    guard let box = meta.first("keys") else { return }
    names = (try? box.payload(as: MetadataItemKeysBox.self, from: source).get())?.keys.map(\.keyValue) ?? []
  }
  /// No names.
  package init() {}

  /// The name of an item.
  package func name(of node: BoxNode) -> BoxString? { name(of: node.type, in: node.context) }

  /// The name of an item with this number as its type.
  func name(of type: FourCC, in context: BoxContext) -> BoxString? {
    guard !names.isEmpty, context.parent == "ilst", context.handler == "mdta" else { return nil }
    let number = Int(type.rawValue)
    return (1...names.count).contains(number) ? names[number - 1] : nil
  }
}
