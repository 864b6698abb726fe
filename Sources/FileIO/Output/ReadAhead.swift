import Bytes

/// Several read windows for files from which many small ranges are copied.
///
/// Interleaved tracks are read from several positions that advance independently. A window follows each position and
/// reads ahead of it, more the longer it is followed, so that isolated ranges cost no more than
/// themselves.
final class ReadAhead {
  /// The maximum size of a window, and the largest gap that a window skips.
  static let limit = 128 << 10
  private static let windowCount = 8
  private static let firstCount = 16 << 10

  private struct Window {
    let buffer = ByteBuffer(count: ReadAhead.limit)
    var source: FileSource?
    /// The part of the source in the buffer.
    var range = 0..<0
    /// How much is read when the position advances.
    var step = ReadAhead.firstCount
    var lastUse = 0
  }

  private var windows: [Window] = []
  private var uses = 0

  /// Passes the bytes of `range` to `body`, or as many from its start as fit into a window, and returns their number.
  func read(
    _ range: Range<Int>, of source: FileSource, counting output: FileWriter,
    _ body: (UnsafeRawBufferPointer) throws(IOError) -> Void
  ) throws(IOError) -> Int {
    let index = choose(for: range.lowerBound, of: source)
    uses += 1
    windows[index].lastUse = uses
    if !(windows[index].source === source && windows[index].range.contains(range.lowerBound)) {
      try move(index, to: range, of: source)
      output.calls.reads += 1
    }
    let window = windows[index]
    let part = range.clamped(to: window.range)
    let start = part.lowerBound - window.range.lowerBound
    try unsafe body(window.buffer[start..<start + part.count])
    return part.count
  }

  /// The window that contains `offset`, else the one whose position is closest before it, else the least recently used.
  private func choose(for offset: Int, of source: FileSource) -> Int {
    var following: Int?
    for (index, window) in windows.enumerated() where window.source === source {
      if window.range.contains(offset) { return index }
      if (0..<ReadAhead.limit).contains(offset - window.range.upperBound) { following = index }
    }
    if let following { return following }
    if windows.count < ReadAhead.windowCount {
      windows.append(Window())
      return windows.count - 1
    }
    return windows.indices.min { windows[$0].lastUse < windows[$1].lastUse } ?? 0
  }

  /// Fills a window with `range` and the bytes after it. The caller handles short reads.
  private func move(_ index: Int, to range: Range<Int>, of source: FileSource) throws(IOError) {
    let follows =
      windows[index].source === source
      && (0..<ReadAhead.limit).contains(range.lowerBound - windows[index].range.upperBound)
    let step = follows ? min(windows[index].step * 2, ReadAhead.limit) : ReadAhead.firstCount
    windows[index].step = step
    windows[index].source = nil
    let wanted = min(max(range.count, step), ReadAhead.limit)
    let count = try windows[index].buffer.fill(0..<wanted, from: source, at: range.lowerBound)
    windows[index].source = source
    windows[index].range = range.lowerBound..<range.lowerBound + count
  }
}
