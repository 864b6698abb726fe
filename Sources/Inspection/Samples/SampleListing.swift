import ISOBMFF
public import MP4
public import MP4Bytes
import MP4HLS
import MP4Presentations
public import MP4Records

/// A list of samples of a movie: all of them, or the selected ones.
public struct SampleListing: Sendable {
  /// Selects samples, which must meet every condition.
  public struct Selection: Sendable {
    /// Only sync samples.
    public var keyframesOnly = false
    /// Only samples that are at least partly presented in this range of times.
    public var times: Range<MediaTime>?
    /// Only samples with these numbers in their tracks, starting at 1.
    public var numbers: ClosedRange<Int>?
    /// Only the sample that is presented at this time, and the preceding sync sample where decoding starts.
    public var time: MediaTime?

    /// Selects all samples.
    public init() {}
  }

  let movie: Movie
  /// Whether the timescales of the movie are known. Without them, only times in units of the media are written.
  public var hasTimescales = true
  private let selection: Selection
  /// The value added to presentation times, and the prefix of track headings; `nil` for files.
  let shift: MediaTime?, heading: String?

  /// The samples of `movie` that `selection` selects.
  public init(_ movie: Movie, _ selection: Selection = Selection()) {
    self.init(movie, selection, shift: nil, heading: nil)
  }

  /// The same for a part of a presentation.
  init(_ movie: Movie, _ selection: Selection, shift: MediaTime?, heading: String?) {
    (self.movie, self.selection, self.shift, self.heading) = (movie, selection, shift, heading)
  }

  /// Calls `body` for the selected samples of a track, in decoding order.
  package func forEach(of track: Track, _ body: (Sample) throws(IOError) -> Void) throws(IOError) {
    let samples = track.samples
    if let time = selection.time {
      guard let shown = samples.index(atPresentationTime: time) else { return }
      var start = samples.syncIndex(atOrBefore: shown)
      // A sample that is presented before its sync sample needs the previous sync sample.
      if let own = start, own > 0, samples[shown].compositionTime < samples[own].compositionTime {
        start = samples.syncIndex(atOrBefore: own - 1) ?? own
      }
      if let start, start < shown, includes(samples[start]) { try body(samples[start]) }
      if includes(samples[shown]) { try body(samples[shown]) }
      return
    }
    let wanted = range(of: samples)
    // The sample that is seen when a range of times starts.
    let first = selection.times.flatMap { samples.index(atPresentationTime: $0.lowerBound) }
    if wanted.count == samples.count {
      for sample in samples where includes(sample, first) { try body(sample) }
    } else {
      for index in wanted where includes(samples[index], first) { try body(samples[index]) }
    }
  }

  /// The indices that the selected numbers cover.
  private func range(of samples: Samples) -> Range<Int> {
    guard let numbers = selection.numbers else { return 0..<samples.count }
    let first = min(max(0, numbers.lowerBound - 1), samples.count)
    return first..<max(first, min(numbers.upperBound, samples.count))
  }

  private func includes(_ sample: Sample, _ first: Int? = nil) -> Bool {
    if selection.keyframesOnly, !sample.isSync { return false }
    guard let times = selection.times else { return true }
    // It is seen until the next one, so its duration, which is that of its decoding, does not matter.
    return sample.index == first || sample.presentations.contains { times.contains($0.lowerBound) }
  }

  /// Writes the selected samples.
  ///
  /// - Returns: The number of samples.
  @discardableResult public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) -> Int {
    var output = RecordOutput<SampleRecord>(format, to: sink)
    var count = 0
    for track in movie.tracks {
      let (id, timescale) = (track.id, track.timescale)
      try forEach(of: track) { (sample) throws(IOError) in
        try output.write(SampleRecord(sample, track: id, timescale: timescale, hasSeconds: hasTimescales))
        count += 1
      }
    }
    try output.finish()
    return count
  }

  /// Adds the selected samples to an output for several movies. Returns their number.
  package func add(to output: inout RecordOutput<SampleRecord>) throws(IOError) -> Int {
    var count = 0
    for track in movie.tracks {
      try forEach(of: track) { (sample) throws(IOError) in
        let record = SampleRecord(sample, track: track.id, timescale: track.timescale, hasSeconds: hasTimescales)
        try output.write(record)
        count += 1
      }
    }
    return count
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(PlacedRecord<SampleRecord>.schema).write(to: sink)
  }
}

