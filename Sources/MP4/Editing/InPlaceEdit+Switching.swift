import ISOBMFF
import MP4Bytes

/// Switches from a box to its edited copy in free space.
extension InPlaceEdit {
  /// The types of boxes that can be anywhere in a file.
  private static let movableTypes: Set<FourCC> = ["moov", "meta", "uuid"]
  /// The types of boxes that change the meaning of a file when they are hidden.
  private static let visibleTypes: Set<FourCC> = ["ftyp", "styp", "moov", "moof", "sidx", "ssix", "meta"]
  /// The size of a new `free` box before a copy at the end of the file, so that longer titles can be set later without
  /// making the file larger.
  private static let padding = 2048

  /// New media data with its header, appended before the edited copy becomes readable.
  var media: [UInt8] { items.flatMap { $0.place == nil ? $0.media ?? [] : [] } }

  /// The steps that replace the box of an item with its edited copy. Sets `movesMovie` if this moves the movie box
  /// after the media data.
  func switching(_ index: Int, to box: BoxSerializer, movesMovie: inout Bool) throws(MovieError)
    -> [InPlacePlan.Step]
  {
    guard let type = items[index].type, Self.movableTypes.contains(type) else {
      let name = items[index].type ?? "    "
      let text = "the edits change more than one disk sector of \(name), so a change in place would not be safe"
      throw impossible(Obstacle("several_sectors", text, remedy: .writeNewFile))
    }
    let firstMedia = items[index...].firstIndex { $0.type == "mdat" && $0.media == nil } ?? items.count
    for space in spaces(for: index) {
      let isAfter = space.items.lowerBound > index
      let found =
        isAfter
        ? try switching(index, to: box, toSpaceAfter: space) : try switching(index, to: box, toSpaceBefore: space)
      guard let steps = found else { continue }
      movesMovie = space.items.lowerBound > firstMedia
      return fillingMedia(around: media.isEmpty ? steps : try appendingMedia(before: steps))
    }
    movesMovie = firstMedia < items.count
    return fillingMedia(around: try switching(index, toEnd: box))
  }

  /// The steps that move the unchanged box of an item to free space before the media data; `nil` if there is no room.
  func switchingToFront(_ index: Int, to box: Box) throws(MovieError) -> [InPlacePlan.Step]? {
    let serializer: BoxSerializer
    do throws(BoxError) { serializer = try BoxSerializer([box], closesEnds: false) } catch { return nil }
    let media = items.firstIndex { $0.type == "mdat" } ?? 0
    for space in spaces(for: index) where space.items.upperBound <= min(media, index) {
      if let steps = try switching(index, to: serializer, toSpaceBefore: space) { return steps }
    }
    return nil
  }

  /// The size of the largest free space before an item.
  func freeBytes(before index: Int) -> Int {
    let movie = items.firstIndex { $0.type == "moov" } ?? index
    return spaces(for: movie).filter { $0.items.upperBound <= index }.map(\.range.count).max() ?? 0
  }

  /// The steps with the media data, which is first appended as free space; its box header is written last.
  private func appendingMedia(before steps: [InPlacePlan.Step]) throws(MovieError) -> [InPlacePlan.Step] {
    let start = try end()
    let header = hiddenHeader("mdat", from: start.offset, to: start.offset + media.count)
    var appended = OutputPlan(sources: [source], diagnostics: [])
    appended.parts = [.bytes(Array(media.dropFirst(Self.freeHeader.count)))]
    return start.steps + openingFreeSpace(at: start.offset) + [
      .append(appended, at: start.offset + Self.freeHeader.count), .synchronize,
    ] + steps + [.fill(header.bytes, at: header.offset), .synchronize]
  }

  func isFree(_ item: MovieEditor.Item) -> Bool {
    item.type.map(Self.freeTypes.contains) == true && item.tree == nil && !item.range.isEmpty
  }

  /// Adjacent boxes that are not used.
  private struct Space {
    var items: Range<Int>
    var range: Range<Int>
  }

