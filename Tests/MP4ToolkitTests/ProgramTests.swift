import MP4Toolkit
import Support
import Testing

/// Programs as the developer of an app or of a server writes them, with one import.
@Suite("Programs that use the library")
struct ProgramTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }
  private func vector(_ name: String) -> String { vectorPath("files/\(name)") }
  private func path(_ name: String) throws -> Path { try #require(Path(folder(name))) }

  @Test("Samples of a track")
  func samples() throws {
    let movie = try Movie(reading: [vector("fragmented.mp4")])
    let video = try #require(movie.tracks.first { $0.handler == "vide" })
    let syncs = video.samples.filter(\.isSync)
    let times = video.samples.compactMap { $0.presentationTime?.seconds }
    #expect(!syncs.isEmpty && syncs.count < video.samples.count && times.count == video.samples.count)
    #expect(times.sorted().first == times.min() && times.allSatisfy { $0 >= 0 })
  }

  @Test("What there is to know of a track")
  func information() throws {
    for name in ["fragmented.mp4", "progressive.mp4"] {
      for track in try Movie(reading: [vector(name)]).tracks {
        #expect(!track.codecs.isEmpty && track.duration.seconds > 0)
        #expect((track.pictureSize != nil) == (track.handler == "vide"))
      }
    }
  }

  @Test("The first bytes of a sample")
  func bytes() throws {
    let movie = try Movie(reading: [vector("progressive.mp4")])
    let first = try #require(movie.tracks[0].samples.first)
    let (bytes, file) = (try first.bytes(), try readFile(vector("progressive.mp4")))
    #expect(bytes.count == first.size && bytes.elementsEqual(file[first.offset..<first.offset + first.size]))
  }

  @Test("One ordinary file from fragments, with progress")
  func defragment() async throws {
    let (source, steps) = (try openSource(vector("fragmented.mp4")), Steps())
    let notices = try await Defragmenter().run([source], to: path("movie.mp4")) { steps.append($0) }
    let (before, after) = (try Movie(reading: [source]), try Movie(reading: [folder("movie.mp4")]))
    #expect(notices.allSatisfy { $0.severity < .loss })
    #expect(before.tracks.map(\.samples.count) == after.tracks.map(\.samples.count))
    #expect(try before.tracks[0].samples[5].bytes() == after.tracks[0].samples[5].bytes())
    for phase in [OperationProgress.Phase.reading, .writing] {
      let own = steps.all.filter { $0.phase == phase }
      #expect(own.first?.completed == 0 && own.last?.fraction == 1 && own.allSatisfy { $0.total == own[0].total })
    }
  }

  @Test("A task that is cancelled stops, and leaves nothing", arguments: [OperationProgress.Phase.reading, .writing])
  func cancelling(phase: OperationProgress.Phase) async throws {
    let (source, output) = (try openSource(vector("fragmented.mp4")), try path("movie.mp4"))
    let task = Task {
      try await Defragmenter().run([source], to: output) {
        if $0.phase == phase { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(namesInFolder(folder("")).isEmpty)
  }

  @Test("A closure that throws stops the operation with its error")
  func stopping() async throws {
    struct Enough: Error {}
    let (source, output) = (try openSource(vector("fragmented.mp4")), try path("movie.mp4"))
    await #expect(throws: Enough.self) { try await Defragmenter().run([source], to: output) { _ in throw Enough() } }
    #expect(namesInFolder(folder("")).isEmpty)
  }

  @Test("No input is replaced, whatever it is called")
  func replacing() async throws {
    try writeFile(folder("a.mp4"), readFile(vector("fragmented.mp4")))
    let (source, output) = (try openSource(folder("a.mp4")), try path("./a.mp4"))
    await #expect(throws: IOError.self) { try await Defragmenter().run([source], to: output) }
    #expect(try readFile(folder("a.mp4")) == readFile(vector("fragmented.mp4")))
  }

  @Test("Segments in memory, by several tasks")
  func segments() async throws {
    let movie = try await Movie.read([openSource(vector("progressive.mp4"))])
    let (plan, start) = (try Fragmenter().plan(movie), MemorySink())
    try plan.writeInitialization(to: start)
    let segments = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for index in plan.segments.indices {
        group.addTask {
          let sink = MemorySink()
          try plan.writeSegment(index, to: sink)
          return (index, sink.bytes)
        }
      }
      return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
    }
    let all = plan.segments.indices.reduce(start.bytes) { $0 + (segments[$1] ?? []) }
    let result = try Movie(reading: [MemorySource(all)])
    #expect(result.tracks.map(\.samples.count) == movie.tracks.map(\.samples.count))
  }

  @Test("An actor that gives a movie, and a model that keeps a plan")
  func isolation() async throws {
    let movie = try await Library().movie(vector("fragmented.mp4"))
    let model = Model()
    try await model.load(movie)
    #expect(await model.segmentCount > 0)
  }

  @Test("A box edited, and the media in its place")
  func editing() throws {
    let source = try openSource(vector("progressive.mp4"))
    let output = try OutputFile(path("edited.mp4"))
    try MovieEditor(source).edit("moov/trak[1]/mdia/mdhd", MediaHeaderBox.self) { $0.language = "fra" }
      .append(Box(UserNote(text: "from the field")), to: "moov").write(to: output)
    try output.commit()
    let (before, after) = (try Movie(reading: [source]), try Movie(reading: [folder("edited.mp4")]))
    #expect(after.tracks[0].language == "fra")
    for (old, new) in zip(before.tracks[0].samples, after.tracks[0].samples) {
      #expect(try old.bytes() == new.bytes())
    }
  }

  @Test("Errors that a program can tell apart")
  func errors() throws {
    try writeFile(folder("text.mp4"), Array("this is no movie, but a text".utf8))
    #expect { try Movie(reading: [folder("text.mp4")]) } throws: {
      ($0 as? MovieError)?.file.hasSuffix("text.mp4") == true
    }
    #expect { try Movie(reading: [folder("nothing.mp4")]) } throws: {
      if case .io(let error)? = $0 as? MovieError { error.operation == .open } else { false }
    }
  }
}

/// What the closure for progress has seen, which is called by one task, and looked at after it.
private final class Steps: @unchecked Sendable {
  private(set) var all: [OperationProgress] = []
  func append(_ step: OperationProgress) { all.append(step) }
}

private actor Library {
  func movie(_ path: String) throws -> Movie { try Movie(reading: [path]) }
}

@MainActor private final class Model {
  private var plan: FragmentPlan?
  var segmentCount: Int { plan?.segments.count ?? 0 }
  func load(_ movie: Movie) throws { plan = try Fragmenter().plan(movie) }
}

/// A box of the program's own.
private struct UserNote: FullBoxPayload {
  static let info = BoxInfo("note", "User Note Box", in: ["moov"], "")
  var header = FullBoxHeader()
  var text: BoxString = ""
  mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.string("text", &text) }
}