/// Lists of samples of presentations, with presentation times.
extension SampleListing {
  /// Writes the selected samples of a presentation; a `nil` format means text.
  ///
  /// - Returns: The number of samples.
  @discardableResult public static func write(
    _ movies: PresentationMovies, _ selection: Selection, _ format: RecordFormat?, to sink: any ByteSink
  ) throws(IOError) -> Int {
    var count = 0
    let listings = movies.parts.map { part in
      (part, SampleListing(part.movie, selection.moved(by: part.shift), shift: part.shift, heading: part.heading))
    }
    guard let format else {
      for (_, listing) in listings { count += try listing.writeText(to: sink) }
      return count
    }
    var output = RecordOutput<PlacedRecord<SampleRecord>>(format, to: sink)
    for (part, listing) in listings {
      for track in part.movie.tracks {
        let (id, timescale) = (track.id, track.timescale)
        try listing.forEach(of: track) { (sample) throws(IOError) in
          var record = SampleRecord(sample, track: id, timescale: timescale)
          record.shift = part.shift
          try output.write(PlacedRecord(record, in: part, line: part.segment(ofSource: sample.sourceIndex)?.line))
          count += 1
        }
      }
    }
    try output.finish()
    return count
  }
}

extension SampleListing.Selection {
  /// The same listing with times that are `shift` later in the presentation.
  fileprivate func moved(by shift: MediaTime) -> Self {
    var moved = self
    moved.time = time.map { $0 - shift }
    moved.times = times.map { ($0.lowerBound - shift)..<($0.upperBound - shift) }
    return moved
  }
}

extension GroupListing {
  /// Writes the GOPs of a presentation, in a range of `times` only those that are at least partly presented then; a
  /// `nil` format means text.
  ///
  /// - Returns: The number of GOPs.
  @discardableResult public static func write(
    _ movies: PresentationMovies, in times: Range<MediaTime>?, _ format: RecordFormat?, to sink: any ByteSink
  ) throws(IOError) -> Int {
    var count = 0
    // Tracks with only sync samples are listed only if there are no others.
    let parts = movies.parts
    let hasGroups = parts.contains { $0.movie.tracks.contains { !$0.samples.areAllSync } }
    let listings = parts.filter { part in
      !hasGroups || part.movie.tracks.contains { !$0.samples.areAllSync }
    }.map { part in
      let own = times.map { ($0.lowerBound - part.shift)..<($0.upperBound - part.shift) }
      return (part, GroupListing(part.movie, in: own, shift: part.shift, heading: part.heading))
    }
    guard let format else {
      for (_, listing) in listings { count += try listing.writeText(to: sink) }
      return count
    }
    var output = RecordOutput<PlacedRecord<GroupOfPictures>>(format, to: sink)
    for (part, listing) in listings {
      for track in listing.tracks {
        try listing.forEach(of: track) { (group) throws(IOError) in
          let source = track.samples[group.samples.lowerBound].sourceIndex
          let line = part.segment(ofSource: source)?.line
          try output.write(PlacedRecord(group.moved(by: part.shift), in: part, line: line))
          count += 1
        }
      }
    }
    try output.finish()
    return count
  }
}

