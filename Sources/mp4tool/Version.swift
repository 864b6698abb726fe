/// What this build calls itself.
enum Version {
  static let name = "mp4tool"
  static let number = "0.1.0"
  /// The day of the release as man pages print it; a constant, so that rendering a page twice gives the same bytes.
  static let date = "November 21, 2026"
}
