/// A sink whose written bytes can be replaced: a file or memory, but not a pipe.
public protocol RewritableSink: ByteSink {
  /// Replaces bytes that were written before; `position` stays.
  ///
  /// - Throws: `IOError`, also where what is written cannot be changed any more.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
}
