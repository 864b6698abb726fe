import ISOBMFF
public import MP4Bytes

/// Concatenates progressive, QuickTime or fragmented movies to one progressive file, in which the samples of each track
/// follow each other.
///
/// Samples keep their bytes, sync flags, descriptions, sample groups and composition offsets, except where a part
/// starts with an open GOP of H.265 or H.266: there, decoding is made to start again. Samples that the next part
/// repeats, and that are hidden in one of them, are omitted. Every part starts when the longest track of the previous
/// one ends, with all tracks in sync: the last sample of a shorter track is extended until then. Edits that hide media,
/// such as the priming of audio, are kept.
public struct Concatenator: Sendable {
  /// Whether to concatenate tracks even if their dimensions, audio formats or codecs differ, and to keep tracks that
  /// only some inputs have.
  public var allowsDifferent = false
  /// The chapters of each input, relative to its start, which are written as one Nero list; `nil` for those that the
  /// inputs have, and empty for none.
  public var chapters: [[Chapter]]?
  /// Whether chapter tracks are kept if all inputs have them.
  public var keepsChapterTracks = true

  /// Creates a concatenator.
  public init() {}

  /// Reads the movies in `sources` and plans the file. A source can be given several times. `onProgress` is called with
  /// the number of bytes read, and returns whether to continue.
  ///
  /// - Throws: `MovieError` if an input has no movie or no samples, if the tracks of the inputs differ, or if no common
  ///   timescale can express all times.
  public func plan(_ sources: [any ByteSource], onProgress: @escaping (Int) -> Bool = { _ in true }) throws(MovieError)
    -> OutputPlan
  {
    if sources.isEmpty { throw .noInputs }
    if let chapters, !chapters.isEmpty, chapters.count != sources.count {
      let text = "there are \(counted(chapters.count, "list")) of chapters for \(counted(sources.count, "input"))"
      throw .impossible(file: sources[0].name, Obstacle("chapter_lists", text))
    }
    let parts = try Self.parts(sources, onProgress)
    let matching = try TrackMatching(parts, keepsChapterTracks: keepsChapterTracks)
    if !allowsDifferent, let first = matching.differences.first {
      let (texts, most) = (matching.differences.map(\.text), 5)
      let rest = texts.count > most ? "; and \(texts.count - most) more" : ""
      let names = matching.differences.allSatisfy { $0.names != nil && $0.names == first.names } ? first.names : nil
      let obstacle = Obstacle(
        names == nil ? "different_tracks" : "different_sample_entries",
        texts.prefix(most).joined(separator: "; ") + rest,
        remedy: names.map { .renamingSampleEntries(to: $0.first) } ?? .allowDifferences)
      throw .impossible(file: parts[first.part].name, obstacle)
    }
    var movie = try ConcatenatedMovie(parts, matching)
    movie.note(matching.differences.map { Diagnostic(.warning, parts[$0.part].name, $0.text) })
    // Problems of an input are reported when it is read for the output.
    let chapters = chapters ?? sources.map { (try? Movie(reading: [$0]).chapters()) ?? [] }
    try movie.setChapters(chapters, hasTracks: matching.keepsChapterTracks)
    return try movie.plan()
  }

  private static func parts(_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws(MovieError)
    -> [ConcatenationPart]
  {
    var inputs: [MovieInput] = []
    var done = 0
    for source in sources {
      inputs.append(try MovieInput(reading: [source]) { [done] in onProgress(done + $0) })
      done += source.byteCount ?? 0
    }
    // The output is a QuickTime movie if all inputs are.
    var (quickTime, hasOthers) = (Set<Int>(), false)
    for index in inputs.indices {
      if try inputs[index].isQuickTime() { quickTime.insert(index) } else { hasOthers = true }
    }
    if hasOthers, !quickTime.isEmpty {
      for index in inputs.indices { try inputs[index].convertQuickTime() }
    }
    var parts: [ConcatenationPart] = []
    for input in inputs {
      let part = try ConcatenationPart(input)
      guard part.tracks.contains(where: { $0.sampleCount > 0 }) else { throw input.nothingLeft(part.diagnostics) }
      parts.append(part)
    }
    return parts
  }
}

/// The first samples of a part that repeat samples of the previous part.
struct Repetition {
  var samples: Int
  /// The decode time at which they start in the output.
  var start: Int64
  /// Whether they are all samples of the part.
  var isWhole: Bool
}

/// One movie with the samples of several parts.
private struct ConcatenatedMovie {
  private var input: MovieInput
  private var samples: [TrackSamples]
  private let edits: EditPlan
  /// The presentation times at which the parts start, and the end of the last one.
  private var starts: [MediaTime] = []
  private var end = MediaTime(0, 1)
  private var diagnostics: [Diagnostic] = []

