package import ISOBMFF

extension IOError {
  /// The error of `source` ending at `end` though it should have held `range`.
  package init(endOf source: any ByteSource, at end: Int, copying range: Range<Int>) {
    self.init(
      .read, file: source.name, offset: end,
      reason: "the file ends at byte \(end), \(counted(range.upperBound, "byte was", "bytes were")) expected")
  }
}
