/// Why the output under test cannot be read.
public struct ReadingError: Error, CustomStringConvertible {
  /// The problem and its location.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A box in the bytes of a file.
struct BoxBytes {
  let file: [UInt8]
  let type: String
  let start: Int
  let payload: Range<Int>

  /// The boxes in a range, which they must fill.
  static func all(in file: [UInt8], _ range: Range<Int>) throws -> [BoxBytes] {
    var boxes: [BoxBytes] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let rest = range.upperBound - start
      guard rest >= 8 else { throw ReadingError("\(rest) bytes at \(start) are too few for a box") }
      let type = String(decoding: file[start + 4..<start + 8], as: Unicode.UTF8.self)
      var size = Int(number(file, start, 4))
      var header = 8
      if size == 1 {
        guard rest >= 16 else { throw ReadingError("\(type) at \(start) ends in its header") }
        (size, header) = (Int(clamping: number(file, start + 8, 8)), 16)
      } else if size == 0 {
        size = rest
      }
      guard size >= header, size <= rest else {
        throw ReadingError("\(type) at \(start) has a size of \(size), but \(rest) bytes are left")
      }
      boxes.append(BoxBytes(file: file, type: type, start: start, payload: start + header..<start + size))
      start += size
    }
    return boxes
  }

  /// The boxes of a file up to the point where it is cut off. The last one can be incomplete if it contains bytes and
  /// not other boxes.
  static func allThere(in file: [UInt8]) -> [BoxBytes] {
    var boxes: [BoxBytes] = []
    var start = 0
    while file.count - start >= 8 {
      let type = String(decoding: file[start + 4..<start + 8], as: Unicode.UTF8.self)
      var size = number(file, start, 4)
      let header = size == 1 ? 16 : 8
      if header == 16 { size = file.count - start >= 16 ? number(file, start + 8, 8) : 0 }
      let isCut = size > UInt64(file.count - start)
      let end = size == 0 || isCut ? file.count : start + Int(size)
      guard end - start >= header, !isCut || type == "mdat" || type == "free" else { break }
      boxes.append(BoxBytes(file: file, type: type, start: start, payload: start + header..<end))
      start = end
    }
    return boxes
  }

  static func number(_ file: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    var number: UInt64 = 0
    for byte in file[start..<start + count] { number = number << 8 | UInt64(byte) }
    return number
  }

  /// The end of the box.
  var end: Int { payload.upperBound }
  /// The boxes inside, after `prefix` bytes of fields.
  func children(after prefix: Int = 0) throws -> [BoxBytes] {
    guard prefix <= payload.count else { throw ReadingError("\(type) at \(start) is too short") }
    return try Self.all(in: file, payload.lowerBound + prefix..<payload.upperBound)
  }

  /// The first box with this path.
  func first(_ path: String...) throws -> BoxBytes? {
    var here = self
    for type in path {
      guard let next = try here.children().first(where: { $0.type == type }) else { return nil }
      here = next
    }
    return here
  }

  /// Like `first`, for a required box.
  func one(_ type: String) throws -> BoxBytes {
    guard let found = try first(type) else { throw ReadingError("\(self.type) at \(start) has no \(type)") }
    return found
  }

  /// `count` bytes at `offset` of the payload as a number.
  func number(_ offset: Int, _ count: Int = 4) throws -> Int {
    guard offset >= 0, offset + count <= payload.count else {
      throw ReadingError("\(type) at \(start) has no byte \(offset + count) in its payload of \(payload.count)")
    }
    return Int(clamping: Self.number(file, payload.lowerBound + offset, count))
  }

  /// A signed 32-bit number.
  func signed(_ offset: Int) throws -> Int { Int(Int32(truncatingIfNeeded: try number(offset))) }

  var version: Int { get throws { try number(0, 1) } }
  var flags: Int { get throws { try number(1, 3) } }

  /// Rows of 32-bit numbers after a count at `offset`.
  func rows(_ columns: Int, countAt offset: Int = 4) throws -> [[Int]] {
    let count = try number(offset)
    guard count * columns * 4 <= payload.count - offset - 4 else {
      throw ReadingError("\(type) at \(start) has \(count) rows, but \(payload.count) bytes")
    }
    var rows: [[Int]] = []
    rows.reserveCapacity(count)
    var place = offset + 4
    for _ in 0..<count {
      var row: [Int] = []
      for _ in 0..<columns {
        row.append(try number(place))
        place += 4
      }
      rows.append(row)
    }
    return rows
  }
}
