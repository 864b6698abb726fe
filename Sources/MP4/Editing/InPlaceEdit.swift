import ISOBMFF
import MP4Bytes

/// An edit of a file in place: either one write within a sector, or a switch from a box to its edited copy.
///
/// The copy is written where no reader looks: into free space of the file, or into a new `free` box at its end. One
/// write within a sector then hides the old box, with everything between it and the copy, and exposes the copy. No
/// media data moves. The old box becomes free space for later edits.
struct InPlaceEdit {
  let editor: MovieEditor
  let source: any ByteSource
  private let size: Int
  var items: [MovieEditor.Item] { editor.items }
  /// A changed `ftyp`, to be included in the write that exposes the new `moov`.
  var front: Front?

  /// A change at file level.
  private enum Change {
    /// The box of an item has different bytes.
    case edited(Int, BoxSerializer)
    /// A new box.
    case inserted(Int, BoxSerializer)
    /// The range of a removed box.
    case removed(Range<Int>)
    /// Overwritten bytes in boxes that are not edited.
    case overwritten([MovieEditor.Overwrite])
  }

  static let freeTypes: Set<FourCC> = ["free", "skip"]
  static let sectorSize = 512

  init(_ editor: MovieEditor) throws(MovieError) {
    (self.editor, source) = (editor, editor.source)
    guard let size = source.byteCount else { throw .impossible(file: source.name, .unknownSize) }
    self.size = size
  }

  func plan() throws(MovieError) -> InPlacePlan {
    let changes = try changes()
    var plan = InPlacePlan(diagnostics: [])
    var movesMovie = false
    if changes.isEmpty {
      plan.steps = blankingSamples(isAll: true)
      return plan
    }
    if !items.contains(where: { $0.media != nil }), let write = try singleWrite(changes) {
      plan.steps = [.commit(write.bytes, at: write.offset), .synchronize] + clearing(changes)
    } else if changes.count == 2, case .edited(let number, let box) = changes[0],
      case .edited(let index, let moov) = changes[1], let front = try Front(number, box, in: self)
    {
      var both = self
      both.front = front
      plan.steps = try both.switching(index, to: moov, movesMovie: &movesMovie)
    } else if changes.count > 1 {
      throw severalChanges(changes)
    } else {
      switch changes[0] {
      case .edited(let index, let box): plan.steps = try switching(index, to: box, movesMovie: &movesMovie)
      case .inserted(let index, let box): plan.steps = try appending(box, at: index)
      case .removed(let range):
        plan.steps = try freeing(range)
        if let type = type(at: range.lowerBound), Self.freeTypes.contains(type) {
          let text = "free space is cleared and remains, because a change in place cannot make a file smaller"
          plan.diagnostics.append(Diagnostic(.note, source.name, text))
        }
      case .overwritten: throw severalChanges(changes)
      }
    }
    if movesMovie, let steps = try movingToFront(after: plan) {
      plan.steps += steps
      movesMovie = false
      if plan.byteCount > 0 {
        let text = "the file grows by \(counted(plan.byteCount, "byte")) of free space, which later changes use"
        plan.diagnostics.append(Diagnostic(.note, source.name, text))
      }
    }
    plan.movesMovie = movesMovie
    if movesMovie, !editor.placesMovieFirst, case .edited(let index, _)? = changes.last, items[index].type == "moov" {
      let place =
        plan.byteCount > 0
        ? "the end of the file, which grows by \(plan.byteCount) bytes" : "free space after the media data"
      let text = "moov moves to \(place); over a network, players must fetch it first"
      plan.diagnostics.append(Diagnostic(.note, source.name, text))
    }
    plan.steps = blankingSamples(isAll: false) + plan.steps
    return plan
  }

  /// The steps that overwrite locations in samples. They come first, so that the other changes say that they are
  /// complete, and can be undone until then. Without other changes (`isAll`), the last byte says it.
  private func blankingSamples(isAll: Bool) -> [InPlacePlan.Step] {
    let overwrites = editor.overwrites.filter(\.isInSample)
    guard let last = overwrites.last, let byte = last.content.last else { return [] }
    let steps = overwrites.map { InPlacePlan.Step.blank($0.content, at: $0.range.lowerBound) } + [.synchronize]
    return isAll ? steps + [.commit([byte], at: last.range.upperBound - 1), .synchronize] : steps
  }

