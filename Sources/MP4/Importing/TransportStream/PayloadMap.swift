import MP4Bytes

/// Where the bytes of an elementary stream are in a transport stream.
///
/// A run is the rest of a packet and the whole payloads of the packets that follow it directly. Each takes a few bytes
/// of memory, and packets whose streams alternate are a run each.
struct PayloadMap: Sendable {
  /// The distance from packet to packet.
  let stride: Int
  /// The number of bytes of each run, its distance from the start of the previous run in the file, and the number of
  /// its bytes that are in its first packet.
  private var (counts, steps, firsts) = (PackedColumn(), PackedColumn(), PackedColumn())
  /// The last run, which can grow, and the start of the one before it.
  private var last: Run?
  private var lastStart = 0
  /// The end of the last run in the file.
  private var end = 0
  /// The number of bytes of the stream.
  private(set) var byteCount = 0

  /// The size of a payload without adaptation field.
  private static let wholeSize = 184

  struct Run {
    /// The offset in the file.
    var offset: Int
    /// The number of bytes in its first packet, and in all packets.
    var (first, count): (Int, Int)
  }

  init(stride: Int) { self.stride = stride }

  /// Appends a part of the payload of a packet, which extends to the end of the packet unless the stream ends in it.
  mutating func append(_ range: Range<Int>) {
    byteCount += range.count
    if last != nil, range.lowerBound == end + stride - Self.wholeSize {
      last?.count += range.count
    } else {
      close()
      last = Run(offset: range.lowerBound, first: range.count, count: range.count)
    }
    end = range.upperBound
  }

  private mutating func close() {
    guard let run = last else { return }
    counts.append(Int64(run.count))
    steps.append(Int64(run.offset - lastStart))
    firsts.append(Int64(run.first))
    lastStart = run.offset
    last = nil
  }

  /// Ends the last run, so that the stream can be read.
  mutating func finish() { close() }

  /// Reads runs one after another.
  struct Cursor {
    private var (counts, steps, firsts) = (PackedColumn.Reader(), PackedColumn.Reader(), PackedColumn.Reader())
    private var index: Int
    private var offset: Int
    /// The start of the current run in the stream.
    private(set) var start: Int

    /// The run with a byte of the stream, which must exist.
    init(at byte: Int, of map: PayloadMap) {
      let (index, sum) = map.counts.index(whereSumExceeds: Int64(byte))
      (self.index, start) = (index, Int(sum))
      offset = Int(map.steps.sum(before: index + 1))
    }

    mutating func run(_ map: PayloadMap) -> Run {
      Run(
        offset: offset, first: Int(firsts.value(at: index, in: map.firsts)),
        count: Int(counts.value(at: index, in: map.counts)))
    }

    /// Moves to the next run; returns whether there is one.
    mutating func next(_ map: PayloadMap) -> Bool {
      guard index + 1 < map.counts.count else { return false }
      start += Int(counts.value(at: index, in: map.counts))
      index += 1
      offset += Int(steps.value(at: index, in: map.steps))
      return true
    }
  }

  /// The offset in the file of a byte of a run.
  func offset(of byte: Int, in run: Run) -> Int {
    if byte < run.first { return run.offset + byte }
    let (packet, rest) = (byte - run.first).quotientAndRemainder(dividingBy: Self.wholeSize)
    return run.offset + run.first + packet * stride + stride - Self.wholeSize + rest
  }

  /// The number of bytes from a byte of a run to the end of its packet.
  func countInPacket(from byte: Int, of run: Run) -> Int {
    byte < run.first
      ? run.first - byte : min(run.count - byte, Self.wholeSize - (byte - run.first) % Self.wholeSize)
  }

  /// The offset in the file of a byte of the stream.
  func offset(of byte: Int) -> Int {
    guard byte < byteCount else { return end }
    var cursor = Cursor(at: byte, of: self)
    return offset(of: byte - cursor.start, in: cursor.run(self))
  }
}

/// An elementary stream in a transport stream, which is read from the packets of the file.
final class PayloadSource: ByteSource {
  let name: String
  private let source: any ByteSource
  private let map: PayloadMap
  var byteCount: Int? { map.byteCount }

  /// The largest part of a run that is read at once.
  private static let partSize = 1 << 15

  init(_ map: PayloadMap, of source: any ByteSource) { (self.map, self.source, name) = (map, source, source.name) }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, map.byteCount - offset)
    guard wanted > 0 else { return 0 }
    var window = ByteWindow(source, readAhead: min(wanted + wanted / 8 + 64, 4096))
    var cursor = PayloadMap.Cursor(at: offset, of: map)
    var done = 0
    while done < wanted {
      let run = cursor.run(map)
      var place = offset + done - cursor.start
      let end = min(run.count, place + wanted - done)
      while place < end {
        let part = min(end - place, Self.partSize)
        let from = map.offset(of: place, in: run)
        let count = map.offset(of: place + part - 1, in: run) + 1 - from
        let bytes = try window.look(at: from, count: count)
        guard bytes.byteCount == count else { return done }
        let partEnd = place + part
        while place < partEnd {
          let piece = min(partEnd - place, map.countInPacket(from: place, of: run))
          let start = map.offset(of: place, in: run) - from
          buffer.replace(from: done, with: bytes.extracting(start..<start + piece))
          (place, done) = (place + piece, done + piece)
        }
      }
      if done < wanted, !cursor.next(map) { break }
    }
    return done
  }
}
