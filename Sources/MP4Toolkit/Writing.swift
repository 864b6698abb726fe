extension MovieWriter {
  /// Writes a progressive file. It appears under its name when the movie is finished, or never after `cancel()`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: How it is written.
  public convenience init(
    toFile path: some PathnameConvertible, options: OutputFile.Options = OutputFile.Options()
  ) throws(IOError) {
    let file = try OutputFile(path.pathname, options: options)
    self.init(to: file)
    own(file.commit, file.discard)
  }

  /// Writes a fragmented file, like `init(fragmentsTo:every:)`. It appears under its name when the movie is finished,
  /// or never after `cancel()`.
  public convenience init(
    fragmentsToFile path: some PathnameConvertible, every duration: MediaTime? = nil,
    options: OutputFile.Options = OutputFile.Options()
  ) throws(IOError) {
    let file = try OutputFile(path.pathname, options: options)
    self.init(fragmentsTo: file, every: duration)
    own(file.commit, file.discard)
  }
}
