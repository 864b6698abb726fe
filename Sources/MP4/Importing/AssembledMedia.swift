import MP4Bytes

/// Parts of a file one after another, without what is between them: the samples of an elementary stream.
///
/// Before each part there can be its size in four bytes, as MP4 has it before NAL units. Parts can start within bytes.
final class AssembledMedia: ByteSource {
  /// The ranges of the parts in the file, and where they are in the media.
  struct Parts: Sendable {
    /// Whether the size of each part precedes it.
    let hasSizes: Bool
    /// Whether the places in the file are those of bits.
    let areBits: Bool
    private(set) var offsets: [Int] = []
    private(set) var starts: [Int] = []
    private(set) var byteCount = 0

    init(hasSizes: Bool = false, areBits: Bool = false) { (self.hasSizes, self.areBits) = (hasSizes, areBits) }

    /// Adds bytes that start at a bit of the file.
    mutating func append(bit: Int, byteCount count: Int) {
      offsets.append(bit)
      starts.append(byteCount)
      byteCount += count
    }

    /// Adds a part; adjacent parts without sizes are merged.
    mutating func append(_ range: Range<Int>) {
      if !hasSizes {
        if range.isEmpty { return }
        if let offset = offsets.last, let start = starts.last, offset + byteCount - start == range.lowerBound {
          byteCount += range.count
          return
        }
      }
      offsets.append(range.lowerBound)
      starts.append(byteCount)
      byteCount += range.count + (hasSizes ? 4 : 0)
    }

    /// The end of a part in the media.
    func end(_ index: Int) -> Int { index + 1 < starts.count ? starts[index + 1] : byteCount }
  }

  let name: String
  private let source: any ByteSource
  private let parts: Parts
  var byteCount: Int? { parts.byteCount }

  /// Larger pieces are read without a window.
  private static let windowSize = 1 << 16

  init(_ parts: Parts, of source: any ByteSource) { (self.parts, self.source, name) = (parts, source, source.name) }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, parts.byteCount - offset)
    guard wanted > 0 else { return 0 }
    var window = ByteWindow(source, readAhead: min(wanted, Self.windowSize))
    var (done, index) = (0, max(0, parts.starts.partition { $0 > offset } - 1))
    while done < wanted {
      let (start, end) = (parts.starts[index], parts.end(index))
      var place = offset + done - start
      if parts.hasSizes {
        let size = UInt32(truncatingIfNeeded: end - start - 4).bigEndian
        while place < 4, done < wanted {
          buffer.storeBytes(of: UInt8(truncatingIfNeeded: size >> (8 * place)), toByteOffset: done, as: UInt8.self)
          (place, done) = (place + 1, done + 1)
        }
        place -= 4
      }
      let count = min(wanted - done, end - offset - done)
      if count > 0 {
        let offset = parts.offsets[index] + (parts.areBits ? 8 * place : place)
        let read = try copy(offset, count, to: &buffer, at: done, &window)
        done += read
        if read < count { break }
      }
      index += 1
    }
    return done
  }

  private func copy(
    _ offset: Int, _ count: Int, to buffer: inout MutableRawSpan, at done: Int, _ window: inout ByteWindow
  ) throws(IOError) -> Int {
    if parts.areBits {
      let shift = UInt8(offset % 8)
      let bytes = try window.slice(at: offset / 8, count: count + (shift > 0 ? 1 : 0))
      let read = min(count, bytes.count)
      for index in 0..<read {
        let (at, next) = (bytes.startIndex + index, bytes.startIndex + index + 1)
        let byte =
          shift == 0 ? bytes[at] : bytes[at] << shift | (next < bytes.endIndex ? bytes[next] : 0) >> (8 - shift)
        buffer.storeBytes(of: byte, toByteOffset: done + index, as: UInt8.self)
      }
      return read
    }
    var target = buffer._mutatingExtracting(done..<done + count)
    if count >= Self.windowSize / 2 { return try source.readOn(at: offset, into: &target) }
    let bytes = try window.slice(at: offset, count: count)
    unsafe target.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyBytes(from: $0) }
    }
    return bytes.count
  }
}