/// Sample lists as text tables.
extension SampleListing {
  /// Writes a table for each track.
  ///
  /// - Returns: The number of samples.
  @discardableResult public func writeText(to sink: any ByteSink) throws(IOError) -> Int {
    var total = 0
    for track in movie.tracks {
      let widest = { (value: Int) in TextBuffer.digitCount(UInt64(value.magnitude)) }
      let last = track.samples.last
      let end = last.map { Int($0.decodeTime.value &+ $0.duration.value) } ?? 0
      let clock = last?.decodeTime.clock.utf8.count ?? 0
      let hasDescriptions = track.decoderConfigurations.count > 1
      let hasFiles = movie.sources.count > 1
      var table = TextTable(to: sink)
      var count = 0
      try forEach(of: track) { (sample) throws(IOError) in
        if count == 0 {
          table.line(track.heading(heading, hasTimescale: hasTimescales))
          table.begin(
            [
              ("number", widest(track.samples.count)), ("decode", widest(end)), ("decoded at", clock),
              ("composition", widest(end)),
              ("shown at", clock), ("duration", 0), ("size", 8), ("offset", 11), ("keyframe", 0),
              ("needs others", 0),
              ("needed", 0),
            ] + (hasDescriptions ? [("description", 0)] : []) + (hasFiles ? [("file", 0)] : []))
        }
        table.write(sample, shift, hasDescriptions, hasFiles, hasSeconds: hasTimescales)
        count += 1
      }
      if track.samples.isEmpty { table.line(track.heading(heading, hasTimescale: hasTimescales)) }
      total += count
      try table.finish()
    }
    return total
  }
}

extension Track {
  /// A heading such as `track 1, video, avc1.64000D, 750 samples, timescale 12800`.
  fileprivate func heading(_ place: String?, hasTimescale: Bool = true) -> String {
    let codec = codecs.isEmpty ? handler.description : codecs.joined(separator: ",")
    return (place.map { $0 + ": " } ?? "")
      + "track \(id), \(codec == LoneSegment.unknownFormat.description ? "unknown codec" : codec), "
      + "\(counted(samples.count, "sample")), " + (hasTimescale ? "timescale \(timescale)" : "unknown timescale")
  }
}

extension TextTable {
  fileprivate mutating func write(
    _ sample: Sample, _ shift: MediaTime?, _ hasDescriptions: Bool, _ hasFiles: Bool, hasSeconds: Bool
  ) {
    cell(sample.index + 1)
    cell(Int(sample.decodeTime.value))
    let decoded = shift.map { sample.relativeDecodeTime + $0 }?.clock ?? sample.relativeDecodeTime.clock
    cell(hasSeconds ? decoded : "-")
    cell(Int(sample.compositionTime.value))
    let shown = sample.presentationTime.map { time in shift.map { time + $0 } ?? time }?.clock ?? "never"
    cell(hasSeconds ? shown : "-")
    cell(Int(sample.duration.value))
    cell(sample.size)
    cell(sample.offset)
    cell(sample.isSync ? "key" : "-")
    cell(sample.dependencies.dependsOnOthers)
    cell(sample.dependencies.isDependedOn)
    if hasDescriptions { cell(sample.descriptionIndex) }
    if hasFiles { cell(sample.source.name.printable) }
    endLine()
  }
  private mutating func cell(_ claim: Bool?) { cell(claim.map { $0 ? "yes" : "no" } ?? "-") }
}

extension GroupListing {
  /// Writes a table for each track.
  ///
  /// - Returns: The number of GOPs.
  @discardableResult public func writeText(to sink: any ByteSink) throws(IOError) -> Int {
    var count = 0
    for track in tracks {
      var table = TextTable(to: sink)
      var isFirst = true
      try forEach(of: track) { (group) throws(IOError) in
        if isFirst {
          table.line(track.heading(heading))
          table.begin([
            ("first sample", 0), ("samples", 0), ("decoded at", 0), ("shown at", 0), ("duration", 11), ("bytes", 9),
            ("leading", 0),
          ])
          isFirst = false
        }
        table.cell(group.samples.lowerBound + 1)
        table.cell(group.samples.count)
        table.cell((shift.map { group.relativeDecodeTime + $0 } ?? group.relativeDecodeTime).clock)
        table.cell(group.presentationTime.map { time in shift.map { time + $0 } ?? time }?.clock ?? "never")
        table.cell("\(group.duration)")
        table.cell(group.byteCount)
        table.cell(group.leadingCount)
        table.endLine()
        count += 1
      }
      try table.finish()
    }
    return count
  }
}

extension StallListing {
  /// Writes a line for each stall.
  public func writeText(to sink: any ByteSink) throws(IOError) {
    var table = TextTable(to: sink)
    for stall in stalls { table.line(stall.description) }
    try table.finish()
  }
}
