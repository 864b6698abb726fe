import MP4

extension Defragmenter.OutputKind {
  /// What the name of an output asks for: `.mov`, standard output and names that say nothing keep what the input is.
  init(ofOutput name: Argument?) {
    let end = name?.text.lowercased().utf8.reversed().prefix(4).reversed() ?? []
    self = Self.endings.contains { end.elementsEqual($0.utf8) } ? .iso : .asInput
  }

  private static let endings = [".mp4", ".m4a", ".m4v", ".m4b"]
}
