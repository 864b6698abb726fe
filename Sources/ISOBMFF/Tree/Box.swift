public import MP4Bytes

/// A box in a tree that can be edited and written. Unedited parts stay in the source and are copied byte for byte.
///
/// References to file positions are not corrected when boxes grow or shrink: `BoxSerializer` writes a tree as it is,
/// and `MovieEditor` edits a file and corrects the references.
public struct Box: Sendable {
  /// The contents between the header of a box and its child boxes.
  public enum Fields: Sendable {
    /// These bytes of the source, unchanged.
    case unchanged(Range<Int>)
    /// New fields, and bytes after them.
    case edited(any BoxPayload, rest: [UInt8] = [])
  }
  /// The four-character code.
  public var type: FourCC
  /// The 16 bytes after the type of a `uuid` box.
  public var userType: UserType?
  /// The index of the source that it was read from, when boxes of several sources are combined.
  public var source = 0
  /// The header in the source; `nil` for a new box. It is written unchanged if the size is still the same.
  public var header: BoxHeader?
  /// Information from other boxes of the source that affects how its fields are read.
  package internal(set) var context = BoxContext()
  /// Whether it is a box, and not bytes after the last box of a container, which are kept.
  public var hasHeader = true
  /// The contents before its child boxes; everything if there are none.
  public var fields: Fields
  /// Its child boxes.
  public var boxes: [Box]

  /// A new box with child boxes.
  public init(_ type: FourCC, boxes: [Box]) {
    self.type = type
    fields = .unchanged(0..<0)
    self.boxes = boxes
  }
  /// A new box with these bytes after its header.
  public init(_ type: FourCC, bytes: [UInt8]) {
    self.init(type, boxes: [])
    fields = .edited(NoFields(), rest: bytes)
  }
  /// A new box with fields, and optionally child boxes; `type` is needed if it differs from the payload's own type.
  public init(_ payload: some BoxPayload, type: FourCC? = nil, boxes: [Box] = []) {
    self.type = type ?? Swift.type(of: payload).info.type
    userType = Swift.type(of: payload).info.userType
    fields = .edited(payload)
    self.boxes = boxes
  }
  /// A new box with fields that depend on the parent box, whose type is `parent`.
  package init(_ payload: some BoxPayload, type: FourCC? = nil, in parent: FourCC) {
    self.init(payload, type: type)
    context = BoxContext(parent: parent)
  }
  /// A box of a source, without child boxes.
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

  /// Its first child box of this type.
  public func first(_ type: FourCC) -> Box? { boxes.first { $0.type == type } }

  /// The box at a path of first boxes of each type.
  public func first(_ path: FourCC...) -> Box? {
    var box: Box? = self
    for type in path { box = box?.first(type) }
    return box
  }

  /// Changes the box at a path of first boxes of each type, if there is one.
  public mutating func edit(_ path: FourCC..., change: (inout Box) -> Void) { edit(path[...], change) }

  private mutating func edit(_ path: ArraySlice<FourCC>, _ change: (inout Box) -> Void) {
    guard let type = path.first else { return change(&self) }
    if let at = boxes.firstIndex(where: { $0.type == type }) { boxes[at].edit(path.dropFirst(), change) }
  }

  /// The fields, edited or decoded from `source`.
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

  /// Changes the fields, which must be those of `Payload`. Bytes after them are kept.
  ///
  /// - Throws: An error if they cannot be read, or an error of `change`; the box is then unchanged.
  public mutating func edit<Payload: BoxPayload>(
    _: Payload.Type, of source: any ByteSource, _ change: (inout Payload) throws -> Void
  ) throws {
    var (payload, rest) = try decoded(as: Payload.self, from: source).get()
    try change(&payload)
    fields = .edited(payload, rest: rest)
  }

  /// The fields as `registry` declares them, for any type of box; `nil` if it declares none. Access them by name:
  /// `box.payload(from: source, registry: .standard)?.get()["timescale"]`.
  public func payload(from source: any ByteSource, registry: BoxRegistry) throws(IOError)
    -> Result<any BoxPayload, BoxError>?
  {
    try decoded(from: source, registry)?.map(\.fields)
  }

  /// Sets the field called `name` to `value`, like `BoxPayload.setting`. `registry` declares the fields of the box.
  ///
  /// - Throws: `FieldError`, `BoxError` if the fields cannot be read, or `IOError`; the box is then unchanged.
  public mutating func set(_ name: String, to value: FieldValue, of source: any ByteSource, registry: BoxRegistry)
    throws
  {
    guard let (payload, rest) = try decoded(from: source, registry)?.get() else {
      throw FieldError(.unknown([]), name)
    }
    let edited = try payload.setting(name, to: value, context: context, registry: registry)
    if let before = payload as? any BoxCounting, let now = edited as? any BoxCounting, before.boxCount != now.boxCount {
      throw FieldError(.derived, name)
    }
    fields = .edited(edited, rest: rest)
  }

  private func decoded(from source: any ByteSource, _ registry: BoxRegistry) throws(IOError)
    -> Result<(fields: any BoxPayload, rest: [UInt8]), BoxError>?
  {
    let definition = registry.definition(of: type, userType: userType, in: context)
    if case .edited(let payload, let rest) = fields {
      // A new box can consist of bytes that were not decoded.
      if payload is NoFields, let found = definition?.payload?.decoded(rest[...], context: context) {
        return .success((found.payload, Array(found.rest)))
      }
      return .success((payload, rest))
    }
    return try definition?.payload.map { (declaration) throws(IOError) in
      try decoded(like: declaration.blank, from: source)
    }
  }
  private func decoded(like blank: some BoxPayload, from source: any ByteSource) throws(IOError)
    -> Result<(fields: any BoxPayload, rest: [UInt8]), BoxError>
  {
    try decoded(blank, from: source).map { ($0.fields, $0.rest) }
  }

  /// Updates fields that count the child boxes.
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
  /// is the index of the source for a `BoxSerializer` that combines boxes of several sources. `registry` has the known
  /// boxes; boxes of other types are treated as bytes.
  public init(
    reading source: any ByteSource, in range: Range<Int>? = nil, index: Int = 0, registry: BoxRegistry = .core
  ) throws(IOError) {
    try self.init(reading: source, in: range, index: index, movie: nil, registry: registry)
  }

  /// As above. `keeps` is called for everything that has a problem or is not a box; bytes that are not a box are
  /// omitted if it returns false.
  package init(
    reading source: any ByteSource, in range: Range<Int>?, index: Int, movie: MovieContext? = nil,
    registry: BoxRegistry = .core, keepingOthers keeps: (BoxNode, BoxPath) -> Bool = { _, _ in true }
  ) throws(IOError) {
    var parser = BoxParser(source, in: range, movie: movie, registry: registry)
    // The open boxes, outermost first, each with its contents so far.
    var open: [Box] = []
    var top: [Box] = []
    func close(to depth: Int, at end: Int = .max) {
      while open.count > depth, var box = open.popLast() {
        // Only the next header shows that the previous box extends too far.
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
