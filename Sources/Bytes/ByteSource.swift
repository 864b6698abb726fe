/// A source of bytes with random access: a file, a pipe or memory.
///
/// The parser and every operation read through this protocol, so that they are independent of the platform. Several
/// tasks can read concurrently.
public protocol ByteSource: AnyObject, Sendable {
  /// The name of the source in messages; usually the path as the user gave it.
  var name: String { get }
  /// The number of bytes, or `nil` while it is unknown, as for a pipe whose end has not been reached.
  var byteCount: Int? { get }

  /// Fills `buffer` from `offset` and returns the number of bytes read; fewer than requested only at the end of the
  /// source.
  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int
}

extension ByteSource {
  /// The bytes of a range; fewer only if the source ends.
  public func bytes(in range: Range<Int>) throws(IOError) -> [UInt8] {
    var window = ByteWindow(self, readAhead: 0)
    return Array(try window.slice(at: range.lowerBound, count: range.count))
  }

  /// Whether the source has all bytes of a range, and all are zeros. Nothing is read after the first other byte.
  package func isZero(in range: Range<Int>) throws(IOError) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      let part = try bytes(in: at..<min(range.upperBound, at + (1 << 16)))
      guard !part.isEmpty, part.allSatisfy({ $0 == 0 }) else { return false }
      at += part.count
    }
    return true
  }
}

/// A sink to which bytes are appended.
public protocol ByteSink: AnyObject {
  /// The name of the sink in messages; usually the path as the user gave it.
  var name: String { get }
  /// The number of bytes written so far.
  var position: Int { get }

  /// Appends `bytes`.
  func write(_ bytes: RawSpan) throws(IOError)
  /// Appends `bytes`; a sink that keeps them does not have to copy them.
  func write(_ bytes: [UInt8]) throws(IOError)
  /// Appends the bytes `range` of `source`; throws if the source ends early.
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError)
}

extension ByteSink {
  /// Appends `bytes`.
  public func write(_ bytes: [UInt8]) throws(IOError) {
    let all = bytes[...]
    try write(all.raw)
  }
}
