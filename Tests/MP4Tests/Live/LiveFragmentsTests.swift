import MP4
import MP4Bytes
import Support
import Testing

@Suite("Live fragments as an asynchronous sequence")
struct LiveFragmentsTests {
  private static let built: BuiltFile = {
    var file = FragmentedFileBuilder([.video(), .audio()], seed: 4)
    for _ in 0..<4 {
      file.addFragment {
        $0.addTraf(1, .samples(3), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(2))
      }
    }
    return file.build()
  }()

  /// The results of a stream.
  private struct Run: Equatable, Sendable {
    var bytes: [UInt8] = []
    var fragmentCount = 0
    var diagnostics: [String] = []
  }

  private func run(_ bytes: [UInt8], chunk: Int) async throws -> Run {
    let chunks = AsyncStream<[UInt8]> { continuation in
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        continuation.yield(Array(bytes[start..<min(bytes.count, start + chunk)]))
      }
      continuation.finish()
    }
    var run = Run()
    for try await event in LiveFragments(of: chunks, name: "live") {
      switch event {
      case .movie(let movie): run.bytes += movie.bytes
      case .fragment(let fragment, let media):
        #expect(media.count >= fragment.mediaByteCount)
        run.bytes += fragment.bytes(sequenceNumber: fragment.sequenceNumber) + media
        run.fragmentCount += 1
      case .diagnostic(let diagnostic): run.diagnostics.append(diagnostic.description)
      }
    }
    return run
  }

  @Test("The fragments contain all bytes of the stream, for chunks of any size")
  func whole() async throws {
    let bytes = Self.built.bytes
    for chunk in Array(1...64) + [100, 1000, bytes.count] {
      let run = try await run(bytes, chunk: chunk)
      #expect(run == Run(bytes: bytes, fragmentCount: 4, diagnostics: []), "chunks of \(chunk) bytes")
    }
  }

  @Test("A damaged or incomplete fragment is omitted, and the others are returned, for chunks of any size")
  func damage() async throws {
    let (start, segments) = (Self.built.initialization, Self.built.segments)
    var random = SplitMix64(seed: 7)
    let garbage = random.bytes(300)
    let streams: [(bytes: [UInt8], kept: [Int])] = [
      (start + segments[0] + segments[1].dropLast(5), [0]),
      (start + segments[0] + segments[1].prefix(40) + segments[2] + segments[3], [0, 2, 3]),
      (start + segments[0] + garbage + segments[1], [0, 1]),
    ]
    for (bytes, kept) in streams {
      let once = try await run(bytes, chunk: bytes.count)
      #expect(!once.diagnostics.isEmpty && once.bytes == start + kept.flatMap { segments[$0] }, "\(once.diagnostics)")
      for chunk in [1, 2, 3, 7, 64] { #expect(try await run(bytes, chunk: chunk) == once, "chunks of \(chunk) bytes") }
    }
  }

  @Test("Data that is not fragmented MP4 is an error, and errors of the chunks are passed on")
  func errors() async throws {
    let matroska: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3] + zeros(200)
    await #expect(throws: MovieError.self) { try await run(matroska, chunk: 50) }
    struct Lost: Error {}
    let broken = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { continuation in
      continuation.yield(Self.built.initialization[...])
      continuation.finish(throwing: Lost())
    }
    await #expect(throws: Lost.self) { for try await _ in LiveFragments(of: broken) {} }
  }

  @Test("A stream without fragments ends without an error, with at most a diagnostic")
  func nothing() async throws {
    for (bytes, count) in [([], 0), (Self.built.initialization, 0), (ascii("no movie, but a text of some length"), 1)] {
      let run = try await run(bytes, chunk: 10)
      #expect(run.fragmentCount == 0 && run.diagnostics.count == count, "\(run.diagnostics)")
    }
  }

  @Test("A task reads fragments that another task receives")
  func tasks() async throws {
    let bytes = Self.built.bytes
    let fragments = LiveFragments(
      of: AsyncStream<[UInt8]> { continuation in
        continuation.yield(bytes)
        continuation.finish()
      })
    let count = try await Task.detached {
      try await fragments.reduce(0) { count, event in if case .fragment = event { count + 1 } else { count } }
    }.value
    #expect(count == 4)
  }
}
