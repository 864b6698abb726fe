public import MP4Bytes

/// Finds the boxes of a source, in file order and recursively, without reading media data.
///
/// Only the path to the current box is kept, so memory use does not depend on the file. Damage is reported in the
/// nodes; only read errors are thrown.
public struct BoxParser {
  /// The maximum nesting depth of boxes that are parsed.
  package static let depthLimit = 1024
  /// The largest payload that is decoded in memory.
  package static let payloadLimit = 1 << 28
  /// File-level containers up to this size, such as movie fragments, are read at once.
  static let prefetchLimit = 1 << 20

  /// The source that is parsed.
  public let source: any ByteSource
  let registry: BoxRegistry
  /// The prepared definitions of the box language that were used.
  private var definitions: [ObjectIdentifier: BoxDeclaration] = [:]
  var window: ByteWindow
  /// The file and the boxes around the next box.
  var enclosing: [Frame]
  /// The latest box.
  private var last = Last.none
  /// The latest file-level box, including its contents: its offset and its declared size.
  private(set) var outermost: (offset: Int, declaredSize: UInt64)?
  private(set) var tracks = TrackContexts()
  /// The first track that has a fragment but no information in any movie box.
  package var unknownTrack: UInt32? { tracks.unknown }
  /// Whether the decode times of sample runs are determined. This requires reading every run.
  package var followsTimes = false

  /// The information about the latest box.
  private enum Last {
    /// There is none, or it consists of bytes that are not a box.
    case none
    /// It has no child boxes, or they are skipped.
    case closed(type: FourCC, index: Int)
    /// It is the innermost box around the next one.
    case open
  }
  struct Frame {
    /// The type of the box and its index among boxes of that type; `nil` for the file.
    var step: (type: FourCC, index: Int)?
    var end: Int
    var context: BoxContext
    /// The offset of the box and its declared size.
    var declared: (offset: Int, size: UInt64) = (0, 0)
    var doubt = Doubt.none
  }
  private var counts = TypeCounts()
  var position: Int
  /// Whether the source ended inside an open box.
  var isCutOff = false
  /// Whether the size of the current box is in doubt.
  var doubt = Doubt.none
  /// The number of bytes that were examined after boxes without success.
  var doubted = 0
  /// The limit of `doubted` at the start of the source; it increases with the position.
  package var doubtLimit = 16 << 20
  /// The number of bytes that were read, moved or searched so far, including repetitions.
  package var handled: Int { window.handled }
  /// Boxes at a greater depth are skipped until a box at this depth or above is found.
  private var deepest = Int.max
  /// Whether only the end of the outermost box is searched.
  var isLookingAhead = false

  /// A parser of the boxes in `range` of `source`, or of all boxes. `movie` is the information of a movie box
  /// elsewhere, and `registry` contains the known boxes.
  public init(
    _ source: any ByteSource, in range: Range<Int>? = nil, context: BoxContext = BoxContext(),
    movie: MovieContext? = nil, registry: BoxRegistry = .core
  ) {
    self.source = source
    if let movie { tracks = movie.tracks }
    self.registry = registry
    window = ByteWindow(source)
    position = range?.lowerBound ?? 0
    enclosing = [Frame(end: range?.upperBound ?? source.byteCount ?? .max, context: context)]
  }

  /// The next box in file order, including those in containers; `nil` at the end.
  public mutating func next() throws(IOError) -> BoxNode? {
    var node = BoxNode()
    return try next(into: &node) ? node : nil
  }

  /// Continues after a file-level box that was read and had to be corrected.
  package mutating func resume(after node: BoxNode) {
    while enclosing.count > node.depth + 1 { closeContainer() }
    (last, position) = (.closed(type: node.type, index: node.index), node.header.end)
    outermost = (node.header.offset, node.header.declaredSize)
  }

  /// Like `next`, but writes to an existing node, because copying a node takes as long as finding it. Returns whether
  /// there is a next box.
  package mutating func next(into node: inout BoxNode) throws(IOError) -> Bool {
    repeat {
      last = .none
      while enclosing.count > 1, position >= enclosing[enclosing.count - 1].end { closeContainer() }
      if enclosing.count == 1 {
        if isLookingAhead { return false }
        if position >= enclosing[0].end { return isCutOff && unexpectedEnd(&node) }
      }
      guard try read(&node) else { return false }
      enter(&node)
    } while node.depth > deepest
    deepest = .max
    return true
  }

