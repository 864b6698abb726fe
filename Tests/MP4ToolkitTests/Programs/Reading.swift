import MP4Toolkit

// Programs as the developer of an app or of a server writes them. What is between two markers is in the documentation.

// snippet: samples
func keyFrames(of recording: String) async throws -> [String] {
  let movie = try await Movie(reading: [recording])  // one file, or an init segment and its media segments
  guard let video = movie.tracks.first(where: { $0.handler == "vide" }) else { return [] }
  return video.samples.filter(\.isSync).map { sample in
    let time = sample.presentationTime?.description ?? "hidden"
    return "\(sample.index): \(time), \(sample.size) bytes at offset \(sample.offset)"
  }
}
// end

// snippet: sample-at-time
func picture(at time: MediaTime, of video: Track) async throws -> [UInt8]? {
  guard let index = video.samples.index(atPresentationTime: time) else { return nil }
  return try await video.samples[index].bytes()
}
// end

// snippet: track-information
func summary(of recording: String) async throws -> [String] {
  try await Movie(reading: [recording]).tracks.map { track in
    var words = [track.codecs.joined(separator: ","), track.language ?? "und", track.duration.description]
    if let size = track.pictureSize { words.append("\(size.width)x\(size.height)") }
    if let rate = track.frameRate { words.append("\(rate.value) fps") }
    if let channels = track.channelCount, let rate = track.sampleRate { words.append("\(channels) x \(rate) Hz") }
    return words.joined(separator: " ")
  }
}
// end

// snippet: inspecting
func describe(_ file: any ByteSource) async throws -> (text: String, keyframes: [UInt8]) {
  let summary = try await FileSummary(reading: [file])
  var selection = SampleListing.Selection()
  selection.keyframesOnly = true
  let table = MemorySink()
  if case .movie = summary {
    try SampleListing(await Movie(reading: [file]), selection).write(.csv, to: table)
  }
  return (summary.text, table.bytes)
}
// end

// snippet: telemetry
func route(of recording: String) async throws -> [(latitude: Double, longitude: Double)] {
  var route: [(latitude: Double, longitude: Double)] = []
  try await Telemetry(Movie(reading: [recording])).forEachEntry { entry in
    if case .position(let position) = entry.value { route.append((position.latitude, position.longitude)) }
  }
  return route
}
// end

// snippet: report
func page(of file: any ByteSource) async throws -> [UInt8] {
  let page = MemorySink()
  try await FileReport(reading: [file]).write(to: page)
  return page.bytes
}
// end

// snippet: presentation-report
func page(of playlist: String) throws -> [UInt8] {
  let page = MemorySink()
  try PresentationReport(try OpenedPresentation(reading: PlaylistLocation(file: playlist))).write(to: page)
  return page.bytes
}
// end

// snippet: comparing
func changes(_ file: any ByteSource, _ other: any ByteSource) async throws -> [String] {
  guard let exclusions = BoxExclusions("//free,//*/creation_time,//*/modification_time") else { return [] }
  return try await BoxComparison(file, other, ignoring: exclusions).differences().map(\.description)
}
// end

// snippet: hashing
func hasSameMedia(_ file: String, as copy: String) async throws -> Bool {
  let (movie, other) = try await (Movie(reading: [file]), Movie(reading: [copy]))
  let (hashes, others) = try await (TrackHashes(movie), TrackHashes(other))
  return hashes.tracks.map(\.digest) == others.tracks.map(\.digest) && hashes.diagnostics.isEmpty
}
// end

// snippet: first-bytes
func startsWithParameterSets(_ recording: String) async throws -> Bool {
  let movie = try await Movie(reading: [recording])
  guard let first = movie.tracks.first?.samples.first else { return false }
  let start = try await first.bytes(5)  // the size of a NAL unit and its first byte; no more is read
  return start.count == 5 && start[4] & 0x1f == 7
}
// end

// snippet: sources
func movie(inBlob blob: @escaping @Sendable (Range<Int>) -> [UInt8], of byteCount: Int) throws -> Movie {
  try Movie(reading: [ClosureSource(name: "blob", byteCount: byteCount) { range in blob(range) }])
}

func movie(from descriptor: Int32) throws -> Movie {
  try Movie(reading: [FileSource.open(descriptor: descriptor, name: "film.mp4")])  // a duplicate
}
// end

// snippet: payload-reading
func handlers(in source: any ByteSource) throws -> [FourCC] {
  let moov = try [Box](reading: source).first { $0.type == "moov" }  // headers only; media is not read
  return try moov?.boxes.compactMap { trak in
    try trak.first("mdia", "hdlr")?.payload(as: HandlerBox.self, from: source).get().handlerType
  } ?? []
}
// end

// snippet: payloads
func doubled(_ payload: [UInt8]) throws(BoxError) -> [UInt8] {
  var header = try MovieHeaderBox(decoding: payload[...])  // the payload after the size and type of `mvhd`
  header.duration *= 2  // written in version 1 if it does not fit in version 0
  return try header.encoded()
}
// end

// snippet: ranges
func beginsWithFileType(_ recording: String) throws -> Bool {
  guard let path = Pathname(recording) else { return false }  // nil if the text contains NUL
  let start = try FileSource.open(path).bytes(in: 0..<8)  // fewer if the file is shorter
  return start.dropFirst(4).elementsEqual("ftyp".utf8)
}
// end

// snippet: decoder
func decode(_ times: Range<MediaTime>, of video: Track, _ decode: (Sample, [UInt8], Bool) throws -> Void) async throws {
  for run in video.decodingRuns(presenting: times) {  // one for each edit
    for (sample, bytes) in zip(run.samples, try await video.samples.bytes(of: run.range)) {
      try decode(sample, bytes, run.isShown(sample))  // pictures that are not shown are only decoded
    }
  }
}
// end

// snippet: labels
func labelled(
  _ movie: any ByteSource, title: String, cover: [UInt8], chapters: ChapterList
) async throws -> OutputPlan {
  try await MediaThread.run {  // edits read boxes
    try MovieEditor(movie).settingTag(.title, to: title).settingCover(cover).settingChapters(chapters).plan()
  }
}

func labels(of movie: Movie) async throws -> [String] {
  let metadata = try await movie.metadata()
  return [metadata[.title], metadata[.artist]].compactMap { $0 } + (try await movie.chapters()).map(\.title)
}
// end
