import Fetching
import HLS
import Platform

/// A download from the origin into the cache, from the start of a block to the end, in its own thread.
///
/// It is a part of the status of the resource: all that changes is looked at and changed only by who has that. Its
/// thread gets the number of it.
final class OriginDownload {
  let number: Int
  /// When it began, by `SystemClock.milliseconds`.
  let began = SystemClock.milliseconds
  /// The first byte that it brings.
  var start: Int
  /// The state whose bytes it brings; `nil` as long as the origin was not asked which one that is.
  var state: UInt64?
  /// What the origin said, to those who wait for that.
  var answer: OriginState?
  /// Where the block begins that is being received.
  var position: Int
  /// How much of that block came.
  var count = 0
  /// What came of that block, unless it is in the cache already and only passed by.
  var bytes: [UInt8] = []
  var isPassing = false
  /// The block up to which all were there when that was looked for.
  var nextMissing = 0
  /// How much came in all.
  var received = 0
  /// It waits for readers.
  var isPaused = false
  /// It was ended, and is of no use any more.
  var isEnding = false
  var isEnded = false
  /// Why it ended, if that was not because it was complete or no client wanted it.
  var failure: FetchError?

  init(_ number: Int, start: Int, of state: UInt64?) {
    (self.number, self.start, self.state, position) = (number, start, state, start)
  }

  /// Where the next byte belongs that comes.
  var end: Int { position + count }

  /// Goes on, or back, to the block at `start`.
  func move(to start: Int) {
    (position, count, bytes, isPassing) = (start, 0, [], false)
    self.start = min(self.start, start)
  }

  /// Takes the beginning of `rest` that belongs to the block that ends at `end`.
  func take(_ rest: inout ArraySlice<UInt8>, blockEnd: Int) {
    let part = rest.prefix(blockEnd - self.end)
    if !isPassing { bytes += part }
    count += part.count
    received += part.count
    rest = rest.dropFirst(part.count)
  }

  /// The bytes from `position` on that came and are in no block yet, some at most.
  func piece(at position: Int, limit: Int = 64 << 10) -> [UInt8]? {
    guard !isPassing, self.position <= position, position < end else { return nil }
    let start = position - self.position
    return Array(bytes[start..<min(start + limit, count)])
  }

  /// Whether it brings the byte at `position` sooner or later.
  func reaches(_ position: Int) -> Bool {
    !isEnding && start <= position && position >= (isPassing ? end : self.position)
  }
}
