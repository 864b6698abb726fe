import ISOBMFF
import MP4Bytes

/// A box of a file with all nested boxes, in file order.
struct ComparedTree {
  private(set) var nodes: [BoxNode] = []
  /// The end of the contents of each box, as an index of `nodes`.
  private var ends: [Int] = []
  /// The ignored fields of each box that has any.
  private(set) var ignoredFields: [Int: [String]] = [:]
  /// The parser for the fields.
  private(set) var parser: BoxParser

  /// Reads the boxes of a top-level box of `file`.
  init(_ file: ComparedFile, _ box: Sibling) throws(IOError) {
    parser = BoxParser(file.source, in: box.range, movie: file.movie, registry: file.registry)
    var filter = file.exclusions.filter
    var deeper = 0
    while var node = try parser.next() {
      if nodes.isEmpty { node.index = box.index }
      // Damage can end a box before its range does; the bytes that follow are compared as if they were in it.
      if node.depth == 0, !nodes.isEmpty { deeper = 1 }
      node.depth += deeper
      let choice = try filter.choice(of: node, &parser)
      if choice.isIgnored {
        parser.skipBoxes()
        continue
      }
      if !choice.fields.isEmpty { ignoredFields[nodes.count] = choice.fields }
      close(to: node.depth)
      open.append(nodes.count)
      nodes.append(node)
      ends.append(nodes.count)
    }
    close(to: 0)
  }

  /// The open boxes, while the tree is read.
  private var open: [Int] = []

  private mutating func close(to depth: Int) {
    while open.count > depth, let box = open.popLast() { ends[box] = nodes.count }
  }

  /// Whether a box contains boxes, or could.
  func isContainer(_ place: Int) -> Bool {
    if case .boxes = nodes[place].content { true } else { false }
  }

  /// The indices of a box and all boxes in it.
  fileprivate func places(in place: Int) -> Range<Int> { place..<ends[place] }

  /// The indices of the child boxes of a box.
  func children(of place: Int) -> [Int] {
    var children: [Int] = []
    var next = place + 1
    while next < ends[place] {
      children.append(next)
      next = ends[next]
    }
    return children
  }

  /// The child boxes of a box, for matching.
  mutating func siblings(in place: Int) throws(IOError) -> [Sibling] {
    let children = children(of: place)
    let end = nodes[place].header.end
    var siblings: [Sibling] = []
    for (number, child) in children.enumerated() {
      // The end of a damaged box is known only from the next one.
      let next = number + 1 < children.count ? nodes[children[number + 1]].header.offset : end
      let id = try BoxIdentity.number(in: nodes[namingBox(child)], &parser)
      siblings.append(Sibling(nodes[child], id: id, end: min(nodes[child].header.end, next), place: child))
    }
    return siblings
  }

  /// The box that contains the ID of a box: tracks and track fragments have it in their headers.
  private func namingBox(_ place: Int) -> Int {
    let type: FourCC
    switch nodes[place].type {
    case "trak": type = "tkhd"
    case "traf": type = "tfhd"
    default: return place
    }
    return children(of: place).first { nodes[$0].type == type } ?? place
  }

  /// Reads the fields of a box into `sink`; returns the bytes after them, or `nil` if they cannot be read.
  mutating func show(_ place: Int, to sink: any FieldSink) throws(IOError) -> Range<Int>? {
    switch nodes[place].content {
    case .boxes(nil), .opaque, .remainder: return nil
    case .payload, .boxes:
      switch try parser.show(nodes[place], to: sink) {
      case .success(let rest): return rest
      case .failure: return nil
      }
    }
  }

  /// The bytes of the source in `range`.
  mutating func bytes(in range: Range<Int>) throws(IOError) -> ArraySlice<UInt8> { try parser.bytes(in: range) }
}

extension ComparedTree {
  /// The fields of a box and its child boxes as lines, at most `count` and a last one if there are more.
  mutating func outline(of place: Int, atMost count: Int) throws(IOError) -> [String] {
    var lines: [String] = []
    for inner in places(in: place) {
      let depth = nodes[inner].depth - nodes[place].depth
      if inner > place {
        let node = nodes[inner]
        let size = max(0, node.header.end - node.header.offset)
        lines.append(
          Self.indentation(depth - 1) + "\(node.isRemainder ? "rest" : "\(node.type)"): \(counted(size, "byte"))")
      }
      if lines.count > count { break }
      lines += try fields(of: inner, atMost: count + 1 - lines.count).map { Self.indentation(depth) + $0 }
      if lines.count > count { break }
    }
    return lines.count > count ? lines.prefix(count) + ["..."] : lines
  }

  private static func indentation(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

  /// The first fields of a box with their values; of tables, the first rows.
  private mutating func fields(of place: Int, atMost count: Int) throws(IOError) -> [String] {
    let ignored = ignoredFields[place] ?? []
    let fields = FieldRecorder(ignoring: ignored)
    guard try show(place, to: fields) != nil else { return [] }
    let rows = FieldRecorder(ignoring: ignored, rows: fields.tables.map { Set(0..<min($0.count, count)) })
    _ = try show(place, to: rows)
    let values = zip(fields.tables, rows.rows).flatMap { table, found in
      (0..<min(table.count, count)).flatMap { found[$0] ?? [] }
    }
    return (fields.fields + values).prefix(count).map { "\($0.name) \($0.value.shortText)" }
  }
}

/// A file whose boxes are compared.
struct ComparedFile {
  let source: any ByteSource
  let registry: BoxRegistry
  /// The movie box's information about fragments.
  let movie: MovieContext?
  let exclusions: BoxExclusions
  /// The boxes of the file, except ignored ones.
  let boxes: [Sibling]
  /// The end of the file.
  let end: Int

  init(_ source: any ByteSource, _ registry: BoxRegistry, _ exclusions: BoxExclusions) throws(IOError) {
    (self.source, self.registry, self.exclusions) = (source, registry, exclusions)
    movie = try MovieContext(reading: source)
    var parser = BoxParser(source, registry: registry)
    var filter = exclusions.filter
    var (boxes, last): ([Sibling], BoxNode?) = ([], nil)
    func add(until end: Int) throws(IOError) {
      guard let node = last, !(try filter.choice(of: node, &parser)).isIgnored else { return }
      boxes.append(Sibling(node, id: nil, end: min(node.header.end, end), place: boxes.count))
    }
    while let node = try parser.next() {
      guard node.depth == 0 else { continue }
      try add(until: node.header.offset)
      last = node
      parser.skipBoxes()
    }
    try add(until: .max)
    self.boxes = boxes
    end = source.byteCount ?? last?.header.end ?? 0
  }
}
