import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support

/// Records every write of an in-place change, and creates the files that a power failure could leave.
final class InPlaceRecorder: InPlaceSink {
  enum Event: Equatable {
    /// Bytes after the end of the file; any part of them may be written.
    case append([UInt8], at: Int)
    /// Bytes in one sector: all or none are written.
    case replace([UInt8], at: Int)
    /// Bytes in free space; any of their sectors may be written.
    case overwrite([UInt8], at: Int)
    /// Like `replace`; after this write, the file is the new one.
    case commit([UInt8], at: Int)
    case synchronize
  }
  let name = "in.mp4"
  private(set) var position = 0
  private(set) var events: [Event] = []

  func append(at offset: Int) { position = offset }
  func write(_ bytes: RawSpan) throws(IOError) {
    let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    if copy.isEmpty { return }
    defer { position += copy.count }
    if case .append(let bytes, let offset)? = events.last, offset + bytes.count == position {
      events[events.count - 1] = .append(bytes + copy, at: offset)
    } else {
      events.append(.append(copy, at: position))
    }
  }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    let sink = MemorySink()
    try sink.copy(range, of: source)
    try write(sink.bytes)
  }
  func replace(_ bytes: [UInt8], at offset: Int) { events.append(.replace(bytes, at: offset)) }
  func overwrite(_ bytes: [UInt8], at offset: Int) { events.append(.overwrite(bytes, at: offset)) }
  func commit(_ bytes: [UInt8], at offset: Int) { events.append(.commit(bytes, at: offset)) }
  func synchronize() { events.append(.synchronize) }

  /// The groups of writes that the disk may reorder.
  var groups: [ArraySlice<Event>] { events.split(separator: .synchronize) }
}

extension InPlaceRecorder.Event {
  var isCommit: Bool { if case .commit = self { true } else { false } }

  /// Applies the write, or only its first `count` bytes if it appends. Missing bytes before it are 0.
  func apply(to file: inout [UInt8], first count: Int = .max) {
    switch self {
    case .append(let bytes, let offset), .overwrite(let bytes, let offset):
      Self.put(bytes.prefix(count), at: offset, in: &file)
    case .replace(let bytes, let offset), .commit(let bytes, let offset): Self.put(bytes[...], at: offset, in: &file)
    case .synchronize: break
    }
  }
  /// Applies only the chosen sectors of the write; the file has the same length as with all of them.
  func apply(to file: inout [UInt8], sectors isChosen: () -> Bool) {
    let (bytes, offset): ([UInt8], Int)
    switch self {
    case .append(let appended, let start), .overwrite(let appended, let start): (bytes, offset) = (appended, start)
    case .replace, .commit, .synchronize:
      if isChosen() { apply(to: &file) }
      return
    }
    file += zeros(max(0, offset + bytes.count - file.count))
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + 512 - (offset + start) % 512)
      if isChosen() { Self.put(bytes[start..<end], at: offset + start, in: &file) }
      start = end
    }
  }
  private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, in file: inout [UInt8]) {
    file += zeros(max(0, offset + bytes.count - file.count))
    file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
  /// The numbers of bytes of a write to try: a few, and all.
  var cuts: [Int] {
    guard case .append(let bytes, _) = self else { return [.max] }
    let some = bytes.count <= 8 ? Array(1..<bytes.count) : [1, 7, 8, 15, 100, bytes.count / 2, bytes.count - 1]
    return some.filter { $0 < bytes.count } + [.max]
  }
}

/// A file that a power failure could leave.
struct InterruptedFile {
  var bytes: [UInt8]
  /// Whether the last write is complete.
  var isFinished: Bool
  /// The time of the interruption, for messages.
  var moment: String
}

extension InPlaceRecorder {
  /// Every possible file: after each prefix of the writes, in the middle of each appending write, and after some of the
  /// writes between two syncs without the others.
  func interruptions(of original: [UInt8], seed: UInt64 = 7) -> [InterruptedFile] {
    var files = [InterruptedFile(bytes: original, isFinished: false, moment: "before all")]
    var random = SplitMix64(seed: seed)
    var state = original
    var isFinished = false
    for (number, group) in groups.enumerated() {
      func add(_ moment: String, _ change: (inout [UInt8]) -> Void) {
        var bytes = state
        change(&bytes)
        let isDone = isFinished || (group.contains(where: \.isCommit) && bytes != state)
        files.append(InterruptedFile(bytes: bytes, isFinished: isDone, moment: "group \(number), \(moment)"))
      }
      for (index, event) in group.enumerated() {
        let before = group.prefix(index)
        for count in event.cuts {
          add("write \(index), \(count) bytes of it") { bytes in
            for earlier in before { earlier.apply(to: &bytes) }
            event.apply(to: &bytes, first: count)
          }
        }
        add("write \(index) alone") { event.apply(to: &$0) }
      }
      add("the length alone") { bytes in for event in group { event.apply(to: &bytes) { false } } }
      for round in 0..<6 {
        add("some sectors, round \(round)") { bytes in
          for event in group { event.apply(to: &bytes) { random.next() & 1 == 0 } }
        }
      }
      for event in group { event.apply(to: &state) }
      isFinished = isFinished || group.contains(where: \.isCommit)
    }
    return files
  }

  /// The file after all writes.
  func finished(_ original: [UInt8]) -> [UInt8] {
    var file = original
    for event in events { event.apply(to: &file) }
    return file
  }
}
