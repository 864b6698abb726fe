import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target subtitles`.
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import TimedText

/// Writes the file as WebVTT and reads it back: the shown cues are the same in the order of their start times, except
/// for arrows in SubRip texts, and writing them again gives the same bytes.
private func checkWriting(_ document: WebVTTDocument, isSubRip: Bool) {
  let written = document.bytes
  guard let again = try? WebVTTDocument(written) else { fatalError("what is written is not read") }
  guard again.bytes == written else { fatalError("what is read again is written otherwise") }
  let cues = document.cues.filter { $0.start < $0.end }.enumerated()
    .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
  guard again.cues.count == cues.count else {
    fatalError("\(cues.count) cues are written, \(again.cues.count) are read")
  }
  for (old, new) in zip(cues, again.cues) {
    guard old.start == new.start, old.end == new.end, old.settings == new.settings else {
      fatalError("\(old) is read again as \(new)")
    }
    guard old == new || isSubRip && CueText(old.text).text == CueText(new.text).text else {
      fatalError("\(old) is read again as \(new)")
    }
  }
}

private func checkTexts(_ document: WebVTTDocument, lineCount: Int) {
  for cue in document.cues {
    let text = CueText(cue.text)
    let count = text.text.unicodeScalars.count
    var end = 0
    for run in text.runs {
      guard run.scalars.lowerBound >= end, run.scalars.upperBound <= count, !run.scalars.isEmpty else {
        fatalError("\(text.runs) of \(count) characters")
      }
      end = run.scalars.upperBound
    }
    _ = CueSettings(cue.settings)
  }
  for finding in document.findings {
    guard (1...lineCount).contains(finding.line), !finding.description.isEmpty else { fatalError("\(finding)") }
  }
}

/// Writes the cues to a movie, which must be readable.
private func checkMovie(_ subtitles: Subtitles, _ format: TextFormat) {
  guard let movie = try? SubtitleMovie(subtitles, format, cuts: [MediaTime(500, 1000), MediaTime(4, 1)]) else { return }
  guard let plan = try? Defragmenter().plan([movie.source]), plan.report?.sampleCount ?? 0 > 0 else {
    fatalError("a movie of text is not read")
  }
}

/// Segment timing derived from the bytes: durations, discontinuities, and the start of the media.
private func timing(_ bytes: ArraySlice<UInt8>) -> (MediaPlaylist, PresentationTiming)? {
  var segments: [Segment] = []
  for (index, byte) in bytes.enumerated() {
    segments.append(Segment("v\(index).m4s", duration: .milliseconds(Int(byte & 63) * 100)))
    segments[index].isDiscontinuity = byte & 64 != 0
  }
  if !segments.isEmpty { segments[0].map = InitializationSection("init.mp4") }
  var playlist = MediaPlaylist(segments, type: (bytes.first ?? 0) & 128 != 0 ? .event : .vod, isEnded: true)
  playlist.version = playlist.lowestVersion
  guard var timing = try? PresentationTiming(playlist) else { return nil }
  for index in timing.periods.indices where index & 1 == 0 {
    timing.periods[index].mediaStart = MediaTime(Int64(bytes.last ?? 0) * 9000, 90_000)
  }
  return (playlist, timing)
}

/// Plans subtitles for a presentation: every file has the planned size and follows the RFC.
private func checkPlan(_ subtitles: Subtitles, _ form: SubtitlePlanner.Form, _ bytes: ArraySlice<UInt8>) {
  guard let (video, timing) = timing(bytes),
    let main = try? MultivariantPlaylist("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"),
    let plan = try? SubtitlePlanner(form).plan([subtitles, subtitles], main, timing)
  else { return }
  for file in plan.files {
    let sink = MemorySink()
    guard (try? plan.write(file, to: sink)) != nil, sink.bytes.count == file.byteCount else {
      fatalError("\(file.path) has \(sink.bytes.count) bytes and should have \(file.byteCount)")
    }
  }
  let findings = Presentation(plan.main, media: plan.media.merging(["v.m3u8": video]) { $1 }).findings
  // The presentation itself may have segments without duration.
  let own = Set(Presentation(main, media: ["v.m3u8": video]).findings.map(\.rule))
  if let bad = findings.first(where: { !own.contains($0.rule) }) { fatalError("\(form): \(bad)") }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let lineCount = bytes.count { $0 == 0x0a || $0 == 0x0d } + 1
  if let document = TTMLDocument(bytes) { _ = document.profiles }
  for name in ["shift_jis", "utf-16le", "windows-1255", "utf-8"] {
    guard let document = try? WebVTTDocument(bytes, isSubRip: nil, encoding: TextEncoding(named: name)) else {
      continue
    }
    checkWriting(document, isSubRip: true)
  }
  for isSubRip in [false, true] {
    guard let document = try? WebVTTDocument(bytes, isSubRip: isSubRip) else { continue }
    checkWriting(document, isSubRip: isSubRip)
    checkTexts(document, lineCount: max(lineCount, bytes.count / 2 + 1))
    let subtitles = Subtitles(document, language: "en")
    // One of the operations per run, so that more inputs are tried.
    switch bytes.reduce(0, { $0 &+ $1 }) % 5 {
    case 0: checkMovie(subtitles, .webVTT)
    case 1: checkMovie(subtitles, .timedText)
    case 2: checkPlan(subtitles, .wholeFile, bytes.suffix(5))
    case 3: checkPlan(subtitles, .segments(.seconds(6)), bytes.suffix(5))
    default: checkPlan(subtitles, .fragments(.seconds(6)), bytes.suffix(5))
    }
  }
  return 0
}