  /// Moves into the box if the parser enters it, or else past it. The node is passed without a copy.
  mutating func enter(_ node: inout BoxNode) {
    if node.depth == 0 { outermost = (node.header.offset, node.header.declaredSize) }
    switch node.content {
    case .boxes:
      last = .open
      position = node.boxesStart
      var context = node.context
      context.parent = node.type
      enclosing.append(
        Frame(
          step: (node.type, node.index), end: node.header.end, context: context,
          declared: (node.header.offset, node.header.declaredSize), doubt: doubt))
      counts.beginContainer()
    case .payload, .opaque:
      last = .closed(type: node.type, index: node.index)
      position = node.header.end
    case .remainder: position = node.header.end
    }
  }

  /// Continues after the innermost container, or at `place` in its parent.
  mutating func closeContainer(at place: Int? = nil) {
    guard enclosing.count > 1, let frame = enclosing.popLast() else { return }
    position = place ?? frame.end
    counts.endContainer()
  }

  /// Skips the boxes in the latest box.
  public mutating func skipBoxes() {
    guard case .open = last else { return }
    if enclosing[enclosing.count - 1].doubt != .none {
      // Its end is found while its boxes are read.
      deepest = enclosing.count - 2
      return
    }
    if let step = enclosing[enclosing.count - 1].step { last = .closed(type: step.type, index: step.index) }
    closeContainer()
  }

  /// The path from the file to the latest box, such as `moof[3]/traf/trun`. The first box of a type has no number.
  public var path: BoxPath {
    var steps = enclosing.compactMap(\.step)
    if case .closed(let type, let index) = last { steps.append((type, index)) }
    return BoxPath(steps)
  }

  // MARK: Nodes

  private mutating func read(_ node: inout BoxNode) throws(IOError) -> Bool {
    let wanted = min(32, enclosing[enclosing.count - 1].end - position)
    let (isHeader, count) = try read(&node.header, count: wanted)
    if count < wanted {
      endsAt(source.byteCount ?? (position + count))
      if count == 0 { return unexpectedEnd(&node) }
    }
    (node.problem, doubt) = (nil, .none)
    guard isHeader else { return try remainder(&node) }
    if enclosing.count > 1, isDoubtful(enclosing.count - 1, before: node.header) {
      if try leaveContainers(before: &node) { return true }
      if enclosing.count == 1, isLookingAhead { return false }
    }
    let depth = enclosing.count - 1
    let form = registry.form(of: node.type, userType: node.header.userType, in: enclosing[depth].context)
    guard try measure(&node, form) else { return try remainder(&node) }
    (node.content, node.depth, node.index) = (.opaque, depth, counts.count(node.type))
    node.boxesStart = node.header.payload.lowerBound
    node.context = enclosing[depth].context
    if node.header.form == .toEnd, enclosing[0].end == .max { try measureRest(&node) }
    if let form { try classify(&node, form) }
    try settle(&node)
    if TrackContexts.needs(node.header) {
      tracks.note(&node, try payloadStart(of: node, count: TrackContexts.neededCount), &enclosing[depth].context)
    }
    if followsTimes, node.type == "tfdt" || node.type == "trun" {
      enclosing[depth].context.decodeTime = try decodeTime(after: node)
    }
    return true
  }

  /// Reads the header of the next box. Returns whether it is complete, and how many of `count` bytes are available.
  private mutating func read(_ header: inout BoxHeader, count: Int) throws(IOError) -> (isHeader: Bool, count: Int) {
    let offset = position
    let bytes = try window.look(at: offset, count: count)
    return (header.read(bytes, at: offset), bytes.byteCount)
  }