  // MARK: Changes

  private func changes() throws(MovieError) -> [Change] {
    var changes: [Change] = []
    // Bytes that are overwritten in an edited box are already overwritten in its copy.
    var overwrites = editor.overwrites.filter { !$0.isInSample }
    func cover(_ range: Range<Int>) { overwrites.removeAll { $0.range.overlaps(range) } }
    var end = 0
    for (index, item) in items.enumerated() {
      if item.range.isEmpty, let tree = item.tree {
        changes.append(.inserted(index, try serializer(editor.trees[tree])))
        continue
      }
      if item.range.lowerBound > end {
        changes.append(.removed(end..<item.range.lowerBound))
        cover(end..<item.range.lowerBound)
      }
      end = item.range.upperBound
      guard let tree = item.tree else { continue }
      let box = try serializer(editor.trees[tree])
      var isEdited = box.size != item.range.count
      if !isEdited { isEdited = try bytes(box, of: editor.original) != bytes(in: item.range) }
      if isEdited {
        changes.append(.edited(index, box))
        cover(item.range)
      }
    }
    if end < editor.sourceSize {
      changes.append(.removed(end..<editor.sourceSize))
      cover(end..<editor.sourceSize)
    }
    return overwrites.isEmpty ? changes : changes + [.overwritten(overwrites)]
  }

  private func severalChanges(_ changes: [Change]) -> MovieError {
    impossible(.severalChanges(changes.map { name(of: $0) }))
  }

  private func name(of change: Change) -> String {
    let type: FourCC? =
      switch change {
      case .edited(let index, _), .inserted(let index, _): items[index].type
      case .removed(let range): self.type(at: range.lowerBound)
      case .overwritten: nil
      }
    if case .overwritten(let overwrites) = change {
      // Exif is overwritten with zeros, XMP with spaces.
      let names = [(UInt8(0), "Exif"), (32, "XMP")].filter { kind in overwrites.contains { $0.byte == kind.0 } }
      return names.map(\.1).joined(separator: " and ")
    }
    return type?.description ?? "bytes that are not a box"
  }

  /// The type of the box that starts at `offset`; `nil` if it cannot be read.
  private func type(at offset: Int) -> FourCC? {
    (try? bytes(in: offset + 4..<offset + 8)).map { FourCC(rawValue: $0.reduce(0) { $0 << 8 | UInt32($1) }) }
  }

