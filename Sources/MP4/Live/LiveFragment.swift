import ISOBMFF
import MP4Bytes

/// A movie fragment of a stream whose media data has not arrived yet.
public struct LiveFragment: Sendable {
  /// The samples of one track.
  public struct Part: Sendable, Equatable {
    /// The index of the track in the movie.
    public var track: Int
    /// The decode time of its first sample, in the timescale of the track.
    public var start: Int64
    /// The total duration of its samples.
    public var duration: Int64
    /// The decode times between which its samples are if the first and the last one last as long as most samples of the
    /// track. Some writers extend the first sample of a track that begins late, and the one before a pause.
    public var extent: Range<Int64>
    /// The duration of most samples of the track; `nil` if it is unknown.
    var usualDuration: UInt32?
    /// The number of samples.
    public var sampleCount: Int
    /// The duration of each sample, if all are equal except one or two at the ends.
    public var sampleDuration: UInt32?
    /// Whether decoding can start at the first sample.
    public var beginsWithSync: Bool
    /// Whether everything presented from the first sample on can be decoded without previous samples.
    public var isIndependent: Bool
    /// The decode times of the sync samples.
    public var syncTimes: SyncTimes
    /// The keys with which some of its samples are encrypted; empty if all are clear.
    public var keyIDs: Set<[UInt8]>

    /// The end time of its last sample.
    public var end: Int64 { start + duration }
  }

  /// The offset of its `moof` in the stream.
  public let offset: Int
  /// Its sequence number.
  public let sequenceNumber: UInt32
  /// Its samples, by track.
  public internal(set) var parts: [Part]
  /// The boxes before it that belong to it: events and producer reference times.
  var boxesBefore: [UInt8]
  /// The `moof`. Offsets relative to the start of the file have become relative to its own start.
  public let box: [UInt8]
  /// The offset of its sequence number in the box.
  let numberPlace: Int?
  /// The number of bytes from the end of its `moof` to the end of its last sample.
  public let mediaByteCount: Int
  /// Whether it also has samples of tracks that the movie does not declare.
  package var hasUndeclaredTracks = false
  /// Represents all bytes of the `moof` from which it was read.
  public let fingerprint: Int

