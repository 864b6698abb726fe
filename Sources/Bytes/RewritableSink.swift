/// A sink whose written bytes can be replaced: a file or memory, but not a pipe.
public protocol RewritableSink: ByteSink {
  /// Replaces bytes that were written earlier; `position` does not change.
  ///
  /// - Throws: `IOError`, also if written bytes can no longer be changed.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
}
