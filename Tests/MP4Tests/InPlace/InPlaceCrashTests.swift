import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("A change in place can be interrupted at any time")
struct InPlaceCrashTests {
  private func record(_ bytes: [UInt8]) throws -> (InPlaceRecorder, InPlacePlan) {
    let plan = try Defragmenter().planInPlace(MemorySource(bytes, name: "in.mp4"))
    let recorder = InPlaceRecorder()
    try plan.write(to: recorder)
    return (recorder, plan)
  }

  @Test(
    "After every complete, partial or reordered write between two syncs, the file is fragmented or finished",
    arguments: InPlaceCase.all)
  func everyMoment(_ file: InPlaceCase) throws {
    let (recorder, plan) = try record(file.file.bytes)
    #expect(plan.diagnostics.contains { $0.severity == .error } == (file.isDamaged && !file.endsWithZeros))
    let hasZeros = plan.diagnostics.contains { if case .zeros = $0.kind { true } else { false } }
    #expect(hasZeros == file.endsWithZeros)
    var count = (fragmented: 0, finished: 0)
    for state in Effort.some(Array(recorder.interruptions(of: file.file.bytes)), short: 30) {
      if state.isFinished {
        count.finished += 1
        try checkFinished(state.bytes, file, state.moment)
      } else {
        count.fragmented += 1
        try checkFragmented(state.bytes, file, state.moment)
      }
    }
    #expect(count.fragmented > 10 && count.finished > 0)
  }

  @Test("An interrupted change can be repeated from any state", arguments: InPlaceCase.all)
  func again(_ file: InPlaceCase) throws {
    for state in Effort.some(try Array(record(file.file.bytes).0.interruptions(of: file.file.bytes)), short: 4) {
      let (recorder, plan) = try record(state.bytes)
      #expect(plan.isEmpty == state.isFinished, "\(state.moment)")
      try checkFinished(recorder.finished(state.bytes), file, "again from " + state.moment)
    }
  }

  @Test("All writes before the end have at most 16 bytes in one sector", arguments: InPlaceCase.all)
  func smallWrites(_ file: InPlaceCase) throws {
    let recorder = try record(file.file.bytes).0
    var end = file.file.bytes.count
    for event in recorder.events {
      switch event {
      case .replace(let bytes, let offset), .commit(let bytes, let offset):
        #expect(bytes.count > 0 && bytes.count <= 16)
        #expect(offset / 512 == (offset + bytes.count - 1) / 512)
      case .append(let bytes, let offset):
        #expect(offset <= end && offset > end - 8)
        end = offset + bytes.count
      case .overwrite: Issue.record("a defragmentation overwrites nothing")
      case .synchronize: break
      }
    }
    #expect(recorder.events.last == .synchronize)
    #expect(recorder.events.filter(\.isCommit).count == 1)
    #expect(recorder.events.suffix(3).first == .synchronize)
  }

  // MARK: Checks

  private func checkFragmented(_ bytes: [UInt8], _ file: InPlaceCase, _ moment: String) throws {
    var readings = file.hidesFragments ? [] : [try SampleReader.readTruncated(bytes)]
    // If a strict reader could read the file before, it can while the boxes are complete.
    if !file.isDamaged, let strict = try? SampleReader.read(bytes) { readings.append(strict) }
    for reading in readings {
      #expect(reading.isFragmented, "\(moment)")
      var samples = reading.samples
      if reading.samples.values.contains(where: { $0.isUnordered }) {
        samples = samples.mapValues { $0.sorted { $0.decodeTime < $1.decodeTime } }
      }
      let expected = file.file.samples.mapValues { $0.withSyncOnly() }
      #expect(difference(expected, samples.mapValues { $0.withSyncOnly() }) == nil, "\(moment)")
    }
    let result = try Output.defragmenting([MemorySource(bytes, name: "in.mp4")])
    check(result.movie, file, moment)
  }

  private func checkFinished(_ bytes: [UInt8], _ file: InPlaceCase, _ moment: String) throws {
    let movie = try SampleReader.read(bytes)
    #expect(!movie.isFragmented, "\(moment)")
    #expect(movie.boxTypes.filter { $0 == "moov" }.count == 1, "\(moment)")
    #expect(!movie.boxTypes.contains("moof"), "\(moment)")
    check(movie, file, moment)
    // Media data stays in place.
    for track in movie.tracks where !file.isUnordered {
      #expect(track.places == file.file.places[track.id] ?? [] || file.movesPlaces, "\(moment)")
    }
  }

  private func check(_ movie: MovieReading, _ file: InPlaceCase, _ moment: String) {
    let expected = file.file.samples.mapValues { $0.rebased().stretched().withSyncOnly() }
    #expect(difference(expected, movie.samples.mapValues { $0.withSyncOnly() }) == nil, "\(moment)")
    checkDurations(movie, #_sourceLocation)
    checkSync(movie.presentationStart, file.starts, #_sourceLocation)
  }
}

extension [SampleRecord] {
  fileprivate var isUnordered: Bool { zip(self, dropFirst()).contains { $0.decodeTime > $1.decodeTime } }
}

extension InPlaceCase {
  fileprivate var isUnordered: Bool { testDescription == "fragments out of order" }
  /// For these, the builder's offsets ignore the longer header.
  fileprivate var movesPlaces: Bool { testDescription == "a movie box with a size of 64 bits" }
  /// For these, the reference reader finds no samples, because it expects only boxes inside a movie box.
  fileprivate var hidesFragments: Bool { testDescription.hasPrefix("a movie box that reaches over the fragments") }
  fileprivate var starts: [UInt32: Seconds] {
    file.presentationStart.filter { file.samples[$0.key]?.isEmpty == false }
  }
}
