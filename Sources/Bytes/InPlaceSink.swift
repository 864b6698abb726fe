/// A file that is changed in place, with as few writes as possible.
///
/// `write` and `copy` append at the offset set by `append`, and `position` is the offset of the next byte.
public protocol InPlaceSink: ByteSink {
  /// Sets where the next bytes are written: the end of the file, or a few bytes before it that may be replaced.
  func append(at offset: Int) throws(IOError)
  /// Replaces bytes within one sector of 512 bytes, so that even after a power failure, either the old or the new bytes
  /// are present.
  func replace(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Like `replace`, for the write that makes the change effective. It fails if another program has changed the file.
  /// Afterwards, nothing can be undone.
  func commit(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Replaces bytes in free space, which no reader uses. They may span several sectors. After `commit`, this cannot be
  /// undone.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Waits until everything written so far is on the disk.
  func synchronize() throws(IOError)
}
