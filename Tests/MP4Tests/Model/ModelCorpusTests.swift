import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite(
  "The model of real files", .enabled(if: corpusFolder != nil, "MP4TOOL_CORPUS names the folder of the corpus"))
struct ModelCorpusTests {
  /// One movie each: a file, or the files of a set with the init segment first.
  private static let inputs: [[String]] = {
    var sets: [String: [String]] = [:]
    var inputs: [[String]] = []
    for path in corpus() {
      let parts = path.split(separator: "/")
      if parts.dropLast(2).last == "sets" { sets[String(parts[parts.count - 2]), default: []].append(path) }
      inputs.append([path])
    }
    return inputs + sets.values.map { paths in paths.filter(isInitialization) + paths.filter { !isInitialization($0) } }
  }()
  private static func isInitialization(_ path: String) -> Bool {
    path.split(separator: "/").last.map { $0.hasPrefix("init") } ?? false
  }

  @Test("The samples of undamaged files equal those of a simple reader", arguments: inputs)
  func samples(paths: [String]) throws {
    let sources = try paths.map { MemorySource(try readFile($0), name: $0) }
    guard let movie = try? Movie(reading: sources), movie.diagnostics.allSatisfy({ $0.severity == .note }),
      let reading = try? SampleReader.read(sources.flatMap(\.bytes))
    else { return }
    for track in movie.tracks {
      let expected = reading.samples[track.id] ?? []
      let own = try track.samples.map { sample in
        SampleRecord(
          decodeTime: Int(sample.decodeTime.value), compositionOffset: Int(sample.compositionOffset.value),
          duration: Int(sample.duration.value), flags: sample.flags.rawValue,
          descriptionIndex: sample.descriptionIndex, payload: try sample.bytes())
      }
      #expect(difference(expected.stretched().withSyncOnly(), own.withSyncOnly()) == nil)
      for (index, sample) in track.samples.enumerated() {
        if let time = sample.presentationTime, !(sample.presentations.first?.isEmpty ?? true) {
          let found = track.samples.index(atPresentationTime: time)
          #expect(found.map { track.samples[$0].presentationTime } == time, "\(track.id), \(index)")
        }
        guard sample.duration.value > 0 else { continue }
        #expect(track.samples.index(atDecodeTime: sample.decodeTime) == index, "\(track.id)")
      }
    }
  }
}
