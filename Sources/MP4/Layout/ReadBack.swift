import ISOBMFF
import MP4Bytes

/// The result of reading a file with a movie. It is used to check a progressive input before it is copied unchanged,
/// and an output before it is written.
struct ReadBack {
  /// The contents of each track.
  var tracks: [DefragmentReport.ProgressiveTrack] = []
  /// The first problem; `nil` if every sample matches the tables.
  var problem: String?

  /// Checks the samples of all tracks of a progressive file, except those in other files.
  init(_ input: MovieInput) throws(MovieError) {
    guard let group = input.groups.first, input.groups.count == 1 else {
      problem = "there are several movies"
      return
    }
    problem = try Self.damage(input, group)
    let source = input.sources[group.source]
    let payloads = MoviePayloads(source: source)
    var reader = MovieSamples(group, of: input)
    var scratch = input.fragments
    let traks = group.movie.box.boxes.filter { $0.type == "trak" }
    for (index, (track, trak)) in zip(group.movie.tracks, traks).enumerated() {
      var found = DefragmentReport.ProgressiveTrack()
      let tkhd = try payloads.payload(of: trak.first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self)
      found.presentationDuration = tkhd.duration
      defer { tracks.append(found) }
      guard track.hasSamples else { continue }
      var reading: MovieSamples.Reading
      do throws(MovieError) { reading = try reader.read(index, fragment: 0) } catch {
        if case .io = error { throw error }
        note(track, error.reason)
        continue
      }
      scratch.samples[index] = reading.samples
      defer { scratch.samples[index] = SampleColumns() }
      found.add(reading.samples)
      if let contradiction = reading.contradictions.first { note(track, contradiction.description) }
      if reading.unplaced.samples > 0 { note(track, "\(reading.unplaced.samples) samples are in no chunk") }
      for fragment in reading.fragments where !track.externalDescriptions.contains(Int(fragment.descriptionIndex)) {
        if !scratch.hold(fragment, places: &reader.places) { note(track, "samples are not in media data") }
        if fragment.descriptionIndex == 0 || fragment.descriptionIndex > track.descriptionCount {
          note(track, "samples have no description")
        }
      }
      // Boxes that fragments cannot contain are kept. The others must be readable.
      var (boxes, left, _) = try reader.information(index)
      if (boxes.auxiliarySizes == nil) != (boxes.auxiliaryOffsets == nil) { note(track, "saiz or saio is missing") }
      do throws(IOError) {
        left.formUnion(try scratch.inform(&reading.fragments, boxes, chunks: reading.chunks, of: source))
      } catch {
        throw .io(error)
      }
      if let type = left.first { note(track, "\(type) cannot be read") }
    }
  }

  private mutating func note(_ track: TrackDescription, _ damage: String) {
    if problem == nil { problem = "track \(track.id): \(damage)" }
  }

  /// Damage in a file outside of its sample tables.
  private static func damage(_ input: MovieInput, _ group: MovieGroup) throws(MovieError) -> String? {
    if let loss = input.diagnostics.first(where: { $0.severity == .error }) { return loss.text }
    if let damage = group.movie.damage.first { return Diagnostic(damage, "").text }
    return try ItemLayout(input).diagnostics.first?.text
  }

  // MARK: Outputs

  /// Throws if reading a planned progressive file would not give this number of samples of each track and this
  /// duration.
  static func check(_ source: PlannedSource, _ expected: [(sampleCount: Int, duration: Int64)], of file: String)
    throws(MovieError)
  {
    let input = try read(source, of: file)
    guard input.fragments.headers.isEmpty else { throw refusal(file, "it contains movie fragments") }
    let result = try ReadBack(input)
    if let problem = result.problem { throw refusal(file, problem) }
    let isSame = zip(result.tracks, expected).allSatisfy {
      $0.sampleCount == $1.sampleCount && $0.mediaDuration == $1.duration
    }
    guard isSame, result.tracks.count == expected.count else { throw refusal(file, "it has different samples") }
  }

  /// Throws if a planned init segment would not be read with these tracks and without samples, alone or with fragments
  /// after it.
  static func check(_ initialization: OutputPlan, trackIDs: [UInt32], of file: String) throws(MovieError) {
    let sink = PlannedSink(name: file)
    try io(sink.append(initialization))
    for fragments in [[], [initialization.byteCount]] {
      // A reader determines the end of a damaged box from the data after it and the amount of that data.
      if !fragments.isEmpty {
        try io(sink.appendFragment())
      }
      let source = PlannedSource(sink.file, name: file)
      let input = try read(source, of: file)
      guard input.fragments.headers.map(\.offset) == fragments else {
        throw refusal(file, "it contains different movie fragments")
      }
      if let damage = try damage(input, input.groups[0]) { throw refusal(file, damage) }
      guard input.tracks.map(\.id) == trackIDs, !input.tracks.contains(where: \.hasSamples) else {
        throw refusal(file, otherTracks)
      }
    }
  }

