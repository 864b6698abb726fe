public import Bytes
import HLS
public import MP4

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
