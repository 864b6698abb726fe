import MP4Bytes

/// Fields in the descriptions of sample groups.
extension FieldCoder {
  /// The description of a sample group of this kind, as bytes. Shows its fields, or accesses one of them.
  mutating func group(_ bytes: inout [UInt8], kind: FourCC) throws(BoxError) {
    guard let registry, let declaration = registry.group(kind) else { return }
    if let access {
      // Damage is reported because the field is missing.
      guard let (payload, rest) = declaration.decoded(bytes[...], context: context) else { return }
      let changed = payload.looked(for: access, context, registry)
      if access.given != nil { bytes = try changed.encoded(context: context) + rest }
    } else if isReading, let sink {
      show(bytes[...], as: declaration, at: reader.offset - bytes.count, kind: kind, to: sink)
    }
  }

  private mutating func show(
    _ bytes: ArraySlice<UInt8>, as declaration: BoxDeclaration, at offset: Int, kind: FourCC, to sink: any FieldSink
  ) {
    let part = PartSink(sink)
    var inner = FieldCoder(reading: bytes, base: offset, context: context, sink: part)
    inner.registry = registry
    inner.groupingType = kind
    do throws(BoxError) {
      try declaration.code(&inner)
      if inner.boxesStart == nil, inner.remaining > 0 {
        throw BoxError(.leftOver(inner.remaining), field: "description", offset: inner.reader.offset)
      }
    } catch {
      part.close()
      note(error)
    }
    if let damage = inner.damage { note(damage) }
  }

  private mutating func note(_ error: BoxError) {
    if damage == nil, !error.isNote { damage = error }
  }

  /// Shows the remaining boxes in a description of this kind.
  mutating func showBoxes(inside kind: FourCC) {
    guard let sink, let registry, remaining > 0 else { return }
    defer { sink.endTable() }
    guard sink.beginTable("boxes", count: 0, plain: false) else { return }
    let (boxes, start) = (payload[(payload.startIndex + reader.position)...], reader.offset)
    var (at, index) = (boxes.startIndex, 0)
    while let header = BoxHeader(boxes[at...], at: start + at - boxes.startIndex),
      header.declaredSize >= UInt64(header.headerSize), header.declaredSize <= UInt64(boxes.endIndex - at)
    {
      sink.beginRow(index)
      sink.field("box_type", .code(header.type))
      sink.field("box_size", .unsigned(header.declaredSize))
      let end = at + Int(header.declaredSize)
      let context = BoxContext(parent: kind)
      if let type = registry.definition(of: header.type, in: context)?.payload {
        let part = PartSink(sink)
        do throws(BoxError) {
          _ = try type.show(
            boxes[(at + header.headerSize)..<end], at: header.payload.lowerBound, context: context, registry: registry,
            to: part)
        } catch {
          part.close()
          note(error)
        }
      }
      sink.endRow()
      (at, index) = (end, index + 1)
    }
    guard at < boxes.endIndex else { return }
    note(BoxError(.notABox(count: boxes.endIndex - at), field: "size", offset: start + at - boxes.startIndex))
  }
}

/// Shows a description or a box as a part of a row. Version and flags are shown as normal fields. After damage, the
/// tables and rows that are still open can be closed.
private final class PartSink: FieldSink {
  private let sink: any FieldSink
  /// For each open table or row, whether it is a row; the innermost is last.
  private var open: [Bool] = []
  init(_ sink: any FieldSink) { self.sink = sink }

  func close() {
    while let isRow = open.popLast() {
      if isRow { sink.endRow() } else { sink.endTable() }
    }
  }

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    sink.field("version", .unsigned(UInt64(header.version)))
    sink.field("flags", .flags(UInt64(header.flags), flags))
  }
  func field(_ name: StaticText, _ value: FieldValue) { sink.field(name, value) }
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    open.append(false)
    return sink.beginTable(name, count: count, plain: plain)
  }
  func beginRow(_ index: Int) {
    open.append(true)
    sink.beginRow(index)
  }
  func endRow() {
    _ = open.popLast()
    sink.endRow()
  }
  func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) { sink.row(index, fields) }
  func endTable() {
    _ = open.popLast()
    sink.endTable()
  }
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {}
  func endDescriptor() {}
}