  /// The free space of the file, in order of preference for the copy of an item's box: before the media data, where
  /// players expect `moov`; next to the box, where no other box has to be hidden; elsewhere.
  private func spaces(for index: Int) -> [Space] {
    var spaces: [Space] = []
    for (number, item) in items.enumerated() where isFree(item) && item.range.count <= Int(UInt32.max) {
      if let front, front.items.contains(number) { continue }
      if items.contains(where: { $0.place.map(item.range.contains) ?? false }) { continue }
      if let last = spaces.last, last.items.upperBound == number, last.range.upperBound == item.range.lowerBound,
        item.range.upperBound - last.range.lowerBound <= Int(UInt32.max)
      {
        let range = last.range.lowerBound..<item.range.upperBound
        spaces[spaces.count - 1] = Space(items: last.items.lowerBound..<number + 1, range: range)
      } else if header("free", from: item.range.lowerBound, to: item.range.upperBound) != nil {
        spaces.append(Space(items: number..<number + 1, range: item.range))
      }
    }
    spaces.removeAll { $0.range.count < Self.freeHeader.count * 2 || !isHidable(itemsBetween(index, $0)) }
    let media = items.firstIndex { $0.type == "mdat" } ?? items.count
    func rank(_ space: Space) -> Int {
      space.items.lowerBound < media ? 0 : itemsBetween(index, space).isEmpty ? 1 : 2
    }
    return (0...2).flatMap { number in spaces.filter { rank($0) == number } }
  }

  private func itemsBetween(_ index: Int, _ space: Space) -> ArraySlice<MovieEditor.Item> {
    space.items.lowerBound > index
      ? items[(index + 1)..<space.items.lowerBound] : items[space.items.upperBound..<index]
  }

  /// Whether readers can do without these boxes, which are hidden between two writes.
  private func isHidable(_ items: ArraySlice<MovieEditor.Item>) -> Bool {
    !items.contains { $0.type.map(Self.visibleTypes.contains) ?? true }
  }

  /// The steps that turn a space into one box with a short header; `nil` if any of its bytes are used.
  private func opening(_ space: Space) throws(MovieError) -> [InPlacePlan.Step]? {
    if editor.holdsData(space.range) { return nil }
    let header = hiddenHeader("free", from: space.range.lowerBound, to: space.range.upperBound)
    if try bytes(in: header.offset..<header.end) == header.bytes { return [] }
    return [.replace(header.bytes, at: header.offset), .synchronize]
  }

  /// Whether the header at an offset can be replaced by one write, which later moves of the box require.
  private func isInSector(_ offset: Int) -> Bool { header("free", from: offset, to: offset + 8) != nil }

  /// Writes the copy at the end of the space, so that the rest remains one space for the next edit.
  private func switching(_ index: Int, to box: BoxSerializer, toSpaceAfter space: Space) throws(MovieError)
    -> [InPlacePlan.Step]?
  {
    var copy = space.range.upperBound - box.size
    if !isInSector(copy) {
      copy -= Self.freeHeader.count
      while !isInSector(copy) { copy -= 1 }
    }
    let rest = space.range.upperBound - copy - box.size
    guard copy >= space.range.lowerBound + Self.freeHeader.count,
      let hiding = try hiding(
        index, before: copy, isAdjacent: itemsBetween(index, space).isEmpty,
        closing: hiddenHeader("free", from: space.range.lowerBound, to: copy)),
      let opening = try opening(space)
    else { return nil }
    let tail = rest > 0 ? hiddenHeader("free", from: 0, to: rest).bytes : []
    return opening + [.fill(try bytes(box) + tail, at: copy), .synchronize] + hiding
  }

  /// Writes the copy at the start of the space, after a short `free` box. A header after it hides the old box.
  private func switching(_ index: Int, to box: BoxSerializer, toSpaceBefore space: Space) throws(MovieError)
    -> [InPlacePlan.Step]?
  {
    let old = items[index].range
    let isAdjacent = itemsBetween(index, space).isEmpty
    var start = space.range.lowerBound + Self.freeHeader.count
    while !isInSector(start) || !isInSector(start + box.size) { start += 1 }
    guard start + box.size < space.range.upperBound else { return nil }
    let rest = start + box.size..<space.range.upperBound
    guard rest.count >= 8, !items[index].isOpen, old.count <= Int(UInt32.max) else { return nil }
    let tail = hiddenHeader(isAdjacent ? "free" : "mdat", from: rest.lowerBound, to: old.upperBound)
    guard tail.bytes.count <= rest.count,
      let header = header("free", from: space.range.lowerBound, to: start), let switching = try joined(header),
      let opening = try opening(space)
    else { return nil }
    let steps: [InPlacePlan.Step] =
      opening + [
        .fill(try bytes(box) + tail.bytes, at: start), .synchronize,
        .commit(switching.bytes, at: switching.offset), .synchronize,
      ]
    if isAdjacent { return steps + [.clear(old), .synchronize] }
    let freed = hiddenHeader("free", from: old.lowerBound, to: old.upperBound)
    let closed = hiddenHeader("free", from: rest.lowerBound, to: rest.upperBound)
    return steps + [
      .fill(freed.bytes, at: freed.offset), .clear(old.lowerBound + freed.bytes.count..<old.upperBound), .synchronize,
      .fill(closed.bytes, at: closed.offset), .synchronize,
    ]
  }

