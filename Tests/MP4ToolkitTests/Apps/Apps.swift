import MP4Serving
import MP4Toolkit

// What apps do with this library. The number after a name is the most lines that its body may have. A second target
// compiles this folder with the main actor as the default isolation.

// app: tracks of a file, 8
func tracks(of path: String) async throws -> [String] {
  try await Movie(reading: [path]).tracks.map { "\($0.id) \($0.handler) \($0.codecs) \($0.duration)" }
}

// app: decodable video of two seconds, 10
func pictures(of path: String, from start: MediaTime) async throws -> [(bytes: [UInt8], isShown: Bool)] {
  guard let video = try await Movie(reading: [path]).tracks.first(where: \.isVideo) else { return [] }
  var pictures: [(bytes: [UInt8], isShown: Bool)] = []
  for run in video.decodingRuns(presenting: start..<start + MediaTime(seconds: 2)) {
    let bytes = try await video.samples.bytes(of: run.range)
    pictures += zip(bytes, run.samples).map { ($0, run.isShown($1)) }
  }
  return pictures
}

// app: defragmented in memory with progress and cancel, 6
func defragmented(_ movie: any ByteSource, _ show: @escaping @Sendable (Double) -> Void) -> Task<[UInt8], any Error> {
  Task { try await Defragmenter().run(inMemory: [movie]) { show($0.fraction ?? 0) }.bytes }
}

// app: defragmented to a file, 4
func defragment(_ path: String, to output: String) async throws {
  try await Defragmenter().run([path], to: output)
}

// app: pictures and sound from encoders, live and progressive, 30
struct Encoded: Sendable {
  var isVideo: Bool
  var bytes: [UInt8]
  var time: MediaTime
  var decodeTime: MediaTime
  var isKey: Bool
}

func record(
  _ samples: AsyncStream<Encoded>, _ parameterSets: [[UInt8]], _ audioConfiguration: [UInt8], to output: String,
  segment: @escaping (MovieWriter.Segment) -> Void
) async throws {
  let writers = [
    try MovieWriter(toFile: output), MovieWriter(segmentsEvery: MediaTime(seconds: 2), onSegment: segment),
  ]
  for writer in writers {
    _ = try writer.add(.avc(parameterSets: parameterSets))
    _ = try writer.add(.aac(audioSpecificConfig: audioConfiguration))
  }
  for await sample in samples {
    for writer in writers {
      try writer.append(
        sample.bytes, to: sample.isVideo ? 0 : 1, presentationTime: sample.time, decodeTime: sample.decodeTime,
        isSync: sample.isKey)
    }
  }
  for writer in writers { try writer.finish() }
}

// app: a box read, edited and written, 15
func rotate(_ path: String, to output: String) async throws -> UInt32 {
  let plan = try await MediaThread.run {
    let editor = try MovieEditor(FileSource.open(path))
    return try editor.editing("moov/mvhd", MovieHeaderBox.self) { $0.nextTrackID += 1 }
      .rotating(TrackSelection([.handlers(["vide"])]), to: 90).plan()
  }
  try await plan.write(to: output)
  let moov = try await MediaThread.run { try [Box](reading: FileSource.open(output)).first { $0.type == "moov" } }
  return try moov?.first("mvhd")?.payload(as: MovieHeaderBox.self, from: FileSource.open(output)).get().nextTrackID ?? 0
}

// app: an own box as a type and as text, 45
struct WeatherBox: FullBoxPayload {
  static let info = BoxInfo("wthr", "Weather Box", in: ["moov"], "Acme 2.0")
  nonisolated var header = FullBoxHeader()
  nonisolated var place: BoxString = ""
  nonisolated var kelvin: UInt16 = 0
  nonisolated init() {}
  nonisolated mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("place", &place)
    try c.uint16("kelvin", &kelvin)
  }
}

func weather(_ movie: any ByteSource) async throws -> (place: String, json: [UInt8], byName: FieldValue?) {
  var box = WeatherBox()
  (box.place, box.kelvin) = ("Oslo", 271)
  let new = Box(box)
  return try await MediaThread.run {
    let (file, json) = (MemorySink(), MemorySink())
    try MovieEditor(movie).appending(new, to: "moov").write(to: file)
    let source = MemorySource(file.bytes)
    let own = try [Box](reading: source, registry: .standard.adding(WeatherBox.self)).first { $0.type == "moov" }?
      .first("wthr")?.payload(as: WeatherBox.self, from: source).get()
    let defined = try BoxRegistry.standard.adding(
      definitions: """
        box wthr "Weather Box" in moov, "Acme 2.0"
          version 0
          place   string
          kelvin  uint(16)
        """)
    var dump = BoxDump(source, registry: defined)
    let sink = JSONSink(json)
    _ = try dump.run(to: sink)
    sink.finish()
    let text = try [Box](reading: source, registry: defined).first { $0.type == "moov" }?.first("wthr")
    return (
      own?.place.description ?? "", json.bytes, try text?.payload(from: source, registry: defined)?.get()["kelvin"]
    )
  }
}

// app: HLS to a folder and to memory, 12
func package(_ path: String, into folder: String) async throws -> [String: [UInt8]] {
  try await Packager().run([path], toFolder: folder)
  let plan = try await Packager().plan([try await Movie(reading: [path])])
  return try await MediaThread.run {
    var files: [String: [UInt8]] = [:]
    for file in plan.files {
      let sink = MemorySink()
      try plan.write(file, to: sink)
      files[file.path.description] = sink.bytes
    }
    return files
  }
}

