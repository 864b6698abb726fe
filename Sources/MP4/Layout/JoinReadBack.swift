import ISOBMFF
import MP4Bytes

/// Reads a planned join with this library's reader, and compares it with each source in turn: the same fragments, with
/// the same samples and sample data. Only boxes are read, no media.
struct JoinReadBack {
  private let input: MovieInput
  private let relocations: [(source: Int, relocation: Relocation)]

  /// A check of a join of the sources in `relocations`, in this order.
  init(_ input: MovieInput, _ relocations: [(source: Int, relocation: Relocation)]) {
    self.input = input
    self.relocations = relocations
  }

  /// Throws if the output would be read differently from its sources. The error names the first such source.
  func check(_ plan: OutputPlan) throws(MovieError) {
    let file = input.sources[0].name
    let source = try io(PlannedSource(plan, name: file))
    let output = try ReadBack.read(source, of: file, keepsSamples: false, takesAllSegments: true)
    guard input.tracks.map(\.id) == output.tracks.map(\.id) else {
      throw ReadBack.refusal(file, ReadBack.otherTracks)
    }
    let (given, read) = (Fragments(input), Fragments(output))
    var next = 0
    var readLimits = MediaLimits(of: output.sources[0], output.contents[0])
    for (source, relocation) in relocations {
      let name = input.sources[source].name
      var limits = MediaLimits(of: input.sources[source], input.contents[source])
      let headers = given.headers(of: source)
      for header in headers {
        let data = given.data(of: header, &limits)
        // A fragment that is cut off is not kept. It has no data except in its own box.
        if relocation.position(of: given.reader.headers[header].offset) == nil, data.allSatisfy({ $0.byteCount == 0 }) {
          continue
        }
        guard next < output.fragments.headers.count else {
          throw ReadBack.refusal(name, "some of its fragments are lost")
        }
        defer { next += 1 }
        let problem =
          difference(header, given, next, read, relocation)
          ?? difference(data, read.data(of: next, &readLimits), relocation)
        if let problem {
          let offset = input.fragments.headers[header].offset
          throw ReadBack.refusal(name, "the fragment at byte \(offset) \(problem)")
        }
      }
    }
    guard next == output.fragments.headers.count else {
      throw ReadBack.refusal(file, "it contains fragments that are not in the inputs")
    }
  }

  /// The difference between a movie fragment in the join and in its source, if any, as a predicate.
  private func difference(
    _ header: Int, _ given: Fragments, _ other: Int, _ read: Fragments, _ relocation: Relocation
  ) -> String? {
    let (own, found) = (given.reader.headers[header], read.reader.headers[other])
    guard relocation.position(of: own.offset) == found.offset else { return "is not found" }
    guard own.sequenceNumber == found.sequenceNumber else { return "has a different sequence number" }
    let (tracks, foundTracks) = (given.tracks(of: header), read.tracks(of: other))
    let areSame = tracks.count == foundTracks.count && zip(tracks, foundTracks).allSatisfy { $0.isSame($1) }
    guard areSame else { return "has different samples or times" }
    return nil
  }

  /// The difference between the data of a movie fragment in the join and in its source, if any. Data that is cut off is
  /// missing in both.
  private func difference(_ data: [Fragments.Data], _ found: [Fragments.Data], _ relocation: Relocation)
    -> String?
  {
    for (own, other) in zip(data, found) {
      guard own.byteCount == 0 || relocation.position(of: own.offset) == other.offset else {
        return "has data outside of boxes, which a join cannot keep"
      }
      guard own.byteCount == other.byteCount else {
        return "has data that is missing from its file, so data of other files would be used"
      }
    }
    return data.count == found.count ? nil : "refers to different data"
  }

  /// The parsed movie fragments.
  private struct Fragments {
    let reader: FragmentTable
    /// The index of the first track fragment of each movie fragment in the lists of the reader.
    private var firstTracks: [Int] = []
    private var firstRanges: [Int] = []
    private var sources: [Int: [Int]] = [:]

    init(_ input: MovieInput) {
      reader = input.fragments
      var (track, range) = (0, 0)
      for (index, header) in reader.headers.enumerated() {
        firstTracks.append(track)
        firstRanges.append(range)
        while track < reader.trackFragments.count, reader.trackFragments[track].fragment == index { track += 1 }
        while range < reader.dataRanges.count, reader.dataRanges[range].trackFragment < track { range += 1 }
        sources[header.source, default: []].append(index)
      }
      firstTracks.append(track)
      firstRanges.append(range)
    }

    func headers(of source: Int) -> [Int] { sources[source] ?? [] }
    func tracks(of header: Int) -> ArraySlice<TrackFragment> {
      reader.trackFragments[firstTracks[header]..<firstTracks[header + 1]]
    }
    /// Adjacent bytes of samples, and the number of bytes that are present.
    typealias Data = (offset: Int, byteCount: Int)

    func data(of header: Int, _ limits: inout MediaLimits) -> [Data] {
      let ranges = reader.dataRanges[firstRanges[header]..<firstRanges[header + 1]].lazy.map(\.range)
      limits.begin(fragmentEnd: reader.headers[header].end)
      for range in ranges { limits.note(range.count, at: range.lowerBound) }
      return ranges.map { ($0.lowerBound, max(0, min($0.count, limits.room(at: $0.lowerBound)))) }
    }
  }
}

extension TrackFragment {
  /// Whether another one has the same number of samples of the same track at the same times.
  fileprivate func isSame(_ other: TrackFragment) -> Bool {
    track == other.track && descriptionIndex == other.descriptionIndex && declaredTime == other.declaredTime
      && isNarrowTime == other.isNarrowTime && sampleCount == other.sampleCount && duration == other.duration
  }
}
