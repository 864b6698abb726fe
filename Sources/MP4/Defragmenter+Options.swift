extension Defragmenter {
  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// What most want: everything is kept, and the presentation starts at 0.
    public init() {}
  }
}
