public import MP4
import MP4Bytes

extension FileExcerpt {
  /// The timecodes of the only track of a movie as lines `HH:MM:SS.mmm TIMECODE`, each with the presentation time from
  /// which it counts; `nil` if it is not a timecode track.
  public static func timecodes(of movie: Movie) throws(MovieError) -> FileExcerpt? {
    guard movie.tracks.count == 1, let track = movie.tracks.first, track.handler == "tmcd",
      track.protectionScheme == nil
    else { return nil }
    var (lines, damaged) = ("", 0)
    for sample in track.samples {
      guard let timecode = try Timecode(sample, of: track) else {
        damaged += 1
        continue
      }
      guard let time = sample.presentationTime else { continue }
      lines += ChapterList([Chapter(time: time, title: timecode.description)]).text
    }
    guard !lines.isEmpty || damaged > 0 else { return nil }
    guard !lines.isEmpty else { return nil }
    var excerpt = FileExcerpt(Array(lines.utf8))
    excerpt.diagnostics = movie.diagnostics.filter { $0.severity != .note }
    if damaged > 0 {
      let text =
        "track \(track.id): \(damaged == 1 ? "1 sample is not a timecode" : "\(damaged) samples are not timecodes")"
      excerpt.diagnostics.append(Diagnostic(.error, movie.name, text + "; omitted"))
    }
    return excerpt
  }
}
