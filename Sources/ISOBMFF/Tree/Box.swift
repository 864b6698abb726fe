public import Bytes

/// A box in a tree that can be edited and written. What is not edited stays in the source and is copied byte for byte.
///
/// What the boxes say of places of the file is not corrected when boxes become larger or smaller: `BoxSerializer`
/// writes a tree as it is, and `MovieEditor` edits a file whose media data stays where the boxes say.
public struct Box: Sendable {
  /// What stands between the header of a box and the boxes in it.
  public enum Fields: Sendable {
    /// These bytes of the source, as they are.
    case unchanged(Range<Int>)
    /// New fields, and bytes after them.
    case edited(any BoxPayload, rest: [UInt8] = [])
  }
  /// The four-character code.
  public var type: FourCC
  /// The 16 bytes after the type of a `uuid` box.
  public var userType: UserType?
  /// Which of the sources it was read from, when boxes of several are put together; counted from 0.
  public var source = 0
  /// The header in the source, or `nil` for a new box. It is written back as it was when the size is still the same.
  public var header: BoxHeader?
  /// What other boxes of the source say about how its fields are read.
  package internal(set) var context = BoxContext()
  /// Whether this is a box at all and not bytes after the last box of a container, which are kept.
  public var hasHeader = true
  /// What comes before the boxes in it; everything when there are none.
  public var fields: Fields
  /// The boxes in it.
  public var boxes: [Box]

  /// A new box that holds `boxes`.
  public init(_ type: FourCC, boxes: [Box]) {
    self.type = type
    fields = .unchanged(0..<0)
    self.boxes = boxes
  }
  /// A new box of these bytes after its header.
  public init(_ type: FourCC, bytes: [UInt8]) {
    self.init(type, boxes: [])
    fields = .edited(NoFields(), rest: bytes)
  }
  /// A new box with fields and perhaps boxes after them; `type` where it is not the one that the payload names.
  public init(_ payload: some BoxPayload, type: FourCC? = nil, boxes: [Box] = []) {
    self.type = type ?? Swift.type(of: payload).info.type
    userType = Swift.type(of: payload).info.userType
    fields = .edited(payload)
    self.boxes = boxes
  }
  /// A new box with fields that depend on the box around it, whose type is `parent`.
  package init(_ payload: some BoxPayload, type: FourCC? = nil, in parent: FourCC) {
    self.init(payload, type: type)
    context = BoxContext(parent: parent)
  }
  /// A box of a source, without the boxes in it.
  init(_ node: BoxNode) {
    type = node.type
    userType = node.header.userType
    header = node.header
    context = node.context
    boxes = []
    switch node.content {
    case .boxes: fields = .unchanged(node.header.payload.lowerBound..<node.boxesStart)
    case .payload, .opaque: fields = .unchanged(node.header.payload)
    case .remainder:
      hasHeader = false
      fields = .unchanged(node.header.offset..<node.header.end)
    }
  }

  /// The first box of this type in it.
  public func first(_ type: FourCC) -> Box? { boxes.first { $0.type == type } }

  /// The first box that is reached by going into the first box of each type in turn.
  public func first(_ path: FourCC...) -> Box? {
    var box: Box? = self
    for type in path { box = box?.first(type) }
    return box
  }

  /// Changes the first box of this type in it, if there is one.
  public mutating func edit(_ type: FourCC, _ change: (inout Box) -> Void) {
    if let at = boxes.firstIndex(where: { $0.type == type }) { change(&boxes[at]) }
  }

  /// The fields, decoded from `source` or as they were edited.
  public func payload<Payload: BoxPayload>(as _: Payload.Type = Payload.self, from source: any ByteSource)
    throws(IOError) -> Result<Payload, BoxError>
  {
    // A key path into a generic tuple would be looked up each time.
    try decoded(as: Payload.self, from: source).map { $0.fields }
  }

  /// The fields, and the bytes after them.
  package func decoded<Payload: BoxPayload>(as _: Payload.Type, from source: any ByteSource) throws(IOError)
    -> Result<(fields: Payload, rest: [UInt8]), BoxError>
  {
    try decoded(Payload(), from: source)
  }

  /// The fields of the payload, read into `blank`.
  private func decoded<Payload: BoxPayload>(_ blank: Payload, from source: any ByteSource) throws(IOError)
    -> Result<(fields: Payload, rest: [UInt8]), BoxError>
  {
    let range: Range<Int>
    switch fields {
    case .unchanged(let bytes): range = bytes
    case .edited(let payload as Payload, let rest): return .success((payload, rest))
    case .edited:
      return .failure(BoxError(.needs("fields of another kind"), field: "box", offset: header?.offset ?? 0))
    }
    // The next payload can be anywhere in the file.
    var window = ByteWindow(source, readAhead: 0)
    let count = min(range.count, BoxParser.payloadLimit)
    // Some layouts depend on the header of the first child box.
    let bytes = try window.slice(at: range.lowerBound, count: boxes.isEmpty ? count : count + 8)
    do throws(BoxError) {
      var payload = blank
      let bytesAfter = max(0, (header?.payload.count ?? 0) - bytes.count)
      let rest = try payload.decode(bytes, at: range.lowerBound, context: context, bytesAfter: bytesAfter)
      return .success((payload, Array(rest.prefix(max(0, rest.count - (bytes.count - count))))))
    } catch {
      return .failure(error)
    }
  }