// app: a playlist edited, 15
func edited(_ text: String) throws -> String {
  var playlist = try MediaPlaylist(text)
  playlist.segments[0].isGap = true
  for index in playlist.segments.indices {
    playlist.segments[index].uri = "https://example.com/" + playlist.segments[index].uri
  }
  return playlist.text
}

// app: cues of any text track, 6
func cues(of path: String) async throws -> [[Cue]] {
  var lists: [[Cue]] = []
  for track in try await Movie(reading: [path]).tracks { if let cues = try await track.cues() { lists.append(cues) } }
  return lists
}

// app: tags, a cover and chapters, 15
func label(_ path: String, cover: [UInt8], _ chapters: [Chapter], to output: String) async throws -> [String?] {
  try await MediaThread.run {
    try MovieEditor(FileSource.open(path)).settingTag(.title, to: "Holiday").settingTag(.artist, to: "We")
      .settingCover(cover).settingChapters(ChapterList(chapters)).plan()
  }.write(to: output)
  let movie = try await Movie(reading: [output])
  return [try await movie.metadata()[.title]] + (try await movie.chapters()).map(\.title)
}

// app: cut and concatenated, 8
func withoutMiddle(_ path: String, _ folder: String) async throws {
  let parts = [MediaTime(0, 1)..<MediaTime(4, 1), MediaTime(8, 1)..<MediaTime(12, 1)]
  for (index, part) in parts.enumerated() {
    let span = PresentationSpan(from: part.lowerBound, to: part.upperBound)
    try await Cut(.keeping([span])).run([path], to: "\(folder)/\(index).mp4")
  }
  try await Concatenator().run(["\(folder)/0.mp4", "\(folder)/1.mp4"], to: "\(folder)/both.mp4")
}

// app: check, information and differences in a model, 25
@MainActor final class Inspector {
  private(set) var summary = ""
  private(set) var findings: [Finding] = []
  private(set) var differences: [BoxDifference] = []
  private(set) var fraction = 0.0

  func inspect(_ path: String, before other: String) async throws {
    let (file, before) = (try FileSource.open(path), try FileSource.open(other))
    summary = try await FileSummary(reading: [file]).text
    findings = try await Check().run([file]) { [weak self] progress in
      Task { @MainActor in self?.fraction = progress.fraction ?? 0 }
    }.findings
    differences = try await BoxComparison(before, file).differences()
  }
}

// app: decrypted with an asynchronous key provider, 20
func decrypt(_ path: String, to output: String, _ key: (_ keyID: [UInt8]) async throws -> [UInt8]) async throws {
  var keys = ContentKeys()
  for keyID in try await Movie(reading: [path]).tracks.flatMap(\.keyIDs) {
    try keys.set(await key(keyID), forKeyID: keyID)
  }
  try await Decrypter(keys).run([path], to: output)
}

// app: a server started and stopped, 12
func whileServing(_ path: Pathname, _ body: (_ port: UInt16) async throws -> Void) async throws {
  var site = Site(title: "Films")
  try site.add(path)
  let server = try Server(.loopback(port: 0), answering: site.response)
  try server.start()
  defer { server.stop() }
  try await body(server.address.port)
}

// app: a source over HTTP ranges, 8
func movie(
  of byteCount: Int, _ fetch: @escaping @Sendable (_ header: String) async throws -> [UInt8]
) async throws -> Movie {
  let source: AsyncSource = .ranges(name: "https://example.com/film.mp4", byteCount: byteCount) { range in
    try await fetch("bytes=\(range.lowerBound)-\(range.upperBound - 1)")
  }
  return try await Movie(reading: [source])
}

// app: five conversions that can be cancelled, 12
func convert(_ movies: [any ByteSource], into folder: String) -> Task<Void, any Error> {
  Task {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, movie) in movies.enumerated() {
        group.addTask { try await Defragmenter().run([movie], to: "\(folder)/\(index).mp4") }
      }
      try await group.waitForAll()
    }
  }
}

// app: recovered, 6
func recover(_ path: String, like good: String, to output: String) async throws -> Int {
  let recovery = try await Recovery(of: FileSource.open(path), like: FileSource.open(good))
  try await recovery.plan.write(to: output)
  return recovery.unknownByteCount
}

// app: a report as text, 4
func report(of path: String) async throws -> String {
  try await FileSummary(reading: [path]).text
}

// app: a keyframe near a time as a byte stream, 8
func keyframe(of path: String, near time: MediaTime) async throws -> [UInt8]? {
  guard let video = try await Movie(reading: [path]).tracks.first(where: \.isVideo),
    let frame = video.keyframe(nearest: time)
  else { return nil }
  return try await video.annexB(of: frame.index..<frame.index + 1)
}

// app: live segments as values, 15
func publish(
  _ camera: AsyncStream<[UInt8]>, _ upload: (_ path: String, _ bytes: [UInt8]) async throws -> Void
) async throws -> MediaTime {
  var total = MediaTime(0, 1)
  for try await file in LiveSegments(of: camera) {
    try await upload(file.path, file.bytes)
    if case .segment(let duration, _) = file.kind { total = total + duration }
  }
  return total
}
// end
