/// How much of the tests runs.
///
/// By default each test takes at most some seconds and needs nothing but the toolchain. The environment variable
/// `MP4TOOL_TESTS=all` adds what takes longer or runs programs of others: ffmpeg, GStreamer, Chromium, and each seed,
/// file and kill point of which the default takes a few.
public enum Effort {
  /// Whether everything runs, however long it takes.
  public static let all = environment("MP4TOOL_TESTS") == "all"

  /// How often something random or repeated is tried.
  public static func count<Number: BinaryInteger>(short: Number, all: Number) -> Number { Self.all ? all : short }

  /// All elements, or `short` of them that are evenly spread and always the same, among them the first and the last.
  public static func some<Element>(_ elements: [Element], short: Int) -> [Element] {
    guard !all, elements.count > short, short > 0 else { return elements }
    return (0..<short).map { elements[$0 * (elements.count - 1) / max(short - 1, 1)] }
  }

  /// Whether tests that take long or need programs of others run, and these programs are installed.
  ///
  /// `.enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg")`
  public static func has(_ programs: String...) -> Bool { all && programs.allSatisfy { which($0) != nil } }
}
