public import FileIO
public import ISOBMFF

/// A bounded cache on a disk of parts of what lies elsewhere; it survives a restart, and a crash.
public final class BlockCache: Sendable {
  /// A cache in `folder`, which is made if it is missing and may hold other files; `nil` for a temporary one that is
  /// removed at the end.
  ///
  /// - Parameters:
  ///   - folder: Where the cache is, in a folder of its own. Another program that uses the same one is an error.
  ///   - byteLimit: How many bytes of the disk it takes at most; less than 256 KiB counts as that.
  public init(_ folder: Path?, byteLimit: Int) throws(IOError) {}
}