  private func switching(_ index: Int, toEnd box: BoxSerializer) throws(MovieError) -> [InPlacePlan.Step] {
    let old = items[index].range
    let others = items[(index + 1)...]
    let start = try end()
    guard isHidable(others) else { throw impossible(.noRoom(items[index].type)) }
    // The padding and the old box are available for the next edits.
    var appended = OutputPlan(sources: [source], diagnostics: [])
    var copy = start.offset + media.count + Self.padding
    while !isInSector(copy) { copy += 1 }
    let padding = copy - start.offset - media.count
    if !media.isEmpty {
      let header = hiddenHeader("free", from: 0, to: padding)
      appended.parts = [.bytes(media.dropFirst(Self.freeHeader.count) + header.bytes)]
    }
    appended.parts += [.bytes([UInt8](repeating: 0, count: padding - Self.freeHeader.count)), .boxes(box)]
    let closed =
      media.isEmpty
      ? hiddenHeader("free", from: start.offset, to: copy)
      : hiddenHeader("mdat", from: start.offset, to: start.offset + media.count)
    guard let hiding = try hiding(index, before: copy, isAdjacent: others.isEmpty, closing: closed) else {
      if front != nil { throw impossible(.severalChanges(["ftyp", "moov"])) }
      throw impossible(.crossesSector("the header of moov at byte \(old.lowerBound)"))
    }
    return start.steps + openingFreeSpace(at: start.offset) + [
      .append(appended, at: start.offset + Self.freeHeader.count), .synchronize,
    ] + hiding
  }

  /// The steps that first hide the box of an item and everything up to its copy, and then only the box; `nil` if that
  /// is not possible with writes within a sector. `closing` is the header of the box before the copy.
  private func hiding(_ index: Int, before copy: Int, isAdjacent: Bool, closing closed: Write) throws(MovieError)
    -> [InPlacePlan.Step]?
  {
    let old = items[index].range
    if isAdjacent, let header = header("free", from: old.lowerBound, to: copy), let hiding = try joined(header) {
      return [
        .commit(hiding.bytes, at: hiding.offset), .synchronize,
        .clear(old.lowerBound + header.bytes.count..<max(old.upperBound, old.lowerBound + header.bytes.count)),
        .synchronize,
      ]
    }
    guard old.count <= Int(UInt32.max) else { return nil }
    // When only the old box is hidden, the boxes after it become visible again; the header before the copy must be
    // hidden by then.
    let freed = hiddenHeader("free", from: old.lowerBound, to: old.upperBound)
    let cleared = old.lowerBound + freed.bytes.count..<old.upperBound
    if freed.isAtomic, let header = header("mdat", from: old.lowerBound, to: copy), let hiding = try joined(header) {
      return [
        .commit(hiding.bytes, at: hiding.offset), .synchronize, .fill(closed.bytes, at: closed.offset), .synchronize,
        .fill(freed.bytes, at: freed.offset), .synchronize, .clear(cleared), .synchronize,
      ]
    }
    // The header of the box after `ftyp` is in the same sector, so it can hide all boxes up to the copy.
    guard let first = front?.items.upperBound, first < index, isHidable(items[first..<index]) else { return nil }
    let start = items[first].range.lowerBound
    let original = try bytes(in: start..<start + 8)
    let headerSize = original.starts(with: [0, 0, 0, 1]) ? 16 : 8
    guard let header = header("mdat", from: start, to: copy), header.bytes.count <= headerSize,
      let hiding = try joined(header)
    else { return nil }
    let shown = try bytes(in: start..<header.end)
    return [
      .commit(hiding.bytes, at: hiding.offset), .synchronize, .fill(closed.bytes, at: closed.offset),
      .fill(freed.bytes, at: freed.offset), .clear(cleared), .synchronize, .fill(shown, at: start), .synchronize,
    ]
  }
}
