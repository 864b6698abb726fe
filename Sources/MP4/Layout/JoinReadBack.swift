import ISOBMFF

/// Reads a join that is planned as our own reader will, and compares it with the sources one after the other: the same
/// fragments, with the same samples, whose data is the same bytes. Only boxes are read, no media.
struct JoinReadBack {
  private let presentation: Presentation
  private let relocations: [(source: Int, relocation: Relocation)]

  /// A join whose sources go where `relocations` say, in this order.
  init(_ presentation: Presentation, _ relocations: [(source: Int, relocation: Relocation)]) {
    self.presentation = presentation
    self.relocations = relocations
  }

  /// Fails when the output would be read otherwise than its sources, and names the first of these that is.
  func check(_ plan: OutputPlan) throws(MovieError) {
    let file = presentation.sources[0].name
    let output: Presentation
    do throws(MovieError) {
      let source: PlannedSource
      do throws(IOError) { source = try PlannedSource(plan, name: file) } catch { throw .io(error) }
      output = try PresentationReader.read([source], keepsSamples: false, takesAllSegments: true)
    } catch {
      if case .io = error { throw error }
      throw ReadBack.refusal(file, error.reason)
    }
    guard presentation.tracks.map(\.id) == output.tracks.map(\.id) else {
      throw ReadBack.refusal(file, "it has other tracks")
    }
    let (given, read) = (Fragments(presentation), Fragments(output))
    var next = 0
    for (source, relocation) in relocations {
      let name = presentation.sources[source].name
      let headers = given.headers(of: source)
      for header in headers {
        guard next < output.fragments.headers.count else { throw ReadBack.refusal(name, "fragments of it are lost") }
        defer { next += 1 }
        if let difference = difference(header, given, next, read, relocation) {
          throw ReadBack.refusal(
            name, "the fragment at byte \(presentation.fragments.headers[header].offset) \(difference)")
        }
      }
    }
    guard next == output.fragments.headers.count else {
      throw ReadBack.refusal(file, "there are fragments in it that the inputs do not have")
    }
  }

  /// What is read of a movie fragment otherwise than in its source.
  private func difference(
    _ header: Int, _ given: Fragments, _ other: Int, _ read: Fragments, _ relocation: Relocation
  ) -> String? {
    let (own, found) = (given.reader.headers[header], read.reader.headers[other])
    guard relocation.position(of: own.offset) == found.offset else { return "is not found" }
    guard own.sequenceNumber == found.sequenceNumber else { return "has another sequence number" }
    let (tracks, foundTracks) = (given.tracks(of: header), read.tracks(of: other))
    let areSame = tracks.count == foundTracks.count && zip(tracks, foundTracks).allSatisfy { $0.isSame($1) }
    guard areSame else { return "has other samples or times" }
    let (data, foundData) = (given.data(of: header), read.data(of: other))
    guard data.count == foundData.count else { return "has its data elsewhere" }
    let byteCount = presentation.sources[own.source].byteCount ?? .max
    for (range, found) in zip(data, foundData) where range.lowerBound < byteCount {
      // Of what is cut off, the start is there; where it ends, more is lost the same way in both.
      guard relocation.position(of: range.lowerBound) == found.lowerBound, range.count == found.count else {
        return "has data in bytes that are no box, which a join cannot keep"
      }
    }
    return nil
  }

  /// What was read, by movie fragment.
  private struct Fragments {
    let reader: FragmentReader
    /// Where in the lists of the reader those of each movie fragment start.
    private var firstTracks: [Int] = []
    private var firstRanges: [Int] = []
    private var sources: [Int: [Int]] = [:]

    init(_ presentation: Presentation) {
      reader = presentation.fragments
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
    func data(of header: Int) -> some Collection<Range<Int>> {
      reader.dataRanges[firstRanges[header]..<firstRanges[header + 1]].lazy.map(\.range)
    }
  }
}

extension TrackFragment {
  /// Whether another one has as many samples of the same track at the same times.
  fileprivate func isSame(_ other: TrackFragment) -> Bool {
    track == other.track && descriptionIndex == other.descriptionIndex && declaredTime == other.declaredTime
      && isNarrowTime == other.isNarrowTime && sampleCount == other.sampleCount && duration == other.duration
  }
}
