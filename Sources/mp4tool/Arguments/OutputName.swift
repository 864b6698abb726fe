import MP4

extension ReadingOptions.OutputKind {
  /// The file type implied by the name of an output: `.mov`, standard output and other names keep the type of the
  /// input.
  init(ofOutput name: Argument?) {
    let end = name?.text.lowercased().utf8.reversed().prefix(4).reversed() ?? []
    self = Self.endings.contains { end.elementsEqual($0.utf8) } ? .iso : .asInput
  }

  private static let endings = [".mp4", ".m4a", ".m4v", ".m4b"]
}
