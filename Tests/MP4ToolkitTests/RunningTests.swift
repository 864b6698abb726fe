import MP4Toolkit
import Support
import Testing

@Suite("Long operations in tasks")
struct RunningTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// An operation that writes to `output`.
  struct Operation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let run: @Sendable (_ output: Pathname, _ onProgress: @escaping OperationProgress.Handler) async throws -> Void
  }
  private static func source(_ name: String = "fragmented.mp4") throws -> any ByteSource {
    try FileSource.open(vectorPath("files/\(name)"))
  }
  static let operations = [
    Operation(testDescription: "defragment") { try await Defragmenter().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "join") { try await Joiner().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "fragment") { try await Fragmenter().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "segments") { try await Fragmenter().run([source()], toFolder: $0, onProgress: $1) },
    Operation(testDescription: "package") { try await Packager().run([source()], toFolder: $0, onProgress: $1) },
    Operation(testDescription: "subtitles") { output, onProgress in
      let cues = try WebVTTDocument(ascii("WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"))
      let plan = try await Packager().plan([source()])
      let timing = try PresentationTiming(try #require(plan.media.values.first))
      let subtitles = Subtitles(cues, language: "en", source: "en.vtt")
      try await SubtitlePlanner().plan([subtitles], plan.multivariant, timing).write(
        toFolder: output, onProgress: onProgress)
    },
  ]

  @Test("One value of options serves several conversions, also to a former input")
  func options() async throws {
    func path(_ name: String) throws -> Pathname { try #require(Pathname(folder(name))) }
    for name in ["a.mp4", "c.mp4"] { try writeFile(folder(name), readFile(vectorPath("files/fragmented.mp4"))) }
    let options = OutputFile.Options()
    try await Defragmenter().run([FileSource.open(folder("a.mp4"))], to: path("b.mp4"), options: options)
    try await Defragmenter().run([FileSource.open(folder("c.mp4"))], to: path("a.mp4"), options: options)
    #expect(try readFile(folder("a.mp4")) == readFile(folder("b.mp4")))
    // Inputs are still not replaced.
    await #expect(throws: MovieError.self) {
      try await Defragmenter().run([FileSource.open(folder("c.mp4"))], to: path("c.mp4"), options: options)
    }
  }

  @Test("A file of a writer appears when it is finished, never if it is cancelled", arguments: [false, true])
  func writers(isFragmented: Bool) async throws {
    let path = folder("out.mp4")
    func writer() throws -> (MovieWriter, Int) {
      let writer =
        isFragmented ? try MovieWriter(fragmentsToFile: path, every: MediaTime(0, 1)) : try MovieWriter(toFile: path)
      let track = try writer.add(.pcm(bits: 16, sampleRate: 8000, channelCount: 1))
      for _ in 0..<3 { try writer.append([1, 2, 3, 4], to: track, duration: MediaTime(2, 8000)) }
      return (writer, track)
    }
    let (cancelled, track) = try writer()
    cancelled.cancel()
    #expect(throws: MovieWriterError.self) { try cancelled.append([1, 2], to: track, duration: MediaTime(1, 8000)) }
    #expect(throws: MovieWriterError.self) { try cancelled.finish() }
    #expect(namesInFolder(folder("")) == [])
    do { _ = try writer() }
    #expect(namesInFolder(folder("")) == [])
    try writer().0.finish()
    #expect(namesInFolder(folder("")) == ["out.mp4"])
    #expect(try await Movie(reading: [path]).tracks[0].samples.count == 6)
    // What is there stays until the new file is complete.
    let before = try readFile(path)
    try writer().0.cancel()
    #expect(try readFile(path) == before)
  }

  @Test("Progress grows from 0 to 1, over all phases", arguments: operations)
  func progress(_ operation: Operation) async throws {
    let steps = Steps()
    try await operation.run(try #require(Pathname(folder("out")))) { steps.append($0) }
    #expect(namesInFolder(folder("")) == ["out"])
    let fractions = steps.all.compactMap(\.fraction)
    #expect(fractions.count == steps.all.count && fractions.first == 0 && fractions.last == 1)
    #expect(zip(steps.all, steps.all.dropFirst()).allSatisfy { $0 != $1 })
    #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 <= $1 })
    // Subtitles are read earlier.
    #expect(steps.all.last?.phase == .writing && steps.all.contains { $0.phase == .reading } == (fractions.count > 2))
  }

  @Test("Cancelling or stopping at any report leaves no files", arguments: operations)
  func stopping(_ operation: Operation) async throws {
    struct Enough: Error {}
    let (output, steps, other) = (try #require(Pathname(folder("out"))), Steps(), try TemporaryFolder())
    try await operation.run(try #require(Pathname(other("out")))) { steps.append($0) }
    for step in steps.all {
      await #expect(throws: CancellationError.self, "\(step)") {
        try await runCancelling { cancel in try await operation.run(output) { if $0 == step { cancel() } } }
      }
      #expect(namesInFolder(folder("")).isEmpty, "\(step)")
      await #expect(throws: Enough.self, "\(step)") {
        try await operation.run(output) { if $0 == step { throw Enough() } }
      }
      #expect(namesInFolder(folder("")).isEmpty, "\(step)")
    }
  }

  @Test("A file is changed in place completely or not at all")
  func inPlace() async throws {
    struct Enough: Error {}
    let bytes = try readFile(vectorPath("files/fragmented.mp4"))
    let path = try #require(Pathname(folder("a.mp4")))
    let steps = Steps()
    try writeFile(folder("a.mp4"), bytes)
    try await Defragmenter().run(inPlace: path) { steps.append($0) }
    let (before, after) = (try await Movie(reading: [MemorySource(bytes)]), try await Movie(reading: [folder("a.mp4")]))
    #expect(before.tracks.map(\.samples.count) == after.tracks.map(\.samples.count))
    #expect(steps.all.last?.fraction == 1)
    for step in steps.all {
      try writeFile(folder("a.mp4"), bytes)
      await #expect(throws: Enough.self) {
        try await Defragmenter().run(inPlace: path) { if $0 == step { throw Enough() } }
      }
      #expect(try readFile(folder("a.mp4")) == bytes, "\(step)")
    }
    // The second time, there is nothing to do.
    try writeFile(folder("a.mp4"), bytes)
    try await Defragmenter().run(inPlace: path)
    #expect(try await Defragmenter().run(inPlace: path).map(\.severity) == [.note])
  }

  @Test("All errors have the type of the synchronous form")
  func errors() async throws {
    let output = try #require(Pathname(folder("missing/out.mp4")))
    let error = await #expect(throws: MovieError.self) { try await Defragmenter().run([Self.source()], to: output) }
    guard case .io(let inner)? = error else { throw try #require(error) }
    #expect(inner.operation == .create)
  }
}
