import ISOBMFF
import MP4Bytes

/// The rows of `stsc` with what follows from their neighbours: the first sample and the number of chunks.
struct SampleToChunkRows {
  struct Line {
    var index = 0
    var firstChunk: Int64 = 0
    var firstSample: Int64 = 1
    var chunkCount: Int64 = 0
    var samplesPerChunk: Int64 = 0
    var descriptionIndex: Int64 = 0
  }
  /// The latest complete row; its number of chunks is known only when another row follows.
  private(set) var last: Line?
  private var next = Line()
  private var fieldCount = 0

  /// Takes a field of the row: the first chunk, the samples per chunk, or the sample description index.
  mutating func add(_ value: Int64) {
    switch fieldCount {
    case 0: next.firstChunk = value
    case 1: next.samplesPerChunk = value
    default: next.descriptionIndex = value
    }
    fieldCount += 1
  }

  /// Ends a row and returns the row before it, which is now complete.
  mutating func endRow() -> Line? {
    if var complete = last {
      complete.chunkCount = next.firstChunk - complete.firstChunk
      next.index = complete.index + 1
      next.firstSample = complete.firstSample &+ complete.chunkCount &* complete.samplesPerChunk
      last = complete
    }
    let complete = last
    last = next
    (next, fieldCount) = (Line(), 0)
    return complete
  }
}
