import Bytes
import ISOBMFF

extension DefragmentReport {
  /// The report on a fragmented movie.
  init(_ input: MovieInput, _ timeline: FragmentTimeline, _ layout: MediaLayout, _ edits: EditPlan) {
    let tracks = input.tracks
    let ids = TrackNumbering(input.groups).ids
    self.init(
      inputs: Self.inputs(input), movieTimescale: edits.timescale, start: edits.start,
      tracks: tracks.indices.map { index in
        let (track, samples, group) = (tracks[index], layout.tables[index].samples, input.group(of: index))
        let isGenerated = group.map { input.contents[$0.source].isGenerated } ?? false
        return Track(
          input: isGenerated ? nil : group?.source ?? 0, inputID: isGenerated ? nil : track.id, id: ids[index],
          handler: track.handler,
          timescale: track.timescale, inputMovieTimescale: group?.movie.timescale ?? edits.timescale,
          sampleCount: samples.count,
          fragmentCount: timeline.tracks[index].fragmentCount, start: timeline.tracks[index].start,
          mediaDuration: samples.duration,
          presentationDuration: edits.presentationDuration(
            of: index, mediaDuration: samples.duration, timescale: track.timescale),
          edits: edits.edits[index])
      }, mediaByteCount: layout.copies.byteCount)
  }

  /// The report on a file that is already progressive; `samples` describes the samples of each track.
  init(progressive input: MovieInput, _ movie: MovieDescription, samples: [ProgressiveTrack]) {
    self.init(
      inputs: Self.inputs(input), movieTimescale: movie.timescale, start: MediaTime(0, movie.timescale),
      tracks: zip(movie.tracks, samples).map { track, samples in
        Track(
          input: 0, inputID: track.id, id: track.id, handler: track.handler, timescale: track.timescale,
          inputMovieTimescale: movie.timescale, sampleCount: samples.sampleCount, fragmentCount: 0, start: 0,
          mediaDuration: samples.mediaDuration, presentationDuration: samples.presentationDuration, edits: track.edits)
      }, mediaByteCount: samples.reduce(0) { $0 + $1.byteCount })
  }

  /// A track of a progressive file, as its movie box describes it.
  struct ProgressiveTrack {
    var sampleCount = 0
    var byteCount = 0
    var mediaDuration: Int64 = 0
    var presentationDuration: UInt64 = 0
  }

  static func inputs(_ input: MovieInput) -> [Input] {
    zip(input.sources, input.contents).filter { !$1.isGenerated }.map { source, contents in
      Input(name: source.name, byteCount: source.byteCount, fragmentCount: contents.fragmentCount)
    }
  }
}

extension EditPlan {
  /// The presented duration of a track, in the movie timescale: that of its edits, or without edits that of its media.
  func presentationDuration(of track: Int, mediaDuration: Int64, timescale: UInt32) -> UInt64 {
    if edits[track].isEmpty { return inMovie(mediaDuration, timescale) }
    return edits[track].reduce(0) { $0 &+ $1.segmentDuration }
  }
}