  init(_ parts: [ConcatenationPart], _ matching: TrackMatching) throws(MovieError) {
    input = parts[0].input
    diagnostics = parts.flatMap(\.diagnostics)
    input.diagnostics = []
    for part in parts {
      starts.append(end)
      end = end + part.duration
    }
    input.groups = []
    input.fragments = FragmentTable()
    for (number, part) in parts.enumerated() {
      input.add(
        part.input, number,
        isKept: matching.targets[number].map { target in
          target.map { matching.sources[$0].firstIndex { $0 != nil } == number } ?? false
        })
    }
    var table = input.fragments
    let entries = try input.mergeEntries(parts, matching, &table)
    for (number, part) in parts.enumerated() {
      for (header, bytes) in part.input.fragments.protectionHeaders.contents {
        _ = table.protectionHeaders.add(bytes, source: number, header)
      }
    }
    // The tracks of each part and their samples, in the timescales of the output.
    var tracks = parts.map(\.tracks)
    var continuations = parts.map { $0.tracks.map { _ in TrackSamples?.none } }
    samples = []
    for (target, indices) in matching.sources.enumerated() {
      let timescale = try Self.timescale(of: target, indices, parts)
      var kind = SampleAuxiliaryInfo()
      for (number, index) in indices.enumerated() {
        guard let index, let converted = parts[number].converted(index, to: timescale) else { continue }
        guard kind.hasSameAuxiliaryKind(as: converted.samples.details) else {
          let text =
            "track \(target + 1): its samples have auxiliary information in a different format than the preceding ones"
          throw .impossible(file: parts[number].name, Obstacle("other_auxiliary_information", text))
        }
        if kind.auxiliaryKind == nil { kind = converted.samples.details }
        tracks[number][index] = converted.track
        continuations[number][index] = converted.samples
      }
      try input.setTimescale(of: target, to: timescale, &table)
    }
    var seams: [TrackSeams] = []
    // For each track, the parts whose first samples repeat the last ones of the previous part.
    var repetitions = matching.sources.map { _ in [Int: Repetition]() }
    for (target, indices) in matching.sources.enumerated() {
      var seam = TrackSeams(timescale: table.tracks[target].timescale)
      for (number, index) in indices.enumerated() {
        guard let index, case let track = tracks[number][index], track.sampleCount > 0 else {
          seam.skip()
          continue
        }
        let repetition = try Self.repetition(of: track, number, at: starts[number], seam, indices, continuations, parts)
        repetitions[target][number] = repetition
        guard seam.append(track, at: starts[number], repetition) else {
          throw .impossible(
            file: parts[number].name,
            Obstacle("times_too_large", "track \(target + 1): its times would be too large"))
        }
      }
      seams.append(seam)
    }
    // The number of ranks of the parts before each one.
    let ranks = parts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.rankCount) }
    var joints: [TrackJoints] = []
    for (target, indices) in matching.sources.enumerated() {
      let starts = seams[target].starts
      var joined = TrackSamples(timescale: table.tracks[target].timescale, table.information[target].groups)
      var own = TrackJoints(presented: seams[target].presented)
      var previous: DecoderConfiguration?
      for (number, index) in indices.enumerated() {
        guard let index, let part = continuations[number][index] else { continue }
        let change = TrackSamples.Change(
          rank: ranks[number], source: number, descriptions: entries[number][index], groups: joined.merge(part))
        guard let start = starts[number] else {
          joined.append(part, 0..<0, change)
          continue
        }
        if repetitions[target][number] == nil, joined.list.count > 0 {
          own.joints.append(
            TrackJoints.Joint(
              sample: joined.list.count, configuration: parts[number].configuration(ofTrack: index, atEnd: false),
              previous: previous, number: number))
        }
        previous = parts[number].configuration(ofTrack: index, atEnd: true)
        let next = starts[(number + 1)...].firstIndex { $0 != nil }
        let count = part.list.count - (next.flatMap { repetitions[target][$0]?.samples } ?? 0)
        let end = start &+ part.list.columns.time(count)
        joined.append(part, 0..<count, stretch: (next.flatMap { starts[$0] } ?? end) &- end, change)
      }
      joined.measure()
      samples.append(joined)
      joints.append(own)
    }
    input.fragments = table
    let started = try input.startDecoders(at: joints, in: &samples)
    if let (target, number) = started.disordered.first {
      let text =
        "track \(target + 1): it starts with an open GOP and cannot follow the previous file: H.264 decoders cannot "
        + "start again there, and would present its pictures in the wrong order; it must start with an IDR picture"
      throw .impossible(file: parts[number].name, Obstacle(.openGOP, text))
    }
    diagnostics += started.diagnostics
    for (target, own) in repetitions.enumerated() where !own.isEmpty {
      let count = own.values.reduce(0) { $0 + $1.samples }
      let kind = Diagnostic.Kind.joints(.repeated, count: count)
      diagnostics.append(Diagnostic(kind, parts[0].name, input.tracks.reference(target)))
    }
    edits = EditPlan(seams.map(\.written), movieTimescale: parts[0].movieTimescale)
    note(seams, parts, matching)
  }

  /// The first samples of a part that repeat the last ones of the previous part: files that were cut from one file have
  /// common samples, which edits hide in one of them. Without the repetition, the samples continue as in that file.
  /// `nil` if there are none.
  private static func repetition(
    of track: ConcatenationPart.Track, _ number: Int, at time: MediaTime, _ seam: TrackSeams, _ indices: [Int?],
    _ continuations: [[TrackSamples?]], _ parts: [ConcatenationPart]
  ) throws(MovieError) -> Repetition? {
    guard ["vide", "soun"].contains(track.properties.handler),
      let continuation = seam.continuation(of: track, at: time), let index = indices[number],
      let start = seam.starts[continuation.part]
    else { return nil }
    func list(_ part: Int, _ index: Int) -> SampleList? {
      continuations[part][index].flatMap { $0.runs.contains(where: \.isScaled) ? nil : $0.list }
    }
    guard let before = indices[continuation.part], let old = list(continuation.part, before),
      let new = list(number, index), let first = old.index(atTime: continuation.time - start),
      old.columns.time(first) == continuation.time - start,
      track.properties.configurations.first?.parameterSets
        == parts[continuation.part].tracks[before].properties.configurations.first?.parameterSets,
      try new.starts(
        withSamples: first..<min(old.count, first + new.count), of: old,
        (parts[number].input.sources, parts[continuation.part].input.sources))
    else { return nil }
    return Repetition(
      samples: min(old.count - first, new.count), start: continuation.time, isWhole: new.count <= old.count - first)
  }

  /// The timescale for all samples of a track: that of the first input that has it, or else a common one.
  private static func timescale(of target: Int, _ indices: [Int?], _ parts: [ConcatenationPart]) throws(MovieError)
    -> UInt32
  {
    let used = indices.enumerated().compactMap { part, index in index.map { (part: part, index: $0) } }
    let timescales = used.map { parts[$0.part].tracks[$0.index].timescale }
    guard let first = timescales.first, timescales.contains(where: { $0 != first }) else {
      return timescales.first ?? 1
    }
    var common: UInt32? = first
    for timescale in timescales { common = common.flatMap { commonTimescale($0, timescale) } }
    for case let candidate? in [first, common] {
      if used.allSatisfy({ parts[$0.part].converted($0.index, to: candidate) != nil }) { return candidate }
    }
    let odd = used.first { parts[$0.part].tracks[$0.index].timescale != first }?.part ?? 0
    let text =
      "track \(target + 1): no 32-bit timescale expresses all times exactly; the files have the timescales "
      + Set(timescales).sorted().map(String.init).joined(separator: ", ")
    throw .impossible(file: parts[odd].name, Obstacle("incompatible_timescales", text))
  }

  mutating func note(_ diagnostics: [Diagnostic]) { self.diagnostics += diagnostics }

  private mutating func note(_ seams: [TrackSeams], _ parts: [ConcatenationPart], _ matching: TrackMatching) {
    let name = parts[0].name
    if edits.isRounded { diagnostics.append(Diagnostic(.roundedStart, name)) }
    // Tracks with an empty edit between others, and tracks with several edits.
    var (interrupted, hidden): ([UInt32], [UInt32]) = ([], [])
    for (target, seam) in seams.enumerated() {
      let track = input.fragments.tracks.reference(target)
      func note(_ text: String, _ part: Int = 0) {
        diagnostics.append(Diagnostic(.other(.note, text), parts[part].name, track))
      }
      if let (time, part) = seam.longestExtension, time > MediaTime(1, 10) {
        note("it ends before the other tracks of this file; its last sample was extended by \(time)", part)
      }
      if seam.hasInnerGap {
        interrupted.append(track.id)
      } else if seam.written.count(where: { $0.entry.mediaTime >= 0 }) > 1 {
        hidden.append(track.id)
      }
      let codecs = parts.indices.reduce(into: [String]()) { codecs, part in
        let own = matching.sources[target][part].flatMap {
          parts[part].tracks[$0].properties.configurations.first?.codecs
        }
        if let own, !codecs.contains(own) { codecs.append(own) }
      }
      if seam.starts.count(where: { $0 != nil }) > 1, codecs.contains(where: { $0.hasPrefix("stpp") }) {
        let text =
          "the times in its documents count from the start of each file; in all but the first file, they are too early"
        diagnostics.append(Diagnostic(.other(.warning, text), name, track))
      }
      if codecs.count > 1 { note("its sample descriptions differ: \(codecs.joined(separator: ", "))") }
      noteRates(matching.sources[target].enumerated().compactMap { part, own in own.map { (part, $0) } }, parts, track)
    }
    var texts: [String] = []
    func list(_ tracks: [UInt32]) -> String {
      "track\(tracks.count == 1 ? "" : "s") \(tracks.map(String.init).joined(separator: ", "))"
    }
    if !hidden.isEmpty {
      texts.append(
        "several edits hide media such as audio priming at file boundaries (\(list(hidden))); players that honor only "
          + "the first edit, such as Chromium, present it")
    }
    if !interrupted.isEmpty {
      texts.append(
        "an empty edit follows where a track ends before others (\(list(interrupted))); some players repeat samples "
          + "there"
      )
    }
    if !texts.isEmpty { diagnostics.append(Diagnostic(.note, name, texts.joined(separator: "; "))) }
  }

  /// Adds a warning if files have different constant frame rates.
  private mutating func noteRates(
    _ tracks: [(part: Int, index: Int)], _ parts: [ConcatenationPart], _ track: Diagnostic.Track
  ) {
    let rates = tracks.compactMap { part, index in parts[part].tracks[index].pictureDuration.map { (part, $0) } }
    guard let (first, duration) = rates.first,
      let (other, otherDuration) = rates.first(where: { !$0.1.isNear(duration) })
    else { return }
    let text =
      "\(parts[first].name) has \(duration.rateText) fps, \(parts[other].name) \(otherDuration.rateText) fps; the "
      + "frame rate of the output varies, which some players and editors do not support"
    diagnostics.append(Diagnostic(.other(.warning, text), parts[other].name, track))
  }

  /// Writes the chapters of all parts as one list.
  mutating func setChapters(_ lists: [[Chapter]], hasTracks: Bool) throws(MovieError) {
    var all: [Chapter] = []
    for (start, own) in zip(starts, lists) {
      all += own.map { Chapter(time: start + $0.time, title: $0.title) }
    }
    let isTooLong = all.count > ChapterList.limit
    if isTooLong, !hasTracks {
      throw .impossible(file: input.sources[0].name, ChapterList.tooMany(all.count))
    }
    input.groups[0].movie.box.setChapters(all.isEmpty || isTooLong ? nil : ChapterList(all))
  }

  func plan() throws(MovieError) -> OutputPlan {
    let file = input.sources[0].name
    for (track, own) in samples.enumerated() where own.list.count >= Int(UInt32.max) {
      throw .impossible(file: file, .tooManySamples(track: input.tracks[track].id, count: own.list.count))
    }
    let layout = MediaLayout(samples)
    var diagnostics = diagnostics
    for (index, table) in layout.tables.enumerated() where table.samples.count == 0 {
      diagnostics.append(Diagnostic(.emptyTrack, input.name(ofTrack: index), input.tracks.reference(index)))
    }
    return try FileLayout.plan(input, layout, edits, diagnostics)
  }
}

