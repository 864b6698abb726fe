package import MP4Bytes

/// Maps four-character codes to positions in a list. All codes are known at creation, which takes microseconds because
/// every program start waits for it. A lookup, which happens for every box of a file, takes 2 ns instead of 20 ns for a
/// dictionary. The codes must not come from a file.
package struct FourCCIndex: Sendable {
  private struct Slot {
    var code: UInt32
    /// The first element with this code; negative in a free slot.
    var position: Int32
  }
  private var slots: [Slot]
  /// For each element, the next one with the same code, or a negative number.
  private var following: [Int32]

  /// An index of elements with these codes.
  package init(_ codes: [FourCC]) {
    // At most half of the slots are used, so that a free one is near.
    var size = 16
    while size < codes.count * 2 { size *= 2 }
    slots = Array(repeating: Slot(code: 0, position: -1), count: size)
    following = Array(repeating: -1, count: codes.count)
    // Elements are added in reverse, so that those with the same code are found in order.
    for position in codes.indices.reversed() {
      let slot = slot(of: codes[position])
      following[position] = slots[slot].position
      slots[slot] = Slot(code: codes[position].rawValue, position: Int32(position))
    }
  }

  /// The slot with the code, or the free one for it.
  @inline(__always)
  private func slot(of code: FourCC) -> Int {
    var index = Int(truncatingIfNeeded: (code.rawValue &* 0x9e37_79b1) >> 16) & (slots.count - 1)
    while slots[index].position >= 0, slots[index].code != code.rawValue { index = (index + 1) & (slots.count - 1) }
    return index
  }

  /// The position of the first element with this code.
  package func first(_ code: FourCC) -> Int? {
    let position = slots[slot(of: code)].position
    return position < 0 ? nil : Int(position)
  }
  /// The position of the next element with the same code.
  package func next(after position: Int) -> Int? { following[position] < 0 ? nil : Int(following[position]) }
}
