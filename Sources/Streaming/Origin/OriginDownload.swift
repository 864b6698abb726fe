import MP4Fetching
import MP4HLS
import MP4Platform
import MP4Serving

/// A download from the origin into the cache, from the start of a block to the end, in its own thread.
///
/// Its mutable state is part of the resource's status and may be accessed only while the status is locked. The thread
/// is identified by a number.
final class OriginDownload {
  let number: Int
  /// When it began, in `SystemClock.milliseconds`.
  let began = SystemClock.milliseconds
  /// The first byte that it downloads.
  var start: Int
  /// The state whose bytes it downloads; `nil` until the origin has reported the state.
  var state: UInt64?
  /// The origin's answer, for clients that wait for it.
  var answer: OriginState?
  /// The offset of the block that is being received.
  var position: Int
  /// The number of bytes of that block received so far.
  var count = 0
  /// The received bytes of that block, unless the block is already in the cache and skipped.
  var bytes: [UInt8] = []
  var isPassing = false
  /// The first missing block when this was last looked up.
  var nextMissing = 0
  /// The total number of bytes received.
  var received = 0
  /// Whether it waits for readers.
  var isPaused = false
  /// Whether it was told to end and is no longer useful.
  var isEnding = false
  var isEnded = false
  /// Why it failed; `nil` if it was complete or no client needed it.
  var failure: FetchError?

  init(_ number: Int, start: Int, of state: UInt64?) {
    (self.number, self.start, self.state, position) = (number, start, state, start)
  }

  /// The offset of the next byte to arrive.
  var end: Int { position + count }

  /// Moves forward or back to the block at `start`.
  func move(to start: Int) {
    (position, count, bytes, isPassing) = (start, 0, [], false)
    self.start = min(self.start, start)
  }

  /// Takes from `rest` the bytes before `blockEnd`, the end of the current block.
  func take(_ rest: inout ArraySlice<UInt8>, blockEnd: Int) {
    let part = rest.prefix(blockEnd - self.end)
    if !isPassing { bytes += part }
    count += part.count
    received += part.count
    rest = rest.dropFirst(part.count)
  }

  /// The received bytes from `position` on that are not in a complete block yet, at most `limit`.
  func piece(at position: Int, limit: Int = 64 << 10) -> [UInt8]? {
    guard !isPassing, self.position <= position, position < end else { return nil }
    let start = position - self.position
    return Array(bytes[start..<min(start + limit, count)])
  }

  /// Whether it will download the byte at `position`.
  func reaches(_ position: Int) -> Bool {
    !isEnding && start <= position && position >= (isPassing ? end : self.position)
  }
}