extension MovieInput {
  /// Adds the movie of another input with one source, as source `number`, with some of its tracks.
  fileprivate mutating func add(_ other: MovieInput, _ number: Int, isKept: [Bool]) {
    var group = other.groups[0]
    group.movie.box.setSource(number)
    group.source = number
    group.movie.keep(isKept)
    if number > 0 {
      sources.append(other.sources[0])
      contents.append(other.contents[0])
      // The output has the metadata of the first input, so the items of other inputs are not needed.
      contents[number].kept = []
      group.movie.box.boxes.removeAll { $0.type == "meta" }
      isOfISO = isOfISO || other.isOfISO
      hasNegativeOffsets = hasNegativeOffsets || other.hasNegativeOffsets
    }
    contents[number].group = number
    group.tracks = fragments.add(group.movie)
    groups.append(group)
  }

  /// Adds the sample entries of all parts to those of the first part that has the track. Returns their indices for each
  /// part and track.
  fileprivate mutating func mergeEntries(
    _ parts: [ConcatenationPart], _ matching: TrackMatching, _ table: inout FragmentTable
  ) throws(MovieError) -> [[[UInt32]]] {
    var result: [[[UInt32]]] = parts.map { $0.tracks.map { _ in [] } }
    for (target, indices) in matching.sources.enumerated() {
      guard let group = groups.firstIndex(where: { $0.tracks.contains(target) }),
        let place = groups[group].movie.box.place(ofTrak: target - groups[group].tracks.lowerBound),
        var known = groups[group].movie.box.boxes[place].first("mdia", "minf", "stbl", "stsd")
      else { continue }
      for (number, index) in indices.enumerated() {
        guard let index, var own = parts[number].tracks[index].properties.box.first("mdia", "minf", "stbl", "stsd")
        else { continue }
        own.setSource(number)
        if number == group {
          result[number][index] = own.boxes.indices.map { UInt32($0 + 1) }
          continue
        }
        var last = known.boxes.count
        result[number][index] = try known.addEntries(of: own, sources)
        for (offset, new) in result[number][index].enumerated() where new > last {
          table.addDescription(offset, of: parts[number].input.tracks[index], to: target)
          last = Int(new)
        }
      }
      groups[group].movie.box.boxes[place].edit("mdia", "minf", "stbl", "stsd") { $0 = known }
    }
    return result
  }

