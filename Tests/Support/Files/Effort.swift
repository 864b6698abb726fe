/// How much of the tests runs.
///
/// By default, each test takes at most a few seconds and needs only the toolchain. The environment variable
/// `MP4TOOL_TESTS=all` adds long tests and tests that run other programs (ffmpeg, GStreamer, Chromium), and tests every
/// seed, file and kill point instead of a few.
public enum Effort {
  /// Whether everything runs, including long tests.
  public static let all = environment("MP4TOOL_TESTS") == "all"

  /// The number of repetitions of random or repeated tests.
  public static func count<Number: BinaryInteger>(short: Number, all: Number) -> Number { Self.all ? all : short }

  /// All elements, or `short` of them: always the same ones, evenly spread, including the first and the last.
  public static func some<Element>(_ elements: [Element], short: Int) -> [Element] {
    guard !all, elements.count > short, short > 0 else { return elements }
    return (0..<short).map { elements[$0 * (elements.count - 1) / max(short - 1, 1)] }
  }

  /// Whether long tests and tests that need other programs run, and these programs are installed.
  ///
  /// `.enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg")`
  public static func has(_ programs: String...) -> Bool { all && programs.allSatisfy { which($0) != nil } }
}
