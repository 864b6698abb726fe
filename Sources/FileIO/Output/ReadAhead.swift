import MP4Bytes

/// Several read windows for files from which many small ranges are copied.
///
/// Interleaved tracks are read from several positions that advance independently. A window follows each position and
/// reads ahead: more the longer it is followed, and less if few of the bytes are used. Windows do not overlap, so that
/// bytes are read once, whatever their order.
final class ReadAhead {
  /// The maximum size of a window, and the largest gap that a window skips.
  private static let limit = 256 << 10
  private static let windowCount = 8
  private static let firstCount = 16 << 10

  private struct Window {
    let buffer = ByteBuffer(count: ReadAhead.limit)
    var source: FileSource?
    /// The part of the source in the buffer.
    var range = 0..<0
    /// The number of bytes to read when the position advances.
    var step = ReadAhead.firstCount
    var lastUse = 0
    /// The number of its bytes that were requested.
    var usedCount = 0

    /// Chooses the size of the next read.
    mutating func adapt(_ follows: Bool) {
      if !follows {
        step = ReadAhead.firstCount
      } else if usedCount * 4 >= range.count * 3 {
        step = min(step * 2, ReadAhead.limit)
      } else if usedCount * 2 < range.count {
        step = max(step / 2, ReadAhead.firstCount)
      }
      usedCount = 0
    }
  }

  private var windows: [Window] = []
  private var uses = 0

  /// The bytes of `range` that a window contains, starting with the first; `nil` if no window contains it.
  func part(_ range: Range<Int>, of source: FileSource) -> ByteBuffer.Part? {
    for index in windows.indices
    where windows[index].source === source && windows[index].range.contains(range.lowerBound) {
      return take(range, from: index)
    }
    return nil
  }

  /// Moves a window to `range` and returns as many of its bytes as fit, or none at the end of the source.
  func move(
    to range: Range<Int>, of source: FileSource, counting output: FileWriter
  ) throws(IOError) -> ByteBuffer.Part {
    let (index, follows) = choose(for: range.lowerBound, of: source)
    try fill(index, with: range, of: source, follows: follows)
    output.calls.reads += 1
    output.calls.bytesRead += windows[index].range.count
    return take(range, from: index)
  }

  private func take(_ range: Range<Int>, from index: Int) -> ByteBuffer.Part {
    uses += 1
    windows[index].lastUse = uses
    let (buffer, held) = (windows[index].buffer, windows[index].range)
    let part = range.clamped(to: held)
    windows[index].usedCount += part.count
    return ByteBuffer.Part(buffer, part.lowerBound - held.lowerBound..<part.upperBound - held.lowerBound)
  }

  /// The window whose position is closest before `offset`, and `true`; without one, the least recently used window.
  private func choose(for offset: Int, of source: FileSource) -> (index: Int, follows: Bool) {
    let following = windows.lastIndex {
      $0.source === source && (0..<ReadAhead.limit).contains(offset - $0.range.upperBound)
    }
    if let following { return (following, true) }
    if windows.count < ReadAhead.windowCount {
      windows.append(Window())
      return (windows.count - 1, false)
    }
    return (windows.indices.min { windows[$0].lastUse < windows[$1].lastUse } ?? 0, false)
  }

  /// Fills a window with `range` and the bytes after it. The caller handles short reads.
  private func fill(_ index: Int, with range: Range<Int>, of source: FileSource, follows: Bool) throws(IOError) {
    windows[index].adapt(follows)
    windows[index].source = nil
    let others = windows.lazy.filter { $0.source === source && $0.range.lowerBound > range.lowerBound }
    let next = others.map(\.range.lowerBound).min() ?? .max
    let wanted = min(max(range.count, windows[index].step), ReadAhead.limit, next - range.lowerBound)
    let count = try windows[index].buffer.fill(0..<wanted, from: source, at: range.lowerBound)
    windows[index].source = source
    windows[index].range = range.lowerBound..<range.lowerBound + count
  }
}