  /// Determines the size of a box whose header was read. Returns whether it is a box; if not, the node has the problem.
  private mutating func measure(_ node: inout BoxNode, _ form: BoxRegistry.Form?) throws(IOError) -> Bool {
    let depth = enclosing.count - 1
    if enclosing[0].end == .max { try lookForEnd(of: node, form) }
    let inside = enclosing[depth].end - position
    let declared = node.header.declaredSize
    let isNameable = registry.isNameable(node.type, in: enclosing[depth].context.parent)
    if node.header.form == .toEnd {
      guard isNameable else { return false }
      node.header.size = inside
    } else if declared < UInt64(node.header.headerSize) {
      node.problem = BoxError(.sizeTooSmall(declared), field: "size", offset: position)
      return false
    } else if declared > UInt64(inside) {
      // An impossible size with an unknown type is not a box header.
      if form == nil { return false }
      node.header.size = inside
      node.problem = BoxError(.sizeTooLarge(declared, left: inside), field: "size", offset: position)
    } else {
      node.header.size = Int(declared)
      if !isNameable, try isDoubted(node.header) { return false }
    }
    return true
  }

  private mutating func classify(_ node: inout BoxNode, _ definition: BoxRegistry.Form) throws(IOError) {
    let payload = definition.payload.map { prepared($0) }
    guard definition.holdsBoxes else {
      if let payload { node.content = .payload(payload) }
      return
    }
    guard node.depth < Self.depthLimit else {
      node.problem = BoxError(.tooDeep(limit: Self.depthLimit), field: "box", offset: node.header.offset)
      return
    }
    if node.depth == 0, node.header.size <= Self.prefetchLimit {
      // The header of the next box, usually media data, is read as well.
      try window.prefetch(node.header.offset..<min(node.header.end + 16, enclosing[0].end))
    }
    guard let payload else {
      if definition.isGuess {
        let bytes = try payloadStart(of: node, count: 8)
        guard BoxHeader.mayStart(bytes, left: node.header.payload.count) else { return }
      }
      return node.content = .boxes(payload: nil)
    }
    // The fields are usually short; more bytes are read only if necessary.
    for count in [1024, Self.prefetchLimit] {
      let bytes = try payloadStart(of: node, count: count)
      guard
        let start = payload.boxesStart(
          bytes, context: node.context, bytesAfter: node.header.payload.count - bytes.count)
      else { continue }
      let left = node.header.payload.count - start
      if definition.isGuess, left > 0, !BoxHeader.mayStart(bytes.dropFirst(start), left: left) { break }
      node.boxesStart += start
      if node.type == "iref" { node.context.hasWideItemIDs = bytes.first != 0 }
      return node.content = .boxes(payload: payload)
    }
    // Showing the fields fails with the same error and reports it.
    node.content = .payload(payload)
  }

  /// A declaration that runs fast. Each definition in the box language is prepared once.
  private mutating func prepared(_ declaration: BoxDeclaration) -> BoxDeclaration {
    guard let definition = declaration.definition else { return declaration }
    if let known = definitions[ObjectIdentifier(definition)] { return known }
    var prepared = BoxDeclaration(definition.prepared)
    prepared.isAdded = declaration.isAdded
    definitions[ObjectIdentifier(definition)] = prepared
    return prepared
  }
}

/// Sources of unknown size.
extension BoxParser {
  /// Ends the source, and all open boxes, at `end`.
  mutating func endsAt(_ end: Int) {
    // A box that extends to the end of the file is complete wherever the file ends.
    if enclosing.count > 1, enclosing[1].end > end, enclosing[1].end < .max { isCutOff = true }
    for i in enclosing.indices { enclosing[i].end = min(enclosing[i].end, end) }
  }

  /// Reports in `node` that the source ends inside a box. Returns false if all boxes are complete.
  mutating func unexpectedEnd(_ node: inout BoxNode) -> Bool {
    let end = enclosing[0].end
    guard isCutOff || enclosing.count > 1 || position > end, let box = outermost else { return false }
    isCutOff = false
    let problem = BoxError(
      .sizeTooLarge(box.declaredSize, left: max(0, end - box.offset)), field: "size", offset: box.offset)
    while enclosing.count > 1 { closeContainer() }
    node = BoxNode(remainder: end..<end, depth: 0, enclosing[0].context, problem)
    return true
  }

  /// Sets the size of a box that extends to the end of the source.
  mutating func measureRest(_ node: inout BoxNode) throws(IOError) {
    endsAt(try window.end(from: position))
    node.header.size = enclosing[0].end - position
  }

