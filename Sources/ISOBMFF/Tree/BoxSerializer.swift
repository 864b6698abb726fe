public import MP4Bytes

/// Writes boxes. New contents are encoded once in advance, so that every header has the correct size when it is
/// written.
///
/// References to other positions of the file are not changed. If boxes grow, shrink or move, the offsets in `stco`,
/// `co64`, `saio`, `iloc`, `tfra`, `sidx` and in movie fragments become wrong unless the caller corrects them, as
/// `MovieEditor` does.
public struct BoxSerializer: Sendable {
  private let closesEnds: Bool
  /// All boxes, in output order.
  private let parts: [Part]
  /// The total size of the boxes in bytes.
  public let size: Int

  /// A box without its child boxes, which follow it.
  private struct Part {
    /// The box. Its fields are removed after they are encoded.
    var box: Box
    let holdsBoxes: Bool
    /// The number of bytes of the box with its header and child boxes.
    var size = 0
    /// The encoded fields, if they were changed.
    var encoded: [UInt8]?

    var fieldsSize: Int {
      if let encoded { return encoded.count }
      if case .unchanged(let range) = box.fields { return range.count }
      return 0
    }
  }

  /// Prepares to write `boxes`. Throws if fields cannot be encoded.
  public init(_ boxes: [Box]) throws(BoxError) { try self.init(boxes, closesEnds: false) }

  /// With `closesEnds`, boxes whose header declares no size, or a wrong one, get their actual size, because other boxes
  /// now follow them.
  package init(_ boxes: [Box], closesEnds: Bool) throws(BoxError) {
    self.closesEnds = closesEnds
    var parts: [Part] = []
    let (sizes, size) = try Self.measure(boxes, closesEnds) { (box) throws(BoxError) in
      let part = try Self.part(of: box)
      parts.append(part)
      return part.fieldsSize
    }
    for index in parts.indices { parts[index].size = sizes[index] }
    (self.parts, self.size) = (parts, size)
  }

  /// Writes the boxes; unedited parts are copied from the source that they were read from.
  public func write(to sink: any ByteSink, from sources: any ByteSource...) throws(IOError) {
    try write(to: sink, from: sources)
  }

  /// Writes the boxes; unedited parts are copied from the source that they were read from.
  public func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
    for part in parts {
      try writeHeader(of: part.box, size: part.size, to: sink, from: sources)
      if let encoded = part.encoded {
        try sink.write(encoded)
      } else if case .unchanged(let range) = part.box.fields, !range.isEmpty {
        try sink.copy(range, of: sources[part.box.source])
      }
    }
  }

  private func writeHeader(of box: Box, size: Int, to sink: any ByteSink, from sources: [any ByteSource])
    throws(IOError)
  {
    guard box.hasHeader else { return }
    if let header = copiedHeader(of: box, size: size) {
      return try sink.copy(header.offset..<header.payload.lowerBound, of: sources[box.source])
    }
    var writer = ByteWriter()
    let isLarge = Self.isLarge(box, size)
    writer.integer(isLarge ? 1 : UInt32(size))
    writer.integer(box.type.rawValue)
    if isLarge { writer.integer(UInt64(size)) }
    writer.bytes += box.userType?.bytes ?? []
    try sink.write(writer.bytes)
  }

  /// The header in the source, if it is written unchanged.
  private func copiedHeader(of box: Box, size: Int) -> BoxHeader? {
    guard let header = box.header, header.size == size, header.type == box.type, !closesEnds || header.isSizeRight
    else {
      return nil
    }
    return header
  }

  /// Calls `body` with the ranges of the source `index` that are kept in the output, and their positions there if the
  /// first box is at `start`. Of edited fields, these are as many bytes as exist both before and after the edit.
  package func forEachMove(of index: Int, from start: Int, _ body: (Range<Int>, Int) -> Void) {
    var position = start
    for part in parts {
      let box = part.box
      func move(_ range: Range<Int>, count: Int? = nil) {
        let kept = range.prefix(count ?? range.count)
        if box.source == index, !kept.isEmpty { body(kept, position) }
      }
      if box.hasHeader {
        let large = Self.isLarge(box, part.size) ? 8 : 0
        let count = copiedHeader(of: box, size: part.size)?.headerSize ?? 8 + large + (box.userType == nil ? 0 : 16)
        if let header = box.header { move(header.offset..<header.payload.lowerBound, count: count) }
        position += count
      }
      if part.encoded == nil {
        if case .unchanged(let range) = box.fields { move(range) }
      } else if let range = box.header?.payload, !part.holdsBoxes {
        move(range, count: part.fieldsSize)
      }
      position += part.fieldsSize
    }
  }

  /// Whether the size has 64 bits: as in the source, or because 32 bits are not sufficient.
  private static func isLarge(_ box: Box, _ size: Int) -> Bool {
    box.header?.form == .large || size > Int(UInt32.max)
  }
  private static func headerSize(of box: Box, content: Int, _ closesEnds: Bool) -> Int {
    guard box.hasHeader else { return 0 }
    let rest = 8 + (box.userType == nil ? 0 : 16)
    // A box at the end of the file needs no size.
    if let header = box.header, header.form == .toEnd, header.size == content + rest, !closesEnds { return rest }
    return isLarge(box, content + rest) ? rest + 8 : rest
  }

  /// The total size of `boxes`, determined without encoding them. Their versions and flags must be able to express
  /// their values.
  package static func size(of boxes: [Box], closesEnds: Bool = false) -> Int {
    let measured = try? measure(boxes, closesEnds) { box in
      switch box.fields {
      case .unchanged(let range): range.count
      case .edited(let payload, let rest): payload.measuredSize + rest.count
      }
    }
    return measured?.total ?? 0
  }

  /// The sizes of all boxes with their headers, in output order, and their total. `fieldsSize` is called for each box
  /// in this order.
  private static func measure(
    _ boxes: [Box], _ closesEnds: Bool, fieldsSize: (Box) throws(BoxError) -> Int
  ) throws(BoxError) -> (sizes: [Int], total: Int) {
    var sizes: [Int] = []
    var total = 0
    var open: [Int] = []
    var problem: BoxError?
    try? boxes.walk(
      enter: { box in
        open.append(sizes.count)
        do throws(BoxError) { sizes.append(try fieldsSize(box)) } catch {
          sizes.append(0)
          problem = problem ?? error
        }
      },
      leave: { box in
        guard let index = open.popLast() else { return }
        sizes[index] += headerSize(of: box, content: sizes[index], closesEnds)
        if let outer = open.last { sizes[outer] += sizes[index] } else { total += sizes[index] }
      })
    if let problem { throw problem }
    return (sizes, total)
  }

  /// The bytes after the fields, and the type of the first child box, can affect how the fields are read.
  private static func encoded(_ payload: any BoxPayload, _ rest: [UInt8], _ box: Box) throws(BoxError) -> [UInt8] {
    guard let first = box.boxes.first else { return try payload.encoded(context: box.context, rest: rest) }
    var writer = ByteWriter()
    writer.bytes = rest
    writer.integer(UInt32(8))
    writer.integer(first.type.rawValue)
    return try payload.encoded(context: box.context, rest: writer.bytes)
  }

  private static func part(of box: Box) throws(BoxError) -> Part {
    var part = Part(box: box, holdsBoxes: !box.boxes.isEmpty)
    part.box.boxes = []
    if case .edited(let payload, let rest) = box.fields {
      var bytes = try encoded(payload, rest, box)
      bytes += rest
      part.encoded = bytes
      part.box.fields = .unchanged(0..<0)
    }
    return part
  }
}