  static func read(
    _ source: PlannedSource, of file: String, keepsSamples: Bool = true, takesAllSegments: Bool = false
  ) throws(MovieError) -> MovieInput {
    do throws(MovieError) {
      return try MovieInputReader.read([source], keepsSamples: keepsSamples, takesAllSegments: takesAllSegments)
    } catch {
      if case .io = error { throw error }
      throw refusal(file, error.reason)
    }
  }

  static let otherTracks = "it has different tracks"

  static func refusal(_ file: String, _ damage: String) -> MovieError {
    .impossible(
      file: file,
      Obstacle(
        "unreadable_output",
        "the damage is too severe: the output would not have the planned samples (\(damage)); not written"))
  }
}

extension PlannedSink {
  /// Adds a movie fragment without samples, and the largest media data box with a 32-bit size.
  fileprivate func appendFragment() throws(IOError) {
    var writer = ByteWriter()
    writer.integer(UInt32(24))
    writer.integer(FourCC("moof").rawValue)
    writer.integer(UInt32(16))
    writer.integer(FourCC("mfhd").rawValue)
    writer.integer(UInt64(1))
    writer.integer(UInt32.max)
    writer.integer(FourCC("mdat").rawValue)
    try write(writer.bytes)
    try copy(0..<Int(UInt32.max) - 8, of: ZeroSource())
  }
}

/// Zeros, of which only the first can be read: a reader searches the bytes of media data for boxes, which would take
/// long.
private final class ZeroSource: ByteSource {
  let name = "zeros"
  let byteCount: Int? = Int(UInt32.max)
  private static let limit = 4 << 20

  func read(at offset: Int, into bytes: inout MutableRawSpan) -> Int {
    let count = max(0, min(bytes.byteCount, Self.limit - offset))
    for index in 0..<count { bytes.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
    return count
  }
}

extension DefragmentReport.ProgressiveTrack {
  /// Adds all samples of a track.
  fileprivate mutating func add(_ samples: SampleColumns) {
    sampleCount += samples.count
    byteCount = min(samples.byteCount(of: 0..<samples.count), 1 << 61)
    mediaDuration = Int64(clamping: samples.duration(of: 0..<samples.count))
  }
}

extension MovieInput {
  /// Creates a plan and checks it: with all kept boxes of the sources, or, if these could not be read back, only with
  /// the boxes that the samples need.
  func checked<Plan>(
    _ make: (MovieInput) throws(MovieError) -> Plan, diagnostics: WritableKeyPath<Plan, [Diagnostic]>
  ) throws(MovieError) -> Plan {
    var reduced = self
    var text: String?
    while true {
      do throws(MovieError) {
        var plan = try make(reduced)
        if let text { plan[keyPath: diagnostics].append(Diagnostic(.error, sources[0].name, text)) }
        return plan
      } catch {
        guard case .impossible = error else { throw error }
        if reduced.dropKept() {
          text = "other boxes beside moov are damaged; omitted"
        } else if reduced.dropOthers() {
          text = "boxes in and beside moov that the samples do not need are damaged; omitted"
        } else {
          throw error
        }
      }
    }
  }

  /// Removes the file-level boxes beside the movie, and returns whether there were any.
  private mutating func dropKept() -> Bool {
    guard contents.contains(where: { !$0.kept.isEmpty }) else { return false }
    for index in contents.indices { contents[index].kept = [] }
    return true
  }

  /// Removes the boxes in movies that are not necessary to present the samples, and returns whether there were any.
  private mutating func dropOthers() -> Bool {
    var isLess = false
    for index in groups.indices { isLess = groups[index].movie.box.keep(Self.needed) || isLess }
    return isLess
  }

  /// The necessary boxes in each box of a movie.
  private static let needed: [FourCC: Set<FourCC>] = [
    "moov": ["mvhd", "trak", "mvex", "pssh"], "trak": ["tkhd", "edts", "tref", "mdia"], "edts": ["elst"],
    "mdia": ["mdhd", "hdlr", "elng", "minf"], "stbl": ["stsd", "sgpd"], "dinf": ["dref"],
    "minf": ["vmhd", "smhd", "hmhd", "nmhd", "sthd", "gmhd", "dinf", "stbl"],
  ]
}

extension Box {
  /// Keeps only these boxes of the named containers, and returns whether there were others.
  fileprivate mutating func keep(_ needed: [FourCC: Set<FourCC>]) -> Bool {
    guard let types = needed[type] else { return false }
    let count = boxes.count
    boxes.removeAll { !$0.hasHeader || !types.contains($0.type) }
    var isLess = boxes.count < count
    for index in boxes.indices where needed[boxes[index].type] != nil { isLess = boxes[index].keep(needed) || isLess }
    return isLess
  }
}
