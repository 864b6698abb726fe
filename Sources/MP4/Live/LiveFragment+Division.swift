import Bytes
import ISOBMFF

extension LiveFragment {
  /// Divides the fragment into several, each with its media data. They start at samples of the track `reference`, at
  /// the increasing decode times `times`; `media` is the data after the `moof`.
  ///
  /// Samples do not change. `nil` if something in the fragment would be lost.
  public func divided(at times: [Int64], ofTrack reference: Int, of movie: LiveMovie, media: [UInt8]) throws(MovieError)
    -> [(fragment: LiveFragment, media: [UInt8])]?
  {
    let source = MemorySource(box + media, name: movie.name)
    let (table, _, _) = try FragmentTable.reading(0..<box.count, of: source, movie.movie)
    guard table.canBeDivided(with: box.count..<(box.count + media.count)) else { return nil }
    let timeline: FragmentTimeline
    do throws(IOError) { timeline = try FragmentTimeline(table) } catch { throw .io(error) }
    guard timeline.tracks.allSatisfy(\.events.isEmpty) else { return nil }
    var writers: [TrackFragmentWriter] = []
    for (index, track) in movie.movie.tracks.enumerated() {
      // Without a declared time, it follows the previous fragments.
      let isDeclared = table.trackFragments.first { $0.track == index }?.declaredTime != nil
      let start = isDeclared ? timeline.tracks[index].start : parts.first { $0.track == index }?.start ?? 0
      writers.append(TrackFragmentWriter(track, table, timeline.tracks[index], index, start: start))
    }
    guard let part = parts.first(where: { $0.track == reference }) else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    let cuts = times.map { MediaTime($0 &- part.start &+ writers[reference].placement.start, timescale) }
    var writer = MovieFragmentWriter(
      tracks: writers,
      cuts: Segmentation(
        startingAt: [MediaTime(part.start, timescale)] + cuts, positions: writers.map { $0.positions(at: cuts) },
        reference: reference))
    writer.sources = [source]
    for (_, header) in table.protectionHeaders.places {
      writer.boxes += try ItemLayout.boxes(header, of: source, 0)
    }
    return try fragments(writer, source)
  }

  private func fragments(_ writer: MovieFragmentWriter, _ source: MemorySource) throws(MovieError) -> [(
    fragment: LiveFragment, media: [UInt8]
  )]? {
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
          parts: fragment.samples.map { parts($0.track, $0.range, writer) },
          boxesBefore: result.isEmpty ? boxesBefore : [],
          box: Array(fragment.boxes[..<fragment.moofSize]),
          // The number follows the headers of `moof` and `mfhd`, and version and flags.
          numberPlace: 8 + 8 + 4, mediaByteCount: media.bytes.count, fingerprint: fingerprint)
        result.append((own, media.bytes))
      }
    }
    return result
  }

  /// The samples of a track in a new fragment.
  private func parts(_ track: Int, _ samples: Range<Int>, _ writer: MovieFragmentWriter) -> Part {
    let (list, all) = (writer.tracks[track].list, parts.first { $0.track == track })
    let first = SampleCursor(samples.lowerBound, in: list)
    let start = (all?.start ?? 0) &+ first.time
    let end = (all?.start ?? 0) &+ list.columns.time(samples.upperBound)
    let isReference = track == writer.cuts.reference
    let access = isReference ? writer.accessPoint(at: first, before: samples.upperBound).kind : .closed
    return Part(
      track: track, start: start, duration: end &- start, sampleCount: samples.count,
      sampleDuration: all?.sampleDuration, beginsWithSync: list.isSync(samples.lowerBound),
      isIndependent: list.isSync(samples.lowerBound) && access.isIndependent,
      syncTimes: all?.syncTimes.filter { $0 >= start && $0 < end } ?? [], keyIDs: all?.keyIDs ?? [])
  }
}

extension FragmentTable {
  /// Whether everything in a fragment, whose data is to be in `range`, can be expressed in parts of it.
  fileprivate func canBeDivided(with range: Range<Int>) -> Bool {
    headers.allSatisfy(\.isWhole) && unknownTracks.isEmpty && omitted.isEmpty && withBaseOffset.isEmpty
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
