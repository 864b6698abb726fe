import MP4Toolkit

// snippet: cut
func removeAdvertisement(from show: any ByteSource, to output: String) async throws -> [Diagnostic] {
  let span = PresentationSpan(from: MediaTime(300, 1), to: MediaTime(450, 1))  // the end is exclusive
  return try await Cut(.removing([span])).run([show], to: output)
}
// end

// snippet: split
func split(_ talk: any ByteSource, every minutes: Int64, into folder: String) async throws {
  let cutter = try await MovieCutter(reading: [talk])
  let length = MediaTime(60 * minutes, 1)
  var (starts, next) = ([MediaTime](), length)
  while next < cutter.duration {
    starts.append(next)
    next = next + length
  }
  for (index, part) in try cutter.parts(splitAt: starts, atKeyframes: true).enumerated() {
    try await cutter.plan([part.range]).write(to: "\(folder)/part\(index + 1).mp4")
  }
}
// end

// snippet: concatenate
func concatenate(_ parts: [any ByteSource], to output: String) async throws -> [Diagnostic] {
  var concatenator = Concatenator()
  concatenator.chapters = parts.map { [Chapter(time: MediaTime(0, 1), title: $0.name)] }
  return try await concatenator.run(parts, to: output)
}
// end

// snippet: multiplex
func multiplex(_ video: any ByteSource, _ sound: any ByteSource, to output: String) async throws -> [Diagnostic] {
  var (pictures, audio) = (InputSettings(), InputSettings())
  pictures.tracks = TrackSelection([.handlers(["vide"])])
  (audio.language, audio.delay) = ("de", MediaTime(-120, 1000))
  return try await Multiplexer([pictures, audio]).run([video, sound], to: output)
}
// end

// snippet: encrypt
func encrypt(_ movie: any ByteSource, with key: Encryption.Key, to output: String) async throws -> [Diagnostic] {
  var encryption = Encryption(.cenc, keys: [key])
  encryption.systems = [.widevine, .playReady]  // `pssh` boxes
  encryption.fragments.cutting = .interval(MediaTime(4, 1))
  return try await encryption.run([movie], to: output)
}
// end

// snippet: package encrypted
func packageEncrypted(_ movie: Movie, with keys: [Packager.Protection.Key], into folder: Pathname) async throws {
  var packager = Packager()
  packager.options.formats = [.hls, .dash]
  packager.options.protection = Packager.Protection(.cbcs, keys: keys)
  packager.options.protection?.systems = [.fairPlay(uri: "skd://{kid}"), .widevine, .playReady]
  try await packager.plan([movie]).write(toFolder: folder)
}
// end

// snippet: decrypt
func decrypt(
  _ movie: any ByteSource, to output: String, keyFor: (_ keyID: [UInt8]) async throws -> [UInt8]
) async throws -> [Diagnostic] {
  var keys = ContentKeys()
  for keyID in try await Movie(reading: [movie]).tracks.flatMap(\.keyIDs) {
    try keys.set(await keyFor(keyID), forKeyID: keyID)
  }
  return try await Decrypter(keys).run([movie], to: output)
}
// end

// snippet: recover
func recover(_ broken: any ByteSource, like good: (any ByteSource)?, to output: String) async throws -> Int {
  let recovery = try await Recovery(of: broken, like: good) { print($0.fraction ?? 0) }
  for diagnostic in recovery.diagnostics { print(diagnostic) }
  try await recovery.plan.write(to: output)
  return recovery.unknownByteCount
}
// end

// snippet: extract
func extractAudio(of movie: any ByteSource, to output: String) async throws -> [Diagnostic] {
  let extraction = try await TrackExtraction(of: TrackSelection([.handlers(["soun"])]), in: [movie])
  try await extraction.write(to: output)
  return extraction.diagnostics
}
// end
