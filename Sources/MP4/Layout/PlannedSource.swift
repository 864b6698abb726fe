import ISOBMFF
import MP4Bytes

/// A planned file as a source: new bytes are in memory, all others are read from the sources.
final class PlannedSource: ByteSource {
  let name: String
  private let file: PlannedFile
  var byteCount: Int? { file.byteCount }

  init(_ file: PlannedFile, name: String) { (self.file, self.name) = (file, name) }

  /// The planned file.
  convenience init(_ plan: OutputPlan, name: String) throws(IOError) {
    let sink = PlannedSink(name: name)
    try sink.append(plan)
    self.init(sink.file, name: name)
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    try file.read(at: offset, into: &buffer)
  }

  /// Copies a range to a sink.
  func copy(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    guard try file.copy(range, to: sink) < range.upperBound else { return }
    throw IOError(endOf: self, at: file.byteCount, copying: range)
  }
}

/// Collects the output of plans in memory.
final class PlannedSink: ByteSink {
  let name: String
  private(set) var file = PlannedFile()
  var position: Int { file.byteCount }

  init(name: String) { self.name = name }

  /// Appends the output of a plan.
  func append(_ plan: OutputPlan) throws(IOError) {
    file.sources = plan.sources
    for part in plan.parts {
      switch part {
      case .bytes(let bytes): try write(bytes)
      case .boxes(let boxes): try boxes.write(to: self, from: plan.sources)
      case .copies(let copies): file.add(copies)
      }
    }
  }
  func write(_ bytes: RawSpan) throws(IOError) { file.write(bytes) }
  func write(_ bytes: [UInt8]) throws(IOError) { file.write(bytes) }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) { file.copy(range, of: source) }
  /// Truncates the file; later additions start there.
  func truncate(to end: Int) { file.truncate(to: end) }
  /// Replaces the bytes at `offset` with `bytes`.
  func replace(_ bytes: [UInt8], at offset: Int) { file.replace(bytes, at: offset) }
}

/// Pieces of memory and of sources, concatenated.
struct PlannedFile: Sendable {
  private(set) var byteCount = 0

  /// A range of the file.
  fileprivate struct FileRange: Sendable {
    enum Content: Sendable {
      /// Bytes in memory: the index of the block, and the offset in it.
      case memory(block: Int, Int)
      /// Bytes of a source from this offset on.
      case source(any ByteSource, Int)
      /// Ranges of sources, usually media that is not read, and the start of each in the piece.
      case copies(CopyPlan, starts: [Int])
    }
    var start: Int
    var count: Int
    var content: Content
    var end: Int { start + count }
  }
  private var pieces: [FileRange] = []
  /// New bytes, in blocks.
  private var memory: [[UInt8]] = []
  private static let blockSize = 1 << 16
  fileprivate(set) var sources: [any ByteSource] = []

  mutating func write(_ bytes: RawSpan) {
    if memory.last.map({ $0.count + bytes.byteCount > Self.blockSize }) ?? true { memory.append([]) }
    let block = memory.count - 1
    let start = memory[block].count
    unsafe bytes.withUnsafeBytes { unsafe memory[block].append(contentsOf: $0) }
    if case .memory(block, let first)? = pieces.last?.content, let last = pieces.indices.last,
      first + pieces[last].count == start
    {
      pieces[last].count += bytes.byteCount
      byteCount += bytes.byteCount
    } else {
      add(bytes.byteCount, .memory(block: block, start))
    }
  }

  /// Large byte arrays are not copied.
  mutating func write(_ bytes: [UInt8]) {
    let all = bytes[...]
    guard bytes.count > Self.blockSize else { return write(all.raw) }
    memory.append(bytes)
    add(bytes.count, .memory(block: memory.count - 1, 0))
  }

  mutating func copy(_ range: Range<Int>, of source: any ByteSource) {
    if let last = pieces.indices.last, case .source(let before, let offset) = pieces[last].content,
      before === source, offset + pieces[last].count == range.lowerBound
    {
      pieces[last].count += range.count
      byteCount += range.count
    } else {
      add(range.count, .source(source, range.lowerBound))
    }
  }

  fileprivate mutating func add(_ copies: CopyPlan) {
    var starts: [Int] = []
    starts.reserveCapacity(copies.pieces.count)
    var start = 0
    for piece in copies.pieces {
      starts.append(start)
      start += piece.range.count
    }
    add(copies.byteCount, .copies(copies, starts: starts))
  }

