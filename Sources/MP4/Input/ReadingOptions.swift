/// How a movie is read.
public struct ReadingOptions: Sendable {
  /// The kind of movie that a QuickTime movie becomes.
  public enum OutputKind: Sendable {
    /// A QuickTime movie.
    case asInput
    /// An ISO file (MP4): brands and sample descriptions are converted, and those without an ISO equivalent are
    /// kept with a warning. Samples do not change.
    case iso

    /// The kind of a file with this name: ISO for `.mp4`, `.m4a`, `.m4v` and `.m4b`; others are as the input.
    public init(ofFile name: String) {
      let end = name.lowercased().utf8.suffix(4)
      self = [".mp4", ".m4a", ".m4v", ".m4b"].contains { end.elementsEqual($0.utf8) } ? .iso : .asInput
    }
  }
  /// The tracks to use.
  public var tracks = TrackSelection()
  /// Whether to use segments that do not seem to match the preceding init segment, instead of omitting them.
  public var takesAllSegments = false
  /// Whether a movie fragment that is cut off at the end of an input is omitted as a whole.
  public var takesWholeFragments = false
  /// How to handle fragments that declare different samples for the same times. If it is `nil`, the samples declared
  /// last are used, and the others count as data loss.
  public var overlaps: OverlapPolicy?
  /// Whether a presentation that does not start at 0 gets an empty edit of that duration, instead of being moved to 0.
  public var keepsStart = false
  /// Whether edit lists are kept. Without them, tracks start together, and hidden media is presented.
  public var keepsEdits = true
  /// Whether events between the fragments become a timed metadata track in a progressive file, instead of being
  /// omitted.
  public var keepsEvents = false
  /// The kind of movie that a QuickTime movie becomes; other movies do not change. `nil` is the kind that the name of
  /// the output implies, if it is known, or else that of the input.
  public var outputKind: OutputKind?

  /// The default: everything but events is kept, and the presentation starts at 0.
  public init() {}

  /// The options for an output with this name.
  package func writing(to name: String) -> ReadingOptions {
    var result = self
    result.outputKind = outputKind ?? OutputKind(ofFile: name)
    return result
  }
}
