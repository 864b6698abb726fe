/// Compares the bytes of two sources. It only keeps two windows in memory.
package struct SideBySide: ~Copyable {
  private let (source, other): (any ByteSource, any ByteSource)
  private var (bytes, otherBytes): ([UInt8], [UInt8]) = ([], [])
  /// The range that is known to be equal. The contents of a box are compared again as part of the box.
  private var known = (range: 0..<0, otherStart: 0)
  /// The number of bytes per read. The first reads are small, since most boxes are.
  private static let sizes = (first: 4096, most: 1 << 18)

  package init(_ source: any ByteSource, _ other: any ByteSource) { (self.source, self.other) = (source, other) }

  /// The number of equal bytes at the start of both ranges.
  package mutating func commonPrefix(_ range: Range<Int>, _ otherRange: Range<Int>) throws(IOError) -> Int {
    let count = min(range.count, otherRange.count)
    var (done, size) = (min(count, knownCount(from: range.lowerBound, otherRange.lowerBound)), Self.sizes.first)
    defer { note(range.lowerBound, otherRange.lowerBound, done) }
    while done < count {
      let step = min(size, count - done)
      let found = try read(range.lowerBound + done, otherRange.lowerBound + done, step)
      let same = min(found, bytes.commonPrefix(otherBytes, count: found))
      done += same
      if same < step { break }
      size = min(size * 4, Self.sizes.most)
    }
    return done
  }

  /// The number of equal bytes at the end of both ranges, at most `limit`.
  package mutating func commonSuffix(
    _ range: Range<Int>, _ otherRange: Range<Int>, limit: Int
  ) throws(IOError) -> Int {
    let count = min(range.count, otherRange.count, limit)
    var (done, size) = (0, Self.sizes.first)
    defer { note(range.upperBound - done, otherRange.upperBound - done, done) }
    // The known range can be a part of this one, at its end or after a difference.
    let isAligned = known.range.lowerBound - known.otherStart == range.upperBound - otherRange.upperBound
    if isAligned, known.range.lowerBound < range.upperBound, known.range.upperBound >= range.upperBound {
      done = min(count, range.upperBound - known.range.lowerBound)
    }
    while done < count {
      let step = min(size, count - done)
      let found = try read(range.upperBound - done - step, otherRange.upperBound - done - step, step)
      guard found == step else { break }
      let same = bytes.commonSuffix(otherBytes, count: step)
      done += same
      if same < step { break }
      size = min(size * 4, Self.sizes.most)
    }
    return done
  }

  /// The number of bytes from these offsets on that are known to be equal.
  private func knownCount(from offset: Int, _ otherOffset: Int) -> Int {
    guard known.range.contains(offset), known.range.lowerBound - known.otherStart == offset - otherOffset else {
      return 0
    }
    return known.range.upperBound - offset
  }

  /// Records that `count` bytes from these offsets on are equal, unless that is already known.
  private mutating func note(_ offset: Int, _ otherOffset: Int, _ count: Int) {
    guard count > 0, knownCount(from: offset, otherOffset) < count else { return }
    known = (offset..<offset + count, otherOffset)
  }

  /// Whether both ranges have the same bytes.
  package mutating func isSame(_ range: Range<Int>, _ otherRange: Range<Int>) throws(IOError) -> Bool {
    guard range.count == otherRange.count else { return false }
    return try commonPrefix(range, otherRange) == range.count
  }

  /// Reads `count` bytes of both; returns the number of bytes that both have.
  private mutating func read(_ offset: Int, _ otherOffset: Int, _ count: Int) throws(IOError) -> Int {
    let missing = count - bytes.count
    if missing > 0 {
      let zeros = [UInt8](repeating: 0, count: missing)
      bytes += zeros
      otherBytes += zeros
    }
    return min(
      try Self.read(source, at: offset, count, into: &bytes),
      try Self.read(other, at: otherOffset, count, into: &otherBytes))
  }

  private static func read(
    _ source: any ByteSource, at offset: Int, _ count: Int, into bytes: inout [UInt8]
  ) throws(IOError) -> Int {
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    var target = raw._mutatingExtracting(0..<count)
    return try source.readOn(at: offset, into: &target)
  }
}

extension [UInt8] {
  /// The number of equal bytes at the start of the first `count` bytes, which both have. Many are compared at a time.
  fileprivate func commonPrefix(_ other: [UInt8], count: Int) -> Int {
    unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { otherBytes in
        var at = 0
        while at + 64 <= count {
          let block = unsafe bytes.loadUnaligned(fromByteOffset: at, as: SIMD8<UInt64>.self)
          let otherBlock = unsafe otherBytes.loadUnaligned(fromByteOffset: at, as: SIMD8<UInt64>.self)
          if block != otherBlock { break }
          at += 64
        }
        while at < count, unsafe bytes[at] == otherBytes[at] { at += 1 }
        return at
      }
    }
  }

  /// The number of equal bytes at the end of the first `count` bytes, which both have.
  fileprivate func commonSuffix(_ other: [UInt8], count: Int) -> Int {
    unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { otherBytes in
        var end = count
        while end >= 64 {
          let block = unsafe bytes.loadUnaligned(fromByteOffset: end - 64, as: SIMD8<UInt64>.self)
          let otherBlock = unsafe otherBytes.loadUnaligned(fromByteOffset: end - 64, as: SIMD8<UInt64>.self)
          if block != otherBlock { break }
          end -= 64
        }
        while end > 0, unsafe bytes[end - 1] == otherBytes[end - 1] { end -= 1 }
        return count - end
      }
    }
  }
}
