public import ISOBMFF
public import MP4Bytes

/// Which parts of a file are dumped.
public struct BoxSelection: Sendable {
  /// The boxes that are dumped, with everything inside them. `nil` means the top-level boxes of the file.
  public var pattern: BoxPattern?
  /// How many levels of boxes are dumped, counted from the selected boxes.
  public var depth: Int?
  /// The types whose fields are dumped, with the enclosing boxes as bare lines. Empty means all types.
  public var types: [FourCC] = []
  /// How many bytes of each box are shown at most, not counting the boxes inside it. `nil` means none.
  public var byteLimit: Int?

  /// Everything, without bytes.
  public init() {}

  /// Whether a source has a selected box. Only headers are read, and metadata keys are not resolved.
  package func isMet(in source: any ByteSource, registry: BoxRegistry = .core) throws(IOError) -> Bool {
    var (parser, node, selector) = (BoxParser(source, registry: registry), BoxNode(), BoxSelector(self))
    while try parser.next(into: &node) {
      let depth = selector.depth(of: node, key: nil)
      if depth != nil { return true }
      if selector.skipsBoxes(depth: depth) { parser.skipBoxes() }
    }
    return false
  }

  /// The headers of the selected boxes, in file order. Boxes inside a selected box are not looked at.
  package func boxes(in source: any ByteSource, registry: BoxRegistry) throws(IOError) -> [BoxHeader] {
    var (parser, node, selector, keys) = (
      BoxParser(source, registry: registry), BoxNode(), BoxSelector(self), MetadataKeys()
    )
    let hasKeys = pattern?.hasKeys == true
    var found: [BoxHeader] = []
    var isInMovie = false
    while try parser.next(into: &node) {
      if node.depth == 0 { isInMovie = node.type == "moov" }
      if hasKeys { try keys.note(node, &parser) }
      let depth = selector.depth(of: node, key: hasKeys ? keys.name(of: node) : nil)
      if depth == 0 { found.append(node.header) }
      // Fragments cannot be read without the movie box.
      if depth != nil || !isInMovie && selector.skipsBoxes(depth: depth) { parser.skipBoxes() }
    }
    return found
  }
}

/// Decides for each box whether it is dumped.
struct BoxSelector {
  let selection: BoxSelection
  /// The states of the pattern for the file and for each box on the path to the current one.
  private var states: [UInt64]
  /// The depth of the selected box that is, or contains, the current box.
  private var root: Int?

  init(_ selection: BoxSelection) {
    self.selection = selection
    states = selection.pattern?.start ?? []
  }

  /// The number of dumped boxes that enclose this one, or `nil` when this one is not dumped. `key` is its metadata key.
  mutating func depth(of node: BoxNode, key: BoxString?) -> Int? {
    guard let depth = depthBelowRoot(node, key) else { return nil }
    return depth < selection.depth ?? .max ? depth : nil
  }

  private mutating func depthBelowRoot(_ node: BoxNode, _ key: BoxString?) -> Int? {
    guard let pattern = selection.pattern else { return node.depth }
    if let root, node.depth > root { return node.depth - root }
    root = nil
    let width = pattern.stateCount
    states.removeLast(max(0, states.count - (node.depth + 1) * width))
    var next: [UInt64] = []
    let isMatch =
      !node.isRemainder && pattern.matches(node.type, node.index, key: key, in: states.suffix(width), next: &next)
    if node.isRemainder { next = Array(repeating: 0, count: width) }
    states += next
    guard isMatch else { return nil }
    root = node.depth
    return 0
  }

  /// Whether nothing inside the current box is dumped; `depth` is what `depth(of:)` returned for it.
  func skipsBoxes(depth: Int?) -> Bool {
    if let depth { return depth + 1 >= selection.depth ?? .max }
    if root != nil { return true }
    guard let pattern = selection.pattern else { return true }
    return states.suffix(pattern.stateCount).allSatisfy { $0 == 0 }
  }
}

/// Reads only the version and flags of a box.
final class HeaderSink: FieldSink {
  private(set) var header: FullBoxHeader?
  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) { self.header = header }
  func field(_ name: StaticText, _ value: FieldValue) {}
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool { false }
  func beginRow(_ index: Int) {}
  func endRow() {}
  func endTable() {}
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {}
  func endDescriptor() {}
}
