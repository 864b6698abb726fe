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
    let run:
      @Sendable (_ output: Pathname, _ onProgress: @Sendable (OperationProgress) throws -> Void) async throws -> Void
  }
  private static func source(_ name: String = "fragmented.mp4") throws -> any ByteSource {
    try openSource(vectorPath("files/\(name)"))
  }
  static let operations = [
    Operation(testDescription: "defragment") { try await Defragmenter().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "join") { try await Joiner().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "fragment") { try await Fragmenter().run([source()], to: $0, onProgress: $1) },
    Operation(testDescription: "segments") { try await Fragmenter().run([source()], toFolder: $0, onProgress: $1) },
    Operation(testDescription: "package") { try await Packager().run([source()], toFolder: $0, onProgress: $1) },
    Operation(testDescription: "subtitles") { output, onProgress in
      let cues = try WebVTTDocument(ascii("WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"))
      let plan = try Packager().plan([Movie(reading: [source()])])
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
    try await Defragmenter().run([openSource(folder("a.mp4"))], to: path("b.mp4"), options: options)
    try await Defragmenter().run([openSource(folder("c.mp4"))], to: path("a.mp4"), options: options)
    #expect(try readFile(folder("a.mp4")) == readFile(folder("b.mp4")))
    // Inputs are still not replaced.
    await #expect(throws: MovieError.self) {
      try await Defragmenter().run([openSource(folder("c.mp4"))], to: path("c.mp4"), options: options)
    }
  }

  @Test("Progress is reported from the start to the end of every phase", arguments: operations)
  func progress(_ operation: Operation) async throws {
    let steps = Steps()
    try await operation.run(try #require(Pathname(folder("out")))) { steps.append($0) }
    #expect(namesInFolder(folder("")) == ["out"])
    for phase in [OperationProgress.Phase.reading, .writing] {
      let own = steps.all.filter { $0.phase == phase }
      // Subtitles are read earlier.
      guard !own.isEmpty || phase == .writing else { continue }
      #expect(own.first?.completed == 0 && own.last?.fraction == 1)
      #expect(zip(own, own.dropFirst()).allSatisfy { $0.completed < $1.completed && $0.total == $1.total })
    }
  }

  @Test("Cancelling or stopping at any report leaves no files", arguments: operations)
  func stopping(_ operation: Operation) async throws {
    struct Enough: Error {}
    let (output, steps, other) = (try #require(Pathname(folder("out"))), Steps(), try TemporaryFolder())
    try await operation.run(try #require(Pathname(other("out")))) { steps.append($0) }
    for step in steps.all {
      let task = Task {
        try await operation.run(output) {
          if $0 == step { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
      }
      await #expect(throws: CancellationError.self, "\(step)") { try await task.value }
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
    try await Defragmenter().runInPlace(path) { steps.append($0) }
    let movie = try Movie(reading: [folder("a.mp4")])
    #expect(
      movie.tracks.map(\.samples.count) == (try Movie(reading: [MemorySource(bytes)])).tracks.map(\.samples.count))
    #expect(steps.all.last?.fraction == 1)
    for step in steps.all {
      try writeFile(folder("a.mp4"), bytes)
      await #expect(throws: Enough.self) {
        try await Defragmenter().runInPlace(path) { if $0 == step { throw Enough() } }
      }
      #expect(try readFile(folder("a.mp4")) == bytes, "\(step)")
    }
    // The second time, there is nothing to do.
    try writeFile(folder("a.mp4"), bytes)
    try await Defragmenter().runInPlace(path)
    #expect(try await Defragmenter().runInPlace(path).map(\.severity) == [.note])
  }

  @Test("All errors have the type of the synchronous form")
  func errors() async throws {
    let output = try #require(Pathname(folder("missing/out.mp4")))
    let error = await #expect(throws: MovieError.self) { try await Defragmenter().run([Self.source()], to: output) }
    guard case .io(let inner)? = error else { throw try #require(error) }
    #expect(inner.operation == .create)
  }
}

/// Progress values that a closure received. One task calls it, and the values are read afterwards.
private final class Steps: @unchecked Sendable {
  private(set) var all: [OperationProgress] = []
  func append(_ step: OperationProgress) { all.append(step) }
}
