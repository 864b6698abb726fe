import MP4Bytes

/// The location in Exif data, a TIFF file with a GPS directory (Exif 2.32, 4.6.3).
///
/// With entry counts of 0, readers find no location; the entries and values are then unused bytes.
struct ExifLocation {
  /// The entry counts of the GPS directories.
  private(set) var counts: [Range<Int>] = []
  /// Their entries, and the values stored outside the entries.
  private(set) var values: [Range<Int>] = []

  private let bytes: ArraySlice<UInt8>
  private let isLittleEndian: Bool

  private struct Directory {
    var range: Range<Int>
    var isLocation: Bool
    var values: [Range<Int>] = []
  }
  private static let directoryLimit = 32
  private static let entrySize = 12
  /// The size of a value of each type; unknown types count as bytes.
  private static let sizes = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  /// Finds the GPS directories in the TIFF data `bytes`, as far as it is not damaged; `nil` for other data. Ranges are
  /// relative to its start. `isLocation` means that the first directory is the GPS directory.
  init?(_ bytes: ArraySlice<UInt8>, isLocation: Bool = false) {
    if bytes.starts(with: [0x49, 0x49, 42, 0]) {
      isLittleEndian = true
    } else if bytes.starts(with: [0x4d, 0x4d, 0, 42]) {
      isLittleEndian = false
    } else {
      return nil
    }
    self.bytes = bytes
    guard let first = number(at: 4, 4) else { return nil }
    var next = [(offset: first, isLocation: isLocation)]
    var directories: [Directory] = []
    while let (offset, isLocation) = next.popLast(), directories.count < Self.directoryLimit {
      guard offset >= 8, !directories.contains(where: { $0.range.lowerBound == offset }),
        let declared = number(at: offset, 2), declared > 0
      else { continue }
      let count = min(declared, (bytes.count - offset - 2) / Self.entrySize)
      var directory = Directory(range: offset..<offset + 2 + count * Self.entrySize, isLocation: isLocation)
      for entry in stride(from: offset + 2, to: directory.range.upperBound, by: Self.entrySize) {
        guard let tag = number(at: entry, 2), let type = number(at: entry + 2, 2),
          let count = number(at: entry + 4, 4), let value = number(at: entry + 8, 4)
        else { break }
        if isLocation {
          let size = count * (Self.sizes.indices.contains(type) ? Self.sizes[type] : 1)
          if size > 4, value < bytes.count { directory.values.append(value..<min(bytes.count, value + size)) }
        } else if tag == 0x8825 || tag == 0x8769 {
          next.append((value, tag == 0x8825))
        }
      }
      if let following = number(at: directory.range.upperBound, 4), following > 0, !isLocation {
        next.append((following, false))
      }
      directories.append(directory)
    }
    // In damaged data, values can overlap anything: the header and other directories must not change.
    let kept = [0..<8] + directories.filter { !$0.isLocation }.map(\.range)
    for directory in directories where directory.isLocation && !kept.contains(where: directory.range.overlaps) {
      counts.append(directory.range.lowerBound..<directory.range.lowerBound + 2)
      values.append(directory.range.lowerBound + 2..<directory.range.upperBound)
      values += directory.values.filter { value in !kept.contains(where: value.overlaps) }
    }
    // Merged, because there can be many overlapping ranges.
    values = values.merged()
  }

  /// An unsigned number of `count` bytes; `nil` if it extends past the end.
  private func number(at offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let field = bytes.dropFirst(offset).prefix(count)
    return isLittleEndian ? field.reversed().reduce(0) { $0 << 8 | Int($1) } : field.reduce(0) { $0 << 8 | Int($1) }
  }
}
