import MP4Bytes
import MP4Platform

/// Combines many small writes and copies into few system calls.
///
/// A copy is deferred until the next one: if that is adjacent, the two are merged. Short ranges are read together with
/// the bytes between them; they and the written bytes are gathered until one call writes them all. Long ranges are
/// copied by a `RangeCopier`.
final class CoalescingWriter {
  /// Ranges of at least this length are copied individually. Measured with 550 MB interleaved from two positions (`cp`
  /// of the file takes 150 ms): pieces of 15 kB take 200 ms gathered and 410 ms with one copy each.
  private static let longCount = 64 << 10
  /// Larger buffers are not faster; gathered data stays in the processor cache until it is written.
  private static let bufferCount = 512 << 10
  /// Shorter ranges are copied into the buffer, which is faster than writing them as separate parts.
  private static let partCount = 4 << 10
  private static let partLimit = 512

  let output: FileWriter
  /// The number of bytes accepted, whether written or still buffered.
  private(set) var position = 0
  /// The first error: after it, bytes are missing, and the output must never be completed.
  private(set) var failure: IOError?
  private let buffer = ByteBuffer(count: CoalescingWriter.bufferCount)
  /// The number of used bytes in the buffer.
  private var gathered = 0
  /// The parts to write next: parts of the buffer and of data that was read ahead.
  private var parts: [ByteBuffer.Part] = []
  private var waiting: (source: any ByteSource, range: Range<Int>)?
  private let readAhead = ReadAhead()
  private let copier: RangeCopier

  init(to output: FileWriter) {
    self.output = output
    copier = RangeCopier(to: output, through: buffer)
  }

  /// Continues with a new file on a disk. Everything for the previous file must have been written.
  func begin(_ file: Descriptor, name: String) throws(IOError) {
    precondition(parts.isEmpty && waiting == nil, "a file is finished before the next one begins")
    position = 0
    try output.begin(file, name: name)
  }

  /// Runs `body` unless there was an error before, and remembers its error.
  func keepingFailure(_ body: () throws(IOError) -> Void) throws(IOError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      throw error
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    try copyWaiting()
    try unsafe gather(bytes)
    position += bytes.count
  }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if range.isEmpty { return }
    position += range.count
    if let last = waiting, last.source === source, last.range.upperBound == range.lowerBound {
      waiting = (source, last.range.lowerBound..<range.upperBound)
      return
    }
    try copyWaiting()
    waiting = (source, range)
  }

  /// Writes everything to the output.
  func flush() throws(IOError) {
    try copyWaiting()
    try writeParts()
  }

  private func copyWaiting() throws(IOError) {
    guard let (source, range) = waiting else { return }
    waiting = nil
    if range.count >= CoalescingWriter.longCount {
      try writeParts()
      try copier.copy(range, of: source)
    } else if let file = source as? FileSource {
      try gather(range, of: file)
    } else {
      try gather(range, of: source)
    }
  }

  /// Gathers bytes in the buffer.
  private func gather(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      if gathered == buffer.count { try writeParts() }
      let count = unsafe min(rest.count, buffer.count - gathered)
      unsafe buffer.bytes[gathered...].copyBytes(from: rest.prefix(count))
      unsafe rest = rest.dropFirst(count)
      addGathered(count)
    }
  }

  /// Gathers a short range of a file through the windows.
  private func gather(_ range: Range<Int>, of file: FileSource) throws(IOError) {
    _ = output.reserve(range.count)
    var offset = range.lowerBound
    while offset < range.upperBound {
      if parts.count >= CoalescingWriter.partLimit { try writeParts() }
      let rest = offset..<range.upperBound
      var part = readAhead.part(rest, of: file)
      if part == nil {
        // The window that moves may contain bytes that are not written yet.
        if parts.contains(where: { $0.buffer !== buffer }) { try writeParts() }
        part = try readAhead.move(to: rest, of: file, counting: output)
      }
      guard let part, !part.range.isEmpty else { throw IOError(endOf: file, at: offset, copying: range) }
      if part.range.count < CoalescingWriter.partCount {
        try unsafe gather(part.bytes)
      } else {
        parts.append(part)
      }
      offset += part.range.count
    }
  }

  /// Gathers a range for which read-ahead is useless, such as a range of a pipe or of memory.
  private func gather(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if range.count > buffer.count - gathered { try writeParts() }
    output.calls.reads += 1
    let count = try buffer.fill(gathered..<gathered + range.count, from: source, at: range.lowerBound)
    addGathered(count)
    if count < range.count { throw IOError(endOf: source, at: range.lowerBound + count, copying: range) }
  }

  /// Adds the next `count` bytes of the buffer to the parts to write.
  private func addGathered(_ count: Int) {
    let range = gathered..<gathered + count
    gathered = range.upperBound
    if let last = parts.indices.last, parts[last].buffer === buffer {
      parts[last].range = parts[last].range.lowerBound..<range.upperBound
    } else {
      parts.append(ByteBuffer.Part(buffer, range))
    }
  }

  private func writeParts() throws(IOError) {
    defer {
      parts.removeAll(keepingCapacity: true)
      gathered = 0
    }
    try output.write(parts)
  }
}
