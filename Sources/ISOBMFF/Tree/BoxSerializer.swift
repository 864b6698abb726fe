public import Bytes

/// Writes boxes. Sizes are worked out first, so that every header is right when it is written.
public struct BoxSerializer {
  private let boxes: [Box]
  private let closesEnds: Bool
  /// The size of every box with its header, in the order in which they are written.
  private let sizes: [Int]
  /// The number of bytes of all the boxes.
  public let size: Int

  /// Prepares to write `boxes`. Fields that cannot be encoded are an error; those that were decoded always can.
  public init(_ boxes: [Box]) throws(BoxError) { try self.init(boxes, closesEnds: false) }

  /// With `closesEnds`, boxes whose header leaves the end open, or says another size than there was, get the size that
  /// they have: something follows them now that did not before.
  package init(_ boxes: [Box], closesEnds: Bool) throws(BoxError) {
    self.boxes = boxes
    self.closesEnds = closesEnds
    (sizes, size) = try Self.measure(boxes, closesEnds)
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
        let size = sizes[index]
        index += 1
        try writeHeader(of: box, size: size, to: sink, from: sources)
        switch box.fields {
        case .unchanged(let range): if !range.isEmpty { try sink.copy(range, of: sources[box.source]) }
        case .edited(let payload, let rest):
          guard let bytes = try? payload.encoded() else { preconditionFailure("it was encoded to measure it") }
          try sink.write(bytes + rest)
        }
      }, leave: { _ in })
  }

  private func writeHeader(of box: Box, size: Int, to sink: any ByteSink, from sources: [any ByteSource])
    throws(IOError)
  {
    guard box.hasHeader else { return }
    if let header = box.header, header.size == size, header.type == box.type, !closesEnds || header.isSizeRight {
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

  private static func measure(_ boxes: [Box], _ closesEnds: Bool) throws(BoxError) -> (sizes: [Int], total: Int) {
    var sizes: [Int] = []
    var total = 0
    var open: [Int] = []
    var problem: BoxError?
    try? boxes.walk(
      enter: { box in
        open.append(sizes.count)
        sizes.append(0)
        do throws(BoxError) { sizes[sizes.count - 1] = try fieldsSize(of: box) } catch { problem = problem ?? error }
      },
      leave: { box in
        guard let index = open.popLast() else { return }
        sizes[index] += headerSize(of: box, content: sizes[index], closesEnds)
        if let outer = open.last { sizes[outer] += sizes[index] } else { total += sizes[index] }
      })
    if let problem { throw problem }
    return (sizes, total)
  }

  private static func fieldsSize(of box: Box) throws(BoxError) -> Int {
    switch box.fields {
    case .unchanged(let range): range.count
    case .edited(let payload, let rest): try payload.encodedSize() + rest.count
    }
  }
}