  private mutating func add(_ count: Int, _ content: FileRange.Content) {
    guard count > 0 else { return }
    pieces.append(FileRange(start: byteCount, count: count, content: content))
    byteCount += count
  }

  /// Truncates the file; later additions start there.
  mutating func truncate(to end: Int) {
    while let last = pieces.last, last.start >= end { pieces.removeLast() }
    if let last = pieces.indices.last, pieces[last].end > end { pieces[last].count = end - pieces[last].start }
    byteCount = min(byteCount, end)
  }

  /// Replaces the bytes at `offset` with `bytes`.
  mutating func replace(_ bytes: [UInt8], at offset: Int) {
    var result: [FileRange] = []
    let range = offset..<offset + bytes.count
    var isIn = false
    for piece in pieces {
      if piece.start < range.lowerBound { result += piece.part(piece.start..<min(piece.end, range.lowerBound)) }
      if !isIn, piece.end > range.lowerBound {
        isIn = true
        result.append(FileRange(start: offset, count: bytes.count, content: .memory(block: memory.count, 0)))
        memory.append(bytes)
      }
      if piece.end > range.upperBound { result += piece.part(max(piece.start, range.upperBound)..<piece.end) }
    }
    pieces = result
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    var index = pieces.partition { $0.end > offset }
    var done = 0
    let wanted = buffer.byteCount
    while index < pieces.count, done < wanted {
      let piece = pieces[index]
      let skipped = offset + done - piece.start
      let count = min(wanted - done, piece.count - skipped)
      switch piece.content {
      case .memory(let block, let start):
        put(memory[block][start + skipped..<start + skipped + count], &buffer, &done)
      case .source(let source, let start):
        guard try put(source, start + skipped..<start + skipped + count, &buffer, &done) else { return done }
      case .copies(let copies, let starts):
        var number = max(0, starts.partition { $0 > skipped } - 1)
        while number < starts.count, done < wanted {
          let range = copies.pieces[number].range
          let start = range.lowerBound + max(0, skipped - starts[number])
          let own = start..<min(range.upperBound, start + wanted - done)
          guard try put(sources[copies.pieces[number].source], own, &buffer, &done) else { return done }
          number += 1
        }
      }
      index += 1
    }
    return done
  }

  /// Copies a range to a sink; returns the end of what exists.
  fileprivate func copy(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) -> Int {
    var at = range.lowerBound
    var index = pieces.partition { $0.end > at }
    while index < pieces.count, at < range.upperBound {
      let piece = pieces[index]
      let own = (at - piece.start)..<(min(range.upperBound, piece.end) - piece.start)
      switch piece.content {
      case .memory(let block, let start):
        try sink.write(Array(memory[block][start + own.lowerBound..<start + own.upperBound]))
      case .source(let source, let start):
        try sink.copyMedia(start + own.lowerBound..<start + own.upperBound, of: source)
      case .copies(let copies, let starts):
        var number = max(0, starts.partition { $0 > own.lowerBound } - 1)
        while number < starts.count, starts[number] < own.upperBound {
          let (start, range) = (starts[number], copies.pieces[number].range)
          let from = range.lowerBound + max(0, own.lowerBound - start)
          let to = range.lowerBound + min(range.count, own.upperBound - start)
          try sink.copyMedia(from..<to, of: sources[copies.pieces[number].source])
          number += 1
        }
      }
      at = piece.start + own.upperBound
      index += 1
    }
    return at
  }

  private func put(_ bytes: ArraySlice<UInt8>, _ buffer: inout MutableRawSpan, _ done: inout Int) {
    unsafe buffer.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target[done...].copyBytes(from: $0) }
    }
    done += bytes.count
  }

  /// Copies a range of a source; returns whether all of its bytes exist.
  private func put(_ source: any ByteSource, _ range: Range<Int>, _ buffer: inout MutableRawSpan, _ done: inout Int)
    throws(IOError) -> Bool
  {
    var target = buffer._mutatingExtracting(done..<done + range.count)
    let count = try source.read(at: range.lowerBound, into: &target)
    done += count
    return count == range.count
  }
}

extension PlannedFile.FileRange {
  /// The pieces in a range of the file. Media of other files is never divided.
  fileprivate func part(_ range: Range<Int>) -> [PlannedFile.FileRange] {
    let skipped = range.lowerBound - start
    let content: Content =
      switch self.content {
      case .memory(let block, let offset): .memory(block: block, offset + skipped)
      case .source(let source, let offset): .source(source, offset + skipped)
      case .copies: self.content
      }
    return [PlannedFile.FileRange(start: range.lowerBound, count: range.count, content: content)]
  }
}
