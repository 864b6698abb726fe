public import Bytes
public import HLS
import ISOBMFF

/// Where a live presentation goes: a folder from which players read while it is written.
public protocol LiveOutput: AnyObject {
  /// Appends bytes to the segment that is open, and opens one when there is none. No client sees it yet.
  func append(_ bytes: ArraySlice<UInt8>) throws(IOError)
  /// Replaces bytes that the open segment has.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Takes away what the open segment has after its first `byteCount` bytes.
  func truncate(to byteCount: Int) throws(IOError)
  /// Completes the open segment: it appears, whole, as the file `name`.
  func finish(as name: String) throws(IOError)
  /// Gives up the open segment, if there is one.
  func discard()
  /// Makes a file, or replaces it in one step.
  func write(_ bytes: [UInt8], as name: String) throws(IOError)
  /// Removes a file that no player needs any more.
  func remove(_ name: String)
}

/// A moment, by the two clocks that a live presentation needs.
public struct LiveMoment: Sendable {
  /// By a clock that never goes back.
  public var uptime: Duration
  /// The time of day.
  public var date: DateTime

  /// A moment of both clocks.
  public init(uptime: Duration, date: DateTime) { (self.uptime, self.date) = (uptime, date) }
}
