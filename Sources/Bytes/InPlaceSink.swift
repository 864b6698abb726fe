/// A file that is changed in place, with as few writes as possible.
///
/// `write` and `copy` append at the offset set by `append`, and `position` is the offset of the next byte.
public protocol InPlaceSink: ByteSink {
  /// Lets what is written next begin at `offset`: the end of the file, or a few bytes before it that may be replaced.
  func append(at offset: Int) throws(IOError)
  /// Replaces bytes that lie in one sector of 512 bytes, so that even a loss of power leaves the old ones or the new.
  func replace(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// As `replace`, for the write by which the file becomes another: it fails when the file is no longer as this sink
  /// left it, and nothing is taken back after it.
  func commit(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Replaces bytes that no reader looks at: those in free space. They may be in any number of sectors, and nothing is
  /// taken back when it happens after `commit`.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Waits until everything so far is on the disk.
  func synchronize() throws(IOError)
}
