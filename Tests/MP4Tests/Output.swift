import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// The output of an operation, parsed with the simple reader of the tests.
struct Output {
  let bytes: [UInt8]
  let movie: MovieReading
  let diagnostics: [Diagnostic]

  init(_ plan: OutputPlan) throws {
    let sink = MemorySink()
    try plan.write(to: sink)
    bytes = sink.bytes
    #expect(bytes.count == plan.byteCount)
    movie = try SampleReader.read(bytes)
    diagnostics = plan.diagnostics
  }

  /// The output of the defragmenter for these sources.
  static func defragmenting(_ sources: [UInt8]...) throws -> Output { try defragmenting(named(sources)) }
  static func defragmenting(_ sources: [any ByteSource]) throws -> Output { try Output(Defragmenter().plan(sources)) }

  /// The output of the joiner for these sources; the first one is the init segment.
  static func joining(_ sources: [any ByteSource], order: Joiner.Order = .time) throws -> Output {
    try Output(Joiner(order: order).plan(sources))
  }

  subscript(track: UInt32) -> TrackReading? { movie.tracks.first { $0.id == track } }

  /// The messages of the diagnostics of this severity.
  func texts(_ severity: Diagnostic.Severity) -> [String] {
    diagnostics.filter { $0.severity == severity }.map(\.description)
  }
}

/// Sources named `init.mp4`, `segment1.m4s`, …
func named(_ sources: [[UInt8]]) -> [any ByteSource] {
  sources.enumerated().map { MemorySource($1, name: $0 == 0 ? "init.mp4" : "segment\($0).m4s") }
}

/// Checks the properties that any progressive file made from a fragmented one must have: the samples in `expected`
/// (rebased, with gaps added to the previous sample) with all their properties, one `moov` before one `mdat`,
/// durations, and the sync between tracks.
func check(
  _ result: Output, _ expected: [UInt32: [SampleRecord]], _ starts: [UInt32: Seconds],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let movie = result.movie
  let samples = expected.mapValues { $0.rebased().stretched().asInTables() }
  let text = difference(samples, movie.samples)
  #expect(text == nil, sourceLocation: sourceLocation)
  #expect(movie.boxTypes.prefix(2) == ["ftyp", "moov"], sourceLocation: sourceLocation)
  #expect(movie.boxTypes.last == "mdat", sourceLocation: sourceLocation)
  #expect(movie.boxTypes.filter { $0 == "mdat" || $0 == "moof" }.count == 1, sourceLocation: sourceLocation)
  #expect(!movie.isFragmented, sourceLocation: sourceLocation)
  checkDurations(movie, sourceLocation)
  checkSync(movie.presentationStart, starts, sourceLocation)
}

/// Checks the output for a file of the builder.
func check(_ result: Output, _ built: BuiltFile, sourceLocation: SourceLocation = #_sourceLocation) {
  check(result, built.samples, built.presentationStart, sourceLocation: sourceLocation)
}

func checkDurations(_ movie: MovieReading, _ sourceLocation: SourceLocation) {
  for track in movie.tracks {
    let media = track.samples.reduce(0) { $0 + $1.duration }
    #expect(track.duration == media, sourceLocation: sourceLocation)
    let rounded = (media * movie.timescale * 2 + track.timescale) / (track.timescale * 2)
    let presented = track.edits.isEmpty ? rounded : track.edits.reduce(0) { $0 + Int($1.duration) }
    #expect(track.trackDuration == presented, sourceLocation: sourceLocation)
  }
  #expect(movie.duration == movie.tracks.map(\.trackDuration).max(), sourceLocation: sourceLocation)
}

/// Checks that all tracks were moved by exactly the same time.
func checkSync(
  _ actual: [UInt32: Seconds], _ expected: [UInt32: Seconds], _ sourceLocation: SourceLocation
) {
  #expect(Set(actual.keys) == Set(expected.keys), sourceLocation: sourceLocation)
  let moves = expected.compactMap { track, start in actual[track].map { (track, start - $0) } }
  for (track, move) in moves {
    #expect(move == moves[0].1, "track \(track) against track \(moves[0].0)", sourceLocation: sourceLocation)
  }
}

/// The payloads of all boxes of this type at any depth. The four letters must not occur anywhere else.
func payloads(of type: String, in bytes: [UInt8]) -> [[UInt8]] {
  let letters = ascii(type)
  return bytes.indices.dropLast(7).compactMap { at in
    guard bytes[at + 4] == letters[0], Array(bytes[at + 4..<at + 8]) == letters else { return nil }
    let size = number(bytes, at)
    guard size >= 8, at + size <= bytes.count else { return nil }
    return Array(bytes[at + 8..<at + size])
  }
}

/// A big-endian number.
func number(_ bytes: [UInt8], _ offset: Int, _ count: Int = 4) -> Int {
  bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
}
