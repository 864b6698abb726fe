public import Bytes

/// Writes boxes. Sizes are worked out first, so that every header is right when it is written.
///
/// Nothing that a box says of other places of the file is changed. When boxes become larger or smaller, or move, the
/// offsets in `stco`, `co64`, `saio`, `iloc`, `tfra`, `sidx` and in movie fragments are wrong unless the
/// caller corrects them, as `MovieEditor` does.
public struct BoxSerializer: Sendable {
  private let boxes: [Box]
  private let closesEnds: Bool
  /// The size of every box with its header, in the order in which they are written, and new fields that are short.
  private let parts: [Part]
  /// The number of bytes of all the boxes.
  public let size: Int

  private struct Part {
    /// The bytes of the box with its header and the boxes in it.
    var size: Int
    var fieldsSize = 0
    var fields: [UInt8]?
  }
  /// Fields that take more are encoded again when they are written, so that memory does not hold them twice.
  private static let keptLimit = 1 << 16

  /// Prepares to write `boxes`. Fields that cannot be encoded are an error.
  public init(_ boxes: [Box]) throws(BoxError) { try self.init(boxes, closesEnds: false) }

  /// With `closesEnds`, boxes whose header leaves the end open, or says another size than there was, get the size that
  /// they have: something follows them now that did not before.
  package init(_ boxes: [Box], closesEnds: Bool) throws(BoxError) {
    self.boxes = boxes
    self.closesEnds = closesEnds
    (parts, size) = try Self.measure(boxes, closesEnds)
  }

  /// Writes the boxes; what was not edited is copied from that of `sources` which it was read from.
  public func write(to sink: any ByteSink, from sources: any ByteSource...) throws(IOError) {
    try write(to: sink, from: sources)
  }

  /// Writes the boxes; what was not edited is copied from that of `sources` which it was read from.
  public func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
    var index = 0
    try boxes.walk(
      enter: { (box) throws(IOError) in
        let part = parts[index]
        index += 1
        try writeHeader(of: box, size: part.size, to: sink, from: sources)
        switch box.fields {
        case .unchanged(let range): if !range.isEmpty { try sink.copy(range, of: sources[box.source]) }
        case .edited(let payload, let rest):
          guard let bytes = part.fields ?? (try? Self.encoded(payload, rest, box)) else {
            preconditionFailure("it was encoded to measure it")
          }
          try sink.write(bytes)
          if !rest.isEmpty { try sink.write(rest) }
        }
      }, leave: { _ in })
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

  /// The header in the source, if it is written as it was there.
  private func copiedHeader(of box: Box, size: Int) -> BoxHeader? {
    guard let header = box.header, header.size == size, header.type == box.type, !closesEnds || header.isSizeRight
    else {
      return nil
    }
    return header
  }

  /// Calls `body` with the ranges of the source `index` that go on to be in the output, and where they are in it when the
  /// first box is at `start`. Of edited fields these are as many bytes as there were before and after.
  package func forEachMove(of index: Int, from start: Int, _ body: (Range<Int>, Int) -> Void) {
    var (position, number) = (start, 0)
    try? boxes.walk(
      enter: { box in
        let part = parts[number]
        number += 1
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
        switch box.fields {
        case .unchanged(let range): move(range)
        case .edited: if let range = box.header?.payload, box.boxes.isEmpty { move(range, count: part.fieldsSize) }
        }
        position += part.fieldsSize
      }, leave: { _ in })
  }

  /// A size of 64 bits is kept where the source has it, and taken where 32 bits are too few.
  private static func isLarge(_ box: Box, _ size: Int) -> Bool {
    box.header?.form == .large || size > Int(UInt32.max)
  }
  private static func headerSize(of box: Box, content: Int, _ closesEnds: Bool) -> Int {
    guard box.hasHeader else { return 0 }
    let rest = 8 + (box.userType == nil ? 0 : 16)
    // What goes on to the end of the file needs no size, however large it is.
    if let header = box.header, header.form == .toEnd, header.size == content + rest, !closesEnds { return rest }
    return isLarge(box, content + rest) ? rest + 8 : rest
  }

  /// The number of bytes that `boxes` will have, found without encoding them. Their versions and flags have to be able to
  /// express their values.
  package static func size(of boxes: [Box]) -> Int {
    let measured = try? measure(boxes, false) { box in
      switch box.fields {
      case .unchanged(let range): Part(size: range.count)
      case .edited(let payload, let rest): Part(size: payload.measuredSize + rest.count)
      }
    }
    return measured?.total ?? 0
  }

  private static func measure(
    _ boxes: [Box], _ closesEnds: Bool, part: (Box) throws(BoxError) -> Part = part(of:)
  ) throws(BoxError) -> (parts: [Part], total: Int) {
    var parts: [Part] = []
    var total = 0
    var open: [Int] = []
    var problem: BoxError?
    try? boxes.walk(
      enter: { box in
        open.append(parts.count)
        do throws(BoxError) { parts.append(try part(box)) } catch {
          parts.append(Part(size: 0))
          problem = problem ?? error
        }
      },
      leave: { box in
        guard let index = open.popLast() else { return }
        parts[index].size += headerSize(of: box, content: parts[index].size, closesEnds)
        if let outer = open.last { parts[outer].size += parts[index].size } else { total += parts[index].size }
      })
    if let problem { throw problem }
    return (parts, total)
  }

  /// What comes after the fields can decide how they are read: other bytes, and the type of the first box.
  private static func encoded(_ payload: any BoxPayload, _ rest: [UInt8], _ box: Box) throws(BoxError) -> [UInt8] {
    guard let first = box.boxes.first else { return try payload.encoded(context: box.context, rest: rest) }
    var writer = ByteWriter()
    writer.bytes = rest
    writer.integer(UInt32(8))
    writer.integer(first.type.rawValue)
    return try payload.encoded(context: box.context, rest: writer.bytes)
  }

  private static func part(of box: Box) throws(BoxError) -> Part {
    switch box.fields {
    case .unchanged(let range): return Part(size: range.count, fieldsSize: range.count)
    case .edited(let payload, let rest):
      let fields = try encoded(payload, rest, box)
      let size = fields.count + rest.count
      return Part(size: size, fieldsSize: size, fields: fields.count > keptLimit ? nil : fields)
    }
  }
}
