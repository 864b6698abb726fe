public import Bytes
public import ISOBMFF

/// What of a file is dumped.
public struct BoxSelection: Sendable {
  /// The boxes that are dumped with what is in them; without it, those of the file.
  public var pattern: BoxPattern?
  /// How many levels of boxes are dumped, counted from those that are meant.
  public var depth: Int?
  /// The types whose fields are dumped, with the boxes around them as bare lines; all without any.
  public var types: [FourCC] = []
  /// Up to how many of the bytes of each box are shown, without those of the boxes in it; none without it.
  public var byteLimit: Int?

  /// Everything, without bytes.
  public init() {}

  /// Whether a source has a box that is meant; only headers are read, and no keys of metadata are looked up.
  package func isMet(in source: any ByteSource, registry: BoxRegistry = .core) throws(IOError) -> Bool {
    var (parser, node, selector) = (BoxParser(source, registry: registry), BoxNode(), BoxSelector(self))
    while try parser.next(into: &node) {
      let depth = selector.depth(of: node, key: nil)
      if depth != nil { return true }
      if selector.skipsBoxes(depth: depth) { parser.skipBoxes() }
    }
    return false
  }
}

/// Decides box by box what of a file is dumped.
struct BoxSelector {
  let selection: BoxSelection
  /// The states of the pattern for the file and for each box down to the one that came last.
  private var states: [UInt64]
  /// The depth of the meant box that the one that came last is or is in.
  private var root: Int?

  init(_ selection: BoxSelection) {
    self.selection = selection
    states = selection.pattern?.start ?? []
  }

  /// How many boxes that are dumped are around this one; `nil` when it is not dumped itself. `key` is what `keys` says
  /// of it.
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

  /// Whether nothing in the box that came last is dumped; `depth` is what `depth(of:)` said of it.
  func skipsBoxes(depth: Int?) -> Bool {
    if let depth { return depth + 1 >= selection.depth ?? .max }
    if root != nil { return true }
    guard let pattern = selection.pattern else { return true }
    return states.suffix(pattern.stateCount).allSatisfy { $0 == 0 }
  }
}

/// Looks at the version and flags of a box only.
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
