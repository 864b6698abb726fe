import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Fragmenting and defragmenting keeps the movie")
struct FragmentRoundTripTests {
  static let vectors: [[String]] = [
    ["base-data-offset.mp4"], ["encrypted-cbcs.mp4"], ["encrypted-cenc.mp4"], ["fragmented.mp4"], ["global-sidx.mp4"],
    ["hevc-fragmented.mp4"], ["hybrid.mp4"], ["ismv.ismv"], ["negative-cts.mp4"], ["omit-tfhd-offset.mp4"],
    ["pcm.mov"], ["prft.mp4"], ["progressive-moov-last.mp4"], ["progressive.mov"], ["progressive.mp4"],
    ["separate-moof.mp4"],
    ["hls/init.mp4"] + (1...12).map { "hls/segment\($0).m4s" }, ["video/*"], ["audio/*"], ["video/*", "audio/*"],
  ]

  private func sources(_ names: [String]) throws -> [any ByteSource] {
    let all = names.flatMap { name -> [String] in
      guard name.hasSuffix("/*") else { return [name] }
      let folder = String(name.dropLast(2))
      let files = namesInFolder(vectorPath("files/" + folder))
      // Numeric order: segment2 before segment10.
      return
        (files.filter { $0.hasPrefix("init") }
        + files.filter { $0.hasPrefix("segment") }.sorted { ($0.count, $0) < ($1.count, $1) })
        .map { folder + "/" + $0 }
    }
    #expect(all.count >= names.count)
    return try all.map { MemorySource(try readFile(vectorPath("files/" + $0)), name: $0) }
  }

  /// Samples without the details that sample tables and implied flags do not keep.
  private func plain(_ samples: [UInt32: [SampleRecord]]) -> [UInt32: [SampleRecord]] {
    samples.mapValues { records in
      records.rebased().map {
        var record = $0
        // Negative offsets replace an edit.
        record.compositionOffset -= records.first?.compositionOffset ?? 0
        record.flags &= .nonSync
        return record
      }
    }
  }

  @Test(
    "Vectors keep samples and presentation times, in both profiles",
    arguments: Effort.some(vectors, short: 6), [false, true])
  func vector(names: [String], isApple: Bool) throws {
    let sources = try sources(names)
    var options = isApple ? Fragmenter.Options.apple : .init()
    options.cutting = .interval(time(1))
    let before = try Output.defragmenting(sources)
    let output = try FragmentedOutput(sources, options: options)
    let after = try Output.defragmenting(output.bytes)
    #expect(difference(plain(before.movie.samples), plain(output.movie.samples)) == nil)
    #expect(difference(plain(before.movie.samples), plain(after.movie.samples)) == nil)
    #expect(after.movie.tracks.map(\.sampleEntries) == before.movie.tracks.map(\.sampleEntries))
    guard !isApple else { return }
    checkPresented(before.movie, output.movie, isRounded: output.isRounded)
    checkPresented(before.movie, after.movie, isMoved: true, isRounded: output.isRounded)
    // A second time.
    let twice = try FragmentedOutput(named([output.bytes]), options: options)
    #expect(difference(plain(before.movie.samples), plain(twice.movie.samples)) == nil)
  }

  @Test(
    "Random files keep samples and presentation times",
    arguments: 0..<Effort.count(short: 20, all: 120) as Range<UInt64>)
  func randomFiles(seed: UInt64) throws {
    let built = RandomFiles.file(seed)
    guard built.samples.values.contains(where: { !$0.isEmpty }) else {
      #expect(throws: MovieError.self) { try Movie(reading: [MemorySource(built.bytes)]) }
      return
    }
    let before = try Output.defragmenting(built.bytes)
    var random = SplitMix64(seed: seed)
    for profile in [FragmentProfile.cmaf, .apple(timeOffset: time(3600))] {
      var options = Fragmenter.Options()
      options.profile = profile
      options.cutting = .interval(time(0, .random(in: 1...3000, using: &random)))
      if Bool.random(using: &random) { options.fragmentDuration = time(0, .random(in: 1...500, using: &random)) }
      (options.hasIndex, options.hasRandomAccess) = (Bool.random(using: &random), Bool.random(using: &random))
      let output = try FragmentedOutput(named([built.bytes]), options: options)
      let after = try Output.defragmenting(output.bytes)
      #expect(difference(plain(before.movie.samples), plain(output.movie.samples)) == nil)
      #expect(difference(plain(before.movie.samples), plain(after.movie.samples)) == nil)
      guard profile == .cmaf else { continue }
      checkPresented(before.movie, output.movie, isMoved: output.isMoved, isRounded: output.isRounded)
    }
  }

  @Test("Only the samples of a fragmented source matter, not its fragments")
  func refragmented() throws {
    let whole = try FragmentedOutput(try sources(["progressive.mp4"]))
    for interval in [time(0, 100), time(2), time(100)] {
      let pieces = try FragmentedOutput(
        try sources(["progressive.mp4"]), options: .with { $0.cutting = .interval(interval) })
      #expect(try FragmentedOutput(pieces.bytes) { $0.cutting = .interval(time(6)) }.bytes == whole.bytes)
    }
  }

  @Test("Init segment and segments give the same result as the file")
  func segments() throws {
    let options = Fragmenter.Options.with { $0.cutting = .interval(time(1)) }
    let whole = try FragmentedOutput(try sources(["progressive.mp4"]), options: options)
    var files = [MemorySink()]
    try whole.plan.writeInitialization(to: files[0])
    for index in whole.plan.segments.indices {
      files.append(MemorySink())
      try whole.plan.writeSegment(index, to: files[index + 1])
    }
    #expect(try FragmentedOutput(named(files.map(\.bytes)), options: options).bytes == whole.bytes)
  }
}

@Suite("Real files are fragmented", .enabled(if: corpusFolder != nil, "MP4TOOL_CORPUS names the folder of the corpus"))
struct FragmentCorpusTests {
  @Test(
    "Every file is fragmented or refused with its name; the samples equal those of the progressive output",
    arguments: corpus())
  func every(path: String) throws {
    let source = MemorySource(try readFile(path), name: path)
    guard case .success(let plan) = Result(catching: { () throws(MovieError) in try Defragmenter().plan([source]) })
    else {
      #expect(throws: MovieError.self) { try Fragmenter().plan(Movie(reading: [source])) }
      return
    }
    guard plan.byteCount < 30_000_000, let report = plan.report, report.sampleCount > 0 else { return }
    do {
      let output = try Fragmenter().plan(Movie(reading: [source]))
      let sink = MemorySink()
      try output.write(to: sink)
      #expect(sink.bytes.count == output.byteCount)
      let again = try Defragmenter().plan([MemorySource(sink.bytes, name: "made")])
      // Information that a progressive file stores in tables but fragments cannot store is reported.
      guard output.diagnostics.allSatisfy({ $0.severity < .error }) else { return }
      #expect(again.report?.sampleCount == report.sampleCount)
      #expect(again.report?.tracks.map(\.mediaDuration) == report.tracks.map(\.mediaDuration))
      #expect(again.diagnostics.allSatisfy { $0.severity == .note }, "\(again.diagnostics)")
    } catch {
      #expect(error.description.hasPrefix(path))
    }
  }
}
