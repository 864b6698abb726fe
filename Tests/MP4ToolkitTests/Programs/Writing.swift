import MP4Toolkit

// snippet: defragment
@MainActor final class Export {
  private(set) var fraction = 0.0

  func start(_ input: any ByteSource, to output: Pathname) -> Task<[Diagnostic], any Error> {
    Task {  // if canceled, no partial output remains
      try await Defragmenter().run([input], to: output) { progress in
        Task { @MainActor in self.fraction = max(self.fraction, progress.fraction ?? 0) }
      }
    }
  }
}
// end

// snippet: segments
func segments(of movie: Movie) async throws -> [[UInt8]] {
  let plan = try await Fragmenter().plan(movie)
  return try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
    for index in plan.segments.indices {
      group.addTask { (index, try await plan.segmentBytes(index)) }
    }
    var segments = plan.segments.map { _ in [UInt8]() }
    for try await (index, bytes) in group { segments[index] = bytes }
    return [try await plan.initializationBytes()] + segments
  }
}
// end

// snippet: hls-folder
func packageForHLS(_ recording: String, into folder: Pathname) async throws {
  let movie = try await Movie(reading: [recording])  // reads sample tables, not the media
  var packager = Packager()
  packager.options.segmentDuration = MediaTime(4, 1)
  let plan = try await packager.plan([movie])  // renditions, segments, playlists
  try await plan.write(toFolder: folder)  // the folder appears when it is complete
}
// end

// snippet: hls-inputs
func package(
  _ variants: [any ByteSource], _ english: any ByteSource, _ images: [any ByteSource], into folder: Pathname
) async throws {
  var options = Packager.Options()
  options.formats = [.hls, .dash]
  options.markers.adBreaks = [MediaTime(8, 1)..<MediaTime(12, 1)]  // date ranges, events, and segments that start there
  options.thumbnails = [try Thumbnails(images, interval: MediaTime(10, 1))]
  var sound = Packager.Input([english])
  (sound.settings.language, sound.settings.name, sound.attributes.isDefault) = ("en", "English", true)
  let (packager, inputs) = (Packager(options), variants.map { Packager.Input([$0]) } + [sound])
  try await MediaThread.run { try packager.plan(inputs) }.write(toFolder: folder)
}
// end

// snippet: subtitles
func addSubtitles(_ text: [UInt8], to recording: any ByteSource, as output: Pathname) async throws -> [Diagnostic] {
  let document = try WebVTTDocument(subRip: text)
  var subtitles = Subtitles(document, language: "en")
  subtitles.isDefault = true
  let track = try SubtitleMovie(subtitles, .timedText)  // for QuickTime, VLC and ffmpeg
  let diagnostics = try await Defragmenter().run([recording, track.source], to: output)
  return subtitles.diagnostics + track.diagnostics + diagnostics
}
// end

// snippet: presentation-subtitles
func addSubtitles(_ subtitles: Subtitles, beside master: Pathname) throws -> [Diagnostic] {
  var planner = SubtitlePlanner()
  planner.chooseFolder(beside: master)
  var reader = TimingReader(PlaylistLocation(file: master.description))
  let plan = try reader.plan(planner, adding: [subtitles])  // nothing is written yet
  let output = try SubtitleOutput(of: planner, beside: master)
  try output.write(plan)
  try output.commit()
  return plan.diagnostics
}
// end

// snippet: encoder
func write(_ pictures: [[UInt8]], coded entry: Box, to output: Pathname) throws {
  let writer = try MovieWriter(toFile: output)
  let video = try writer.add(MovieWriter.Track(entry, timescale: 30_000))
  for (index, picture) in pictures.enumerated() {
    try writer.append(picture, to: video, duration: MediaTime(1001, 30_000), isSync: index % 30 == 0)
  }
  try writer.finish()
}
// end

// snippet: encoder-segments
func withoutSound(_ movie: Movie, onSegment: @escaping (MovieWriter.Segment) -> Void) throws {
  let writer = MovieWriter(segmentsEvery: MediaTime(2, 1)) { segment in onSegment(segment) }
  for track in movie.tracks where track.handler == "vide" {
    let copy = try writer.add(MovieWriter.Track(like: track))
    for sample in track.samples { try writer.append(sample, to: copy) }
  }
  try writer.finish()
}
// end

/// A coded picture with the times of its encoder.
struct EncodedPicture: Sendable {
  var bytes: [UInt8]
  var time: MediaTime
  var decodeTime: MediaTime
  var isKey: Bool
}

// snippet: encoder-times
func record(_ camera: AsyncStream<EncodedPicture>, _ parameterSets: [[UInt8]], to output: String) async throws {
  let writer = try MovieWriter(toFile: output)
  let video = try writer.add(.avc(parameterSets: parameterSets))
  for await picture in camera {
    try writer.append(
      picture.bytes, to: video, presentationTime: picture.time, decodeTime: picture.decodeTime, isSync: picture.isKey)
  }
  try writer.finish()  // also after a cancellation: what was appended is kept; `cancel()` gives it up
}
// end