  /// Looks for the end of the source inside the box or soon after it, so that the box is shown as it would be for a
  /// file. For media data and possible non-boxes, fewer bytes are awaited.
  mutating func lookForEnd(of node: BoxNode, _ form: BoxRegistry.Form?) throws(IOError) {
    let isLong = form.map { $0.payload != nil || $0.holdsBoxes } ?? false
    let most = isLong ? Self.prefetchLimit : 1 << 16
    let count = Int(clamping: min(node.header.declaredSize, UInt64(most))) + (node.type == "mdat" ? 0 : Self.lookahead)
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }

  /// Looks for the end of the source soon after a box before the box is judged by the bytes after it, as in a file: the
  /// bytes may be cut off. All bytes that are necessary for the judgement are read, because a pipe cannot seek back.
  mutating func lookFarForEnd() throws(IOError) {
    let count = 2 * Self.prefetchLimit
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }
}

/// `decode` as concrete functions for the boxes of every movie fragment: other modules would call the generic function
/// unspecialized, which is many times slower.
extension BoxParser {
  /// Decodes `tfhd`.
  package mutating func trackFragmentHeader(_ node: BoxNode)
    throws(IOError) -> Result<TrackFragmentHeaderBox, BoxError>
  { try decode(node, as: TrackFragmentHeaderBox.self) }

  /// Decodes `tfdt`.
  package mutating func trackFragmentDecodeTime(_ node: BoxNode)
    throws(IOError) -> Result<TrackFragmentDecodeTimeBox, BoxError>
  { try decode(node, as: TrackFragmentDecodeTimeBox.self) }

  /// Decodes `trun`.
  package mutating func trackRun(_ node: BoxNode) throws(IOError) -> Result<TrackRunBox, BoxError> {
    try decode(node, as: TrackRunBox.self)
  }

  /// The decode time at the start of the run after a `tfdt` or `trun`, if it is known.
  mutating func decodeTime(after node: BoxNode) throws(IOError) -> UInt64? {
    if node.type == "tfdt" {
      guard case .success(let box) = try trackFragmentDecodeTime(node) else { return nil }
      return box.baseMediaDecodeTime
    }
    guard let time = node.context.decodeTime, case .success(let run) = try trackRun(node),
      let duration = run.duration(ofSamples: node.context.sampleDefaults.duration)
    else { return nil }
    let (end, overflow) = time.addingReportingOverflow(duration)
    return overflow ? nil : end
  }

  /// Decodes `mfhd`.
  package mutating func movieFragmentHeader(_ node: BoxNode)
    throws(IOError) -> Result<MovieFragmentHeaderBox, BoxError>
  { try decode(node, as: MovieFragmentHeaderBox.self) }
}

/// Boxes that declare a size that is too large, according to code that knows their contents.
extension BoxParser {
  /// The maximum number of boxes before a movie fragment that belong to it.
  private static let mostBoxesBefore = 8

  /// Whether there is a movie fragment at `offset`, or boxes that belong to one and then the fragment.
  package mutating func isFragment(at offset: Int) throws(IOError) -> Bool {
    var at = offset
    for _ in 0..<Self.mostBoxesBefore {
      let start = try window.slice(at: at, count: 16)
      let bytes = start.raw
      guard let size: UInt32 = bytes.bigEndian(at: 0), let type: UInt32 = bytes.bigEndian(at: 4), size >= 8 else {
        return false
      }
      switch FileBox(FourCC(rawValue: type)) {
      case .fragment: return bytes.bigEndian(at: 12) == FourCC("mfhd").rawValue
      case .segmentType, .index, .event: at += Int(size)
      default: return false
      }
    }
    return false
  }

  /// Ends the latest file-level box, or the one that contains the latest box, at `end`, regardless of its declared
  /// size.
  package mutating func endBox(_ node: inout BoxNode, at end: Int) {
    node.end(at: end)
    resume(after: node)
  }
}

extension BoxNode {
  /// Ends the box at `end`, regardless of its declared size.
  package mutating func end(at end: Int) {
    let declared = max(header.declaredSize, UInt64(header.size))
    header.size = end - header.offset
    problem = BoxError(.sizeTooLarge(declared, left: header.size), field: "size", offset: header.offset)
  }
}
