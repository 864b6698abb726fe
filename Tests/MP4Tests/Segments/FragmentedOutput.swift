import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// A fragmented output, parsed with the simple reader of the tests and checked for all properties that every output
/// must have.
struct FragmentedOutput {
  let plan: FragmentPlan
  let bytes: [UInt8]
  let movie: MovieReading
  let fragments: [MovieFragmentReading]

  init(
    _ sources: [any ByteSource], options: Fragmenter.Options = .init(), reading: ReadingOptions = .init(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    plan = try Fragmenter(options).plan(Movie(reading: sources, reading))
    let sink = MemorySink()
    try plan.write(to: sink)
    bytes = sink.bytes
    movie = try SampleReader.readWithInformation(bytes)
    fragments = try MovieFragmentReading.all(in: bytes)
    try checkStructure(sourceLocation)
    try checkPlan(sourceLocation)
    try checkSegments(options, sourceLocation)
  }

  init(
    _ bytes: [UInt8], _ change: (inout Fragmenter.Options) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var options = Fragmenter.Options()
    change(&options)
    try self.init(named([bytes]), options: options, sourceLocation: sourceLocation)
  }

  subscript(track: UInt32) -> TrackReading? { movie.tracks.first { $0.id == track } }

  /// The fragments of a segment.
  func fragments(ofSegment index: Int) -> [MovieFragmentReading] {
    let segment = plan.segments[index]
    return fragments.filter { (segment.offset..<segment.offset + segment.byteCount).contains($0.offset) }
  }
  /// The number of samples of a track in each segment.
  func counts(_ track: UInt32 = 1) -> [Int] {
    plan.segments.map { segment in
      segment.tracks.first { plan.trackIDs[$0.index] == track }?.sampleCount ?? 0
    }
  }
  /// The number of samples of a track in each fragment.
  func fragmentCounts(_ track: UInt32 = 1) -> [Int] {
    fragments.map { $0.trackFragments.filter { $0.track == track }.flatMap(\.runs).reduce(0) { $0 + $1.sampleCount } }
  }
  /// The start times of the segments as text.
  var starts: [String] { plan.segments.map(\.start.description) }
  var durations: [String] { plan.segments.map(\.duration.description) }
  func texts(_ severity: Diagnostic.Severity) -> [String] {
    plan.diagnostics.filter { $0.severity == severity }.map(\.description)
  }
  /// Whether a diagnostic says that the start of a track was rounded to its timescale.
  var isRounded: Bool { plan.diagnostics.contains { $0.description.contains("was rounded") } }
  /// Whether a diagnostic says that the presentation starts a little after 0 to avoid rounding.
  var isMoved: Bool { plan.diagnostics.contains { $0.description.contains("so that no track start is rounded") } }
  func moov() throws -> BoxOutline { try #require(BoxOutline.all(in: bytes).first { $0.type == "moov" }) }

  // MARK: General checks

  private func checkStructure(_ at: SourceLocation) throws {
    #expect(fragments.map(\.sequenceNumber) == Array(1..<(fragments.count + 1)), sourceLocation: at)
    for fragment in fragments {
      #expect(!fragment.trackFragments.isEmpty, sourceLocation: at)
      for traf in fragment.trackFragments {
        // default-base-is-moof, and no other base.
        #expect(traf.flags & 0x2_0001 == 0x2_0000 && traf.flags & 0x1_0000 == 0, sourceLocation: at)
        #expect(traf.boxTypes.prefix(3) == ["tfhd", "tfdt", "trun"], sourceLocation: at)
        #expect(traf.decodeTime.version == 1 && traf.decodeTime.value >= 0, sourceLocation: at)
        // Tracks are interleaved; a single track has one run.
        #expect(traf.runs.count == 1 || movie.tracks.count > 1, sourceLocation: at)
        for run in traf.runs {
          #expect(run.version == 1 && run.sampleCount > 0 && run.flags & 0x1 == 0x1, sourceLocation: at)
          let place = fragment.offset + run.dataOffset
          #expect(place >= fragment.media && place <= fragment.end, sourceLocation: at)
        }
      }
    }
    let moov = try moov()
    for type in ["stts", "stsc", "stsz", "stco", "stss"] {
      for table in try moov.all("trak", "mdia", "minf", "stbl", type) {
        #expect(number(table.payload, table.payload.count - 4) == 0, "\(type)", sourceLocation: at)
      }
    }
    for (track, table) in zip(movie.tracks, try moov.all("trak", "mdia", "minf", "stbl")) {
      let hasTable = try !table.all("stss").isEmpty
      #expect(hasTable == track.samples.contains { !$0.isSync }, sourceLocation: at)
    }
    let defaults = try moov.all("mvex", "trex").map(\.payload)
    #expect(
      defaults == movie.tracks.map { zeros(4) + big($0.id) + big(UInt32(1)) + zeros(12) }, sourceLocation: at)
    #expect(try moov.all("mvex", "mehd").count == 1, sourceLocation: at)
  }

  /// The plan must describe the segments as they are in the bytes.
  private func checkPlan(_ at: SourceLocation) throws {
    #expect(bytes.count == plan.byteCount, sourceLocation: at)
    #expect(plan.trackIDs == movie.tracks.map(\.id), sourceLocation: at)
    let sizes = plan.segments.flatMap(\.fragmentSizes)
    #expect(sizes == fragments.map { $0.end - $0.offset }, sourceLocation: at)
    var next = movie.tracks.map { _ in 0 }
    for (index, segment) in plan.segments.enumerated() {
      let own = fragments(ofSegment: index)
      let boxes = try BoxOutline.all(in: Array(bytes[segment.offset..<segment.offset + segment.byteCount]))
      // Event messages come first.
      let start = segment.offset + (boxes.first { $0.type != "emsg" }?.range.lowerBound ?? 0)
      #expect(own.map(\.offset).first ?? start == start, sourceLocation: at)
      let size = own.reduce(start - segment.offset) { $0 + $1.end - $1.offset }
      #expect(size == segment.byteCount, sourceLocation: at)
      for track in segment.tracks {
        let reading = movie.tracks[track.index]
        let samples = reading.samples[next[track.index]..<next[track.index] + track.sampleCount]
        let first = try #require(samples.first, sourceLocation: at)
        #expect(track.decodeTime == first.decodeTime, sourceLocation: at)
        #expect(track.duration == samples.reduce(0) { $0 + $1.duration }, sourceLocation: at)
        #expect(track.byteCount == samples.reduce(0) { $0 + $1.payload.count }, sourceLocation: at)
        #expect(
          track.firstSample.offset + segment.offset == reading.places[next[track.index]].lowerBound, sourceLocation: at)
        #expect(
          track.firstSample.length == first.payload.count && track.firstSample.isSync == first.isSync,
          sourceLocation: at)
        // Presentation and composition times differ by a constant per track, which results from its edits.
        let shift = first.compositionTime - Int(track.firstSample.presentationTime)
        let earliest = samples.map(\.compositionTime).min() ?? 0
        #expect(earliest - shift == track.earliestPresentationTime, sourceLocation: at)
        next[track.index] += track.sampleCount
      }
    }
    #expect(next == movie.tracks.map(\.samples.count), sourceLocation: at)
  }

  /// The init segment and media segments as separate files have the same contents.
  private func checkSegments(_ options: Fragmenter.Options, _ at: SourceLocation) throws {
    let initialization = MemorySink()
    try plan.writeInitialization(to: initialization)
    #expect(initialization.bytes.count == plan.initializationByteCount, sourceLocation: at)
    #expect(initialization.bytes.elementsEqual(bytes.prefix(initialization.bytes.count)), sourceLocation: at)
    for (index, segment) in plan.segments.enumerated() {
      let sink = MemorySink()
      try plan.writeSegment(index, to: sink)
      #expect(sink.bytes.count == plan.byteCount(ofSegment: index), sourceLocation: at)
      let own = bytes[segment.offset..<segment.offset + segment.byteCount]
      #expect(sink.bytes.suffix(own.count).elementsEqual(own), sourceLocation: at)
      let front = try BoxOutline.all(in: sink.bytes.dropLast(own.count))
      #expect(front.map(\.type) == (options.hasIndex ? ["styp", "sidx"] : ["styp"]), sourceLocation: at)
    }
  }
}