  /// Changes the fields, which are those of `Payload`. Bytes after them are kept.
  ///
  /// - Throws: why they cannot be read, or what `change` throws; the box is then what it was.
  public mutating func edit<Payload: BoxPayload>(
    _: Payload.Type, of source: any ByteSource, _ change: (inout Payload) throws -> Void
  ) throws {
    var (payload, rest) = try decoded(as: Payload.self, from: source).get()
    try change(&payload)
    fields = .edited(payload, rest: rest)
  }

  /// The fields as `registry` declares them, for any type of box; `nil` where it knows no fields. Each of them is there
  /// by its name: `box.payload(from: source, registry: .standard)?.get()["timescale"]`.
  public func payload(from source: any ByteSource, registry: BoxRegistry) throws(IOError)
    -> Result<any BoxPayload, BoxError>?
  {
    try decoded(from: source, registry)?.map(\.fields)
  }

  /// Makes the field called `name` `value`, as `BoxPayload.setting` does. `registry` declares the fields of the box.
  ///
  /// - Throws: `FieldError`, why the fields cannot be read (`BoxError`), or `IOError`; the box is then what it was.
  public mutating func set(_ name: String, to value: FieldValue, of source: any ByteSource, registry: BoxRegistry)
    throws
  {
    guard let (payload, rest) = try decoded(from: source, registry)?.get() else {
      throw FieldError(.unknown([]), name)
    }
    fields = .edited(try payload.setting(name, to: value, context: context, registry: registry), rest: rest)
  }

  private func decoded(from source: any ByteSource, _ registry: BoxRegistry) throws(IOError)
    -> Result<(fields: any BoxPayload, rest: [UInt8]), BoxError>?
  {
    if case .edited(let payload, let rest) = fields { return .success((payload, rest)) }
    let definition = registry.definition(of: type, userType: userType, in: context)
    return try definition?.payload.map { (declaration) throws(IOError) in
      try decoded(like: declaration.blank, from: source)
    }
  }
  private func decoded(like blank: some BoxPayload, from source: any ByteSource) throws(IOError)
    -> Result<(fields: any BoxPayload, rest: [UInt8]), BoxError>
  {
    try decoded(blank, from: source).map { ($0.fields, $0.rest) }
  }

  /// Makes the fields count the boxes that there are, where they count them.
  package mutating func countBoxes(from source: any ByteSource, registry: BoxRegistry = .core) throws(IOError) {
    let definition = registry.definition(of: type, userType: userType, in: context)
    guard let counting = definition?.payload?.type as? any BoxCounting.Type else { return }
    try countBoxes(counting, from: source)
  }
  private mutating func countBoxes<Payload: BoxCounting>(_: Payload.Type, from source: any ByteSource) throws(IOError) {
    guard case .success((var payload, let rest)) = try decoded(as: Payload.self, from: source) else { return }
    let count = boxes.count { $0.hasHeader && $0.type == Payload.countedType ?? $0.type }
    guard payload.boxCount != count else { return }
    payload.boxCount = count
    fields = .edited(payload, rest: rest)
  }
}

extension [Box] {
  /// Reads the boxes of `source` in `range`, or all of it, into a tree. Payloads and media data are not read. `index`
  /// is which of the sources it is for a `BoxSerializer` that puts boxes of several together, and `registry` has the
  /// boxes that are known: those of other types are taken for bytes.
  public init(
    reading source: any ByteSource, in range: Range<Int>? = nil, index: Int = 0, registry: BoxRegistry = .core
  ) throws(IOError) {
    try self.init(reading: source, in: range, index: index, movie: nil, registry: registry)
  }

  /// As above. `keeps` is asked about everything that has a problem or is not a box; bytes that are not a box are left
  /// out where it says no.
  package init(
    reading source: any ByteSource, in range: Range<Int>?, index: Int, movie: MovieContext? = nil,
    registry: BoxRegistry = .core, keepingOthers keeps: (BoxNode, BoxPath) -> Bool = { _, _ in true }
  ) throws(IOError) {
    var parser = BoxParser(source, in: range, movie: movie, registry: registry)
    // The boxes that are open, outermost first, each with its contents so far.
    var open: [Box] = []
    var top: [Box] = []
    func close(to depth: Int, at end: Int = .max) {
      while open.count > depth, var box = open.popLast() {
        // Only the next header shows that the box before it extends too far.
        if let header = box.header, header.end > end { box.header?.size = end - header.offset }
        if open.isEmpty { top.append(box) } else { open[open.count - 1].boxes.append(box) }
      }
    }
    while let node = try parser.next() {
      close(to: node.depth, at: node.header.offset)
      if node.isRemainder || node.problem != nil, !keeps(node, parser.path), node.isRemainder { continue }
      var box = Box(node)
      box.source = index
      open.append(box)
    }
    close(to: 0)
    self = top
  }

  /// Visits all boxes, before and after their child boxes, without recursion.
  func walk(enter: (Box) throws(IOError) -> Void, leave: (Box) -> Void) throws(IOError) {
    var levels: [(boxes: [Box], next: Int)] = [(self, 0)]
    while let level = levels.last {
      if level.next < level.boxes.count {
        levels[levels.count - 1].next += 1
        try enter(level.boxes[level.next])
        levels.append((level.boxes[level.next].boxes, 0))
      } else {
        levels.removeLast()
        if let outer = levels.last { leave(outer.boxes[outer.next - 1]) }
      }
    }
  }
}

/// The fields of a box that consists only of bytes.
private struct NoFields: BoxPayload {
  static let info = BoxInfo("    ", "Bytes", in: [], "")
  mutating func fields(_ c: inout FieldCoder) {}
}
