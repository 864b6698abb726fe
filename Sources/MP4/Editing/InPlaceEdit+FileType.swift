import Bytes
import ISOBMFF

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