extension Fragmenter.Options {
  static func with(_ change: (inout Fragmenter.Options) -> Void) -> Fragmenter.Options {
    var options = Fragmenter.Options()
    change(&options)
    return options
  }
  /// Apple's profile with its default offset of ten seconds.
  static let apple = Fragmenter.Options.with { $0.profile = .apple(timeOffset: FragmentProfile.appleTimeOffset) }
}

/// `seconds` plus `thousandths` of a second.
func time(_ seconds: Int64, _ thousandths: Int64 = 0) -> MediaTime { MediaTime(seconds * 1000 + thousandths, 1000) }

/// A file with all samples in the movie box.
func progressive(_ tracks: [TrackSpec], movieTimescale: UInt32 = 1000) -> BuiltFile {
  var file = FragmentedFileBuilder(tracks)
  file.movieTimescale = movieTimescale
  return file.build()
}

extension TrackSpec {
  /// Video samples of 1/25 s with a sync sample every `group` samples.
  static func pictures(_ count: Int, group: Int = 25, offsets: [Int64] = [], id: UInt32 = 1) -> TrackSpec {
    var samples: [SampleSpec] = .samples(count)
    for index in samples.indices {
      samples[index].flags = index % group == 0 ? .sync : .depends
      if !offsets.isEmpty { samples[index].compositionOffset = offsets[index % offsets.count] }
    }
    return TrackSpec.video(id: id).with(\.samples, samples)
  }
  /// Audio samples of 1024/48000 s.
  static func sound(_ count: Int, id: UInt32 = 2) -> TrackSpec {
    TrackSpec.audio(id: id).with(\.samples, .samples(count))
  }
}
