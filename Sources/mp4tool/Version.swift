/// The name and version of this build.
enum Version {
  static let name = "mp4tool"
  static let number = "0.1.0"
  /// The release date in man pages; a constant, so that rendering is reproducible.
  static let date = "November 21, 2026"
}