  private func serializer(_ box: Box) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer([box], closesEnds: false) } catch {
      throw .unwritable(file: source.name, error)
    }
  }

  func bytes(_ box: BoxSerializer, of other: (any ByteSource)? = nil) throws(MovieError) -> [UInt8] {
    let sink = MemorySink(name: source.name)
    try io(box.write(to: sink, from: other ?? source))
    return sink.bytes
  }

  /// Bytes of the unchanged file.
  func bytes(in range: Range<Int>) throws(MovieError) -> [UInt8] {
    var window = ByteWindow(editor.original, readAhead: 0)
    do throws(IOError) { return Array(try window.slice(at: range.lowerBound, count: range.count)) } catch {
      throw .io(error)
    }
  }

  /// The bytes from the first difference to the last.
  private func difference(_ box: BoxSerializer, at range: Range<Int>) throws(MovieError) -> Write? {
    try difference(bytes(box), at: range)
  }
  private func difference(_ new: [UInt8], at range: Range<Int>) throws(MovieError) -> Write? {
    let old = try bytes(in: range)
    guard old.count == new.count, let first = old.indices.first(where: { old[$0] != new[$0] }),
      let last = old.indices.last(where: { old[$0] != new[$0] })
    else { return nil }
    return Write(offset: range.lowerBound + first, bytes: Array(new[first...last]))
  }

  // MARK: Writes

  struct Write {
    var offset: Int
    var bytes: [UInt8]
    var end: Int { offset + bytes.count }
    /// Whether a disk writes either all of it or nothing.
    var isAtomic: Bool { offset / InPlaceEdit.sectorSize == (end - 1) / InPlaceEdit.sectorSize }
  }

  /// One write with all changes, if no box changes its size and all changes are within one sector.
  private func singleWrite(_ changes: [Change]) throws(MovieError) -> Write? {
    var writes: [Write] = []
    for change in changes {
      switch change {
      case .edited(let index, let box):
        if let front = try Front(index, box, in: self) {
          writes.append(front.write)
        } else if box.size == items[index].range.count, let write = try difference(box, at: items[index].range) {
          writes.append(write)
        } else {
          return nil
        }
      case .overwritten(let overwrites):
        for overwrite in overwrites where !overwrite.isHidden {
          if let write = try difference(overwrite.content, at: overwrite.range) { writes.append(write) }
        }
      case .inserted, .removed: return nil
      }
    }
    writes.sort { $0.offset < $1.offset }
    guard let first = writes.first, let last = writes.last else { return nil }
    var all = Write(offset: first.offset, bytes: first.bytes)
    guard first.offset / Self.sectorSize == (last.end - 1) / Self.sectorSize else { return nil }
    for write in writes.dropFirst() {
      guard write.offset >= all.end else { return nil }
      all.bytes += try bytes(in: all.end..<write.offset) + write.bytes
    }
    return all.isAtomic ? all : nil
  }

  /// The steps that clear the bytes that are unused after the write.
  private func clearing(_ changes: [Change]) -> [InPlacePlan.Step] {
    var steps: [InPlacePlan.Step] = []
    for case .overwritten(let overwrites) in changes {
      for overwrite in overwrites where overwrite.isHidden { steps.append(.clear(overwrite.range)) }
    }
    return steps.isEmpty ? [] : steps + [.synchronize]
  }

  /// A new header of a box, if one write within a sector can replace it.
  func header(_ type: FourCC, from start: Int, to end: Int) -> Write? {
    let write = hiddenHeader(type, from: start, to: end)
    return write.isAtomic ? write : nil
  }

  /// A new header of a box that is not visible to readers yet.
  func hiddenHeader(_ type: FourCC, from start: Int, to end: Int) -> Write {
    var writer = ByteWriter()
    let isLarge = end - start > Int(UInt32.max)
    writer.integer(isLarge ? 1 : UInt32(end - start))
    writer.integer(type.rawValue)
    if isLarge { writer.integer(UInt64(end - start)) }
    return Write(offset: start, bytes: writer.bytes)
  }

  // MARK: New and removed boxes

  private func appending(_ box: BoxSerializer, at index: Int) throws(MovieError) -> [InPlacePlan.Step] {
    guard index == items.count - 1 else { throw impossible(.noRoom(items[index].type)) }
    let start = try end()
    guard let header = header("free", from: start.offset, to: start.offset + 8) else {
      throw impossible(.crossesSector("the bytes at byte \(start.offset) that are not a box"))
    }
    var appended = OutputPlan(sources: [source], diagnostics: [])
    appended.parts = [.boxes(box)]
    return start.steps + openingFreeSpace(at: start.offset) + [
      .append(appended, at: start.offset + 8), .synchronize, .commit(header.bytes, at: header.offset), .synchronize,
    ]
  }

  /// Turns a range into free space.
  private func freeing(_ range: Range<Int>) throws(MovieError) -> [InPlacePlan.Step] {
    guard range.count >= 8, let header = header("free", from: range.lowerBound, to: range.upperBound) else {
      throw impossible(.crossesSector("the header at byte \(range.lowerBound)"))
    }
    return [
      .commit(header.bytes, at: header.offset), .synchronize,
      .clear(range.lowerBound + header.bytes.count..<range.upperBound), .synchronize,
    ]
  }

  /// The header of a `free` box that extends to the end of the file.
  static let freeHeader: [UInt8] = [0, 0, 0, 0] + Array("free".utf8)

  func openingFreeSpace(at offset: Int) -> [InPlacePlan.Step] {
    var header = OutputPlan(sources: [source], diagnostics: [])
    header.parts = [.bytes(Self.freeHeader)]
    return [.append(header, at: offset), .synchronize]
  }

  /// The offset at which a box can be appended, and the steps to prepare that.
  func end() throws(MovieError) -> (offset: Int, steps: [InPlacePlan.Step]) {
    // Readers would not reach a box after bytes that are not a box.
    if items.contains(where: { $0.type == nil }) || editor.sourceSize != size { throw impossible(.openEnd) }
    guard let open = items.last(where: \.isOpen) else { return (size, []) }
    // An interrupted change leaves a free box that extends to the end of the file; any other such box would include the
    // appended one.
    guard isFree(open), let closed = header("free", from: open.range.lowerBound, to: size) else {
      throw impossible(.openEnd)
    }
    return (size, [.replace(closed.bytes, at: closed.offset), .synchronize])
  }

  func impossible(_ obstacle: Obstacle) -> MovieError { .impossible(file: source.name, obstacle) }
}

