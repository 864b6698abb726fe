import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor whose new media data is in free space of the file, if there is room, so that repeated changes do not
  /// make the file larger.
  func placingMedia() throws(MovieError) -> MovieEditor {
    let added = items.indices.filter { items[$0].media != nil }
    guard added.count == 1, let index = added.first, let media = items[index].media,
      let tree = items.lazy.compactMap({ $0.type == "moov" ? $0.tree : nil }).first,
      let place = try InPlaceEdit(self).place(forMedia: media.count)
    else { return self }
    var relocation = Relocation()
    relocation.move(items[index].range, to: place)
    var editor = self
    guard try relocation.correct(&editor.trees[tree], of: source).isEmpty else { return self }
    editor.items[index].place = place
    return editor
  }
}

/// Media data that a change in place adds or no longer needs.
extension InPlaceEdit {
  /// Boxes with unused media data become free space up to this size: clearing larger ones would take long.
  private static let freedMedia = 1 << 20

  /// Whether new media data is written into free space.
  var hasPlacedMedia: Bool { items.contains { $0.place != nil } }

  /// The start of the smallest free box for media data of `count` bytes with its header, whose header can be replaced
  /// by one write; `nil` if there is none.
  func place(forMedia count: Int) -> Int? {
    let found = items.filter { item in
      let (start, size) = (item.range.lowerBound, item.range.count)
      return isFree(item) && !item.isOpen && (size == count || size >= count + Self.freeHeader.count)
        && size <= Int(UInt32.max) && header("mdat", from: start, to: start + count) != nil
    }
    return found.sorted { $0.range.count < $1.range.count }.first { !editor.holdsData($0.range) }?.range.lowerBound
  }

  /// The steps around `steps` that write media data into free space. Its box header is written last, because readers
  /// need only the offsets.
  func fillingMedia(around steps: [InPlacePlan.Step]) -> [InPlacePlan.Step] {
    guard let item = items.first(where: { $0.place != nil }), let place = item.place, let media = item.media,
      let space = items.first(where: { $0.media == nil && $0.range.contains(place) })?.range
    else { return steps }
    let end = place + media.count
    let rest = end < space.upperBound ? hiddenHeader("free", from: end, to: space.upperBound).bytes : []
    let size = Self.freeHeader.count
    return [.fill(Array(media.dropFirst(size)) + rest, at: place + size), .synchronize] + steps
      + [.fill(Array(media.prefix(size)), at: place), .synchronize]
  }

  /// The steps that turn media data into free space that `before` uses and `after` does not, such as that of replaced
  /// chapters.
  func freeingMedia(_ before: Movie?, _ after: Movie?) -> [InPlacePlan.Step] {
    guard let after else { return [] }
    var steps: [InPlacePlan.Step] = []
    for item in items where item.type == "mdat" && item.media == nil && item.tree == nil && !item.isOpen {
      let range = item.range
      guard range.count <= Self.freedMedia, let header = header("free", from: range.lowerBound, to: range.upperBound),
        MovieEditor.holdsSamples(range, of: before), !MovieEditor.holdsSamples(range, of: after),
        !editor.hasItem(in: range)
      else { continue }
      steps += [
        .fill(header.bytes, at: header.offset), .clear(range.lowerBound + header.bytes.count..<range.upperBound),
      ]
    }
    return steps.isEmpty ? [] : steps + [.synchronize]
  }

  /// The steps that move the movie box before the media data, after a plan has been carried out; `nil` if there is no
  /// room, or nothing to move. The space of boxes that the plan freed counts.
  func movingToFront(after plan: InPlacePlan) throws(MovieError) -> [InPlacePlan.Step]? {
    let moved = try MovieEditor(try io(plan.finished(source)), registry: editor.registry)
    guard let index = moved.items.firstIndex(where: { $0.type == "moov" }) else { return nil }
    let box = try moved.tree(of: moved.items[index])
    guard let steps = try InPlaceEdit(moved).switchingToFront(index, to: box) else { return nil }
    guard !plan.isEmpty else { return steps }
    // The change is effective already, so these writes cannot be undone.
    return steps.map { step in
      switch step {
      case .replace(let bytes, let offset), .commit(let bytes, let offset): .fill(bytes, at: offset)
      default: step
      }
    }
  }

  /// Adds the steps that move the movie box before the media data, if it is not there after the plan.
  ///
  /// - Throws: `MovieError.io` if there is not enough free space.
  func placeMovieFirst(in plan: inout InPlacePlan) throws(MovieError) {
    let finished = try MovieEditor(try io(plan.finished(source)), registry: editor.registry)
    guard let movie = finished.items.firstIndex(where: { $0.type == "moov" }),
      let media = finished.items.firstIndex(where: { $0.type == "mdat" }), movie > media
    else { return }
    guard let steps = try movingToFront(after: plan) else {
      let free = try InPlaceEdit(finished).freeBytes(before: media)
      // A header of a free box is needed before and after the movie box.
      let needed = finished.items[movie].range.count + 2 * Self.freeHeader.count
      let reason =
        needed > free
        ? "moov needs \(counted(needed, "byte")) of free space before the media, but \(free) are there: "
          + "\(counted(needed - free, "byte")) more would be needed"
        : "moov cannot be moved into the free space before the media within one disk sector"
      throw .io(IOError(.change, file: source.name, reason: reason))
    }
    plan.steps += steps
    plan.movesMovie = false
  }
}