  /// Changes the timescale of a track of the output.
  fileprivate mutating func setTimescale(of target: Int, to timescale: UInt32, _ table: inout FragmentTable)
    throws(MovieError)
  {
    guard table.tracks[target].timescale != timescale,
      let group = groups.firstIndex(where: { $0.tracks.contains(target) }),
      let place = groups[group].movie.box.place(ofTrak: target - groups[group].tracks.lowerBound),
      let box = groups[group].movie.box.boxes[place].first("mdia", "mdhd")
    else { return }
    table.setTimescale(of: target, to: timescale)
    let payloads = MoviePayloads(source: sources[box.source])
    var mdhd = try payloads.payload(of: box, in: "moov/trak/mdia/mdhd", MediaHeaderBox.self)
    let rest = try payloads.rest(of: box, after: mdhd)
    mdhd.timescale = timescale
    groups[group].movie.box.boxes[place].edit("mdia", "mdhd") { $0.fields = .edited(mdhd, rest: rest) }
  }
}

extension Box {
  /// Sets the source of this box and all boxes in it.
  fileprivate mutating func setSource(_ number: Int) {
    source = number
    for index in boxes.indices { boxes[index].setSource(number) }
  }

  /// Sets Nero's chapter list of a movie box, or removes it.
  mutating func setChapters(_ list: ChapterList?) {
    edit("udta") { udta in udta.boxes.removeAll { $0.type == "chpl" } }
    guard let list else { return }
    if first("udta") == nil { boxes.append(Box("udta", boxes: [])) }
    // Inserted before the zeros that can end a QuickTime user data list.
    edit("udta") { udta in
      udta.boxes.insert(list.box(), at: udta.boxes.firstIndex { !$0.hasHeader } ?? udta.boxes.count)
    }
  }
}

extension MediaTime {
  /// Whether the rates of pictures with these durations are within 0.05 %.
  fileprivate func isNear(_ other: MediaTime) -> Bool {
    let difference = max(self, other) - min(self, other)
    return MediaTime(difference.value.multipliedReportingOverflow(by: 2000).partialValue, difference.timescale)
      < max(self, other)
  }

  /// The number of pictures per second with at most three decimals, such as 29.97.
  fileprivate var rateText: String {
    guard value > 0 else { return "0" }
    let (product, overflow) = Int64(timescale).multipliedReportingOverflow(by: 1000)
    let thousandths = overflow ? 0 : (product + value / 2) / value
    let (whole, rest) = (thousandths / 1000, thousandths % 1000)
    var digits = String(1000 + rest).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return digits.isEmpty ? "\(whole)" : "\(whole).\(digits)"
  }
}