  /// The bytes of the fragment up to its media data, at any offset, with this sequence number.
  public func bytes(sequenceNumber number: UInt32) -> [UInt8] {
    guard let place = numberPlace, number != sequenceNumber else { return boxesBefore + box }
    var moof = box
    for index in 0..<4 { moof[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
    return boxesBefore + moof
  }
}

extension LiveFragment {
  /// Divides the fragment into several, each with its media data. They start at samples of the track `reference`, at
  /// the increasing decode times `times`; `media` is the data after the `moof`.
  ///
  /// Samples do not change; those of undeclared tracks are not included. `nil` if something else in the fragment would
  /// be lost.
  public func divided(at times: [Int64], ofTrack reference: Int, of movie: LiveMovie, media: [UInt8]) throws(MovieError)
    -> [(fragment: LiveFragment, media: [UInt8])]?
  {
    guard let material = try Material(self, movie, media), material.table.isWhole,
      let part = parts.first(where: { $0.track == reference })
    else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    let start = material.writers[reference].placement.start
    let cuts = times.map { MediaTime($0 &- part.start &+ start, timescale) }
    let starts = [MediaTime(part.start, timescale)] + cuts
    return try fragments(material, of: Array(material.writers.indices), startingAt: starts, reference: reference)
  }

  /// Divides the fragment into those of groups of tracks, each with its media data; `media` is the data after the
  /// `moof`.
  ///
  /// Samples do not change, and their information is kept; other boxes and undeclared tracks are not. The boxes before
  /// the fragment belong to the first group. `nil` if samples would be lost.
  public func separated(into groups: [[Int]], of movie: LiveMovie, media: [UInt8]) throws(MovieError)
    -> [[(fragment: LiveFragment, media: [UInt8])]]?
  {
    guard let material = try Material(self, movie, media) else { return nil }
    var result: [[(fragment: LiveFragment, media: [UInt8])]] = []
    for group in groups {
      guard !group.isEmpty else { result.append([]); continue }
      guard
        var own = try fragments(material, of: group, startingAt: [MediaTime(0, 1)], reference: group[0])
      else { return nil }
      if !result.isEmpty, !own.isEmpty { own[0].fragment.boxesBefore = [] }
      result.append(own)
    }
    return result
  }

  /// The same fragment of one track, with a shorter duration of its first sample, which starts later by `start`, and of
  /// its last sample, which ends earlier by `end`. `nil` if they do not last so long.
  package func shortened(
    atStart start: MediaTime, atEnd end: MediaTime, of movie: LiveMovie, media: [UInt8]
  ) throws(MovieError) -> (fragment: LiveFragment, media: [UInt8])? {
    guard parts.count == 1 else { return nil }
    let (track, timescale) = (parts[0].track, movie.movie.tracks[parts[0].track].timescale)
    let (start, end) = (start.converted(to: timescale).value, end.converted(to: timescale).value)
    var new = self
    new.parts[0].start = parts[0].start &+ start
    new.parts[0].duration = parts[0].duration &- start &- end
    guard let material = try Material(new, movie, media, shortened: (start, end)) else { return nil }
    let result = try new.fragments(material, of: [track], startingAt: [MediaTime(0, 1)], reference: track)
    return result?.count == 1 ? result?[0] : nil
  }

  /// The samples of a fragment in the form in which they are written.
  private struct Material {
    var table: FragmentTable
    var writers: [TrackFragmentWriter] = []
    var source: MemorySource
    /// Boxes that each `moof` contains.
    var boxes: [Box] = []

    /// The only track fragment is `shortened` by these amounts at its ends. `nil` if samples would be lost.
    init?(
      _ fragment: LiveFragment, _ movie: LiveMovie, _ media: [UInt8],
      shortened: (start: Int64, end: Int64) = (0, 0)
    ) throws(MovieError) {
      let box = fragment.box
      source = MemorySource(box + media, name: movie.name)
      table = try FragmentTable.reading(0..<box.count, of: source, movie.movie).table
      if shortened != (0, 0) {
        guard table.shorten(atStart: shortened.start, atEnd: shortened.end) else { return nil }
      }
      guard table.hasAllData(in: box.count..<(box.count + media.count)) else { return nil }
      let timeline = try io(FragmentTimeline(table))
      guard timeline.tracks.allSatisfy(\.events.isEmpty) else { return nil }
      for (index, track) in movie.movie.tracks.enumerated() {
        // Without a declared time, it follows the previous fragments.
        let isDeclared = table.trackFragments.first { $0.track == index }?.declaredTime != nil
        let part = fragment.parts.first { $0.track == index }
        let start = isDeclared ? timeline.tracks[index].start : part?.start ?? 0
        writers.append(TrackFragmentWriter(track, table, timeline.tracks[index], index, start: start))
      }
      for (_, header) in table.protectionHeaders.places { boxes += try ItemLayout.boxes(header, of: source, 0) }
    }
  }

  /// The fragments of some tracks that start at these times of the track `reference`.
  private func fragments(
    _ material: Material, of tracks: [Int], startingAt starts: [MediaTime], reference: Int
  ) throws(MovieError) -> [(fragment: LiveFragment, media: [UInt8])]? {
    let writers = tracks.map { material.writers[$0] }
    var writer = MovieFragmentWriter(
      tracks: writers,
      cuts: Segmentation(
        startingAt: starts, positions: writers.map { $0.positions(at: Array(starts.dropFirst())) },
        reference: tracks.firstIndex(of: reference) ?? 0))
    (writer.boxes, writer.sources) = (material.boxes, [material.source])
    return try fragments(writer, tracks, material.source)
  }

  private func fragments(
    _ writer: MovieFragmentWriter, _ tracks: [Int], _ source: MemorySource
  ) throws(MovieError) -> [(fragment: LiveFragment, media: [UInt8])]? {
    var result: [(fragment: LiveFragment, media: [UInt8])] = []
    for part in writer.cuts.segments.indices {
      let fragments: [MovieFragmentWriter.MovieFragment]
      do throws(MovieFragmentWriter.Failure) {
        fragments = try writer.fragments(of: part, sequenceNumber: Int(sequenceNumber))
      } catch { return nil }
      for fragment in fragments {
        let media = MemorySink(name: source.name)
        do throws(IOError) {
          try media.write(Array(fragment.boxes[fragment.moofSize...]))
          try fragment.copies.write(to: media, from: [source])
        } catch { throw .io(error) }
        let own = LiveFragment(
          offset: offset, sequenceNumber: sequenceNumber,
          parts: fragment.samples.map { newPart($0.track, $0.range, writer, tracks[$0.track]) },
          boxesBefore: result.isEmpty ? boxesBefore : [],
          box: Array(fragment.boxes[..<fragment.moofSize]),
          // The number follows the headers of `moof` and `mfhd`, and version and flags.
          numberPlace: 8 + 8 + 4, mediaByteCount: media.bytes.count, fingerprint: fingerprint)
        result.append((own, media.bytes))
      }
    }
    return result
  }

  /// The samples of a track in a new fragment. `track` is its index in the movie, and `index` in the writer.
  private func newPart(_ index: Int, _ samples: Range<Int>, _ writer: MovieFragmentWriter, _ track: Int) -> Part {
    let (list, all) = (writer.tracks[index].list, parts.first { $0.track == track })
    let first = SampleCursor(samples.lowerBound, in: list)
    let start = (all?.start ?? 0) &+ first.time
    let end = (all?.start ?? 0) &+ list.columns.time(samples.upperBound)
    let isReference = index == writer.cuts.reference
    let access = isReference ? writer.accessPoint(at: first, before: samples.upperBound).kind : .closed
    let usual = all?.usualDuration
    return Part(
      track: track, start: start, duration: end &- start,
      extent: list.columns.extent(samples, from: start, to: end, usual: usual), usualDuration: usual,
      sampleCount: samples.count, sampleDuration: all?.sampleDuration,
      beginsWithSync: list.isSync(samples.lowerBound),
      isIndependent: list.isSync(samples.lowerBound) && access.isIndependent,
      syncTimes: all?.syncTimes.clipped(to: start..<Swift.max(start, end)) ?? SyncTimes(), keyIDs: all?.keyIDs ?? [])
  }
}

extension FragmentTable {
  /// Shortens the first and the last sample of the only track fragment. Returns whether they last so long.
  fileprivate mutating func shorten(atStart start: Int64, atEnd end: Int64) -> Bool {
    guard trackFragments.count == 1, let time = trackFragments[0].declaredTime, start >= 0, end >= 0,
      let (later, overflow) = Optional(time.addingReportingOverflow(UInt64(start))), !overflow
    else { return false }
    let (track, range) = (trackFragments[0].track, trackFragments[0].samples)
    for (amount, index) in [(start, range.lowerBound), (end, range.upperBound - 1)] where amount > 0 {
      guard range.contains(index), let left = UInt32(exactly: Int64(samples[track].duration(index)) - amount), left > 0
      else { return false }
      samples[track].setDuration(left, at: index)
    }
    trackFragments[0].declaredTime = later
    trackFragments[0].duration = samples[track].duration(of: range)
    return true
  }
  /// Whether everything in a fragment can be expressed in parts of it.
  fileprivate var isWhole: Bool { headers.allSatisfy(\.isWhole) && omitted.isEmpty }
  /// Whether the data of all samples of a fragment is in `range`.
  fileprivate func hasAllData(in range: Range<Int>) -> Bool {
    withBaseOffset.isEmpty
      && trackFragments.allSatisfy { fragment in
        extents(of: fragment).allSatisfy {
          $0.offset >= range.lowerBound && $0.offset + $0.byteCount <= range.upperBound
        }
      }
  }
}

extension TrackFragmentWriter {
  /// A writer for a track's samples in a movie fragment; the samples keep their times.
  fileprivate init(
    _ track: TrackDescription, _ table: FragmentTable, _ timeline: TrackTimeline, _ index: Int, start: Int64
  ) {
    let list = SampleList(timeline, table, track: index)
    self.init(
      trackID: track.id, list: list,
      details: SampleAuxiliaryInfo(
        table.information[index], timeline, table.trackFragments, besides: track.groupDescriptions),
      placement: TrackTimeMapping(list, timescale: track.timescale, start: start),
      encryption: track.encryption,
      defaultDescription: track.defaults.defaultSampleDescriptionIndex)
  }

  /// The first sample, the first samples that are decoded at these times or later, and the end.
  fileprivate func positions(at times: [MediaTime]) -> [SampleCursor] {
    var walk = SampleWalk(list)
    var result = [walk.position]
    for time in times {
      while walk.sample < list.count, MediaTime(walk.time &+ placement.start, placement.timescale) < time {
        walk.advance()
      }
      result.append(walk.position)
    }
    return result + [SampleCursor(list.count, in: list)]
  }
}

extension LiveFragment {
  /// Makes decoding start again at the first sync sample of a track, before which samples are missing or are those of
  /// another recording. `media` is the data after the `moof`; its size does not change. Returns a note about a change,
  /// or a warning if none is possible; `nil` if decoding starts there already.
  ///
  /// A CRA picture of H.265 becomes a BLA picture. H.264 and H.266 have no means that keeps the size.
  public func startDecoder(ofTrack track: Int, of movie: LiveMovie, media: inout [UInt8]) throws(MovieError)
    -> Diagnostic?
  {
    func diagnostic(_ change: Diagnostic.JointChange) -> Diagnostic {
      Diagnostic(.joints(change, count: 1), movie.name, movie.movie.tracks.reference(track))
    }
    let source = MemorySource(box + media, name: movie.name)
    let (table, _, _) = try FragmentTable.reading(0..<box.count, of: source, movie.movie)
    let columns = table.samples[track]
    var found: (fragment: TrackFragment, sample: Int)?
    for fragment in table.trackFragments where fragment.track == track && found == nil {
      found = fragment.samples.first { columns.flags($0).isSync }.map { (fragment, $0) }
    }
    guard let (fragment, first) = found else { return nil }
    let configurations = try movie.decoderConfigurations(ofTrack: track)
    let number = Int(fragment.descriptionIndex) - 1
    let start = columns.offset(first)
    guard configurations.indices.contains(number), start >= box.count,
      let (codec, lengthSize) = configurations[number].pictureUnits
    else { return nil }
    let sample = JointSample(
      number: first, source: 0, bytes: start..<max(start, start &+ columns.size(first)), compositionTime: 0,
      duration: 0, isSync: true)
    var reader = SampleUnitReader([source])
    guard let units = try reader.units(of: sample, codec, lengthSize: lengthSize),
      let slice = units.first(where: { codec.isSlice($0.type) })
    else { return diagnostic(.unknown) }
    if codec.isIDR(slice.type) { return nil }
    guard codec == .hevc else { return diagnostic(.unknown) }
    guard slice.type == 21 else { return nil }
    var at = sample.bytes.lowerBound - box.count
    for part in try SampleChange(brokenLink: units, of: sample, &reader).parts {
      switch part {
      case .range(let range): at += range.count
      case .bytes(let bytes):
        for byte in bytes where media.indices.contains(at) {
          media[at] = byte
          at += 1
        }
      }
    }
    return diagnostic(.brokenLink)
  }
}