extension Obstacle {
  static func severalChanges(_ types: [String]) -> Obstacle {
    let text = "the edits change \(types.joined(separator: " and ")), which cannot be written in one step"
    return Obstacle("several_changes", text, ["types": .list(types.map { .text($0) })], remedy: .writeNewFile)
  }
  static func noRoom(_ type: FourCC?) -> Obstacle {
    let type = (type ?? "    ").description
    let text = "there is no free space for the edited \(type), and it cannot be at the end of the file"
    return Obstacle("no_room", text, ["type": .text(type)], remedy: .writeNewFile)
  }
  static let openEnd = Obstacle(
    "open_end", "the end of its last box is undefined, so nothing can be appended", remedy: .writeNewFile)
  /// `bytes` cannot be replaced by one write that a disk makes completely or not at all.
  static func crossesSector(_ bytes: String) -> Obstacle {
    let text = "\(bytes) cannot be replaced within one disk sector, so a change in place would not be safe"
    return Obstacle("crosses_sector", text)
  }
}

/// Replaces `ftyp` in place.
extension InPlaceEdit {
  struct Front {
    /// The changed bytes, from the first difference on.
    var write: Write
    /// The items that are overwritten: the old box, and the empty boxes after it that the new one needs.
    var items: Range<Int>

    /// `nil` for other boxes, and if there is no room. A shorter box is padded by repeating a brand or by free space
    /// after it; a longer one uses the space of `wide` and `free` boxes.
    init?(_ index: Int, _ box: BoxSerializer, in edit: InPlaceEdit) throws(MovieError) {
      let items = edit.items
      guard items[index].type == "ftyp", !items[index].isOpen else { return nil }
      let start = items[index].range.lowerBound
      let bytes = try edit.bytes(box)
      for end in (index + 1)...items.count {
        let last = items[end - 1]
        guard end == index + 1 || edit.isFree(last) || last.type == "wide", !last.isOpen else { return nil }
        let rest = last.range.upperBound - start - bytes.count
        guard rest >= 0, rest >= 8 || rest % 4 == 0, bytes.count >= 16, last.range.upperBound - start <= 1 << 20 else {
          continue
        }
        var new = bytes
        if rest >= 8 {
          new += edit.hiddenHeader("free", from: 0, to: rest).bytes
        } else {
          for _ in 0..<rest / 4 { new += bytes[(bytes.count >= 20 ? 16 : 8)...].prefix(4) }
          new.replaceSubrange(0..<4, with: edit.hiddenHeader("ftyp", from: 0, to: new.count).bytes.prefix(4))
        }
        let old = try edit.bytes(in: start..<start + new.count)
        guard old.count == new.count, let first = new.indices.first(where: { old[$0] != new[$0] }),
          let final = new.indices.last(where: { old[$0] != new[$0] })
        else { return nil }
        write = Write(offset: start + first, bytes: Array(new[first...final]))
        self.items = index..<end
        return
      }
      return nil
    }
  }

  /// A single write that includes the changed `ftyp`; `nil` if both are not in one sector.
  func joined(_ write: Write) throws(MovieError) -> Write? {
    guard let front else { return write.isAtomic ? write : nil }
    guard front.write.end <= write.offset, front.write.offset / Self.sectorSize == (write.end - 1) / Self.sectorSize
    else { return nil }
    let between = try bytes(in: front.write.end..<write.offset)
    return Write(offset: front.write.offset, bytes: front.write.bytes + between + write.bytes)
  }
}
