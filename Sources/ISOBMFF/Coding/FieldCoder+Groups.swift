import Bytes

/// What is in the descriptions of sample groups.
extension FieldCoder {
  /// Bytes that are the description of a sample group of this kind: shows what they say, or looks for a field in them.
  mutating func group(_ bytes: inout [UInt8], kind: FourCC) throws(BoxError) {
    guard let registry, let declaration = registry.group(kind) else { return }
    if let access {
      // Damage shows in the fields that are missing.
      guard let (payload, rest) = declaration.decoded(bytes[...], context: context) else { return }
      let changed = payload.looked(for: access, context, registry)
      if access.given != nil { bytes = try changed.encoded(context: context) + rest }
    } else if isReading, let sink {
      show(bytes[...], as: declaration, at: reader.offset - bytes.count, kind: kind, to: sink)
    }
  }

  private func show(
    _ bytes: ArraySlice<UInt8>, as declaration: BoxDeclaration, at offset: Int, kind: FourCC, to sink: any FieldSink
  ) {
    var inner = FieldCoder(reading: bytes, base: offset, context: context, sink: sink)
    inner.registry = registry
    inner.groupingType = kind
    // Damage shows in the fields that are missing; the bytes themselves are shown as well.
    do throws(BoxError) { try declaration.code(&inner) } catch {}
  }

  /// Shows the rest, which is boxes inside a description of this kind, one by one.
  func showBoxes(inside kind: FourCC) {
    guard let sink, let registry, remaining > 0 else { return }
    defer { sink.endTable() }
    guard sink.beginTable("boxes", count: 0, plain: false) else { return }
    let (boxes, start) = (payload[(payload.startIndex + reader.position)...], reader.offset)
    var (at, index) = (boxes.startIndex, 0)
    // Bytes that are no box end the list; the description shows them as well.
    while let header = BoxHeader(boxes[at...], at: start + at - boxes.startIndex),
      header.declaredSize >= UInt64(header.headerSize), header.declaredSize <= UInt64(boxes.endIndex - at)
    {
      sink.beginRow(index)
      sink.field("box_type", .code(header.type))
      sink.field("box_size", .unsigned(header.declaredSize))
      let end = at + Int(header.declaredSize)
      let context = BoxContext(parent: kind)
      if let type = registry.definition(of: header.type, in: context)?.payload {
        do throws(BoxError) {
          _ = try type.show(
            boxes[(at + header.headerSize)..<end], at: header.payload.lowerBound, context: context, registry: registry,
            to: BoxInRow(sink))
        } catch {}
      }
      sink.endRow()
      (at, index) = (end, index + 1)
    }
  }
}

/// Shows a box as a part of a row: its version and flags are fields like others.
private final class BoxInRow: FieldSink {
  private let sink: any FieldSink
  init(_ sink: any FieldSink) { self.sink = sink }

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    sink.field("version", .unsigned(UInt64(header.version)))
    sink.field("flags", .flags(UInt64(header.flags), flags))
  }
  func field(_ name: StaticText, _ value: FieldValue) { sink.field(name, value) }
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    sink.beginTable(name, count: count, plain: plain)
  }
  func beginRow(_ index: Int) { sink.beginRow(index) }
  func endRow() { sink.endRow() }
  func endTable() { sink.endTable() }
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {}
  func endDescriptor() {}
}
