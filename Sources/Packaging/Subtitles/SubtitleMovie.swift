import ISOBMFF
public import MP4
public import MP4Bytes
import TimedText

/// Subtitles as a progressive MP4 with one track in memory, which can be cut or merged with others like any file.
public struct SubtitleMovie: Sendable {
  /// The file.
  public let source: any ByteSource
  /// Diagnostics about data loss.
  public let diagnostics: [Diagnostic]

  /// The timescale; cue times are exact in it.
  static let timescale: UInt32 = 1000

  /// Creates a movie from subtitles, whose times are relative to its start.
  ///
  /// - Parameters:
  ///   - subtitles: The subtitles.
  ///   - format: The format of the samples.
  ///   - cuts: Times at which a sample always starts.
  ///   - end: The end of the movie; `nil` is the end of the last cue.
  /// - Throws: `MovieError.impossible` if no cue is visible, or the samples are too large.
  public init(_ subtitles: Subtitles, _ format: TextFormat, cuts: [MediaTime] = [], end: MediaTime? = nil)
    throws(MovieError)
  {
    try self.init(
      subtitles, format, milliseconds: cuts.map { $0.converted(to: Self.timescale).value },
      end: end?.converted(to: Self.timescale).value)
  }

  init(_ subtitles: Subtitles, _ format: TextFormat, milliseconds cuts: [Int64], end: Int64?) throws(MovieError) {
    let file = subtitles.source
    // A text that consists only of tags shows nothing.
    let cues = subtitles.document.cues.filter { format == .webVTT || !CueText($0.text).text.isEmpty }
    let timeline = CueTimeline(cues, cuts: cuts, end: end)
    guard end != nil || !timeline.cues.isEmpty else {
      throw .impossible(file: file, Obstacle("no_cues", "it has no visible cues"))
    }
    let samples = TextSamples(timeline, format)
    guard !samples.isTooLarge else {
      let text =
        "its samples need more than \(TextSamples.limit >> 20) MiB, because each contains all cues shown at its time"
      throw .impossible(file: file, Obstacle("large_samples", text))
    }
    var diagnostics: [Diagnostic] = []
    if let map = subtitles.document.timestampMap, UInt64(clamping: map.localMilliseconds * 90) != map.mpegTS {
      let text = "X-TIMESTAMP-MAP is ignored; cue times are relative to the start of the movie"
      diagnostics.append(Diagnostic(.note, file, text))
    }
    if samples.cutTexts > 0 {
      let text = "\(counted(samples.cutTexts, "text has", "texts have")) too long for a sample of 65535 bytes; omitted"
      diagnostics.append(Diagnostic(.error, file, text))
    }
    self.diagnostics = diagnostics
    do throws(MovieWriterError) {
      source = MemorySource(try Self.bytes(subtitles, format, samples), name: file)
    } catch {
      // In memory, and with times and sizes limited to 32 bits, no other error is possible.
      guard case .box(let error) = error else { preconditionFailure("\(error)") }
      throw .damaged(file: file, path: "moov", error)
    }
  }

  private static func bytes(_ subtitles: Subtitles, _ format: TextFormat, _ samples: TextSamples)
    throws(MovieWriterError) -> [UInt8]
  {
    let track = try MovieWriter.Track.text(format, like: subtitles)
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let number = try writer.add(track)
    try writer.append(samples, to: number)
    try writer.finish()
    return sink.bytes
  }
}
